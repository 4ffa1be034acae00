//! `parlor tournament FILE.toml`: plays a league, every finished game safe at once; the same command goes on where it was left.

mod inside;
mod ledger;
mod live;
mod planfile;
mod queue;
mod results;
pub mod scoreboard;
pub mod terms;

use crate::{args::TournamentOptions, database, fault::Fault, output, players::Hall, seats::Company, start};
use inside::Inside;
use ledger::Kept;
use live::Live;
use parlor_catalog::Monotonic;
use parlor_core::RULES;
use parlor_server::tournament::{entry, plan_text};
use parlor_store::{Begun, Blocking, StoreError};
use parlor_tournament::{Cores, Entry, Ledger, NotKept, Plan, State, Tournament};
use planfile::Planned;
use queue::Shared;
use std::{
    fs::{self, File, TryLockError},
    io::Write,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
    time::{SystemTime, UNIX_EPOCH},
};
use terms::Terms;

pub fn run(options: &TournamentOptions, out: &mut dyn Write) -> Result<(), Fault> {
    let planned = planfile::read(&options.file)?;
    let plan = &planned.plan;
    let folder = options.out.clone().unwrap_or_else(|| beside(&options.file));
    check_names(plan, &options.rerun)?;
    let hall = Hall::new(&planned.folder, false, !options.no_sandbox)?;
    if plan.pin && !options.workers_only {
        Cores::for_games(plan.concurrency).map_err(Fault::Input)?;
    }
    let company = Company::of(plan, hall, planned.reads.clone())?;
    let _alone = enter(&folder)?;
    let database = database::named(&options.database)?.unwrap_or_else(|| folder.join("games.db"));
    let store = match database::address_of(&database) {
        Some(address) => Blocking::connect(address)?,
        None => Blocking::open(&database)?,
    };
    let games = plan.games.iter().map(|spec| parlor_catalog::game(spec)).collect::<Result<Vec<_>, _>>()?;
    let tournament = Tournament { plan, games, seats: &company, clock: Arc::new(Monotonic::start()) };
    if (options.fresh || !options.rerun.is_empty()) && !options.workers_only {
        // Nothing is forgotten for a player that cannot play.
        tournament.try_out()?;
    }
    let terms = Terms::of(plan, &company, &planned.reads, &planned.folder)?;
    let alone = store.store().is_shared().then(|| queue::alone(&store, plan)).transpose()?;
    let begun = begin(&store, plan, &terms, options)?;
    let mut ledger = Kept { store: &store, plan };
    rerun(&mut ledger, plan, &options.rerun)?;
    store.keep_terms(&plan.name, &terms.text())?;
    let stop = start::interruptible();
    let plays_here = alone.is_none() || !options.workers_only;
    let remark = company.remark().filter(|_| plays_here);
    let mut live = Live::new(plan, begun == Begun::Again, remark);
    let mut watch = |state: &State, played: &[Entry]| {
        live.tell(plan, state, played);
        ControlFlow::Continue(())
    };
    let state = match alone {
        None => tournament.run(&mut ledger, &stop, &mut watch),
        Some(alone) => {
            let over = State::of(plan, ledger.kept().map_err(failed)?).is_over();
            let inside =
                (!options.workers_only && !over).then(|| inside(&tournament, &planned, &database, options));
            let mut floor = Shared::new(&store, plan, terms.key(plan), alone, inside.transpose()?)?;
            queue::settle(&store, plan)?;
            tournament.conduct(&mut ledger, &mut floor, &stop, &mut watch)
        }
    };
    live.end();
    let state = state?;
    if store.store().is_shared() && state.is_over() {
        queue::clear(&store, plan, None)?;
    }
    store.close();
    finish(plan, &state, &folder, options, out)?;
    if stop.load(Ordering::Relaxed) && !state.is_over() {
        let (played, known) = (state.entries.len(), state.schedule.games());
        let others = if database::address_of(&database).is_some() {
            "; workers go on with what is in the queue"
        } else {
            ""
        };
        return Err(Fault::Failed(format!(
            "interrupted after {played} of {known} games; parlor tournament {} goes on from here{others}",
            options.file.display()
        )));
    }
    Ok(())
}

/// The worker of this process, if its players can play at all.
fn inside(
    tournament: &Tournament<'_>,
    planned: &Planned,
    place: &Path,
    options: &TournamentOptions,
) -> Result<Inside, Fault> {
    tournament.try_out()?;
    let place = database::address_of(place).unwrap_or_default();
    Ok(Inside::start(&planned.plan, place, planned.folder.clone(), !options.no_sandbox))
}

fn finish(
    plan: &Plan,
    state: &State,
    folder: &Path,
    options: &TournamentOptions,
    out: &mut dyn Write,
) -> Result<(), Fault> {
    let table = state.standings(plan);
    results::write(plan, state, &table, folder)?;
    if options.json {
        return Ok(writeln!(out, "{}", results::as_json(plan, state, &table))?);
    }
    writeln!(out, "{}\n", scoreboard::title(plan, state))?;
    write!(out, "{}", scoreboard::standings(plan, &table))?;
    write!(out, "{}", scoreboard::details(plan, state, &table))?;
    let names = "standings.csv, games.csv, results.json, games.parlor and stderr.txt";
    Ok(writeln!(out, "\n{names} are in {}.", folder.display())?)
}

/// The folder of a tournament's file: its name without the ending, or with one more where it has none.
fn beside(file: &Path) -> PathBuf {
    let folder = file.with_extension("");
    if folder == file { file.with_extension("games") } else { folder }
}

/// Makes the folder and keeps others out of it while this run lasts.
fn enter(folder: &Path) -> Result<File, Fault> {
    let failed = |why: String| Fault::Failed(format!("{}: {why}", folder.display()));
    fs::create_dir_all(folder).map_err(|e| failed(e.to_string()))?;
    let lock = File::create(folder.join("running.lock")).map_err(|e| failed(e.to_string()))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => {
            Err(failed("this tournament is being played by another process".into()))
        }
        // Where files cannot be locked, nobody is kept out, and the store still counts no game twice.
        Err(TryLockError::Error(_)) => Ok(lock),
    }
}

fn check_names(plan: &Plan, names: &[String]) -> Result<(), Fault> {
    for name in names {
        if !plan.players.iter().any(|player| player.name == *name) {
            let known: Vec<&str> = plan.players.iter().map(|player| player.name.as_str()).collect();
            return Err(Fault::Input(format!(
                "--rerun: there is no player '{name}'; the players are {}",
                known.join(", ")
            )));
        }
    }
    Ok(())
}

fn begin(store: &Blocking, plan: &Plan, terms: &Terms, options: &TournamentOptions) -> Result<Begun, Fault> {
    let shared = store.store().is_shared();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() as i64);
    let fingerprint = plan.fingerprint();
    if options.fresh {
        if shared {
            queue::clear(store, plan, None)?;
        }
        store.drop_tournament(&plan.name)?;
    }
    match store.begin(&plan.name, &fingerprint, now) {
        Err(StoreError::OtherPlan(name, before)) if Plan::rules_of(&before).0 != RULES => {
            if options.rerun.is_empty() && is_finished(store, plan, &before)? {
                // Its results are shown, and no game is played.
                terms::must_be_the_same(store, plan, terms, &options.rerun)?;
                return Ok(Begun::Again);
            }
            Err(Fault::Input(format!("{}: {}", options.file.display(), other_rules(&name, &before))))
        }
        Err(StoreError::OtherPlan(name, before)) => {
            let changed = before.lines().zip(fingerprint.lines()).find(|(old, new)| old != new);
            let what = changed.map_or("its players are others".to_string(), |(old, new)| {
                format!("'{}' was '{}'", short(new), short(old))
            });
            Err(Fault::Input(format!(
                "{}: the tournament '{name}' was begun with another plan ({what}); give it another name, or --fresh to forget \
                 its games and begin anew",
                options.file.display()
            )))
        }
        other => {
            let begun = other?;
            terms::must_be_the_same(store, plan, terms, &options.rerun)?;
            if shared {
                // What is being played for games that are to be played again counts no more.
                let kept = options.rerun.is_empty().then(|| terms.key(plan));
                queue::clear(store, plan, kept.as_deref())?;
            }
            store.keep_plan(&plan.name, &plan_text(plan))?;
            Ok(begun)
        }
    }
}

/// Whether all games of this plan were played, in a tournament that differs in the version of the rules only.
fn is_finished(store: &Blocking, plan: &Plan, before: &str) -> Result<bool, Fault> {
    if Plan::rules_of(before).1 != Plan::rules_of(&plan.fingerprint()).1 {
        return Ok(false);
    }
    let rows = store.games(&plan.name)?;
    let entries = rows.into_iter().filter_map(|row| entry(plan, row).ok()).collect();
    Ok(State::of(plan, entries).is_over())
}

fn other_rules(name: &str, before: &str) -> String {
    let (theirs, _) = Plan::rules_of(before);
    let version = if theirs < RULES { "older" } else { "newer" };
    format!(
        "the tournament '{name}' was begun with version {theirs} of the rules and this program has version {RULES}, whose results \
         are not counted together; start a new tournament under another name, or finish it with the {version} version of Parlor"
    )
}

fn short(text: &str) -> String {
    scoreboard::plain(text, 60)
}

/// Forgets the games of players that are to play them again.
fn rerun(ledger: &mut dyn Ledger, plan: &Plan, names: &[String]) -> Result<(), Fault> {
    if names.is_empty() {
        return Ok(());
    }
    let again = |seat: &usize| names.contains(&plan.players[*seat].name);
    let kept = ledger.kept().map_err(failed)?;
    let numbers: Vec<u64> = kept
        .iter()
        .filter(|entry| entry.slot.seats.iter().any(again))
        .map(|entry| entry.slot.number)
        .collect();
    ledger.forget(&numbers).map_err(failed)?;
    output::remark(&format!("{} games are played again", numbers.len()));
    Ok(())
}

fn failed(error: NotKept) -> Fault {
    Fault::Failed(error.0)
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Fault {
        Fault::Failed(error.to_string())
    }
}
