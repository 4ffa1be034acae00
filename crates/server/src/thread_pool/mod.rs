//! The thread pool of engines and analyses. Jobs wait in one fair queue, see [`scheduler`]; dropping the handle of a job removes it.

mod cost;
mod scheduler;

pub use cost::Costs;

use scheduler::{JobId, Moment, Scheduler};
use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::oneshot, time::Instant};

/// How often a waiting job asks for its place in the queue.
pub const PLACE_INTERVAL: Duration = Duration::from_millis(500);
/// Places are computed for all jobs together, and not more often.
const PLACES_CACHED: Duration = Duration::from_millis(200);

/// Handle to a pool of threads.
#[derive(Clone)]
pub struct ThreadPool(Arc<SharedPool>);

struct SharedPool {
    begun: Instant,
    state: Mutex<PoolState>,
}

struct PoolState {
    scheduler: Scheduler,
    grants: HashMap<JobId, oneshot::Sender<()>>,
    /// The places of waiting jobs, and when they were computed.
    places: Option<(Moment, HashMap<JobId, usize>)>,
}

impl ThreadPool {
    /// Creates a pool that runs this many long jobs at the same time, and one more short job.
    pub fn new(threads: usize) -> ThreadPool {
        let state = PoolState { scheduler: Scheduler::new(threads), grants: HashMap::new(), places: None };
        ThreadPool(Arc::new(SharedPool { begun: Instant::now(), state: Mutex::new(state) }))
    }

    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Moment {
        self.0.begun.elapsed()
    }

    /// Queues a job of a visitor that is expected to take this long.
    pub fn submit(&self, visitor: IpAddr, cost: Duration) -> JobHandle {
        let (send, grant) = oneshot::channel();
        let (mut state, now) = (self.state(), self.now());
        let id = state.scheduler.push(visitor, cost, now);
        state.grants.insert(id, send);
        state.start_jobs(now);
        drop(state);
        JobHandle { place: QueuePosition { pool: self.clone(), id }, grant, has_started: false }
    }

    pub fn queued(&self) -> usize {
        self.state().grants.len()
    }

    fn remove(&self, id: JobId) {
        let (mut state, now) = (self.state(), self.now());
        state.grants.remove(&id);
        state.scheduler.remove(id, now);
        state.start_jobs(now);
    }
}

impl PoolState {
    fn start_jobs(&mut self, now: Moment) {
        while let Some(id) = self.scheduler.start(now) {
            // If the receiver is gone, its handle is being dropped and removes the job.
            if let Some(grant) = self.grants.remove(&id) {
                let _ = grant.send(());
            }
        }
    }

    fn place(&mut self, id: JobId, now: Moment) -> Option<usize> {
        if !self.scheduler.is_waiting(id) {
            return None;
        }
        let is_fresh = |(when, places): &(Moment, HashMap<JobId, usize>)| {
            now.saturating_sub(*when) < PLACES_CACHED && places.contains_key(&id)
        };
        if !self.places.as_ref().is_some_and(is_fresh) {
            self.places = Some((now, self.scheduler.places()));
        }
        self.places.as_ref()?.1.get(&id).copied()
    }
}

/// A job in the queue, then one that runs. It leaves the pool when this is dropped.
pub struct JobHandle {
    place: QueuePosition,
    grant: oneshot::Receiver<()>,
    has_started: bool,
}

impl JobHandle {
    /// Waits until the job may run. May be dropped and called again.
    pub async fn started(&mut self) {
        if !self.has_started {
            // The sender is dropped after it has sent only.
            let _ = (&mut self.grant).await;
            self.has_started = true;
        }
    }

    /// Reports the job's place in the queue.
    pub fn place(&self) -> QueuePosition {
        self.place.clone()
    }
}

impl Drop for JobHandle {
    fn drop(&mut self) {
        self.place.pool.remove(self.place.id);
    }
}

/// Reports the place of a job in the queue.
#[derive(Clone)]
pub struct QueuePosition {
    pool: ThreadPool,
    id: JobId,
}

impl QueuePosition {
    /// 1 for the job that is started next; `None` for one that does not wait.
    pub fn get(&self) -> Option<usize> {
        let now = self.pool.now();
        self.pool.state().place(self.id, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::timeout;

    const LONG: Duration = Duration::from_secs(10);

    fn visitor(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    async fn is_started(job: &mut JobHandle) -> bool {
        timeout(Duration::from_millis(1), job.started()).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn a_job_that_ends_lets_the_next_one_start() {
        let pool = ThreadPool::new(1);
        let mut first = pool.submit(visitor(1), LONG);
        let mut second = pool.submit(visitor(1), LONG);
        assert!(is_started(&mut first).await && !is_started(&mut second).await);
        assert_eq!((first.place().get(), second.place().get()), (None, Some(1)));
        drop(first);
        second.started().await;
        assert_eq!(second.place().get(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_dropped_job_leaves_the_queue() {
        let pool = ThreadPool::new(1);
        let first = pool.submit(visitor(1), LONG);
        let second = pool.submit(visitor(1), LONG);
        let mut third = pool.submit(visitor(1), LONG);
        drop(second);
        drop(first);
        assert!(is_started(&mut third).await);
    }
}
