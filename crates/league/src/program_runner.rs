//! Foreign programs that play (`bot:COMMAND`, `ugi:COMMAND`): where they run, and what they may
//! read. The catalogue's own players need none of this, and the console seats people.

use crate::LeagueError;
use parlor_catalog::{Clock, Hosted, PlayerSpec, Resources};
use parlor_core::{BadRecord, Player, Record};
use parlor_protocol::{BadProgram, Bot, Program, Replay, Terms};
use parlor_sandbox::Sandbox;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Where programs run, and whether in a sandbox.
#[derive(Clone, Debug)]
pub struct ProgramRunner {
    /// The folder in which relative paths begin.
    pub dir: PathBuf,
    /// Whether the folder is where a bot's author works, and not where a league keeps its games.
    private: bool,
    /// The sandbox in which programs run; none: they run without one.
    sandbox: Option<Sandbox>,
    /// The user's home folder, which is no program's own.
    home: Option<PathBuf>,
}

impl ProgramRunner {
    /// Programs of this folder.
    pub fn new(dir: &Path, private: bool, sandbox: Option<Sandbox>, home: Option<PathBuf>) -> ProgramRunner {
        ProgramRunner { dir: dir.to_path_buf(), private, sandbox, home }
    }

    /// The same, in which no program can read these files, though they lie in a folder of its own.
    pub fn hiding(mut self, files: Vec<PathBuf>) -> ProgramRunner {
        if let Some(sandbox) = &mut self.sandbox {
            sandbox.hide = files;
        }
        self
    }

    /// The program of a spec; none where the spec speaks of none.
    pub fn program(&self, spec: &str) -> Option<Result<Program, BadProgram>> {
        Program::is_meant(spec).then(|| Program::parse(spec, &self.dir))
    }

    /// A program as a player. It is not started yet. Beside its own files it may read `more`, and
    /// nothing of the others'.
    pub fn seat(
        &self,
        program: &Program,
        others: &[Program],
        more: &[PathBuf],
        clock: &Arc<dyn Clock>,
    ) -> Bot {
        let sandbox = self.sandbox.clone().map(|sandbox| {
            let read = self
                .own_folders(program, others, self.private)
                .into_iter()
                .chain(more.iter().cloned())
                .collect();
            Sandbox { read, ..sandbox }
        });
        let terms = Terms { clock: clock.clone(), sandbox, ..Terms::default() };
        Bot::new(program.clone(), replay(), terms)
    }

    /// The player of any spec but a person's. A program is not started yet.
    pub fn make(
        &self,
        game: &dyn Hosted,
        spec: &str,
        resources: &Resources,
    ) -> Result<Box<dyn Player>, LeagueError> {
        match self.program(spec) {
            Some(program) => Ok(Box::new(self.seat(&program?, &[], &[], &resources.clock))),
            None => Ok(game.player(&spec.parse::<PlayerSpec>()?, resources)?),
        }
    }

    /// What is to be known before programs are run: what protects from them and what does not.
    pub fn remark(&self) -> String {
        match &self.sandbox {
            None => "programs run without a sandbox, as --no-sandbox says".to_string(),
            Some(sandbox) => format!("sandbox: {}", sandbox.probe()),
        }
    }

    /// The folders that are a program's own: those that its command names, and those of the files
    /// that it names unless they are everybody's, or something that another program's command names
    /// lies there too.
    pub fn own_folders(&self, program: &Program, others: &[Program], private: bool) -> Vec<PathBuf> {
        let others: Vec<PathBuf> = others.iter().filter(|other| *other != program).flat_map(named).collect();
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

/// The files and folders that a command names.
pub fn named(program: &Program) -> Vec<PathBuf> {
    let paths = program.command.iter().filter(|word| !word.is_empty()).map(|word| program.dir.join(word));
    paths.filter(|path| path.exists()).filter_map(|path| path.canonicalize().ok()).collect()
}

/// The board of any record.
pub fn replay() -> Replay {
    Arc::new(|record: &Record| {
        let game = parlor_catalog::game(&record.game).map_err(|bad| BadRecord(bad.0))?;
        game.replay(record)
    })
}
