//! What can go wrong with a store, as sentences.

use std::fmt;

/// Why a store did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// The database cannot be opened or is none of ours: where, and why.
    Open(String, String),
    /// It was made by a newer version of this program.
    Newer(String),
    /// A tournament of this name with another plan is there already: its name, and that plan's fingerprint.
    OtherPlan(String, String),
    /// A game of this tournament and number is there already.
    Twice(String, i64),
    /// A live game of this id is there already.
    Taken(String),
    /// The event of this number is in this live game's log already.
    Stale(String, i64),
    /// What was to be added to is not there: what it is.
    Missing(String),
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
            StoreError::Taken(id) => write!(f, "a game '{id}' is there already"),
            StoreError::Stale(id, number) => {
                write!(f, "event {number} of the game '{id}' is there already")
            }
            StoreError::Missing(what) => write!(f, "there is no {what}"),
            StoreError::Failed(why) => write!(f, "the database failed: {why}"),
        }
    }
}

impl StoreError {
    pub(crate) fn no_game(id: &str) -> StoreError {
        StoreError::Missing(format!("game '{id}'"))
    }

    pub(crate) fn no_tournament(name: &str) -> StoreError {
        StoreError::Missing(format!("tournament '{name}'"))
    }
}

impl std::error::Error for StoreError {}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> StoreError {
        StoreError::Failed(error.to_string())
    }
}
