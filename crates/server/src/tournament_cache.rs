//! The cache of tournaments. A snapshot is read once for all visitors and read again only if the
//! tournament was changed. While at least one visitor watches a tournament, one task asks the
//! database for changes.
//!
//! Reading a tournament of many games takes a while. It is not read again before ten times that
//! while has passed.

use crate::problem::Problem;
use parlor_league::Snapshot;
use parlor_store::{Store, TournamentRow};
use std::{
    collections::HashMap,
    ops::Deref,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::watch;

/// Interval between queries for changes.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Interval when nothing has changed for a while.
const QUIET_POLL_INTERVAL: Duration = Duration::from_secs(5);
/// Number of queries without a change after which the longer interval applies.
const QUIET_POLLS: u32 = 60;
/// A tournament is not read again before this many times the duration of the last read.
const MIN_PAUSE_FACTOR: u32 = 10;
/// Tournaments in the cache; when it is full, those without spectators are dropped.
const MAX_ENTRIES: usize = 32;

/// A tournament as it was at one moment, with the parts of its page.
pub struct CachedTournament {
    shown: Snapshot,
    /// Parts of its page, written once for all visitors.
    pub parts: OnceLock<Vec<(&'static str, String)>>,
}

impl Deref for CachedTournament {
    type Target = Snapshot;

    fn deref(&self) -> &Snapshot {
        &self.shown
    }
}

/// The current state of a tournament and every later one.
pub type TournamentUpdates = watch::Receiver<Option<Arc<CachedTournament>>>;

/// Handle to the cache of tournaments that visitors look at.
#[derive(Clone)]
pub struct TournamentCache {
    store: Store,
    entries: Arc<Mutex<HashMap<String, Arc<CacheEntry>>>>,
}

#[derive(Default)]
struct CacheEntry {
    shown: watch::Sender<Option<Arc<CachedTournament>>>,
    /// Held while the tournament is read; with it, when the last reading ended and how long it
    /// took.
    reading: tokio::sync::Mutex<Option<(Instant, Duration)>>,
    /// Whether a task polls the database for this tournament.
    is_polled: Mutex<bool>,
}

impl TournamentCache {
    pub fn new(store: Store) -> TournamentCache {
        TournamentCache { store, entries: Arc::default() }
    }

    /// The current state of a tournament.
    pub async fn get(&self, name: &str) -> Result<Arc<CachedTournament>, Problem> {
        let row = self.store.tournament(name).await?.ok_or(Problem::NotFound("tournament"))?;
        self.read(row).await
    }

    /// The current state of the tournament of this row.
    pub async fn read(&self, row: TournamentRow) -> Result<Arc<CachedTournament>, Problem> {
        self.entry(&row.name).read(&self.store, row).await
    }

    /// Subscribes to a tournament; the current state comes at once.
    pub async fn watch(&self, name: &str) -> Result<TournamentUpdates, Problem> {
        self.get(name).await?;
        let entry = self.entry(name);
        let mut is_polled = lock(&entry.is_polled);
        let mut watching = entry.shown.subscribe();
        watching.mark_changed();
        if !*is_polled {
            *is_polled = true;
            tokio::spawn(poll_changes(entry.clone(), self.store.clone(), name.to_string()));
        }
        Ok(watching)
    }

    fn entry(&self, name: &str) -> Arc<CacheEntry> {
        let mut entries = lock(&self.entries);
        if entries.len() >= MAX_ENTRIES && !entries.contains_key(name) {
            entries.retain(|_, entry| entry.shown.receiver_count() > 0);
        }
        entries.entry(name.to_string()).or_default().clone()
    }
}

impl CacheEntry {
    async fn read(&self, store: &Store, row: TournamentRow) -> Result<Arc<CachedTournament>, Problem> {
        let mut last = self.reading.lock().await;
        let before = self.shown.borrow().clone();
        let rests = last.is_some_and(|(then, took)| {
            then.elapsed() < took * MIN_PAUSE_FACTOR && took > POLL_INTERVAL / MIN_PAUSE_FACTOR
        });
        if let Some(shown) = before.filter(|shown| shown.is_of(&row) || (rests && shown.is_same(&row))) {
            return Ok(shown);
        }
        let begun = Instant::now();
        let games = store.tournament_games(&row.name).await?;
        let what = format!("reading tournament '{}'", row.name);
        let shown = tokio::task::spawn_blocking(move || Snapshot::of(row, games)).await;
        let shown = shown.map_err(|error| Problem::panicked(&what, error))?;
        let shown = Arc::new(CachedTournament { shown, parts: OnceLock::new() });
        *last = Some((Instant::now(), begun.elapsed()));
        self.shown.send_replace(Some(shown.clone()));
        Ok(shown)
    }
}

/// Asks the database for changes while at least one visitor watches.
async fn poll_changes(entry: Arc<CacheEntry>, store: Store, name: String) {
    let (mut quiet, mut logged) = (0, None);
    loop {
        tokio::time::sleep(if quiet < QUIET_POLLS { POLL_INTERVAL } else { QUIET_POLL_INTERVAL }).await;
        {
            let mut is_polled = lock(&entry.is_polled);
            if entry.shown.receiver_count() == 0 {
                *is_polled = false;
                return;
            }
        }
        let before = entry.shown.borrow().clone();
        let read = match store.tournament(&name).await {
            Ok(Some(row)) => entry.read(&store, row).await.map(drop),
            // It was deleted, and may be begun again.
            Ok(None) => Ok(()),
            Err(error) => Err(error.into()),
        };
        // The next attempt may succeed. A reason that lasts is logged once.
        if read.as_ref().err() != logged.as_ref() {
            logged = read.err();
            if let Some(problem) = &logged {
                tracing::warn!(tournament = name, reason = problem.reason(), "cannot read the tournament");
            }
        }
        let after = entry.shown.borrow().clone();
        let same = before.zip(after).is_some_and(|(before, after)| Arc::ptr_eq(&before, &after));
        quiet = if same { quiet.saturating_add(1) } else { 0 };
    }
}

/// Locks a mutex; a panic cannot leave its value inconsistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
