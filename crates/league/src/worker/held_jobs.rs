//! The jobs that a worker has leased, and its pending reports: answers, failures, jobs to return.

use parlor_store::{Store, StoreError};
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Jobs that this worker has leased.
#[derive(Default)]
pub struct HeldJobs {
    held: BTreeMap<i64, Arc<AtomicBool>>,
    /// Jobs to return to the queue.
    pub back: Vec<i64>,
    /// Answers to store, by job.
    pub answers: Vec<(i64, String)>,
    /// Failed jobs and the reasons.
    pub failed: Vec<(i64, String)>,
}

impl HeldJobs {
    pub fn len(&self) -> usize {
        self.held.len()
    }

    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    pub fn ids(&self) -> Vec<i64> {
        self.held.keys().copied().collect()
    }

    /// Adds a leased job. Returns the flag that stops it.
    pub fn take(&mut self, id: i64) -> Arc<AtomicBool> {
        let halt = Arc::new(AtomicBool::new(false));
        self.held.insert(id, halt.clone());
        halt
    }

    pub fn drop_all(&mut self, ids: impl Iterator<Item = i64>) {
        for id in ids {
            self.held.remove(&id);
        }
    }

    /// Stops all jobs except these. Returns the ids of newly stopped jobs.
    pub fn keep_only(&mut self, own: &[i64]) -> Vec<i64> {
        let mut stopped = Vec::new();
        for (id, halt) in &self.held {
            if !own.contains(id) && !halt.swap(true, Ordering::Relaxed) {
                stopped.push(*id);
            }
        }
        stopped
    }

    pub fn halt(&self) {
        self.held.values().for_each(|halt| halt.store(true, Ordering::Relaxed));
    }

    /// Writes all pending reports to the store and drops their jobs.
    pub async fn report(&mut self, store: &Store, worker: &str) -> Result<(), StoreError> {
        while let Some((id, text)) = self.answers.last() {
            store.answer_question(worker, *id, text).await?;
            self.held.remove(id);
            self.answers.pop();
        }
        while let Some((id, why)) = self.failed.last() {
            store.nack_game(worker, *id, why).await?;
            self.held.remove(id);
            self.failed.pop();
        }
        if !self.back.is_empty() {
            store.release_jobs(worker, &self.back).await?;
            let back = std::mem::take(&mut self.back);
            self.drop_all(back.into_iter());
        }
        Ok(())
    }
}
