//! Why a league's work could not be done, in one sentence.

use parlor_catalog::BadPlayer;
use parlor_core::BadParams;
use parlor_protocol::BadProgram;
#[cfg(feature = "store")]
use parlor_store::StoreError;
use parlor_tournament::{Halt, NotKept};
use std::fmt;

/// Why something could not be done.
#[derive(Debug)]
pub enum LeagueError {
    /// A plan, a player or a program is not what it must be.
    Input(String),
    /// The tournament of this name in the store has another plan, or was played by other rules.
    OtherPlan(String),
    /// A player cannot be made.
    Player(BadPlayer),
    #[cfg(feature = "store")]
    /// The store failed.
    Store(StoreError),
    /// Something else failed.
    Failed(String),
}

impl fmt::Display for LeagueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LeagueError::Input(sentence)
            | LeagueError::OtherPlan(sentence)
            | LeagueError::Failed(sentence) => f.write_str(sentence),
            LeagueError::Player(bad) => bad.fmt(f),
            #[cfg(feature = "store")]
            LeagueError::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LeagueError {}

impl From<BadPlayer> for LeagueError {
    fn from(bad: BadPlayer) -> LeagueError {
        LeagueError::Player(bad)
    }
}

impl From<BadParams> for LeagueError {
    fn from(bad: BadParams) -> LeagueError {
        LeagueError::Input(bad.0)
    }
}

impl From<BadProgram> for LeagueError {
    fn from(bad: BadProgram) -> LeagueError {
        LeagueError::Input(bad.0)
    }
}

#[cfg(feature = "store")]
impl From<StoreError> for LeagueError {
    fn from(error: StoreError) -> LeagueError {
        LeagueError::Store(error)
    }
}

impl From<NotKept> for LeagueError {
    fn from(error: NotKept) -> LeagueError {
        LeagueError::Failed(error.0)
    }
}

impl From<Halt> for LeagueError {
    fn from(halt: Halt) -> LeagueError {
        match halt {
            Halt::Player(bad) => LeagueError::Player(bad),
            other => LeagueError::Failed(other.to_string()),
        }
    }
}
