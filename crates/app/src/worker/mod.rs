//! `parlor worker`: plays games of tournaments, and judges positions for servers, out of a queue that others fill. As many as there
//! are machines may do so; each of them may leave or vanish at any moment.

mod bench;
mod crew;
pub mod field;
mod fields;
mod hand;
mod pace;
mod shift;

pub use shift::{Orders, Shift};

use crate::{args::WorkerOptions, database, fault::Fault, start};
use parlor_store::{Store, StoreError, Taker, WorkerRow};
use serde_json::json;
use std::{fs, io::Write, process, time::Duration};
use tokio::runtime::{Builder, Runtime};

/// What plays here.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// How long a worker may be silent before what it holds goes to another.
const LEASE: Duration = Duration::from_secs(15);

pub fn run(options: &WorkerOptions, out: &mut dyn Write) -> Result<(), Fault> {
    let place = database::named_or_usual(&options.database)?;
    let Some(address) = place.as_deref().and_then(database::address_of) else {
        // The value is not shown: a mistyped URL may hold a password.
        let sentence =
            "expected a URL like postgres://user@host:5432/name; a database in a file has no queue";
        return Err(Fault::Input(format!("--database, --database-file or PARLOR_DATABASE: {sentence}")));
    };
    let runtime = runtime()?;
    let store = runtime.block_on(Store::connect(address))?;
    if options.list {
        return list(&runtime, &store, options.json, out);
    }
    let seats = options
        .games
        .map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let dir = options.dir.canonicalize();
    let dir = dir.map_err(|error| Fault::Input(format!("--dir: {}: {error}", options.dir.display())))?;
    let taker = taker("");
    let worker = taker.name.clone();
    tracing::info!(
        worker,
        version = VERSION,
        games = seats,
        database = store.place(),
        dir = %dir.display(),
        sandbox = !options.no_sandbox,
        "worker started"
    );
    let orders = Orders {
        taker,
        seats,
        only: None,
        dir,
        sandboxed: !options.no_sandbox,
        until_idle: options.until_idle,
        stop: start::interruptible(),
    };
    let games = runtime.block_on(Shift::new(orders, store).work())?;
    tracing::info!(worker, games, "worker stopped");
    Ok(writeln!(out, "{games} games were played here.")?)
}

/// What a worker and the one who conducts run on.
pub fn runtime() -> Result<Runtime, Fault> {
    Ok(Builder::new_current_thread().enable_all().build()?)
}

/// A name of its own, which tells the machine.
pub fn taker(role: &str) -> Taker {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host: String =
        host.trim().chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).collect();
    let host = if host.is_empty() { "worker".to_string() } else { host };
    let name = format!("{host}-{}-{:05x}{role}", process::id(), start::fresh_seed() & 0xf_ffff);
    Taker { name, version: VERSION.to_string(), lease: LEASE }
}

fn wait_for_another(games: u64, theirs: &str, ours: &str) -> String {
    let (games, wait) =
        if games == 1 { ("1 game".to_string(), "waits") } else { (format!("{games} games"), "wait") };
    format!("{games} {wait} for Parlor {theirs}; this is {ours}")
}

fn list(runtime: &Runtime, store: &Store, as_json: bool, out: &mut dyn Write) -> Result<(), Fault> {
    let (workers, waiting) =
        runtime.block_on(async { Ok::<_, StoreError>((store.workers().await?, store.waiting().await?)) })?;
    if as_json {
        for WorkerRow { name, version, silent, pulse, holds } in &workers {
            let (games, seats) = (pulse.games, pulse.seats);
            let line = json!({"worker": name, "version": version, "silent": silent.as_secs_f64(), "games": games,
                              "seats": seats, "holds": holds});
            writeln!(out, "{line}")?;
        }
        for line in &waiting {
            let line = json!({"tournament": line.tournament, "version": line.version, "waiting": line.games});
            writeln!(out, "{line}")?;
        }
        return Ok(());
    }
    if workers.is_empty() {
        writeln!(out, "No worker was heard of within the last hour.")?;
    }
    for WorkerRow { name, version, silent, pulse, holds } in &workers {
        let state = match silent.as_secs() {
            short if Duration::from_secs(short) < LEASE => format!("{holds} in hand"),
            long => format!("silent for {long} s"),
        };
        writeln!(out, "{name}  {version}  {} at a time  {} played  {state}", pulse.seats, pulse.games)?;
    }
    for line in &waiting {
        let name = crate::league::scoreboard::plain(&line.tournament, 60);
        writeln!(out, "{} of '{name}' wait for Parlor {}", line.games, line.version)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_for_another_version_is_said() {
        assert_eq!(wait_for_another(12, "0.9.1", "0.9.0"), "12 games wait for Parlor 0.9.1; this is 0.9.0");
        assert_eq!(wait_for_another(1, "2", "1"), "1 game waits for Parlor 2; this is 1");
    }

    #[test]
    fn two_workers_have_two_names() {
        assert_ne!(taker("").name, taker("+").name);
        assert_eq!(taker("").version, VERSION);
    }
}
