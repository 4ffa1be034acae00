//! Executes the games of a tournament: on threads of this process, or by workers elsewhere. The schedule and the standings are
//! the same for all executors.

use crate::{Halt, Ledger, LedgerEntry, NotKept, Slot, Tournament, tournament::WorkerCache};
use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Condvar, Mutex, MutexGuard, PoisonError, atomic::AtomicBool, mpsc},
    time::Duration,
};

/// Plays the games of a tournament: on threads of this process, or by workers through the job queue.
pub trait Executor {
    /// Adds games to the queue, in the order of their numbers.
    fn open(&mut self, slots: Vec<Slot>) -> Result<(), Halt>;
    /// Returns the games that were stored since the last call. Waits a moment if there is none, and returns `None` when no
    /// worker is left.
    fn finished(&mut self) -> Result<Option<Vec<LedgerEntry>>, Halt>;
}

/// Plays games on threads of this process. Finished games arrive by a channel and go to the ledger.
pub(crate) struct ThreadExecutor<'a> {
    pub queue: &'a WorkQueue,
    pub finished: mpsc::Receiver<Result<LedgerEntry, Halt>>,
    pub ledger: &'a mut dyn Ledger,
}

impl Executor for ThreadExecutor<'_> {
    fn open(&mut self, slots: Vec<Slot>) -> Result<(), Halt> {
        self.queue.add(slots);
        Ok(())
    }

    fn finished(&mut self) -> Result<Option<Vec<LedgerEntry>>, Halt> {
        let first = match self.finished.recv_timeout(TICK) {
            Ok(first) => first,
            Err(mpsc::RecvTimeoutError::Timeout) => return Ok(Some(Vec::new())),
            Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(None),
        };
        // All games that are finished by now are stored together: one sync for many games.
        let batch: Vec<LedgerEntry> =
            std::iter::once(first).chain(self.finished.try_iter()).collect::<Result<_, Halt>>()?;
        self.ledger.keep(&batch).map_err(Halt::Ledger)?;
        Ok(Some(batch))
    }
}

/// One worker thread: plays the games of the queue. It reuses programs from game to game.
pub(crate) fn work(
    tournament: &Tournament<'_>,
    queue: &WorkQueue,
    halt: &AtomicBool,
    send: &mpsc::Sender<Result<LedgerEntry, Halt>>,
) {
    let mut table = WorkerCache::default();
    while let Task::Play(slot) = queue.next() {
        let played = catch_unwind(AssertUnwindSafe(|| tournament.play(slot, &mut table, halt)));
        let played = played.unwrap_or_else(|_| Err(Halt::Ledger(NotKept("the referee panicked".into()))));
        match played {
            Ok(entry) if entry.halves().is_none() => return,
            played => {
                let ends = played.is_err();
                if send.send(played).is_err() || ends {
                    return;
                }
            }
        }
    }
}

/// Interval at which the collector checks whether it is to stop.
const TICK: Duration = Duration::from_millis(20);

/// What a worker does next.
enum Task {
    Play(Slot),
    Quit,
}

/// Blocking work queue of tournament games. Workers take games in the order of their numbers, each once; `next` blocks until a game
/// is added or the queue is closed.
pub(crate) struct WorkQueue {
    inside: Mutex<Inside>,
    news: Condvar,
}

struct Inside {
    waiting: VecDeque<Slot>,
    closed: bool,
}

impl WorkQueue {
    pub(crate) fn new() -> WorkQueue {
        WorkQueue {
            inside: Mutex::new(Inside { waiting: VecDeque::new(), closed: false }),
            news: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds new games of the schedule.
    fn add(&self, slots: Vec<Slot>) {
        self.lock().waiting.extend(slots);
        self.news.notify_all();
    }

    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.news.notify_all();
    }

    fn next(&self) -> Task {
        let mut inside = self.lock();
        loop {
            if inside.closed {
                return Task::Quit;
            }
            if let Some(slot) = inside.waiting.pop_front() {
                return Task::Play(slot);
            }
            inside = self.news.wait(inside).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
