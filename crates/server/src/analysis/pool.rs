//! The analysts of a server. They think on the threads of the server's [`ThreadPool`], in its fair queue, so that an estimate
//! comes at once while another visitor's proof goes on. An analyst that panics is not kept, and ends no other analysis.

use super::story::Point;
use crate::{
    metrics::{Held, Metrics},
    pool::{JobHandle, PLACE_INTERVAL, Pool as ThreadPool},
    problem::Problem,
};
use hashlink::LruCache;
use parlor_catalog::{Hosted, Judgement};
use parlor_core::Record;
use parlor_league::{AnalysisRequest, AnalystCache, AnalystError, RemoteAnalysts};
use parlor_store::Store;
use std::{
    collections::HashMap,
    net::IpAddr,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{sync::watch, time::timeout};

/// Questions that may be open at the same time, in all and of one address; a client that comes then is refused.
const QUESTIONS: usize = 1024;
const QUESTIONS_PER_ADDRESS: usize = 64;
/// What takes no longer is not given to a worker of another process.
const SHORT: Duration = Duration::from_millis(100);
/// Positions and games whose values are kept, the least recently used are dropped first.
const POSITIONS: usize = 512;
const STORIES: usize = 32;
/// Move lists with more moves are not cached.
const LONGEST_KEPT: usize = 120;

/// What was found out about a position, and in how much time.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub time: Duration,
    pub moves: Arc<Vec<Judgement>>,
}

/// Handle to the server's analysts.
#[derive(Clone)]
pub struct Analysis(Arc<Pool>);

struct Pool {
    threads: ThreadPool,
    open: Arc<Mutex<Open>>,
    analysts: AnalystCache,
    judged: Mutex<LruCache<String, Kept>>,
    stories: Mutex<LruCache<String, Arc<Vec<Point>>>>,
    metrics: Arc<Metrics>,
    /// Analysts in other processes, where there may be some.
    distant: Option<RemoteAnalysts>,
}

#[derive(Default)]
struct Open {
    all: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// An open question of a visitor. When it is dropped, the analysis for it stops.
pub(super) struct Ticket {
    visitor: IpAddr,
    open: Arc<Mutex<Open>>,
    stop: Arc<AtomicBool>,
    place: watch::Sender<Option<usize>>,
}

impl Ticket {
    /// The question's place in the queue while it waits for a thread.
    pub fn place(&self) -> watch::Receiver<Option<usize>> {
        self.place.subscribe()
    }

    fn tell_place(&self, place: Option<usize>) {
        self.place.send_if_modified(|told| std::mem::replace(told, place) != place);
    }

    async fn wait(&self, job: &mut JobHandle) {
        let place = job.place();
        loop {
            self.tell_place(place.get());
            if timeout(PLACE_INTERVAL, job.started()).await.is_ok() {
                return self.tell_place(None);
            }
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let mut open = lock(&self.open);
        open.all -= 1;
        if let Some(own) = open.by_address.get_mut(&self.visitor) {
            *own -= 1;
            if *own == 0 {
                open.by_address.remove(&self.visitor);
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a position is kept by: the whole line, because where positions return what came before counts.
pub(super) fn name_of(record: &Record) -> String {
    format!("{} {} {}", record.game, record.start.as_deref().unwrap_or("-"), record.moves.join(","))
}

impl Analysis {
    pub(crate) fn new(
        tables: Option<PathBuf>,
        metrics: Arc<Metrics>,
        store: &Store,
        threads: ThreadPool,
    ) -> Analysis {
        Analysis(Arc::new(Pool {
            threads,
            open: Arc::default(),
            analysts: AnalystCache::new(tables),
            judged: Mutex::new(LruCache::new(POSITIONS)),
            stories: Mutex::new(LruCache::new(STORIES)),
            metrics,
            distant: RemoteAnalysts::by(store),
        }))
    }

    pub(super) fn ticket(&self, visitor: IpAddr) -> Result<Ticket, Problem> {
        let mut open = lock(&self.0.open);
        let own = open.by_address.get(&visitor).copied().unwrap_or(0);
        if own >= QUESTIONS_PER_ADDRESS {
            return Err(Problem::Busy("too many analyses are running for your address"));
        }
        if open.all >= QUESTIONS {
            return Err(Problem::Busy("too many analyses are running"));
        }
        open.all += 1;
        open.by_address.insert(visitor, own + 1);
        let place = watch::Sender::new(None);
        Ok(Ticket { visitor, open: self.0.open.clone(), stop: Arc::default(), place })
    }

    /// The cached judgements of a position.
    pub(super) fn known(&self, record: &Record) -> Option<Kept> {
        lock(&self.0.judged).get(&name_of(record)).cloned()
    }

    /// The cached report of a whole game.
    pub(super) fn known_story(&self, record: &Record) -> Option<Arc<Vec<Point>>> {
        lock(&self.0.stories).get(&name_of(record)).cloned()
    }

    pub(super) fn keep_story(&self, record: &Record, points: Vec<Point>) {
        lock(&self.0.stories).insert(name_of(record), Arc::new(points));
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
        let mut thread = self.0.threads.submit(ticket.visitor, time);
        ticket.wait(&mut thread).await;
        let (pool, host, stop) = (self.0.clone(), host.clone(), ticket.stop.clone());
        let asked = record.clone();
        let job = tokio::task::spawn_blocking(move || {
            // An analyst that is to stop keeps its thread until it has stopped.
            let _held = (thread, Held::one(&pool.metrics, |metrics| &metrics.analysing));
            pool.analysts.analyze(host.as_ref(), &asked, time, &stop)
        });
        let moves = job.await.map_err(|error| Problem::panicked("the analysis", error))?;
        let moves = moves.map_err(|error| match error {
            AnalystError::Analyst(bad) => Problem::Refused(bad.to_string()),
            AnalystError::Record(bad) => Problem::BadInput(bad.0),
        })?;
        Ok(self.keep(record, time, moves))
    }

    /// The judgement of a worker on a long study, where there is one.
    async fn elsewhere(&self, record: &Record, time: Duration) -> Option<Vec<Judgement>> {
        let distant = self.0.distant.as_ref().filter(|_| time > SHORT)?;
        let _held = Held::one(&self.0.metrics, |metrics| &metrics.analysing);
        distant.judge(&AnalysisRequest { record: record.clone(), time }).await
    }

    fn keep(&self, record: &Record, time: Duration, moves: Vec<Judgement>) -> Kept {
        let (mut judged, name) = (lock(&self.0.judged), name_of(record));
        let before = judged.remove(&name);
        let moves = match &before {
            Some(before) => super::worth::together(&before.moves, moves),
            None => moves,
        };
        let time = before.map_or(time, |before| before.time.max(time));
        let kept = Kept { time, moves: Arc::new(moves) };
        if kept.moves.len() <= LONGEST_KEPT {
            judged.insert(name, kept.clone());
        }
        kept
    }
}
