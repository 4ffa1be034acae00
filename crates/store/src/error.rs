//! The errors of a store.

use sqlx::{error::DatabaseError, migrate::MigrateError};
use std::fmt;

/// Why a call of a store failed or was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The database cannot be opened, or is not a Parlor database: location and reason.
    #[error("cannot open the database {0}: {1}")]
    Open(String, String),
    /// The schema is of a newer version of this program: the location.
    #[error("the database {0} was created by a newer version of Parlor; use that version")]
    NewerSchema(String),
    /// A tournament of this name with another plan exists: its name, and the fingerprint of that plan.
    #[error("the tournament '{0}' already exists with another plan")]
    OtherPlan(String, String),
    /// The tournament has a game of this number already.
    #[error("game {1} of the tournament '{0}' already exists")]
    DuplicateGame(String, i64),
    /// A live game of this id exists already.
    #[error("the game '{0}' already exists")]
    IdTaken(String),
    /// The log of this live game has an event of this sequence number already (optimistic concurrency).
    #[error("event {1} of the game '{0}' already exists")]
    Conflict(String, i64),
    /// The game or tournament does not exist: its description.
    #[error("there is no {0}")]
    NotFound(String),
    /// The database is unavailable for now: the reason. It is unknown whether a write was done; see
    /// [`Store::wait_until_available`](crate::Store::wait_until_available).
    #[error("cannot connect to the database: {0}")]
    Unavailable(String),
    /// The call needs a shared database (PostgreSQL).
    #[error("SQLite has no notifications; several servers need a shared PostgreSQL database")]
    NotShared,
    /// The disk of the database is full: its message.
    #[error("no disk space left for the database: {0}")]
    DiskFull(String),
    /// A row cannot be read: table, key and reason.
    #[error("corrupt row of {0} ({1}): {2}")]
    Corrupt(&'static str, String, String),
    /// The database's error message.
    #[error("the database failed: {0}")]
    Failed(String),
}

impl StoreError {
    /// Whether the database failed, rather than refused the call.
    pub(crate) fn is_failure(&self) -> bool {
        matches!(self, StoreError::Unavailable(_) | StoreError::DiskFull(_) | StoreError::Failed(_))
    }

    /// Any error as [`StoreError::Unavailable`], for a caller that waits for the database.
    #[allow(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
    pub(crate) fn unavailable(error: sqlx::Error) -> StoreError {
        StoreError::Unavailable(message_of(&error))
    }

    /// The error with the table and key of the row that cannot be read.
    pub(crate) fn in_row(self, table: &'static str, key: impl fmt::Display) -> StoreError {
        match self {
            StoreError::Failed(why) => StoreError::Corrupt(table, key.to_string(), why),
            other => other,
        }
    }

    pub(crate) fn no_game(id: &str) -> StoreError {
        StoreError::NotFound(format!("game '{id}'"))
    }

    /// The error of a migration.
    pub(crate) fn of_schema(location: &str, error: &MigrateError) -> StoreError {
        match error {
            MigrateError::VersionMissing(_) | MigrateError::VersionTooNew(..) => {
                StoreError::NewerSchema(location.into())
            }
            other => StoreError::Open(location.into(), other.to_string()),
        }
    }

    pub(crate) fn no_tournament(name: &str) -> StoreError {
        StoreError::NotFound(format!("tournament '{name}'"))
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> StoreError {
        let code = error.as_database_error().and_then(DatabaseError::code);
        let code = code.as_deref().unwrap_or_default();
        match &error {
            sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut => StoreError::Unavailable(message_of(&error)),
            _ if is_unavailable(code) => StoreError::Unavailable(message_of(&error)),
            _ if DISK_FULL.contains(&code) => StoreError::DiskFull(message_of(&error)),
            _ => StoreError::Failed(message_of(&error)),
        }
    }
}

/// The codes by which SQLite and PostgreSQL report a full disk.
const DISK_FULL: [&str; 2] = ["13", "53100"];

/// The database's message, without the source location that PostgreSQL adds.
pub fn message_of(error: &sqlx::Error) -> String {
    #[cfg(feature = "postgres")]
    if let Some(said) = error.as_database_error()
        && let Some(said) = said.try_downcast_ref::<sqlx::postgres::PgDatabaseError>()
    {
        return said.message().to_string();
    }
    error.to_string()
}

/// Whether the code is one of PostgreSQL's for a temporary failure: shutdown, startup, too many connections, a closed connection,
/// a serialisation failure or a deadlock. SQLite's codes are numbers and never match.
fn is_unavailable(code: &str) -> bool {
    let passing = ["57P01", "57P02", "57P03", "57P05", "25P03", "53300", "40001", "40P01"];
    passing.contains(&code) || (code.len() == 5 && code.starts_with("08"))
}
