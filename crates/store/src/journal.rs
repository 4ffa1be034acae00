//! One task that writes what all games append. While the disk is busy with one batch the next one gathers, so that many games
//! share a write and a lone one waits for nobody.
//!
//! It keeps the order in which it was asked, and tells nobody before the batch is on the disk. While a shared database is away it
//! waits, and whoever asked waits with it.

use crate::{Append, Store, StoreError};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
};

/// How many appends wait in line before whoever brings one more waits at the door.
const QUEUE: usize = 4096;
/// How many appends one transaction takes: a bigger one would keep the first of them waiting.
const BATCH: usize = 512;

type Answer = oneshot::Sender<Result<(), StoreError>>;

/// The way to that task. Clones lead to the same one.
#[derive(Clone, Debug)]
pub struct Journal {
    queue: mpsc::Sender<(Append, Answer)>,
    commits: Arc<AtomicU64>,
}

impl Journal {
    /// Starts the task, in the runtime this is called from. It ends when the last [`Journal`] is dropped and everything is
    /// written.
    pub fn start(store: Store) -> (Journal, JoinHandle<()>) {
        let (queue, waiting) = mpsc::channel(QUEUE);
        let commits = Arc::new(AtomicU64::new(0));
        let task = tokio::spawn(write(store, waiting, Arc::clone(&commits)));
        (Journal { queue, commits }, task)
    }

    /// Appends to a game's log, and returns when it is on the disk; see [`Store::append`]. A call that is dropped half-way may
    /// or may not be written, never half. A shared database that is away is waited for: an answer is never
    /// [`StoreError::Away`] then.
    pub async fn append(&self, append: Append) -> Result<(), StoreError> {
        let (answer, answered) = oneshot::channel();
        self.queue.send((append, answer)).await.map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }

    /// How many transactions there were so far.
    pub fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }
}

fn gone() -> StoreError {
    StoreError::Failed("the journal has stopped".into())
}

async fn write(store: Store, mut waiting: mpsc::Receiver<(Append, Answer)>, commits: Arc<AtomicU64>) {
    let mut batch = Vec::with_capacity(BATCH);
    while waiting.recv_many(&mut batch, BATCH).await > 0 {
        let (appends, answers): (Vec<Append>, Vec<Answer>) = batch.drain(..).unzip();
        let results = store.append_surely(&appends).await;
        commits.fetch_add(1, Ordering::Relaxed);
        for (answer, result) in answers.into_iter().zip(results) {
            // Whoever asked may have left; it is written all the same.
            let _ = answer.send(result);
        }
    }
}
