//! What can go wrong with a store, as sentences.

use sqlx::{error::DatabaseError, migrate::MigrateError};
use std::fmt;

/// Why a store did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The database cannot be opened or is none of ours: where, and why.
    #[error("cannot open the database {0}: {1}")]
    Open(String, String),
    /// It was made by a newer version of this program.
    #[error("the database {0} was created by a newer version of Parlor; use that version")]
    Newer(String),
    /// A tournament of this name with another plan is there already: its name, and that plan's fingerprint.
    #[error("the tournament '{0}' already exists with another plan")]
    OtherPlan(String, String),
    /// A game of this tournament and number is there already.
    #[error("game {1} of the tournament '{0}' already exists")]
    Twice(String, i64),
    /// A live game of this id is there already.
    #[error("the game '{0}' already exists")]
    Taken(String),
    /// The event of this number is in this live game's log already.
    #[error("event {1} of the game '{0}' already exists")]
    Stale(String, i64),
    /// What was to be added to is not there: what it is.
    #[error("there is no {0}")]
    Missing(String),
    /// The database cannot be reached now, and may be later: why. Whether it did what it was asked for is not known; see
    /// [`Store::back`](crate::Store::back).
    #[error("cannot connect to the database: {0}")]
    Away(String),
    /// Only servers that share a database have something to tell each other.
    #[error("SQLite has no notifications; several servers need a shared PostgreSQL database")]
    NotShared,
    /// The database has no space left to write to: what it said.
    #[error("no disk space left for the database: {0}")]
    Full(String),
    /// A row cannot be read: its table, the key that finds it, and what is wrong with it.
    #[error("corrupt row of {0} ({1}): {2}")]
    Corrupt(&'static str, String, String),
    /// The database's error message.
    #[error("the database failed: {0}")]
    Failed(String),
}

impl StoreError {
    /// Whether the database failed, rather than refused what it was asked for.
    pub(crate) fn is_failure(&self) -> bool {
        matches!(self, StoreError::Away(_) | StoreError::Full(_) | StoreError::Failed(_))
    }

    /// An error for which the caller waits, of whatever kind it is.
    #[allow(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
    pub(crate) fn away(error: sqlx::Error) -> StoreError {
        StoreError::Away(words(&error))
    }

    /// The same error with the row in which it was met, where a value of the row cannot be read.
    pub(crate) fn in_row(self, table: &'static str, key: impl fmt::Display) -> StoreError {
        match self {
            StoreError::Failed(why) => StoreError::Corrupt(table, key.to_string(), why),
            other => other,
        }
    }

    pub(crate) fn no_game(id: &str) -> StoreError {
        StoreError::Missing(format!("game '{id}'"))
    }

    /// What is wrong with the tables of a database.
    pub(crate) fn of_schema(place: &str, error: &MigrateError) -> StoreError {
        match error {
            MigrateError::VersionMissing(_) | MigrateError::VersionTooNew(..) => {
                StoreError::Newer(place.into())
            }
            other => StoreError::Open(place.into(), other.to_string()),
        }
    }

    pub(crate) fn no_tournament(name: &str) -> StoreError {
        StoreError::Missing(format!("tournament '{name}'"))
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> StoreError {
        let code = error.as_database_error().and_then(DatabaseError::code);
        let code = code.as_deref().unwrap_or_default();
        match &error {
            sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut => StoreError::Away(words(&error)),
            _ if is_away(code) => StoreError::Away(words(&error)),
            _ if FULL.contains(&code) => StoreError::Full(words(&error)),
            _ => StoreError::Failed(words(&error)),
        }
    }
}

/// The codes by which SQLite and PostgreSQL report a full disk.
const FULL: [&str; 2] = ["13", "53100"];

/// What a database said, without the line of its own source that PostgreSQL adds.
pub fn words(error: &sqlx::Error) -> String {
    #[cfg(feature = "postgres")]
    if let Some(said) = error.as_database_error()
        && let Some(said) = said.try_downcast_ref::<sqlx::postgres::PgDatabaseError>()
    {
        return said.message().to_string();
    }
    error.to_string()
}

/// Whether PostgreSQL says by this code that it shuts down, starts up, has too many guests, has closed the connection, or has
/// given up this transaction for another one: all that passes. The codes of SQLite are numbers of another kind.
fn is_away(code: &str) -> bool {
    let passing = ["57P01", "57P02", "57P03", "57P05", "25P03", "53300", "40001", "40P01"];
    passing.contains(&code) || (code.len() == 5 && code.starts_with("08"))
}
