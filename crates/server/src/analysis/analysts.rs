//! The analysts of a server, and the LRU caches of their results. They run on the server's [`ThreadPool`], in its fair queue, so that
//! a visitor gets an estimate at once while another visitor's proof continues. A panic of an analyst affects no
//! other analysis.

use super::game_report::PlyReport;
use crate::{
    metrics::{GaugeGuard, Metrics},
    problem::Problem,
    thread_pool::{JobHandle, PLACE_INTERVAL, ThreadPool},
};
use hashlink::LruCache;
use parlor_catalog::{DynGame, MoveAnalysis};
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

/// Limits of open questions, in total and per address; further ones are refused.
const MAX_QUESTIONS: usize = 1024;
const MAX_QUESTIONS_PER_ADDRESS: usize = 64;
/// Shorter analyses are not sent to workers.
const MAX_LOCAL_TIME: Duration = Duration::from_millis(100);
/// Capacities of the LRU caches of positions and of games.
const MAX_POSITIONS: usize = 512;
const MAX_REPORTS: usize = 32;
/// Move lists with more moves are not cached.
const MAX_CACHED_MOVES: usize = 120;

/// The values of a position's moves, and the time that was spent on them.
#[derive(Clone, Debug)]
pub(super) struct CachedAnalysis {
    pub time: Duration,
    pub moves: Arc<Vec<MoveAnalysis>>,
}

/// Handle to the server's analysts.
#[derive(Clone)]
pub struct Analysis(Arc<AnalystsState>);

struct AnalystsState {
    threads: ThreadPool,
    open: Arc<Mutex<OpenQuestions>>,
    analysts: AnalystCache,
    positions: Mutex<LruCache<String, CachedAnalysis>>,
    reports: Mutex<LruCache<String, Arc<Vec<PlyReport>>>>,
    metrics: Arc<Metrics>,
    /// Workers in other processes; `None` if the database is not shared.
    remote: Option<RemoteAnalysts>,
}

#[derive(Default)]
struct OpenQuestions {
    total: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// An open question of a visitor. When it is dropped, the analysis for it stops.
pub(super) struct Ticket {
    visitor: IpAddr,
    open: Arc<Mutex<OpenQuestions>>,
    stop: Arc<AtomicBool>,
    place: watch::Sender<Option<usize>>,
}

impl Ticket {
    /// The question's place in the queue while it waits for a thread.
    pub fn place(&self) -> watch::Receiver<Option<usize>> {
        self.place.subscribe()
    }

    fn report_place(&self, place: Option<usize>) {
        self.place.send_if_modified(|last| std::mem::replace(last, place) != place);
    }

    async fn wait(&self, job: &mut JobHandle) {
        let place = job.place();
        loop {
            self.report_place(place.get());
            if timeout(PLACE_INTERVAL, job.started()).await.is_ok() {
                return self.report_place(None);
            }
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let mut open = lock(&self.open);
        open.total -= 1;
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

/// The cache key of a position: the whole line of moves, because the value may depend on the history (the graph-history
/// interaction problem).
pub(super) fn cache_key(record: &Record) -> String {
    format!("{} {} {}", record.game, record.start.as_deref().unwrap_or("-"), record.moves.join(","))
}

impl Analysis {
    pub(crate) fn new(
        tables: Option<PathBuf>,
        metrics: Arc<Metrics>,
        store: &Store,
        threads: ThreadPool,
    ) -> Analysis {
        Analysis(Arc::new(AnalystsState {
            threads,
            open: Arc::default(),
            analysts: AnalystCache::new(tables),
            positions: Mutex::new(LruCache::new(MAX_POSITIONS)),
            reports: Mutex::new(LruCache::new(MAX_REPORTS)),
            metrics,
            remote: RemoteAnalysts::by(store),
        }))
    }

    pub(super) fn ticket(&self, visitor: IpAddr) -> Result<Ticket, Problem> {
        let mut open = lock(&self.0.open);
        let own = open.by_address.get(&visitor).copied().unwrap_or(0);
        if own >= MAX_QUESTIONS_PER_ADDRESS {
            return Err(Problem::Busy("too many analyses are running for your address"));
        }
        if open.total >= MAX_QUESTIONS {
            return Err(Problem::Busy("too many analyses are running"));
        }
        open.total += 1;
        open.by_address.insert(visitor, own + 1);
        let place = watch::Sender::new(None);
        Ok(Ticket { visitor, open: self.0.open.clone(), stop: Arc::default(), place })
    }

    /// The cached values of a position.
    pub(super) fn cached(&self, record: &Record) -> Option<CachedAnalysis> {
        lock(&self.0.positions).get(&cache_key(record)).cloned()
    }

    /// The cached report of a whole game.
    pub(super) fn cached_report(&self, record: &Record) -> Option<Arc<Vec<PlyReport>>> {
        lock(&self.0.reports).get(&cache_key(record)).cloned()
    }

    pub(super) fn cache_report(&self, record: &Record, points: Vec<PlyReport>) {
        lock(&self.0.reports).insert(cache_key(record), Arc::new(points));
    }

    /// Analyses a position for this time, when the queue grants a thread. The result is merged with the cached one.
    pub(super) async fn analyse(
        &self,
        host: &Arc<dyn DynGame>,
        record: &Record,
        time: Duration,
        ticket: &Ticket,
    ) -> Result<CachedAnalysis, Problem> {
        if let Some(moves) = self.analyse_remotely(record, time).await {
            return Ok(self.cache(record, time, moves));
        }
        let mut thread = self.0.threads.submit(ticket.visitor, time);
        ticket.wait(&mut thread).await;
        let (pool, host, stop) = (self.0.clone(), host.clone(), ticket.stop.clone());
        let question = record.clone();
        let job = tokio::task::spawn_blocking(move || {
            // A stopped analyst occupies its thread until it returns.
            let _held = (thread, GaugeGuard::new(&pool.metrics, |metrics| &metrics.analysing));
            pool.analysts.analyze(host.as_ref(), &question, time, &stop)
        });
        let moves = job.await.map_err(|error| Problem::panicked("the analysis", error))?;
        let moves = moves.map_err(|error| match error {
            AnalystError::Analyst(bad) => Problem::Refused(bad.to_string()),
            AnalystError::Record(bad) => Problem::BadInput(bad.0),
        })?;
        Ok(self.cache(record, time, moves))
    }

    /// The analysis by a worker, if it is long and a worker is present.
    async fn analyse_remotely(&self, record: &Record, time: Duration) -> Option<Vec<MoveAnalysis>> {
        let remote = self.0.remote.as_ref().filter(|_| time > MAX_LOCAL_TIME)?;
        let _held = GaugeGuard::new(&self.0.metrics, |metrics| &metrics.analysing);
        remote.analyze(&AnalysisRequest { record: record.clone(), time }).await
    }

    fn cache(&self, record: &Record, time: Duration, moves: Vec<MoveAnalysis>) -> CachedAnalysis {
        let (mut positions, name) = (lock(&self.0.positions), cache_key(record));
        let before = positions.remove(&name);
        let moves = match &before {
            Some(before) => super::move_value::merge(&before.moves, moves),
            None => moves,
        };
        let time = before.map_or(time, |before| before.time.max(time));
        let cached = CachedAnalysis { time, moves: Arc::new(moves) };
        if cached.moves.len() <= MAX_CACHED_MOVES {
            positions.insert(name, cached.clone());
        }
        cached
    }
}
