//! The queue as an executor: games are put into the queue of a shared database, workers play them,
//! and finished games are collected. The process that runs the tournament may end at any moment:
//! the queue stays, workers continue, and the same command resumes.
//!
//! Unless told otherwise, the process plays too, as one worker among the others.

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

/// The queue has at most this number of games, and is filled up from half of it.
const WINDOW: usize = 20_000;
/// How long it waits for a notification before it checks whether it should stop.
const TICK: Duration = Duration::from_millis(20);
/// How often it looks for finished games without a notification.
const LOOK: Duration = Duration::from_secs(1);
/// After this time without a worker a warning is shown.
const LONELY: Duration = Duration::from_secs(10);

/// The queue as the place where games are played.
pub struct QueueExecutor<'a> {
    store: &'a BlockingStore,
    plan: &'a TournamentPlan,
    terms: String,
    lock: Option<TournamentLock>,
    listener: Option<Listener>,
    /// Games not yet put into the queue.
    waiting: VecDeque<Slot>,
    /// Games in the queue or at a worker.
    out: BTreeMap<u64, Slot>,
    looked: Instant,
    heard: bool,
    /// Whether the database was away: what was said to it and what it said may be lost.
    missed: bool,
    inside: Option<EmbeddedWorker>,
    begun: Option<Instant>,
    /// Prints a sentence for the user who runs the tournament.
    remark: &'a dyn Fn(&str),
}

impl<'a> QueueExecutor<'a> {
    pub fn new(
        store: &'a BlockingStore,
        plan: &'a TournamentPlan,
        terms: String,
        lock: TournamentLock,
        inside: Option<EmbeddedWorker>,
        remark: &'a dyn Fn(&str),
    ) -> Result<QueueExecutor<'a>, LeagueError> {
        let listener = Some(store.block_on(store.store().listener(&[DONE_CHANNEL]))?);
        Ok(QueueExecutor {
            store,
            plan,
            terms,
            lock: Some(lock),
            listener,
            waiting: VecDeque::new(),
            out: BTreeMap::new(),
            looked: Instant::now(),
            heard: true,
            missed: false,
            begun: inside.is_none().then(Instant::now),
            inside,
            remark,
        })
    }

    fn fill(&mut self) -> Result<(), StoreError> {
        if self.out.len() > WINDOW / 2 || self.waiting.is_empty() {
            return Ok(());
        }
        let count = self.waiting.len().min(WINDOW - self.out.len());
        let slots: Vec<Slot> = self.waiting.iter().take(count).copied().collect();
        self.put(&slots)?;
        self.waiting.drain(..count);
        self.out.extend(slots.into_iter().map(|slot| (slot.number, slot)));
        Ok(())
    }

    fn put(&self, slots: &[Slot]) -> Result<(), StoreError> {
        let version = queue_version();
        let games: Vec<QueuedGame> = slots.iter().map(|slot| self.queued_game(slot)).collect();
        self.store.block_on(self.store.store().enqueue_games(&self.plan.name, &self.terms, &version, &games))
    }

    fn queued_game(&self, slot: &Slot) -> QueuedGame {
        QueuedGame {
            number: slot.number as i64,
            players: slot.seats.map(|seat| self.plan.players[seat].name.clone()),
            text: slot_text(slot),
        }
    }

    /// Waits for a moment, or until something is said of this tournament.
    fn listen(&mut self) {
        let Some(listener) = &mut self.listener else { return };
        let heard = self.store.block_on(async { timeout(TICK, listener.next()).await });
        match heard {
            Ok(Ok(ListenerEvent::Notification(note))) => {
                self.heard |= note.payload.is_empty() || note.payload == self.plan.name;
            }
            Ok(Ok(ListenerEvent::Reconnected)) => self.missed = true,
            // It looks by itself as well.
            Ok(Err(_)) => thread::sleep(TICK),
            Err(_) => {}
        }
    }

    /// Games that workers have returned since the last call.
    fn look(&mut self) -> Result<Vec<TournamentGameRow>, Problem> {
        if self.missed {
            self.catch_up()?;
        }
        self.fill()?;
        if !self.heard && self.looked.elapsed() < LOOK {
            return Ok(Vec::new());
        }
        (self.heard, self.looked) = (false, Instant::now());
        let name = &self.plan.name;
        let collected = self.store.block_on(self.store.store().collect_games(name))?;
        match collected.failed.first() {
            Some(stuck) => Err(Problem::GameFailed(stuck.clone())),
            None => Ok(collected.games),
        }
    }

    /// After the database was away: this process must still be the one that conducts, and what was
    /// put in must be there.
    fn catch_up(&mut self) -> Result<(), Problem> {
        let held = match self.lock.take() {
            // The right may have ended with the connection, and may as well not have.
            Some(old) => {
                drop(old);
                thread::sleep(TICK);
                self.store.block_on(self.store.store().lock_tournament(&self.plan.name))?
            }
            None => self.store.block_on(self.store.store().lock_tournament(&self.plan.name))?,
        };
        self.lock = Some(held.ok_or(Problem::Taken)?);
        let out: Vec<Slot> = self.out.values().copied().collect();
        self.put(&out)?;
        (self.missed, self.heard) = (false, true);
        Ok(())
    }

    /// Finished games that were collected but not reported, because the database went away at that
    /// moment.
    fn missed_games(&mut self) -> Result<Vec<TournamentGameRow>, StoreError> {
        let rows = self.store.tournament_games(&self.plan.name)?;
        Ok(rows.into_iter().filter(|row| self.out.contains_key(&(row.number as u64))).collect())
    }

    /// Remarks once that no worker is there.
    fn look_for_workers(&mut self) {
        if self.begun.is_none_or(|begun| begun.elapsed() < LONELY) {
            return;
        }
        self.begun = None;
        let version = queue_version();
        if self.store.block_on(self.store.store().has_analysis_worker(&version, LONELY)) == Ok(false) {
            (self.remark)(&format!(
                "no worker with {} is running; start one with: parlor worker --database URL",
                version_words(&version)
            ));
        }
    }
}

impl Drop for QueueExecutor<'_> {
    fn drop(&mut self) {
        // A connection is given up where it was made: on the store's own ground.
        let listener = self.listener.take();
        self.store.block_on(async { drop(listener) });
    }
}

/// Why no games could be collected.
enum Problem {
    Store(StoreError),
    GameFailed(FailedGame),
    Taken,
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        Problem::Store(error)
    }
}

impl Executor for QueueExecutor<'_> {
    fn open(&mut self, slots: Vec<Slot>) -> Result<(), Halt> {
        self.waiting.extend(slots);
        Ok(())
    }

    fn finished(&mut self) -> Result<Option<Vec<LedgerEntry>>, Halt> {
        if let Some(why) = self.inside.as_mut().and_then(EmbeddedWorker::trouble) {
            return Err(Halt::Executor(why));
        }
        let was_away = self.missed;
        let looked = self.look().and_then(|mut rows| {
            if was_away {
                rows.extend(self.missed_games()?);
            }
            Ok(rows)
        });
        let rows = match looked {
            Ok(rows) => rows,
            Err(Problem::Store(StoreError::Unavailable(_))) => {
                self.missed = true;
                let _ = self
                    .store
                    .block_on(async { timeout(LOOK, self.store.store().wait_until_available()).await });
                return Ok(Some(Vec::new()));
            }
            Err(Problem::Store(error)) => return Err(Halt::Executor(error.to_string())),
            Err(Problem::Taken) => {
                return Err(Halt::Executor("another process is running this tournament".into()));
            }
            Err(Problem::GameFailed(stuck)) => return Err(Halt::Executor(stuck_sentence(&stuck))),
        };
        let games = self.counted(rows)?;
        if games.is_empty() {
            self.look_for_workers();
            self.listen();
        } else if self.begun.is_some() {
            self.begun = Some(Instant::now());
        }
        Ok(Some(games))
    }
}

impl QueueExecutor<'_> {
    /// Converts rows to games; skips games that are not expected.
    fn counted(&mut self, rows: Vec<TournamentGameRow>) -> Result<Vec<LedgerEntry>, Halt> {
        let mut games = Vec::new();
        for row in rows {
            let number = row.number;
            if self.out.remove(&(number as u64)).is_none() {
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

fn stuck_sentence(FailedGame { number, attempts, why }: &FailedGame) -> String {
    let why = why.as_ref().map_or(String::new(), |why| format!(" ({why})"));
    format!(
        "game {} was started {attempts} times and never finished{why}; run the same command to try again",
        number + 1
    )
}

/// Makes the queue ready for a tournament: jobs with other requirements or for another version are
/// removed.
pub fn clear(store: &BlockingStore, plan: &TournamentPlan, terms: Option<&str>) -> Result<(), LeagueError> {
    let version = queue_version();
    let but = terms.map(|terms| (terms, version.as_str()));
    Ok(store.block_on(store.store().remove_queued_games(&plan.name, but))?)
}

/// Removes games from the queue that finished while no process ran the tournament: they are stored
/// already.
pub fn settle(store: &BlockingStore, plan: &TournamentPlan) -> Result<(), LeagueError> {
    Ok(store.block_on(store.store().collect_games(&plan.name)).map(drop)?)
}

/// The right to conduct a tournament. One who was killed a moment ago may still seem to have it.
pub fn alone(store: &BlockingStore, plan: &TournamentPlan) -> Result<TournamentLock, LeagueError> {
    for _ in 0..20 {
        if let Some(alone) = store.block_on(store.store().lock_tournament(&plan.name))? {
            return Ok(alone);
        }
        thread::sleep(5 * TICK);
    }
    Err(LeagueError::Failed(format!("another process is running the tournament '{}'", plan.name)))
}
