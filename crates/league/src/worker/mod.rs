//! A worker plays tournament games and analyses positions for servers. It takes both as jobs from a
//! queue in the database. Any number of workers may run on any number of machines, and each may stop
//! or be killed at any moment.

mod held_jobs;
mod prefetch;
mod threads;
mod tournament_context;
mod tournament_contexts;
mod worker_loop;

pub(crate) use tournament_context::slot_text;
pub use worker_loop::WorkerConfig;

use crate::{LeagueError, version::queue_version};
use parlor_store::{BlockingStore, WorkerId};
use std::{
    fs, process,
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use worker_loop::WorkerLoop;

/// The time without a heartbeat after which the jobs of a worker go to other workers.
pub const LEASE: Duration = Duration::from_secs(15);

/// Runs a worker until it is stopped or, with `until_idle`, until the queue has no job for it.
/// Returns the number of finished games, and closes the store.
pub fn run_worker(config: WorkerConfig, store: &BlockingStore) -> Result<u64, LeagueError> {
    store.block_on(WorkerLoop::new(config, store.store().clone()).work())
}

/// A unique worker id that contains the name of the machine.
pub fn worker_id(role: &str) -> WorkerId {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host: String =
        host.trim().chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).collect();
    let host = if host.is_empty() { "worker".to_string() } else { host };
    let name = format!("{host}-{}-{:05x}{role}", process::id(), micros() & 0xf_ffff);
    WorkerId { name, version: queue_version(), lease: LEASE }
}

/// Microseconds since 1970, which distinguish workers with equal process ids on different machines.
fn micros() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_micros() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::version::versions_of;
    use parlor_core::RULES;

    #[test]
    fn worker_ids_are_unique() {
        assert_ne!(worker_id("").name, worker_id("+").name);
        assert_eq!(versions_of(&worker_id("").version), (env!("CARGO_PKG_VERSION"), RULES));
    }
}
