//! A worker in a thread of the process that runs a tournament. It plays games of that tournament
//! only.

use crate::{
    LeagueError,
    players::Players,
    worker::{WorkerConfig, run_worker, worker_id},
};
use parlor_store::BlockingStore;
use parlor_tournament::TournamentPlan;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

/// A worker in a thread of this process.
pub struct EmbeddedWorker {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<u64, LeagueError>>>,
}

impl EmbeddedWorker {
    pub fn start(plan: &TournamentPlan, database: &str, players: &Players) -> EmbeddedWorker {
        let stop = Arc::new(AtomicBool::new(false));
        let config = WorkerConfig {
            worker: worker_id("+"),
            seats: plan.concurrency,
            only: Some(plan.name.clone()),
            players: players.clone(),
            until_idle: false,
            stop: stop.clone(),
        };
        let place = database.to_string();
        let work = move || run_worker(config, &BlockingStore::connect(&place)?);
        EmbeddedWorker { stop, thread: Some(thread::spawn(work)) }
    }

    /// Why the worker ended by itself; `None` while it runs.
    pub fn failure_reason(&mut self) -> Option<String> {
        let thread = self.thread.take_if(|thread| thread.is_finished())?;
        match thread.join() {
            Ok(Ok(_)) => None,
            Ok(Err(fault)) => Some(fault.to_string()),
            Err(_) => Some("the embedded worker panicked".to_string()),
        }
    }
}

impl Drop for EmbeddedWorker {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // The worker returns its jobs to the queue. If that fails, their lease expires.
            let _ = thread.join();
        }
    }
}
