//! One run of a tournament: starts or resumes it, plays its games in this process or by workers of
//! the same database, and stores every finished game at once.

use crate::{
    LeagueError,
    embedded_worker::EmbeddedWorker,
    ledger::{StoreLedger, entry},
    plan_file::PlanFile,
    players::Players,
    queue_executor::{self, QueueExecutor},
    requirements::{self, Requirements},
    scoreboard::plain,
    stored_plan::plan_text,
};
use parlor_catalog::DynGame;
use parlor_core::{RULES, counted};
use parlor_store::{BlockingStore, StoreError, TournamentLock, TournamentStart};
use parlor_tournament::{Ledger, LedgerEntry, Tournament, TournamentPlan, TournamentState};
use std::{
    ops::ControlFlow,
    sync::{Arc, atomic::AtomicBool},
    time::{SystemTime, UNIX_EPOCH},
};

/// How to run a tournament.
pub struct RunOptions {
    /// Whether to delete its earlier games.
    pub fresh: bool,
    /// Players whose games are played again.
    pub rerun: Vec<String>,
    /// The URL of the database, if it is shared.
    pub address: Option<String>,
    /// Whether only other processes play the games.
    pub workers_only: bool,
}

/// A tournament that is ready to start.
pub struct Run<'a> {
    planned: &'a PlanFile,
    players: Players,
    options: RunOptions,
    store: BlockingStore,
    games: Vec<Arc<dyn DynGame>>,
    requirements: Requirements,
    lock: Option<TournamentLock>,
    begun: TournamentStart,
    rerun: usize,
}

impl<'a> Run<'a> {
    /// Starts a tournament in a store, or resumes it.
    pub fn prepare(
        planned: &'a PlanFile,
        players: Players,
        store: BlockingStore,
        options: RunOptions,
    ) -> Result<Run<'a>, LeagueError> {
        let plan = &planned.plan;
        let games =
            plan.games.iter().map(|spec| parlor_catalog::game(spec)).collect::<Result<Vec<_>, _>>()?;
        if (options.fresh || !options.rerun.is_empty()) && !options.workers_only {
            // Checked before any game is deleted.
            tournament(planned, &games, &players).try_out()?;
        }
        let requirements = Requirements::of(plan, &players, &planned.reads, &planned.folder)?;
        let lock =
            store.store().is_shared().then(|| queue_executor::lock_tournament(&store, plan)).transpose()?;
        let begun = begin(&store, plan, &requirements, &options)?;
        let rerun = rerun(&mut StoreLedger { store: &store, plan }, plan, &options.rerun)?;
        store.set_requirements(&plan.name, &requirements.text())?;
        Ok(Run { planned, players, options, store, games, requirements, lock, begun, rerun })
    }

    /// Messages for the user: how many games are played again, whether the tournament is resumed, how
    /// programs are run.
    pub fn remarks(&self) -> Vec<String> {
        let rerun = (!self.options.rerun.is_empty())
            .then(|| format!("replaying {}", counted(self.rerun as u64, "game")));
        let again = (self.begun == TournamentStart::Resumed)
            .then(|| format!("resuming '{}'", plain(&self.planned.plan.name, 60)));
        let plays_here = self.lock.is_none() || !self.options.workers_only;
        let programs = (plays_here && self.players.has_programs()).then(|| self.players.remark());
        [rerun, again, programs].into_iter().flatten().collect()
    }

    /// Plays the remaining games until the tournament is over or `stop` is set. Calls `watch` with
    /// finished games and `remark` with messages for the user.
    pub fn play(
        self,
        stop: &AtomicBool,
        remark: &dyn Fn(&str),
        watch: &mut dyn FnMut(&TournamentState, &[LedgerEntry]),
    ) -> Result<TournamentState, LeagueError> {
        let plan = &self.planned.plan;
        let tournament = tournament(self.planned, &self.games, &self.players);
        let mut ledger = StoreLedger { store: &self.store, plan };
        let mut watch = |state: &TournamentState, played: &[LedgerEntry]| {
            watch(state, played);
            ControlFlow::Continue(())
        };
        let state = match self.lock {
            None => tournament.run(&mut ledger, stop, &mut watch)?,
            Some(lock) => {
                let over = TournamentState::of(plan, ledger.kept()?).is_over();
                let embedded = if self.options.workers_only || over {
                    None
                } else {
                    // A player that cannot be made is reported now instead of by the worker.
                    tournament.try_out()?;
                    let address = self.options.address.as_deref().unwrap_or_default();
                    Some(EmbeddedWorker::start(plan, address, &self.players))
                };
                let key = self.requirements.key(plan);
                let mut executor = QueueExecutor::new(&self.store, plan, key, lock, embedded, remark)?;
                queue_executor::discard_collected(&self.store, plan)?;
                tournament.conduct(&mut ledger, &mut executor, stop, &mut watch)?
            }
        };
        if self.store.store().is_shared() && state.is_over() {
            queue_executor::clear(&self.store, plan, None)?;
        }
        self.store.close();
        Ok(state)
    }
}

/// The tournament of a plan with its players.
fn tournament<'a>(planned: &'a PlanFile, games: &[Arc<dyn DynGame>], players: &'a Players) -> Tournament<'a> {
    let PlanFile { plan, reads, .. } = planned;
    let (games, clock) = (games.to_vec(), players.resources.clock.clone());
    Tournament { plan, games, make_player: players.of_plan(plan, reads), clock }
}

fn begin(
    store: &BlockingStore,
    plan: &TournamentPlan,
    requirements: &Requirements,
    options: &RunOptions,
) -> Result<TournamentStart, LeagueError> {
    let shared = store.store().is_shared();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() as i64);
    let fingerprint = plan.fingerprint();
    if options.fresh {
        if shared {
            queue_executor::clear(store, plan, None)?;
        }
        store.delete_tournament(&plan.name)?;
    }
    match store.begin_tournament(&plan.name, &fingerprint, now) {
        Err(StoreError::OtherPlan(name, before)) if TournamentPlan::rules_of(&before).0 != RULES => {
            if options.rerun.is_empty() && is_finished(store, plan, &before)? {
                // Its results can still be shown, because no game needs to be played.
                requirements::check_unchanged(store, plan, requirements, &options.rerun)?;
                return Ok(TournamentStart::Resumed);
            }
            Err(LeagueError::OtherPlan(other_rules(&name, &before)))
        }
        Err(StoreError::OtherPlan(name, before)) => {
            let changed = before.lines().zip(fingerprint.lines()).find(|(old, new)| old != new);
            let what = changed.map_or("the players differ".to_string(), |(old, new)| {
                format!("'{}' was '{}'", short(new), short(old))
            });
            Err(LeagueError::OtherPlan(format!(
                "the tournament '{name}' was started with another plan ({what}); change its name, or use --fresh to \
                 delete its games and start over"
            )))
        }
        other => {
            let begun = other?;
            requirements::check_unchanged(store, plan, requirements, &options.rerun)?;
            if shared {
                // Queued games of the same numbers no longer count.
                let kept = options.rerun.is_empty().then(|| requirements.key(plan));
                queue_executor::clear(store, plan, kept.as_deref())?;
            }
            store.set_plan(&plan.name, &plan_text(plan))?;
            Ok(begun)
        }
    }
}

/// Whether all games of this plan were played under another version of the rules.
fn is_finished(store: &BlockingStore, plan: &TournamentPlan, before: &str) -> Result<bool, LeagueError> {
    if TournamentPlan::rules_of(before).1 != TournamentPlan::rules_of(&plan.fingerprint()).1 {
        return Ok(false);
    }
    let rows = store.tournament_games(&plan.name)?;
    let entries = rows.into_iter().filter_map(|row| entry(plan, row).ok()).collect();
    Ok(TournamentState::of(plan, entries).is_over())
}

fn other_rules(name: &str, before: &str) -> String {
    let (theirs, _) = TournamentPlan::rules_of(before);
    let version = if theirs < RULES { "older" } else { "newer" };
    format!(
        "the tournament '{name}' was started with version {theirs} of the rules, but this program has version {RULES}; \
         change its name to start a new one, or finish it with the {version} version of Parlor"
    )
}

fn short(text: &str) -> String {
    plain(text, 60)
}

/// Deletes the games of players that are to be played again. Returns their number.
fn rerun(ledger: &mut dyn Ledger, plan: &TournamentPlan, names: &[String]) -> Result<usize, LeagueError> {
    if names.is_empty() {
        return Ok(0);
    }
    let again = |seat: &usize| names.contains(&plan.players[*seat].name);
    let kept = ledger.kept()?;
    let numbers: Vec<u64> = kept
        .iter()
        .filter(|entry| entry.slot.seats.iter().any(again))
        .map(|entry| entry.slot.number)
        .collect();
    ledger.forget(&numbers)?;
    Ok(numbers.len())
}
