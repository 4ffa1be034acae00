//! The condition of a database as its callers experience it: whether it answers, and whether writes succeed.
//!
//! Each change of condition is logged once, however many calls fail before the next change. While everything works, recording a
//! success is one atomic read.

use crate::{Store, StoreError};
use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, AtomicU64, Ordering},
};
use tokio::time::{Duration, Instant, timeout};

/// The shortest time between two writes of the health check.
const INTERVAL: Duration = Duration::from_secs(1);
/// How long the health check waits for its write. Load balancers give up soon, so it does not wait as long as a move does.
const WRITE_TIMEOUT: Duration = Duration::from_secs(1);
/// How many ids one line of the log lists.
const LISTED_IDS: usize = 10;

/// The condition of a database. All clones of a store share it.
#[derive(Debug, Default)]
pub(crate) struct Health {
    unavailable: Condition<Instant>,
    failing: Condition<StoreError>,
    failed_writes: AtomicU64,
    /// When the health check last wrote. Locked while it writes, so that simultaneous checks share one write.
    checked: tokio::sync::Mutex<Option<Instant>>,
}

/// A value that is usually absent: `is_set` avoids the lock while it is.
#[derive(Debug)]
struct Condition<T> {
    is_set: AtomicBool,
    value: Mutex<Option<T>>,
}

impl<T> Default for Condition<T> {
    fn default() -> Condition<T> {
        Condition { is_set: AtomicBool::new(false), value: Mutex::new(None) }
    }
}

impl<T> Condition<T> {
    fn lock(&self) -> MutexGuard<'_, Option<T>> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether it was unset before.
    fn set(&self, value: T) -> bool {
        let mut now = self.lock();
        let is_new = now.is_none();
        *now = Some(value);
        self.is_set.store(true, Ordering::Relaxed);
        is_new
    }

    fn clear(&self) -> Option<T> {
        if !self.is_set.load(Ordering::Relaxed) {
            return None;
        }
        let mut now = self.lock();
        self.is_set.store(false, Ordering::Relaxed);
        now.take()
    }
}

impl Store {
    /// Records whether the database answered a call.
    pub(crate) fn track_availability<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        match &result {
            Err(StoreError::Unavailable(reason)) => {
                // The first failure counts, so that the log can report how long the outage took.
                if !self.health.unavailable.is_set.load(Ordering::Relaxed)
                    && self.health.unavailable.set(Instant::now())
                {
                    tracing::warn!(database = self.location(), %reason, "database unavailable");
                }
            }
            _ => {
                if let Some(since) = self.health.unavailable.clear() {
                    let seconds = since.elapsed().as_secs_f64();
                    tracing::info!(database = self.location(), seconds, "database available again");
                }
            }
        }
        result
    }

    /// Counts the result of a write, and logs a failure with what was to be written and the ids that it belongs to.
    pub(crate) fn track_write<T>(
        &self,
        what: &str,
        ids: &[&str],
        result: Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let result = self.track_availability(result);
        if let Err(reason) = &result
            && reason.is_failure()
        {
            tracing::error!(database = self.location(), what, ids = list(ids), %reason, "write failed");
        }
        self.count_write(result)
    }

    /// Counts the result of a write without logging a failure: the caller logs it, or repeats the write.
    pub(crate) fn count_write<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        match &result {
            Ok(_) => {
                if self.health.failing.clear().is_some() {
                    tracing::info!(database = self.location(), "writes succeed again");
                }
            }
            Err(error) if error.is_failure() => {
                self.health.failed_writes.fetch_add(1, Ordering::Relaxed);
                self.health.failing.set(error.clone());
            }
            // A refused write is no failure of the database.
            Err(_) => {}
        }
        result
    }

    /// How many writes have failed since the store was opened.
    pub fn failed_writes(&self) -> u64 {
        self.health.failed_writes.load(Ordering::Relaxed)
    }

    /// Checks whether writes succeed. Returns the error of the last failed write until another one succeeds. The check writes one
    /// row, at most once a second, and waits at most a second for it. `now` is stored, in milliseconds since 1970.
    pub async fn check_health(&self, now: i64) -> Result<(), StoreError> {
        let mut checked = self.health.checked.lock().await;
        if checked.is_none_or(|last| last.elapsed() >= INTERVAL) {
            let done = self.write_health(now).await;
            *checked = Some(Instant::now());
            let was_failing = self.health.failing.is_set.load(Ordering::Relaxed);
            let _ = if was_failing {
                // It is known already; a line for each attempt would fill the log.
                self.count_write(self.track_availability(done))
            } else {
                self.track_write("health check", &[], done)
            };
        }
        drop(checked);
        self.health.failing.lock().clone().map_or(Ok(()), Err)
    }

    async fn write_health(&self, now: i64) -> Result<(), StoreError> {
        let write = sqlx::query(
            "INSERT INTO health (id, checked) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET checked = excluded.checked",
        );
        match timeout(WRITE_TIMEOUT, write.bind(now).execute(&self.writer)).await {
            Ok(done) => Ok(done.map(drop)?),
            Err(_) => Err(StoreError::Unavailable(format!("no answer within {} s", WRITE_TIMEOUT.as_secs()))),
        }
    }
}

/// The first ids, and how many more there are.
fn list(ids: &[&str]) -> String {
    let mut text = ids.iter().take(LISTED_IDS).copied().collect::<Vec<_>>().join(",");
    if ids.len() > LISTED_IDS {
        text.push_str(&format!(" and {} more", ids.len() - LISTED_IDS));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_line_lists_at_most_ten_ids() {
        let ids: Vec<String> = (0..12).map(|id| id.to_string()).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        assert_eq!(list(&ids), "0,1,2,3,4,5,6,7,8,9 and 2 more");
        assert_eq!(list(&ids[..2]), "0,1");
    }

    #[test]
    fn only_the_first_of_several_failures_is_a_change() {
        let condition = Condition::default();
        assert!(condition.clear().is_none());
        assert!(condition.set(1));
        assert!(!condition.set(2));
        assert_eq!(condition.clear(), Some(2));
        assert!(condition.set(3));
    }
}
