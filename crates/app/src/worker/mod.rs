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
use parlor_core::RULES;
use parlor_server::queue_version;
use parlor_store::{Store, StoreError, Taker, WorkerRow};
use serde_json::json;
use std::{fs, io::Write, process, time::Duration};
use tokio::runtime::{Builder, Runtime};

/// The version of the program.
const VERSION: &str = env!("CARGO_PKG_VERSION");
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
        rules = RULES,
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
    Taker { name, version: queue_version(), lease: LEASE }
}

/// The version of the program and that of the rules in what [`queue_version`] writes. Builds before the rules had a number wrote
/// only the first.
fn versions_of(version: &str) -> (&str, u32) {
    let both =
        version.split_once(" rules ").and_then(|(program, rules)| Some((program, rules.parse().ok()?)));
    both.unwrap_or((version, 1))
}

/// A version as people read it.
pub fn version_words(version: &str) -> String {
    let (program, rules) = versions_of(version);
    format!("Parlor {program} with rules {rules}")
}

fn wait_for_another(games: u64, theirs: &str, ours: &str) -> String {
    let (games, wait) =
        if games == 1 { ("1 game".to_string(), "waits") } else { (format!("{games} games"), "wait") };
    format!("{games} {wait} for {}; this is {}", version_words(theirs), version_words(ours))
}

fn list(runtime: &Runtime, store: &Store, as_json: bool, out: &mut dyn Write) -> Result<(), Fault> {
    let (workers, waiting) =
        runtime.block_on(async { Ok::<_, StoreError>((store.workers().await?, store.waiting().await?)) })?;
    if as_json {
        for WorkerRow { name, version, silent, pulse, holds } in &workers {
            let (games, seats) = (pulse.games, pulse.seats);
            let (version, rules) = versions_of(version);
            let line = json!({"worker": name, "version": version, "rules": rules, "silent": silent.as_secs_f64(),
                              "games": games, "seats": seats, "holds": holds});
            writeln!(out, "{line}")?;
        }
        for line in &waiting {
            let (version, rules) = versions_of(&line.version);
            let line = json!({"tournament": line.tournament, "version": version, "rules": rules, "waiting": line.games});
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
        let (version, rules) = versions_of(version);
        let (seats, games) = (pulse.seats, pulse.games);
        writeln!(out, "{name}  {version} rules {rules}  {seats} at a time  {games} played  {state}")?;
    }
    for line in &waiting {
        let name = crate::league::scoreboard::plain(&line.tournament, 60);
        writeln!(out, "{} of '{name}' wait for {}", line.games, version_words(&line.version))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_for_another_version_is_said() {
        assert_eq!(
            wait_for_another(12, "0.9.1 rules 3", "0.9.0 rules 2"),
            "12 games wait for Parlor 0.9.1 with rules 3; this is Parlor 0.9.0 with rules 2"
        );
        assert_eq!(
            wait_for_another(1, "0.1.0", "0.1.0 rules 2"),
            "1 game waits for Parlor 0.1.0 with rules 1; this is Parlor 0.1.0 with rules 2",
            "older builds wrote no number"
        );
    }

    #[test]
    fn two_workers_have_two_names() {
        assert_ne!(taker("").name, taker("+").name);
        assert_eq!(versions_of(&taker("").version), (VERSION, RULES));
    }
}
