//! What can go wrong with a store, as sentences.

use std::fmt;

/// Why a store did not do what was asked.
#[derive(Debug)]
pub enum StoreError {
    /// The database cannot be opened or is none of ours: where, and why.
    Open(String, String),
    /// It was made by a newer version of this program.
    Newer(String),
    /// A tournament of this name with another plan is there already: its name, and that plan's fingerprint.
    OtherPlan(String, String),
    /// A game of this tournament and number is there already.
    Twice(String, i64),
    /// The database failed: what it said.
    Failed(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Open(place, why) => write!(f, "the database {place} cannot be opened: {why}"),
            StoreError::Newer(place) => {
                write!(f, "the database {place} was made by a newer version of this program; use that one")
            }
            StoreError::OtherPlan(name, _) => {
                write!(f, "a tournament '{name}' with another plan is there already")
            }
            StoreError::Twice(name, number) => {
                write!(f, "game {number} of the tournament '{name}' is there already")
            }
            StoreError::Failed(why) => write!(f, "the database failed: {why}"),
        }
    }
}

impl std::error::Error for StoreError {}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> StoreError {
        StoreError::Failed(error.to_string())
    }
}
