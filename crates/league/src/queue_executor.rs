//! Executor on the job queue of a shared database: puts games into the queue, where workers take
//! them, and collects finished games. The process that runs the tournament may end at any moment.
//! The workers continue, and the same command resumes the tournament.
//!
//! By default the process also runs an embedded worker.

use crate::{
    LeagueError,
    embedded_worker::EmbeddedWorker,
    ledger::entry,
    version::{queue_version, version_words},
    worker::slot_text,
};
use parlor_store::{
    BlockingStore, DONE_CHANNEL, FailedGame, Listener, ListenerEvent, QueuedGame, StoreError,
    TournamentGameRow, TournamentLock,
};
use parlor_tournament::{Executor, Halt, LedgerEntry, Slot, TournamentPlan};
use std::{
    collections::{BTreeMap, VecDeque},
    thread,
    time::{Duration, Instant},
};
use tokio::time::timeout;

/// Maximum number of queued games of a tournament. The queue is refilled when it is half empty.
const MAX_QUEUED: usize = 20_000;
/// How long to wait for a notification before the next check of the stop flag.
const TICK: Duration = Duration::from_millis(20);
/// How often finished games are polled without a notification.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// A warning is shown after this time without a worker.
const NO_WORKER_TIMEOUT: Duration = Duration::from_secs(10);

/// Plays the games of a tournament through the job queue.
pub struct QueueExecutor<'a> {
    store: &'a BlockingStore,
    plan: &'a TournamentPlan,
    requirements: String,
    lock: Option<TournamentLock>,
    listener: Option<Listener>,
    /// Games that are not in the queue yet.
    pending: VecDeque<Slot>,
    /// Games in the queue or leased by a worker.
    queued: BTreeMap<u64, Slot>,
    last_poll: Instant,
    notified: bool,
    /// Whether the connection was lost. Writes and notifications may be lost, too.
    lost_connection: bool,
    embedded_worker: Option<EmbeddedWorker>,
    idle_since: Option<Instant>,
    /// Prints a sentence for the user who runs the tournament.
    remark: &'a dyn Fn(&str),
}

impl<'a> QueueExecutor<'a> {
    pub fn new(
        store: &'a BlockingStore,
        plan: &'a TournamentPlan,
        requirements: String,
        lock: TournamentLock,
        embedded_worker: Option<EmbeddedWorker>,
        remark: &'a dyn Fn(&str),
    ) -> Result<QueueExecutor<'a>, LeagueError> {
        let listener = Some(store.block_on(store.store().listener(&[DONE_CHANNEL]))?);
        Ok(QueueExecutor {
            store,
            plan,
            requirements,
            lock: Some(lock),
            listener,
            pending: VecDeque::new(),
            queued: BTreeMap::new(),
            last_poll: Instant::now(),
            notified: true,
            lost_connection: false,
            idle_since: embedded_worker.is_none().then(Instant::now),
            embedded_worker,
            remark,
        })
    }

    fn fill(&mut self) -> Result<(), StoreError> {
        if self.queued.len() > MAX_QUEUED / 2 || self.pending.is_empty() {
            return Ok(());
        }
        let count = self.pending.len().min(MAX_QUEUED - self.queued.len());
        let slots: Vec<Slot> = self.pending.iter().take(count).copied().collect();
        self.enqueue(&slots)?;
        self.pending.drain(..count);
        self.queued.extend(slots.into_iter().map(|slot| (slot.number, slot)));
        Ok(())
    }

    fn enqueue(&self, slots: &[Slot]) -> Result<(), StoreError> {
        let version = queue_version();
        let games: Vec<QueuedGame> = slots.iter().map(|slot| self.queued_game(slot)).collect();
        self.store.block_on(self.store.store().enqueue_games(
            &self.plan.name,
            &self.requirements,
            &version,
            &games,
        ))
    }

    fn queued_game(&self, slot: &Slot) -> QueuedGame {
        QueuedGame {
            number: slot.number as i64,
            players: slot.seats.map(|seat| self.plan.players[seat].name.clone()),
            text: slot_text(slot),
        }
    }

    /// Waits for a notification about this tournament, at most one tick.
    fn wait_for_notification(&mut self) {
        let Some(listener) = &mut self.listener else { return };
        let notified = self.store.block_on(async { timeout(TICK, listener.next()).await });
        match notified {
            Ok(Ok(ListenerEvent::Notification(note))) => {
                self.notified |= note.payload.is_empty() || note.payload == self.plan.name;
            }
            Ok(Ok(ListenerEvent::Reconnected)) => self.lost_connection = true,
            // Polling continues without notifications.
            Ok(Err(_)) => thread::sleep(TICK),
            Err(_) => {}
        }
    }

    /// Games that workers have returned since the last call.
    fn collect(&mut self) -> Result<Vec<TournamentGameRow>, QueueError> {
        if self.lost_connection {
            self.recover()?;
        }
        self.fill()?;
        if !self.notified && self.last_poll.elapsed() < POLL_INTERVAL {
            return Ok(Vec::new());
        }
        (self.notified, self.last_poll) = (false, Instant::now());
        let name = &self.plan.name;
        let collected = self.store.block_on(self.store.store().collect_games(name))?;
        match collected.failed.first() {
            Some(failed) => Err(QueueError::GameFailed(failed.clone())),
            None => Ok(collected.games),
        }
    }

    /// Recovers from a lost connection: takes the tournament lock again and enqueues all games that
    /// are not finished again.
    fn recover(&mut self) -> Result<(), QueueError> {
        let held = match self.lock.take() {
            // The old connection may still hold the lock, so it is closed first.
            Some(old) => {
                drop(old);
                thread::sleep(TICK);
                self.store.block_on(self.store.store().lock_tournament(&self.plan.name))?
            }
            None => self.store.block_on(self.store.store().lock_tournament(&self.plan.name))?,
        };
        self.lock = Some(held.ok_or(QueueError::Taken)?);
        let queued: Vec<Slot> = self.queued.values().copied().collect();
        self.enqueue(&queued)?;
        (self.lost_connection, self.notified) = (false, true);
        Ok(())
    }

    /// Finished games whose notification was lost with the connection: they are collected but not
    /// reported.
    fn missed_games(&mut self) -> Result<Vec<TournamentGameRow>, StoreError> {
        let rows = self.store.tournament_games(&self.plan.name)?;
        Ok(rows.into_iter().filter(|row| self.queued.contains_key(&(row.number as u64))).collect())
    }

    /// Shows a warning once if no worker is running.
    fn warn_without_workers(&mut self) {
        if self.idle_since.is_none_or(|idle_since| idle_since.elapsed() < NO_WORKER_TIMEOUT) {
            return;
        }
        self.idle_since = None;
        let version = queue_version();
        if self.store.block_on(self.store.store().has_analysis_worker(&version, NO_WORKER_TIMEOUT))
            == Ok(false)
        {
            (self.remark)(&format!(
                "no worker with {} is running; start one with: parlor worker --database URL",
                version_words(&version)
            ));
        }
    }
}

impl Drop for QueueExecutor<'_> {
    fn drop(&mut self) {
        // The listener must be dropped inside the store's runtime, which owns its connection.
        let listener = self.listener.take();
        self.store.block_on(async { drop(listener) });
    }
}

/// Why no games could be collected.
enum QueueError {
    Store(StoreError),
    GameFailed(FailedGame),
    Taken,
}

impl From<StoreError> for QueueError {
    fn from(error: StoreError) -> QueueError {
        QueueError::Store(error)
    }
}

impl Executor for QueueExecutor<'_> {
    fn open(&mut self, slots: Vec<Slot>) -> Result<(), Halt> {
        self.pending.extend(slots);
        Ok(())
    }

    fn finished(&mut self) -> Result<Option<Vec<LedgerEntry>>, Halt> {
        if let Some(why) = self.embedded_worker.as_mut().and_then(EmbeddedWorker::failure_reason) {
            return Err(Halt::Executor(why));
        }
        let was_away = self.lost_connection;
        let last_poll = self.collect().and_then(|mut rows| {
            if was_away {
                rows.extend(self.missed_games()?);
            }
            Ok(rows)
        });
        let rows = match last_poll {
            Ok(rows) => rows,
            Err(QueueError::Store(StoreError::Unavailable(_))) => {
                self.lost_connection = true;
                let _ = self.store.block_on(async {
                    timeout(POLL_INTERVAL, self.store.store().wait_until_available()).await
                });
                return Ok(Some(Vec::new()));
            }
            Err(QueueError::Store(error)) => return Err(Halt::Executor(error.to_string())),
            Err(QueueError::Taken) => {
                return Err(Halt::Executor("another process is running this tournament".into()));
            }
            Err(QueueError::GameFailed(failed)) => return Err(Halt::Executor(failed_game_sentence(&failed))),
        };
        let games = self.accept_entries(rows)?;
        if games.is_empty() {
            self.warn_without_workers();
            self.wait_for_notification();
        } else if self.idle_since.is_some() {
            self.idle_since = Some(Instant::now());
        }
        Ok(Some(games))
    }
}

impl QueueExecutor<'_> {
    /// Converts rows to games; skips games that are not expected.
    fn accept_entries(&mut self, rows: Vec<TournamentGameRow>) -> Result<Vec<LedgerEntry>, Halt> {
        let mut games = Vec::new();
        for row in rows {
            let number = row.number;
            if self.queued.remove(&(number as u64)).is_none() {
                continue;
            }
            let game = entry(self.plan, row);
            games.push(game.map_err(|why| {
                Halt::Executor(format!("cannot read game {} from the database: {why}", number + 1))
            })?);
        }
        Ok(games)
    }
}

fn failed_game_sentence(FailedGame { number, attempts, why }: &FailedGame) -> String {
    let why = why.as_ref().map_or(String::new(), |why| format!(" ({why})"));
    format!(
        "game {} was started {attempts} times and never finished{why}; run the same command to try again",
        number + 1
    )
}

/// Removes the jobs of a tournament from the queue, except those with these requirements and our
/// version.
pub fn clear(
    store: &BlockingStore,
    plan: &TournamentPlan,
    requirements: Option<&str>,
) -> Result<(), LeagueError> {
    let version = queue_version();
    let but = requirements.map(|requirements| (requirements, version.as_str()));
    Ok(store.block_on(store.store().remove_queued_games(&plan.name, but))?)
}

/// Removes games from the queue that finished while no process ran the tournament. They are already
/// stored.
pub fn discard_collected(store: &BlockingStore, plan: &TournamentPlan) -> Result<(), LeagueError> {
    Ok(store.block_on(store.store().collect_games(&plan.name)).map(drop)?)
}

/// Takes the advisory lock of a tournament. Retries for two seconds, because the connection of a
/// killed process may hold it for a while.
pub fn lock_tournament(store: &BlockingStore, plan: &TournamentPlan) -> Result<TournamentLock, LeagueError> {
    for _ in 0..20 {
        if let Some(lock) = store.block_on(store.store().lock_tournament(&plan.name))? {
            return Ok(lock);
        }
        thread::sleep(5 * TICK);
    }
    Err(LeagueError::Failed(format!("another process is running the tournament '{}'", plan.name)))
}
