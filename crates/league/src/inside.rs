//! The worker within the process that conducts a tournament: it plays in this one alone, and goes when the conductor does.

use crate::{
    LeagueError,
    seats::Company,
    worker::{Orders, run_worker, taker},
};
use parlor_store::Blocking;
use parlor_tournament::Plan;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

/// The worker within this process.
pub struct Inside {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<u64, LeagueError>>>,
}

impl Inside {
    /// Starts it.
    pub fn start(plan: &Plan, database: &str, company: &Company) -> Inside {
        let stop = Arc::new(AtomicBool::new(false));
        let orders = Orders {
            taker: taker("+"),
            seats: plan.concurrency,
            only: Some(plan.name.clone()),
            hall: company.hall.clone(),
            tables: company.tables.clone(),
            until_idle: false,
            stop: stop.clone(),
        };
        let place = database.to_string();
        let work = move || run_worker(orders, &Blocking::connect(&place)?);
        Inside { stop, thread: Some(thread::spawn(work)) }
    }

    /// Why it ended by itself, if it did.
    pub fn trouble(&mut self) -> Option<String> {
        let thread = self.thread.take_if(|thread| thread.is_finished())?;
        match thread.join() {
            Ok(Ok(_)) => None,
            Ok(Err(fault)) => Some(fault.to_string()),
            Err(_) => Some("the worker of this process panicked".to_string()),
        }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It hands back what it holds; how that went changes nothing any more.
            let _ = thread.join();
        }
    }
}
