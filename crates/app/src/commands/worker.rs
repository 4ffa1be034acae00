//! `parlor worker`: takes jobs from the queue of a shared database: games of tournaments and positions to analyse. Any number of
//! workers may run on any number of machines, and each may stop or crash at any moment.

use crate::{
    args::WorkerOptions,
    database,
    environment::{self, default_tables_dir},
    error::CommandError,
    interrupt,
};
use parlor_catalog::Resources;
use parlor_core::{RULES, counted};
use parlor_league::{
    plain,
    version::{version_words, versions_of},
    worker::{LEASE, WorkerConfig, run_worker, worker_id},
};
use parlor_store::{BlockingStore, WorkerRow};
use serde_json::json;
use std::{io::Write, time::Duration};

const VERSION: &str = env!("CARGO_PKG_VERSION");

pub fn run(options: &WorkerOptions, out: &mut dyn Write) -> Result<(), CommandError> {
    let place = database::named_or_usual(&options.database)?;
    let Some(address) = place.as_deref().and_then(database::address_of) else {
        // The value is not shown, because a mistyped URL may contain a password.
        let sentence = "expected a URL like postgres://user@host:5432/name; SQLite has no job queue";
        return Err(CommandError::Input(format!(
            "--database, --database-file or PARLOR_DATABASE: {sentence}"
        )));
    };
    let store = BlockingStore::connect(address)?;
    if options.list {
        return list(&store, options.json, out);
    }
    let seats = options
        .games
        .map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let dir = options.dir.canonicalize();
    let dir =
        dir.map_err(|error| CommandError::Input(format!("--dir: {}: {error}", options.dir.display())))?;
    let resources = Resources { tables: default_tables_dir(), ..Resources::seeded(0) };
    let players = environment::players(&dir, false, !options.no_sandbox, resources)?;
    let id = worker_id("");
    let worker = id.name.clone();
    tracing::info!(
        worker,
        version = VERSION,
        rules = RULES,
        games = seats,
        database = store.location(),
        dir = %dir.display(),
        sandbox = !options.no_sandbox,
        "worker started"
    );
    let config = WorkerConfig {
        worker: id,
        seats,
        only: None,
        players,
        until_idle: options.until_idle,
        stop: interrupt::stop_flag(),
    };
    let games = run_worker(config, &store)?;
    tracing::info!(worker, games, "worker stopped");
    Ok(writeln!(out, "Played {}.", counted(games, "game"))?)
}

fn list(store: &BlockingStore, as_json: bool, out: &mut dyn Write) -> Result<(), CommandError> {
    let (workers, waiting) =
        (store.block_on(store.store().workers())?, store.block_on(store.store().waiting_games())?);
    if as_json {
        for WorkerRow { name, version, since_heartbeat: silent, heartbeat, leased_jobs: holds } in &workers {
            let (games, seats) = (heartbeat.finished_games, heartbeat.concurrency);
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
        writeln!(out, "No workers in the last hour.")?;
    }
    for WorkerRow { name, version, since_heartbeat: silent, heartbeat, leased_jobs: holds } in &workers {
        let state = match silent.as_secs() {
            short if Duration::from_secs(short) < LEASE => format!("{} in progress", counted(*holds, "job")),
            long => format!("no heartbeat for {long} s"),
        };
        let (version, rules) = versions_of(version);
        let (seats, games) = (heartbeat.concurrency, heartbeat.finished_games);
        writeln!(
            out,
            "{name}  Parlor {version}, rules {rules}  {seats} at a time  {} played  {state}",
            counted(games, "game")
        )?;
    }
    for line in &waiting {
        let name = plain(&line.tournament, 60);
        writeln!(
            out,
            "{} of '{name}' waiting for {}",
            counted(line.games, "game"),
            version_words(&line.version)
        )?;
    }
    Ok(())
}
