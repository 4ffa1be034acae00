//! The players of matches and tournaments: those of the catalogue, made anew for each game, and
//! programs, which stay.

use crate::{LeagueError, content_hash::ContentHash, program_runner::ProgramRunner};
use parlor_catalog::{BadPlayer, Hosted, PlayerSpec, Resources};
use parlor_core::Player;
use parlor_protocol::Program;
use parlor_tournament::{Plan, Seats};
use std::{collections::BTreeMap, path::PathBuf};

enum Kind {
    Ours(PlayerSpec),
    Theirs(Program),
}

/// Makes the players of a plan.
pub struct PlayerRegistry {
    kinds: Vec<Kind>,
    programs: Vec<Program>,
    pub(crate) runner: ProgramRunner,
    /// What each player may read beside its own files.
    reads: Vec<Vec<PathBuf>>,
    pub(crate) tables: Option<PathBuf>,
    /// Whether programs may think while the other side does.
    ponder: bool,
}

impl PlayerRegistry {
    /// The players of a plan; a person is none.
    pub fn of(
        plan: &Plan,
        runner: ProgramRunner,
        reads: Vec<Vec<PathBuf>>,
        tables: Option<PathBuf>,
    ) -> Result<PlayerRegistry, LeagueError> {
        let kind = |text: &str| -> Result<Kind, LeagueError> {
            if let Some(program) = runner.program(text) {
                return Ok(Kind::Theirs(program?));
            }
            let spec: PlayerSpec = text.parse()?;
            match spec.kind.as_str() {
                "human" => Err(LeagueError::Input("player human: a match is between programs".to_string())),
                _ => Ok(Kind::Ours(spec)),
            }
        };
        let kinds = plan.players.iter().map(|player| kind(&player.spec)).collect::<Result<Vec<_>, _>>()?;
        let programs = kinds.iter().filter_map(|kind| match kind {
            Kind::Theirs(program) => Some(program.clone()),
            Kind::Ours(_) => None,
        });
        let programs = programs.collect();
        Ok(PlayerRegistry { programs, kinds, runner, reads, tables, ponder: plan.ponder })
    }

    /// What the programs are made of, by the players' names.
    pub fn hashes(&self, plan: &Plan) -> Result<BTreeMap<String, ContentHash>, LeagueError> {
        let mut hashes = BTreeMap::new();
        for (entrant, (kind, player)) in self.kinds.iter().zip(&plan.players).enumerate() {
            if let Kind::Theirs(program) = kind {
                let more = self.reads.get(entrant).map_or(&[][..], Vec::as_slice);
                let hash = ContentHash::of(&self.runner, program, &self.programs, more);
                let hash =
                    hash.map_err(|why| LeagueError::Failed(format!("player {}: {why}", player.name)))?;
                hashes.insert(player.name.clone(), hash);
            }
        }
        Ok(hashes)
    }

    /// What is to be known before programs are run; none where there are none.
    pub fn remark(&self) -> Option<String> {
        (!self.programs.is_empty()).then(|| self.runner.remark())
    }
}

impl Seats for PlayerRegistry {
    fn player(
        &self,
        entrant: usize,
        game: &dyn Hosted,
        resources: &Resources,
    ) -> Result<Box<dyn Player>, BadPlayer> {
        match &self.kinds[entrant] {
            Kind::Ours(spec) => {
                let resources = Resources { tables: self.tables.clone(), ..resources.clone() };
                game.player(spec, &resources)
            }
            Kind::Theirs(program) => {
                let more = self.reads.get(entrant).map_or(&[][..], Vec::as_slice);
                let bot = self.runner.seat(program, &self.programs, more, &resources.clock);
                Ok(Box::new(bot.with_ponder(self.ponder)))
            }
        }
    }

    fn stays(&self, entrant: usize) -> bool {
        matches!(self.kinds[entrant], Kind::Theirs(_))
    }
}
