//! The worker loop: takes jobs, passes them to the worker's threads, stores finished games, and
//! renews its lease. On leaving it hands back the jobs that it holds; if it is killed, the lease
//! expires and other workers take them.
//!
//! While the database is away the loop waits and keeps finished games in memory.

use super::{
    held_jobs::HeldJobs,
    prefetch::Prefetch,
    threads::{FinishedJob, GameThreads, Job, JobKind, JobOutcome},
    tournament_context::TournamentContext,
    tournament_contexts::{Refusals, TournamentContexts},
};
use crate::{AnalystCache, LeagueError, ledger::row, players::Players, version::wait_for_another};
use parlor_store::{
    Heartbeat, JOBS_CHANNEL, LeasedJob, Listener, Store, StoreError, TournamentGameRow, WorkerId,
};
use parlor_tournament::LedgerEntry;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Interval of heartbeats, which renew the lease.
const BEAT: Duration = Duration::from_secs(2);
/// How often it looks for jobs without a notification.
const LOOK: Duration = Duration::from_secs(1);
/// Interval between checks of the stop flag.
const TICK: Duration = Duration::from_millis(50);

#[derive(Clone)]
pub struct WorkerConfig {
    /// Name and version of this worker.
    pub worker: WorkerId,
    /// Games played at the same time.
    pub seats: usize,
    /// The only tournament it plays in, if there is one; then it answers no questions either.
    pub only: Option<String>,
    /// Makes the players: where programs and endgame tables are looked for, and how programs run.
    pub players: Players,
    /// Whether it stops when there is no job for it.
    pub until_idle: bool,
    /// Set to stop the worker.
    pub stop: Arc<AtomicBool>,
}

pub struct WorkerLoop {
    config: WorkerConfig,
    store: Store,
    threads: GameThreads,
    held: HeldJobs,
    prefetch: Prefetch,
    contexts: TournamentContexts,
    refusals: Refusals,
    finished: Vec<(i64, Arc<TournamentContext>, TournamentGameRow)>,
    games: u64,
    /// The versions of which it logged that games wait for them.
    logged: BTreeSet<String>,
    beaten: Option<Instant>,
    looked: Option<Instant>,
    /// Whether the queue may contain more games.
    hopeful: bool,
}

impl WorkerLoop {
    pub fn new(config: WorkerConfig, store: Store) -> WorkerLoop {
        WorkerLoop {
            threads: GameThreads::of(
                config.seats,
                &Arc::new(AnalystCache::new(config.players.resources.tables.clone())),
            ),
            contexts: TournamentContexts::new(config.players.clone()),
            refusals: Refusals::new(&config.worker.name),
            config,
            store,
            held: HeldJobs::default(),
            prefetch: Prefetch::default(),
            finished: Vec::new(),
            games: 0,
            logged: BTreeSet::new(),
            beaten: None,
            looked: None,
            hopeful: true,
        }
    }

    /// Works until it is stopped or, with `until_idle`, until there is no job for it. Returns the
    /// number of finished games.
    pub async fn work(mut self) -> Result<u64, LeagueError> {
        let mut listener = self.store.listener(&[JOBS_CHANNEL]).await?;
        let mut trouble = None;
        while !self.is_stopped() && trouble.is_none() {
            trouble = match self.round().await {
                Ok(true) => break,
                Ok(false) => {
                    self.wait(&mut listener).await;
                    None
                }
                Err(StoreError::Unavailable(why)) => {
                    self.away(&why).await;
                    None
                }
                Err(other) => Some(other),
            };
        }
        let games = self.leave().await;
        trouble.map_or(Ok(games), |error| Err(error.into()))
    }

    fn is_stopped(&self) -> bool {
        self.config.stop.load(Ordering::Relaxed)
    }

    /// Does everything that is due; returns whether the round was complete.
    async fn round(&mut self) -> Result<bool, StoreError> {
        self.store_finished().await?;
        if self.beaten.is_none_or(|last| last.elapsed() >= BEAT) {
            self.beat().await?;
        }
        let due = self.looked.is_none_or(|last| last.elapsed() >= LOOK);
        if due {
            self.contexts.look_again();
        }
        if (self.hopeful || due) && self.held.len() < self.prefetch.refill(self.config.seats) {
            self.looked = Some(Instant::now());
            let taken = self.take().await?;
            self.hopeful = taken > 0;
            if taken == 0 && self.held.is_empty() {
                self.tell_of_others().await?;
                return Ok(self.config.until_idle && self.finished.is_empty());
            }
        }
        Ok(false)
    }

    /// Waits for a finished job, a notification or a tick.
    async fn wait(&mut self, listener: &mut Listener) {
        tokio::select! {
            biased;
            Some(done) = self.threads.next() => {
                self.note(done);
                for done in self.threads.ready() {
                    self.note(done);
                }
            }
            heard = listener.next() => match heard {
                Ok(_) => self.hopeful = true,
                // It looks by itself as well.
                Err(_) => tokio::time::sleep(TICK).await,
            },
            () = tokio::time::sleep(TICK) => {}
        }
    }

    async fn away(&mut self, why: &str) {
        // The store logs an outage by itself; a reason that passes at once is not worth more than
        // this.
        tracing::debug!(worker = self.config.worker.name, reason = why, "waiting for the database");
        let (store, stop) = (self.store.clone(), self.config.stop.clone());
        let stopped = async move {
            while !stop.load(Ordering::Relaxed) {
                tokio::time::sleep(TICK).await;
            }
        };
        tokio::select! {
            () = store.wait_until_available() => {}
            () = stopped => {}
        }
        self.hopeful = true;
    }

    /// Records a finished job.
    fn note(&mut self, FinishedJob { id, result, took }: FinishedJob) {
        match result {
            JobOutcome::Played(context, entry) => {
                self.prefetch.took(took);
                self.log_failure(&context, &entry);
                let row = row(&context.plan, &entry);
                self.finished.push((id, context, row));
            }
            JobOutcome::Answered(text) => self.held.answers.push((id, text)),
            JobOutcome::Left => self.held.back.push(id),
            JobOutcome::Failed(why) => {
                let worker = &self.config.worker.name;
                tracing::error!(worker, job = id, reason = why, "job failed; other workers may take it");
                self.held.failed.push((id, why));
            }
        }
    }

    /// Logs a player that lost by a failure. The worker of a tournament's own process leaves that
    /// to the tournament, which shows it.
    fn log_failure(&self, context: &TournamentContext, entry: &LedgerEntry) {
        let Some(violation) = entry.violation.as_ref().filter(|_| self.config.only.is_none()) else {
            return;
        };
        tracing::warn!(
            worker = self.config.worker.name,
            tournament = context.plan.name,
            game = entry.slot.number + 1,
            player = context.plan.players[entry.slot.seats[violation.side.index()]].name,
            kind = %violation.kind,
            reason = violation.reason,
            "bot failed"
        );
    }

    /// Stores finished games, tournament by tournament, and reports about other jobs.
    async fn store_finished(&mut self) -> Result<(), StoreError> {
        while let Some((_, context, _)) = self.finished.first() {
            let tournament = context.plan.name.clone();
            let games: Vec<(i64, TournamentGameRow)> = self
                .finished
                .iter()
                .filter(|(_, context, _)| context.plan.name == tournament)
                .map(|(id, _, row)| (*id, row.clone()))
                .collect();
            let counted = self.store.finish_games(&self.config.worker.name, &tournament, &games).await?;
            self.games += counted.len() as u64;
            self.held.drop_all(games.iter().map(|(id, _)| *id));
            self.finished.retain(|(_, context, _)| context.plan.name != tournament);
        }
        self.held.settle(&self.store, &self.config.worker.name).await
    }

    /// Renews the lease, and gives up the jobs that it no longer holds.
    async fn beat(&mut self) -> Result<(), StoreError> {
        let analyses = self.config.only.is_none();
        let heartbeat = Heartbeat {
            finished_games: self.games,
            concurrency: self.config.seats as u64,
            answers_questions: analyses,
        };
        let held = self.held.ids();
        let own = self.store.renew_leases(&self.config.worker, heartbeat, &held).await?;
        let lost = self.held.keep_only(&own);
        if !lost.is_empty() {
            let worker = &self.config.worker.name;
            tracing::info!(worker, jobs = ?lost, "jobs cancelled: their lease has expired or they were withdrawn");
        }
        self.beaten = Some(Instant::now());
        Ok(())
    }

    /// Takes what there is room for; how much it was.
    async fn take(&mut self) -> Result<usize, StoreError> {
        let mut count = 0;
        if self.config.only.is_none() {
            let free = self.config.seats.saturating_sub(self.held.len());
            let asked = match free {
                0 => Vec::new(),
                free => self.store.lease_questions(&self.config.worker, free).await?,
            };
            count += asked.len();
            for LeasedJob { id, text, .. } in asked {
                self.order(id, JobKind::Question(text));
            }
        }
        let room = self.prefetch.most(self.config.seats).saturating_sub(self.held.len());
        let left = self.contexts.left();
        let only = self.config.only.as_deref();
        let mut taken = self.store.lease_games(&self.config.worker, only, &left, room).await?;
        taken.sort_by_key(|job| job.id);
        count += taken.len();
        let mut back = Vec::new();
        for job in taken {
            let id = job.id;
            if !self.begin(job).await? {
                back.push(id);
            }
        }
        if !back.is_empty() {
            self.store.release_jobs(&self.config.worker.name, &back).await?;
        }
        Ok(count)
    }

    /// Begins a game, if it can be played here.
    async fn begin(&mut self, job: LeasedJob) -> Result<bool, StoreError> {
        let found =
            self.contexts.find(&self.store, &job.tournament, &job.requirements, &mut self.refusals).await?;
        let Some(context) = found else { return Ok(false) };
        let slot = match context.slot(job.number, &job.text) {
            Ok(slot) => slot,
            Err(why) => {
                let reason = format!("corrupt row of job (id {}): {why}", job.id);
                self.refusals.log(&job.tournament, None, &reason);
                self.contexts.leave_to_others(&job.tournament, "");
                return Ok(false);
            }
        };
        if slot.seats.iter().any(|&seat| context.left.contains_key(&context.plan.players[seat].name)) {
            return Ok(false);
        }
        self.order(job.id, JobKind::Game(context, slot));
        Ok(true)
    }

    fn order(&mut self, id: i64, work: JobKind) {
        let halt = self.held.take(id);
        self.threads.order(Job { id, halt, work });
    }

    /// Says once what waits for workers of another version.
    async fn tell_of_others(&mut self) -> Result<(), StoreError> {
        if self.config.only.is_some() {
            return Ok(());
        }
        let own = &self.config.worker.version;
        let mut others: BTreeMap<String, u64> = BTreeMap::new();
        for waiting in self.store.waiting_games().await? {
            if waiting.version != *own {
                *others.entry(waiting.version).or_default() += waiting.games;
            }
        }
        for (version, games) in others {
            // Once for each version, however many it are by then.
            if self.logged.insert(version.clone()) {
                let sentence = wait_for_another(games, &version, own);
                tracing::warn!(worker = self.config.worker.name, "{sentence}");
            }
        }
        Ok(())
    }

    /// Stops what is played, keeps what is finished, and hands back the rest. If the database is
    /// away, what it holds goes to others when its time is up.
    async fn leave(mut self) -> u64 {
        self.held.halt();
        let threads =
            std::mem::replace(&mut self.threads, GameThreads::of(0, &Arc::new(AnalystCache::new(None))));
        for done in threads.close() {
            self.note(done);
        }
        let worker = self.config.worker.name.clone();
        let left = match self.store_finished().await {
            Ok(()) => self.store.deregister_worker(&worker).await,
            failed => failed,
        };
        if let Err(reason) = left {
            tracing::warn!(worker, %reason, "jobs not returned to the queue; other workers take them when the lease expires");
        }
        self.store.close().await;
        self.games
    }
}
