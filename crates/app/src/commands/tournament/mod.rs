//! `parlor tournament FILE.toml`: runs a tournament. Every finished game is stored at once, and the same command resumes.

mod progress;

use crate::{
    args::TournamentOptions,
    database,
    environment::{self, default_tables_dir},
    error::CommandError,
    files, interrupt, stdio,
};
use parlor_catalog::Resources;
use parlor_league::{LeagueError, PlanFile, Run, RunOptions, results, scoreboard};
use parlor_store::BlockingStore;
use parlor_tournament::{Cores, TournamentPlan, TournamentState};
use progress::ProgressDisplay;
use std::{
    fs::{self, File, TryLockError},
    io::Write,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

pub fn run(options: &TournamentOptions, out: &mut dyn Write) -> Result<(), CommandError> {
    let planned = read(&options.file)?;
    let plan = &planned.plan;
    let folder = options.dir.clone().unwrap_or_else(|| beside(&options.file));
    check_names(plan, &options.rerun)?;
    let resources = Resources { tables: default_tables_dir(), ..Resources::seeded(0) };
    let players = environment::players(&planned.folder, false, !options.no_sandbox, resources)?;
    if plan.pin && !options.workers_only {
        Cores::for_games(plan.concurrency).map_err(CommandError::Input)?;
    }
    let players = players.for_plan(plan)?;
    let _alone = enter(&folder)?;
    let database = database::named(&options.database)?.unwrap_or_else(|| folder.join("games.db"));
    let address = database::address_of(&database);
    let store = match address {
        Some(address) => BlockingStore::connect(address)?,
        None => BlockingStore::open(&database)?,
    };
    let run_options = RunOptions {
        fresh: options.fresh,
        rerun: options.rerun.clone(),
        address: address.map(String::from),
        workers_only: options.workers_only,
    };
    let run = Run::prepare(&planned, players, store, run_options).map_err(|error| match error {
        LeagueError::OtherPlan(why) => CommandError::Input(format!("{}: {why}", options.file.display())),
        other => other.into(),
    })?;
    let stop = interrupt::stop_flag();
    run.remarks().iter().for_each(|remark| stdio::remark(remark));
    let mut progress = ProgressDisplay::new();
    let state = run.play(&stop, &|remark| stdio::remark(remark), &mut |state, played| {
        progress.update(plan, state, played);
    });
    progress.end();
    let state = state?;
    finish(plan, &state, &folder, options, out)?;
    if stop.load(Ordering::Relaxed) && !state.is_over() {
        let (played, known) = (state.entries.len(), state.schedule.games());
        let others = if address.is_some() { "; workers continue with the queued games" } else { "" };
        return Err(CommandError::Failed(format!(
            "interrupted after {played} of {known} games; resume with: parlor tournament {}{others}",
            options.file.display()
        )));
    }
    Ok(())
}

fn read(path: &Path) -> Result<PlanFile, CommandError> {
    let wrong = |why: String| CommandError::Input(format!("{}: {why}", path.display()));
    let text = files::read_text(path).map_err(wrong)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = folder.canonicalize().map_err(|e| wrong(e.to_string()))?;
    PlanFile::parse(&text, folder).map_err(|bad| wrong(bad.0))
}

fn finish(
    plan: &TournamentPlan,
    state: &TournamentState,
    folder: &Path,
    options: &TournamentOptions,
    out: &mut dyn Write,
) -> Result<(), CommandError> {
    let table = state.standings(plan);
    results::write(plan, state, &table, folder)?;
    if options.json {
        return Ok(writeln!(out, "{}", results::as_json(plan, state, &table))?);
    }
    writeln!(out, "{}\n", scoreboard::title(plan, state))?;
    write!(out, "{}", scoreboard::standings(plan, &table))?;
    write!(out, "{}", scoreboard::details(plan, state, &table))?;
    let names = "standings.csv, games.csv, results.json, games.parlor and stderr.txt";
    Ok(writeln!(out, "\nResults: {names} in {}.", folder.display())?)
}

/// The default folder of results: the file name without its extension, or with the extension `games` if it has none.
fn beside(file: &Path) -> PathBuf {
    let folder = file.with_extension("");
    if folder == file { file.with_extension("games") } else { folder }
}

/// Creates the folder and locks it for this run.
fn enter(folder: &Path) -> Result<File, CommandError> {
    let failed = |why: String| CommandError::Failed(format!("{}: {why}", folder.display()));
    fs::create_dir_all(folder).map_err(|e| failed(e.to_string()))?;
    let lock = File::create(folder.join("running.lock")).map_err(|e| failed(e.to_string()))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(failed("another process is running this tournament".into())),
        // The file system has no locks. The store still counts no game twice.
        Err(TryLockError::Error(_)) => Ok(lock),
    }
}

fn check_names(plan: &TournamentPlan, names: &[String]) -> Result<(), CommandError> {
    for name in names {
        if !plan.players.iter().any(|player| player.name == *name) {
            let known: Vec<&str> = plan.players.iter().map(|player| player.name.as_str()).collect();
            return Err(CommandError::Input(format!(
                "--rerun: unknown player '{name}'; the players are {}",
                known.join(", ")
            )));
        }
    }
    Ok(())
}
