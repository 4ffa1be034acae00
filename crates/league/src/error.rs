//! Why a league's work could not be done, in one sentence.

use parlor_catalog::BadPlayer;
use parlor_core::BadParams;
use parlor_protocol::BadProgram;
#[cfg(feature = "store")]
use parlor_store::StoreError;
use parlor_tournament::{Halt, NotKept};

#[derive(Debug, thiserror::Error)]
pub enum LeagueError {
    /// A plan, a player or a program is not what it must be.
    #[error("{0}")]
    Input(String),
    /// The tournament of this name in the store has another plan, or was played by other rules.
    #[error("{0}")]
    OtherPlan(String),
    /// A player cannot be made.
    #[error(transparent)]
    Player(#[from] BadPlayer),
    #[cfg(feature = "store")]
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    Failed(String),
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
