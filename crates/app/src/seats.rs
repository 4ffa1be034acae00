//! The players of matches and tournaments: those of the catalogue, made anew for each game.

use crate::{fault::Fault, table};
use parlor_arena::{Plan, Seats};
use parlor_catalog::{BadPlayer, Hosted, PlayerSpec, Setting};
use parlor_play::Player;
use std::path::PathBuf;

/// Makes the players of a plan.
pub struct Company {
    specs: Vec<PlayerSpec>,
    tables: Option<PathBuf>,
}

impl Company {
    /// The players of these specs; a person is none.
    pub fn of(plan: &Plan) -> Result<Company, Fault> {
        let spec = |text: &str| -> Result<PlayerSpec, Fault> {
            let spec: PlayerSpec = text.parse()?;
            match spec.kind.as_str() {
                "human" => Err(Fault::Input("player human: a match is between programs".to_string())),
                _ => Ok(spec),
            }
        };
        let specs = plan.players.iter().map(|player| spec(&player.spec)).collect::<Result<_, _>>()?;
        Ok(Company { specs, tables: table::usual_dir() })
    }
}

impl Company {
    /// What is to be said before programs are run.
    pub fn remark(&self) -> Option<String> {
        None
    }
}

impl Seats for Company {
    fn player(
        &self,
        entrant: usize,
        game: &dyn Hosted,
        setting: &Setting,
    ) -> Result<Box<dyn Player>, BadPlayer> {
        let setting = Setting { tables: self.tables.clone(), ..setting.clone() };
        game.player(&self.specs[entrant], &setting)
    }

    fn stays(&self, _: usize) -> bool {
        false
    }
}
