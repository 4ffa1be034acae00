//! Who plays: the catalogue's own players, or a program of somebody else's that speaks to us (`bot:COMMAND`, `ugi:COMMAND`).
//! People are seated by the console.

use crate::fault::Fault;
use parlor_catalog::{Clock, Hosted, PlayerSpec, Setting};
use parlor_play::{BadRecord, Failure, Player, Record};
use parlor_protocol::{BadProgram, Bot, Program, Replay, Terms};
use std::sync::Arc;

/// A player, and what to call it if its spec says so.
pub struct Made {
    pub name: Option<String>,
    pub player: Box<dyn Player>,
}

impl Made {
    /// The same once it is known that it can play.
    pub fn ready(mut self, game: &str) -> Result<Made, Fault> {
        match self.player.ready(game) {
            Ok(()) => Ok(self),
            Err(failure) => Err(failure.into()),
        }
    }
}

/// The player of any spec but a person's. A program is not started yet.
pub fn make(game: &dyn Hosted, text: &str, setting: &Setting) -> Result<Made, Fault> {
    foreign(text, &setting.clock).unwrap_or_else(|| {
        let spec: PlayerSpec = text.parse()?;
        Ok(Made { player: game.player(&spec, setting)?, name: spec.name })
    })
}

/// The program that a spec speaks of; none where it speaks of none. It runs in the folder where we do.
pub fn foreign(text: &str, clock: &Arc<dyn Clock>) -> Option<Result<Made, Fault>> {
    if !Program::is_meant(text) {
        return None;
    }
    let made = |program: Program| {
        let terms = Terms { clock: clock.clone(), ..Terms::default() };
        Made { name: None, player: Box::new(Bot::new(program, replay(), terms)) }
    };
    Some(Program::parse(text, ".".as_ref()).map(made).map_err(Fault::from))
}

/// The board of any record.
pub fn replay() -> Replay {
    Arc::new(|record: &Record| {
        let game = parlor_catalog::game(&record.game).map_err(|bad| BadRecord(bad.0))?;
        game.replay(record)
    })
}

impl From<BadProgram> for Fault {
    fn from(bad: BadProgram) -> Fault {
        Fault::Input(bad.0)
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Fault {
        Fault::Failed(match failure {
            Failure::Start(why) => format!("the player could not be started: {why}"),
            other => format!("the player {other}"),
        })
    }
}
