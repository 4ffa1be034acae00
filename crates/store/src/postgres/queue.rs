//! Work that several processes share, on PostgreSQL: games of tournaments to be played, and positions to be judged. Whoever puts
//! something in need not be there when it is done, and whoever takes something may vanish: what it took goes to another.
//!
//! It promises that a game is finished once, however often it was begun. It does not promise that only one plays it. Who is
//! alive is told by the database's clock alone, and which text means what is the affair of whoever wrote it.

mod games;
mod lease;
mod questions;
mod workers;

use super::Shared;
use crate::{Store, StoreError};
use sqlx::{Connection, PgConnection};
use std::fmt;

/// The database's clock, in milliseconds.
const NOW: &str = "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT";
/// In bytes; a longer name is sent as an empty note.
const LONGEST_PAYLOAD: usize = 2000;

/// The right to be the only one who does something. It ends when this is dropped, and when the process dies.
pub struct TournamentLock(#[allow(dead_code, reason = "it is held")] PgConnection);

impl fmt::Debug for TournamentLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TournamentLock")
    }
}

impl Store {
    /// What a shared database has; a file has no queue.
    fn queue(&self) -> Result<&Shared, StoreError> {
        self.shared.as_deref().ok_or(StoreError::NotShared)
    }

    /// The right to be the only one who conducts this tournament; none while another has it.
    pub async fn lock_tournament(&self, tournament: &str) -> Result<Option<TournamentLock>, StoreError> {
        let mut connection = PgConnection::connect_with(&self.queue()?.options).await?;
        let lock = sqlx::query_scalar("SELECT pg_try_advisory_lock(hashtextextended($1, 5))");
        let held: bool = lock.bind(format!("tournament {tournament}")).fetch_one(&mut connection).await?;
        Ok(held.then_some(TournamentLock(connection)))
    }
}

/// A note with a name in it, or with none where it is too long: then everybody looks.
fn payload(name: &str) -> String {
    if name.len() <= LONGEST_PAYLOAD { crate::store::without_nul(name) } else { String::new() }
}
