//! Makes a player from the text of a player spec. The catalogue makes our own players. External
//! programs (`bot:COMMAND`, `ugi:COMMAND`) are run as processes in a sandbox, and this module decides
//! which files they may read.

use crate::{LeagueError, content_hash::ContentHash};
use parlor_catalog::{BadPlayer, DynGame, PlayerSpec, Resources};
use parlor_core::{BadRecord, Player, Record};
use parlor_protocol::{BadProgram, Bot, BotOptions, Program, Replay};
use parlor_sandbox::Sandbox;
use parlor_tournament::{MakePlayer, TournamentPlan};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Factory of players from player specs.
#[derive(Clone, Debug)]
pub struct Players {
    /// Parameters of our own players, except the seed, which each player has. Programs use its clock.
    pub resources: Resources,
    /// Relative paths start from this folder.
    pub dir: PathBuf,
    /// Whether the folder belongs to one author, so that a program may read all of it. A tournament's
    /// folder is shared.
    private: bool,
    /// The sandbox of the programs; `None` runs them without one.
    sandbox: Option<Sandbox>,
    /// The user's home folder, which never counts as a program's own folder.
    home: Option<PathBuf>,
    /// The programs that play against each other. None of them may read the files of another.
    programs: Vec<Program>,
    ponder: bool,
}

impl Players {
    /// Players whose programs run in this folder.
    pub fn new(
        dir: &Path,
        private: bool,
        sandbox: Option<Sandbox>,
        home: Option<PathBuf>,
        resources: Resources,
    ) -> Players {
        let (dir, programs) = (dir.to_path_buf(), Vec::new());
        Players { resources, dir, private, sandbox, home, programs, ponder: false }
    }

    /// Hides these files from all programs, even in a program's own folder.
    #[must_use]
    pub fn hiding(mut self, files: Vec<PathBuf>) -> Players {
        if let Some(sandbox) = &mut self.sandbox {
            sandbox.hide = files;
        }
        self
    }

    /// Checks and adds the players of a plan. People are refused.
    pub fn for_plan(mut self, plan: &TournamentPlan) -> Result<Players, BadPlayer> {
        (self.programs, self.ponder) = (Vec::new(), plan.ponder);
        for player in &plan.players {
            if self.add(&player.spec)?.is_some_and(|spec| spec.kind == "human") {
                return Err(BadPlayer::Spec(
                    "player human: people cannot play in matches; expected an engine or a bot".to_string(),
                ));
            }
        }
        Ok(self)
    }

    /// Checks a player spec, and hides the files of its program from the other programs. Returns the
    /// parsed spec of one of our own players, `None` for a program.
    pub fn add(&mut self, spec: &str) -> Result<Option<PlayerSpec>, BadPlayer> {
        if let Some(program) = self.program(spec) {
            self.programs.push(program.map_err(bad_spec)?);
            return Ok(None);
        }
        spec.parse().map(Some)
    }

    /// Makes the player of any spec except `human`. A program is not started yet.
    pub fn make(&self, game: &dyn DynGame, spec: &str, seed: u64) -> Result<Box<dyn Player>, BadPlayer> {
        self.make_reading(game, spec, &[], seed)
    }

    /// Like [`Players::make`]. A program may read `more` beside its own files.
    fn make_reading(
        &self,
        game: &dyn DynGame,
        spec: &str,
        more: &[PathBuf],
        seed: u64,
    ) -> Result<Box<dyn Player>, BadPlayer> {
        match self.program(spec) {
            Some(program) => Ok(Box::new(self.bot(&program.map_err(bad_spec)?, more))),
            None => {
                let spec: PlayerSpec = spec.parse()?;
                game.player(&spec, &Resources { seed, ..self.resources.clone() })
            }
        }
    }

    /// A function that makes the players of a plan by index. `reads` has the files that each of them
    /// may read beside its own.
    pub fn of_plan<'a>(&'a self, plan: &'a TournamentPlan, reads: &'a [Vec<PathBuf>]) -> MakePlayer<'a> {
        Box::new(move |game, player, seed| {
            self.make_reading(game, &plan.players[player].spec, reads_of(reads, player), seed)
        })
    }

    /// The content hashes of the programs of a plan, by player name.
    pub fn hashes(
        &self,
        plan: &TournamentPlan,
        reads: &[Vec<PathBuf>],
    ) -> Result<BTreeMap<String, ContentHash>, LeagueError> {
        let mut hashes = BTreeMap::new();
        for (number, player) in plan.players.iter().enumerate() {
            if let Some(program) = self.program(&player.spec) {
                let hash = ContentHash::of(self, &program?, reads_of(reads, number));
                let hash =
                    hash.map_err(|why| LeagueError::Failed(format!("player {}: {why}", player.name)))?;
                hashes.insert(player.name.clone(), hash);
            }
        }
        Ok(hashes)
    }

    /// The program of a spec; `None` if the spec names one of our own players.
    pub fn program(&self, spec: &str) -> Option<Result<Program, BadProgram>> {
        Program::is_program_spec(spec).then(|| Program::parse(spec, &self.dir))
    }

    /// Makes a player of a program, which is not started yet. It may read its own files and `more`,
    /// but no files of other programs.
    pub fn bot(&self, program: &Program, more: &[PathBuf]) -> Bot {
        let sandbox = self.sandbox.clone().map(|sandbox| {
            let own = self.own_folders(program, self.private);
            Sandbox { read: own.into_iter().chain(more.iter().cloned()).collect(), ..sandbox }
        });
        let clock = self.resources.clock.clone();
        let options = BotOptions { clock, sandbox, ponder: self.ponder, ..BotOptions::default() };
        Bot::new(program.clone(), replay(), options)
    }

    /// Whether a program was added.
    pub fn has_programs(&self) -> bool {
        !self.programs.is_empty()
    }

    /// A sentence for the user about the protection by the sandbox.
    pub fn remark(&self) -> String {
        match &self.sandbox {
            None => "sandbox: off (--no-sandbox)".to_string(),
            Some(sandbox) => format!("sandbox: {}", sandbox.probe()),
        }
    }

    /// The own folders of a program: those that its command names, and the parent folders of the
    /// files that it names. A parent folder does not count if it is shared, or if it contains
    /// something that the command of another program names.
    pub(crate) fn own_folders(&self, program: &Program, private: bool) -> Vec<PathBuf> {
        let others = self.programs.iter().filter(|other| *other != program);
        let others: Vec<PathBuf> = others.flat_map(named).collect();
        let league = (!private).then(|| program.dir.clone());
        let shared: Vec<PathBuf> = [league, self.home.clone(), Some(PathBuf::from("/"))]
            .into_iter()
            .flatten()
            .filter_map(|folder| folder.canonicalize().ok())
            .collect();
        let is_shared = |folder: &Path| {
            shared.iter().any(|place| place.starts_with(folder))
                || others.iter().any(|other| other.starts_with(folder))
        };
        let mut folders = Vec::new();
        for path in named(program) {
            if path.is_dir() {
                folders.push(path);
            } else if let Some(folder) = path.parent().filter(|folder| !is_shared(folder)) {
                folders.push(folder.to_path_buf());
            }
        }
        folders
    }
}

fn bad_spec(bad: BadProgram) -> BadPlayer {
    BadPlayer::Spec(bad.0)
}

fn reads_of(reads: &[Vec<PathBuf>], player: usize) -> &[PathBuf] {
    reads.get(player).map_or(&[], Vec::as_slice)
}

/// The files and folders that a command line names.
pub(crate) fn named(program: &Program) -> Vec<PathBuf> {
    let paths = program.command.iter().filter(|word| !word.is_empty()).map(|word| program.dir.join(word));
    paths.filter(|path| path.exists()).filter_map(|path| path.canonicalize().ok()).collect()
}

/// Replays the record of any game.
fn replay() -> Replay {
    Arc::new(|record: &Record| {
        let game = parlor_catalog::game(&record.game).map_err(|bad| BadRecord(bad.0))?;
        game.replay(record)
    })
}
