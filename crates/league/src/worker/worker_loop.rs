//! The worker loop: leases jobs, passes them to the worker's threads, stores finished games, and
//! renews its leases by heartbeats. At its end it returns the jobs that it holds. If it is killed, the
//! leases expire and other workers take the jobs.
//!
//! While the database is unavailable, the loop waits and keeps finished games in memory.

use super::{
    held_jobs::HeldJobs,
    prefetch::Prefetch,
    threads::{FinishedJob, Job, JobKind, JobOutcome, JobThreads},
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
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(2);
/// How often jobs are polled without a notification.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Interval between checks of the stop flag.
const TICK: Duration = Duration::from_millis(50);

#[derive(Clone)]
pub struct WorkerConfig {
    /// Name and version of this worker.
    pub worker: WorkerId,
    /// Games played at the same time.
    pub seats: usize,
    /// Restricts the worker to one tournament. It then analyses no positions.
    pub only: Option<String>,
    /// Makes the players; has the folders of programs and endgame tables.
    pub players: Players,
    /// Whether the worker stops when the queue has no job for it.
    pub until_idle: bool,
    /// Set to stop the worker.
    pub stop: Arc<AtomicBool>,
}

pub struct WorkerLoop {
    config: WorkerConfig,
    store: Store,
    threads: JobThreads,
    held: HeldJobs,
    prefetch: Prefetch,
    contexts: TournamentContexts,
    refusals: Refusals,
    finished: Vec<(i64, Arc<TournamentContext>, TournamentGameRow)>,
    games: u64,
    /// Versions for which waiting games were logged.
    logged: BTreeSet<String>,
    last_heartbeat: Option<Instant>,
    last_poll: Option<Instant>,
    /// Whether the queue may contain more games.
    may_have_jobs: bool,
}

impl WorkerLoop {
    pub fn new(config: WorkerConfig, store: Store) -> WorkerLoop {
        WorkerLoop {
            threads: JobThreads::of(
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
            last_heartbeat: None,
            last_poll: None,
            may_have_jobs: true,
        }
    }

    /// Runs until it is stopped or, with `until_idle`, until the queue has no job for it. Returns the
    /// number of finished games.
    pub async fn work(mut self) -> Result<u64, LeagueError> {
        let mut listener = self.store.listener(&[JOBS_CHANNEL]).await?;
        let mut trouble = None;
        while !self.is_stopped() && trouble.is_none() {
            trouble = match self.poll().await {
                Ok(true) => break,
                Ok(false) => {
                    self.wait(&mut listener).await;
                    None
                }
                Err(StoreError::Unavailable(why)) => {
                    self.wait_for_database(&why).await;
                    None
                }
                Err(other) => Some(other),
            };
        }
        let games = self.shut_down().await;
        trouble.map_or(Ok(games), |error| Err(error.into()))
    }

    fn is_stopped(&self) -> bool {
        self.config.stop.load(Ordering::Relaxed)
    }

    /// Does everything that is due. Returns whether the worker should end because it is idle.
    async fn poll(&mut self) -> Result<bool, StoreError> {
        self.store_finished().await?;
        if self.last_heartbeat.is_none_or(|last| last.elapsed() >= HEARTBEAT_INTERVAL) {
            self.send_heartbeat().await?;
        }
        let due = self.last_poll.is_none_or(|last| last.elapsed() >= POLL_INTERVAL);
        if due {
            self.contexts.refresh();
        }
        if (self.may_have_jobs || due) && self.held.len() < self.prefetch.refill(self.config.seats) {
            self.last_poll = Some(Instant::now());
            let taken = self.take().await?;
            self.may_have_jobs = taken > 0;
            if taken == 0 && self.held.is_empty() {
                self.warn_of_other_versions().await?;
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
                self.record_job(done);
                for done in self.threads.ready() {
                    self.record_job(done);
                }
            }
            heard = listener.next() => match heard {
                Ok(_) => self.may_have_jobs = true,
                // Polling continues without notifications.
                Err(_) => tokio::time::sleep(TICK).await,
            },
            () = tokio::time::sleep(TICK) => {}
        }
    }

    async fn wait_for_database(&mut self, why: &str) {
        // Level debug, because the store logs outages itself.
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
        self.may_have_jobs = true;
    }

    fn record_job(&mut self, FinishedJob { id, result, took }: FinishedJob) {
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

    /// Logs a player that lost by a failure. An embedded worker does not, because the tournament shows
    /// the failure.
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
        self.held.report(&self.store, &self.config.worker.name).await
    }

    /// Sends a heartbeat, which renews the leases, and stops the jobs whose lease was lost.
    async fn send_heartbeat(&mut self) -> Result<(), StoreError> {
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
        self.last_heartbeat = Some(Instant::now());
        Ok(())
    }

    /// Leases as many jobs as there is room for. Returns their number.
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
                self.start_job(id, JobKind::Question(text));
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

    /// Starts a game. Returns false if this worker cannot play it.
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
        self.start_job(job.id, JobKind::Game(context, slot));
        Ok(true)
    }

    fn start_job(&mut self, id: i64, work: JobKind) {
        let halt = self.held.take(id);
        self.threads.start(Job { id, halt, work });
    }

    /// Warns once per version about games that wait for workers of another version.
    async fn warn_of_other_versions(&mut self) -> Result<(), StoreError> {
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
            if self.logged.insert(version.clone()) {
                let sentence = wait_for_another(games, &version, own);
                tracing::warn!(worker = self.config.worker.name, "{sentence}");
            }
        }
        Ok(())
    }

    /// Stops all games, stores finished ones, and returns the other jobs to the queue. If the database
    /// is unavailable, their leases expire.
    async fn shut_down(mut self) -> u64 {
        self.held.halt();
        let threads =
            std::mem::replace(&mut self.threads, JobThreads::of(0, &Arc::new(AnalystCache::new(None))));
        for done in threads.close() {
            self.record_job(done);
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
