//! The analysts of a server: few at a time, few remembered. Short looks and long studies wait in lines of their own, so that an
//! estimate comes at once while somebody else's proof goes on. An analyst that panics is not put back, and takes nobody along.

use super::{distant::Distant, letters::Question, shelf::Shelf, story::Point};
use crate::{
    metrics::{Held, Metrics},
    problem::Problem,
};
use parlor_catalog::{Analyst, Clock, Hosted, Judgement, Monotonic, Tools};
use parlor_play::{Limits, Record};
use parlor_store::Store;
use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::Semaphore;

/// What one analyst may remember.
const MEMORY: usize = 64 << 20;
/// Analysts that are kept for the next question.
const ANALYSTS: usize = 4;
/// Questions that may be open at the same time; whoever comes then is told so.
const QUESTIONS: usize = 64;
/// What takes no longer is a short look.
const SHORT: Duration = Duration::from_millis(100);
/// Positions and games of which the judgement is kept.
const POSITIONS: usize = 512;
const STORIES: usize = 32;
/// Longer lists of moves are not worth keeping.
const LONGEST_KEPT: usize = 120;

/// What was found out about a position, and in how much time.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub time: Duration,
    pub moves: Arc<Vec<Judgement>>,
}

/// The analysts of a server; a handle.
#[derive(Clone)]
pub struct Analysis(Arc<Pool>);

struct Pool {
    looks: Arc<Semaphore>,
    studies: Arc<Semaphore>,
    open: Arc<AtomicUsize>,
    analysts: Mutex<Shelf<Box<dyn Analyst>>>,
    judged: Mutex<Shelf<Kept>>,
    stories: Mutex<Shelf<Arc<Vec<Point>>>>,
    tables: Option<PathBuf>,
    clock: Arc<dyn Clock>,
    metrics: Arc<Metrics>,
    /// Analysts in other processes, where there may be some.
    distant: Option<Distant>,
}

/// The right to ask; whoever drops it has stopped listening, and whatever is thought about for them stops.
pub(super) struct Ticket {
    open: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

fn lock<T>(shelf: &Mutex<T>) -> MutexGuard<'_, T> {
    shelf.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a position is kept by: the whole line, because where positions return what came before counts.
pub(super) fn name_of(record: &Record) -> String {
    format!("{} {} {}", record.game, record.start.as_deref().unwrap_or("-"), record.moves.join(","))
}

impl Analysis {
    pub(crate) fn new(tables: Option<PathBuf>, metrics: Arc<Metrics>, store: &Store) -> Analysis {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Analysis(Arc::new(Pool {
            looks: Arc::new(Semaphore::new(cores)),
            studies: Arc::new(Semaphore::new((cores / 2).max(1))),
            open: Arc::default(),
            analysts: Mutex::new(Shelf::of(ANALYSTS)),
            judged: Mutex::new(Shelf::of(POSITIONS)),
            stories: Mutex::new(Shelf::of(STORIES)),
            tables,
            clock: Arc::new(Monotonic::start()),
            metrics,
            distant: Distant::by(store),
        }))
    }

    /// The right to ask something.
    pub(super) fn ticket(&self) -> Result<Ticket, Problem> {
        let open = self.0.open.clone();
        let ticket = Ticket { open, stop: Arc::default() };
        if ticket.open.fetch_add(1, Ordering::Relaxed) >= QUESTIONS {
            return Err(Problem::Busy("too many positions are being analysed"));
        }
        Ok(ticket)
    }

    /// What is known of a position already.
    pub(super) fn known(&self, record: &Record) -> Option<Kept> {
        lock(&self.0.judged).copy(&name_of(record))
    }

    /// What is known of a whole game already.
    pub(super) fn known_story(&self, record: &Record) -> Option<Arc<Vec<Point>>> {
        lock(&self.0.stories).copy(&name_of(record))
    }

    /// Keeps the story of a game.
    pub(super) fn keep_story(&self, record: &Record, points: Vec<Point>) {
        let (mut stories, name) = (lock(&self.0.stories), name_of(record));
        stories.take(&name);
        stories.put(name, Arc::new(points));
    }

    /// Judges a position for so long, once it is its turn. What was known before is kept where it says more.
    pub(super) async fn judge(
        &self,
        host: &Arc<dyn Hosted>,
        record: &Record,
        time: Duration,
        ticket: &Ticket,
    ) -> Result<Kept, Problem> {
        if let Some(moves) = self.elsewhere(record, time).await {
            return Ok(self.keep(record, time, moves));
        }
        let lane = if time <= SHORT { &self.0.looks } else { &self.0.studies };
        let seat =
            lane.clone().acquire_owned().await.map_err(|closed| Problem::Broken(closed.to_string()))?;
        let (pool, host, stop) = (self.0.clone(), host.clone(), ticket.stop.clone());
        let asked = record.clone();
        let job = tokio::task::spawn_blocking(move || {
            // Whoever was told to stop keeps the seat until they have: there are never more of them than seats.
            let _held = (seat, Held::one(&pool.metrics, |metrics| &metrics.analysing));
            pool.judge(host.as_ref(), &asked, time, &stop)
        });
        let moves = job.await.map_err(|error| Problem::panicked("the analysis", error))??;
        Ok(self.keep(record, time, moves))
    }

    /// The judgement of a worker on a long study, where there is one.
    async fn elsewhere(&self, record: &Record, time: Duration) -> Option<Vec<Judgement>> {
        let distant = self.0.distant.as_ref().filter(|_| time > SHORT)?;
        let _held = Held::one(&self.0.metrics, |metrics| &metrics.analysing);
        distant.judge(&Question { record: record.clone(), time }).await
    }

    fn keep(&self, record: &Record, time: Duration, moves: Vec<Judgement>) -> Kept {
        let (mut judged, name) = (lock(&self.0.judged), name_of(record));
        let before = judged.take(&name);
        let moves = match &before {
            Some(before) => super::worth::together(&before.moves, moves),
            None => moves,
        };
        let time = before.map_or(time, |before| before.time.max(time));
        let kept = Kept { time, moves: Arc::new(moves) };
        if kept.moves.len() <= LONGEST_KEPT {
            judged.put(name, kept.clone());
        }
        kept
    }
}

impl Pool {
    fn judge(
        &self,
        host: &dyn Hosted,
        record: &Record,
        time: Duration,
        stop: &AtomicBool,
    ) -> Result<Vec<Judgement>, Problem> {
        let spec = host.spec();
        let kept = lock(&self.analysts).take(&spec);
        let mut analyst = match kept {
            Some(analyst) => analyst,
            // A damaged table is told as it is.
            None => host.analyst(&self.tools()).map_err(|bad| Problem::Refused(bad.to_string()))?,
        };
        let limits = Limits { time: Some(time), ..Limits::default() };
        let judged = analyst.analyze(record, &limits, stop);
        lock(&self.analysts).put(spec, analyst);
        judged.map_err(|bad| Problem::BadInput(bad.0))
    }

    fn tools(&self) -> Tools {
        Tools { memory: MEMORY, threads: 1, clock: self.clock.clone(), tables: self.tables.clone() }
    }
}
