//! A worker: plays games of tournaments, and judges positions for servers, out of a queue that others fill. As many as there
//! are machines may do so; each of them may leave or vanish at any moment.

mod bench;
mod crew;
mod field;
mod fields;
mod hand;
mod pace;
mod shift;

pub use field::slot_text;
pub use shift::Orders;

use crate::{LeagueError, version::queue_version};
use parlor_store::{Blocking, Taker};
use shift::Shift;
use std::{
    fs, process,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// How long a worker may be silent before what it holds goes to another.
pub const LEASE: Duration = Duration::from_secs(15);

/// Works at the queue of a store until it is told to stop, or until there is nothing to do if that is enough. Gives how many games it
/// finished, and closes the store.
pub fn run_worker(orders: Orders, store: &Blocking) -> Result<u64, LeagueError> {
    store.wait(Shift::new(orders, store.store().clone()).work())
}

/// A name of its own, which tells the machine.
pub fn taker(role: &str) -> Taker {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host: String =
        host.trim().chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).collect();
    let host = if host.is_empty() { "worker".to_string() } else { host };
    let name = format!("{host}-{}-{:05x}{role}", process::id(), micros() & 0xf_ffff);
    Taker { name, version: queue_version(), lease: LEASE }
}

/// Microseconds since 1970, which differ enough between workers that have the same process id.
fn micros() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_micros() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::version::versions_of;
    use parlor_core::RULES;

    #[test]
    fn two_workers_have_two_names() {
        assert_ne!(taker("").name, taker("+").name);
        assert_eq!(versions_of(&taker("").version), (env!("CARGO_PKG_VERSION"), RULES));
    }
}
