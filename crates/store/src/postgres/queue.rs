//! The job queue of a shared database (PostgreSQL): games of tournaments, and positions to analyse. The process that enqueues a job
//! need not run when it is done, and a worker may die: jobs are leased, and an expired lease goes to another worker.
//!
//! The queue delivers at least once and counts once: a game may be played twice, but only one result is stored. Leases are compared
//! with the database's clock only. The texts of jobs are opaque.

mod games;
mod lease;
mod questions;
mod workers;

use super::SharedDatabase;
use crate::{Store, StoreError};
use sqlx::{Connection, PgConnection};
use std::fmt;

/// The database's clock, in milliseconds.
const NOW: &str = "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT";
/// In bytes; a longer name is sent as an empty payload.
const LONGEST_PAYLOAD: usize = 2000;

/// An advisory lock on a tournament. PostgreSQL releases it when this is dropped or the process dies.
pub struct TournamentLock(#[allow(dead_code, reason = "it is held")] PgConnection);

impl fmt::Debug for TournamentLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TournamentLock")
    }
}

impl Store {
    /// The connections of the queue; an error for a file.
    fn queue(&self) -> Result<&SharedDatabase, StoreError> {
        self.shared.as_deref().ok_or(StoreError::NotShared)
    }

    /// Takes the advisory lock of a tournament, so that one process runs it; `None` while another process holds it.
    pub async fn lock_tournament(&self, tournament: &str) -> Result<Option<TournamentLock>, StoreError> {
        let mut connection = PgConnection::connect_with(&self.queue()?.options).await?;
        let lock = sqlx::query_scalar("SELECT pg_try_advisory_lock(hashtextextended($1, 5))");
        let held: bool = lock.bind(format!("tournament {tournament}")).fetch_one(&mut connection).await?;
        Ok(held.then_some(TournamentLock(connection)))
    }
}

/// The payload for a tournament's name; empty if it is too long, and then every listener looks.
fn payload(name: &str) -> String {
    if name.len() <= LONGEST_PAYLOAD { crate::store::without_nul(name) } else { String::new() }
}
