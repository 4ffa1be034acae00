//! The error type of the crate. Every error is one sentence.

use parlor_catalog::BadPlayer;
use parlor_core::BadParams;
use parlor_protocol::BadProgram;
#[cfg(feature = "store")]
use parlor_store::StoreError;
use parlor_tournament::{Halt, NotKept};

/// Why a tournament cannot be prepared or continued.
#[derive(Debug, thiserror::Error)]
pub enum LeagueError {
    /// Invalid input: a plan, a player spec or a changed program.
    #[error("{0}")]
    Input(String),
    /// The stored tournament of this name has another plan or another version of the rules.
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
