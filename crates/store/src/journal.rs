//! One task that writes what all games append. While the disk is busy with one batch the next one gathers, so that many games
//! share a write and a single one does not wait. It keeps the order in which it was asked, and answers after the batch is on the
//! disk.
//!
//! While a shared database is away it waits, and its callers wait with it. A connection that is lost takes the answer along: the
//! events may be written or not, and only the database knows. So they are appended once more, and one whose very events are there
//! already is the one that was written. It may still be on its way there when the database is back; then the second attempt waits
//! for the first by itself, as both want the same numbers.

use crate::{Append, EventRow, Store, StoreError, games::read_event, store::without_nul};
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
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
    /// [`StoreError::Unavailable`] then.
    pub async fn append(&self, append: Append) -> Result<(), StoreError> {
        let (answer, answered) = oneshot::channel();
        self.queue.send((append, answer)).await.map_err(|_| stopped())?;
        answered.await.map_err(|_| stopped())?
    }

    /// Number of transactions so far.
    pub fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }
}

fn stopped() -> StoreError {
    StoreError::Failed("the journal has stopped".into())
}

async fn write(store: Store, mut waiting: mpsc::Receiver<(Append, Answer)>, commits: Arc<AtomicU64>) {
    let mut batch = Vec::with_capacity(BATCH);
    while waiting.recv_many(&mut batch, BATCH).await > 0 {
        let (appends, answers): (Vec<Append>, Vec<Answer>) = batch.drain(..).unzip();
        let results = store.append_with_retry(&appends).await;
        commits.fetch_add(1, Ordering::Relaxed);
        for (answer, result) in answers.into_iter().zip(results) {
            // The caller may have stopped waiting; the append is written nevertheless.
            let _ = answer.send(result);
        }
    }
}

/// After how long without an answer a shared database counts as away: a machine that vanished says no word of it.
const APPEND_TIMEOUT: Duration = Duration::from_secs(30);

impl Store {
    /// Like [`Store::append`], and a shared database that is away is waited for.
    async fn append_with_retry(&self, appends: &[Append]) -> Vec<Result<(), StoreError>> {
        if !self.is_shared() {
            return self.append(appends).await;
        }
        let mut answers = self.append_in_time(appends).await;
        while answers.iter().any(is_unavailable) {
            self.wait_until_available().await;
            answers = self.append_in_time(appends).await;
            self.confirm_written(appends, &mut answers).await;
        }
        answers
    }

    async fn append_in_time(&self, appends: &[Append]) -> Vec<Result<(), StoreError>> {
        let answers = tokio::time::timeout(APPEND_TIMEOUT, self.append(appends)).await;
        answers.unwrap_or_else(|_| {
            let unavailable =
                StoreError::Unavailable(format!("no answer within {} s", APPEND_TIMEOUT.as_secs()));
            let unavailable = self.count_write::<()>(self.track_availability(Err(unavailable)));
            vec![unavailable; appends.len()]
        })
    }

    /// Those that are refused because their own events were written before are not refused. Of two that claim the same number the
    /// first one has it, as ever.
    async fn confirm_written(&self, appends: &[Append], answers: &mut [Result<(), StoreError>]) {
        let mut claimed = BTreeSet::new();
        for (append, answer) in appends.iter().zip(answers) {
            let mut numbers = append.events.iter().map(|event| (append.game.as_str(), event.seq));
            if let Err(StoreError::Conflict(..)) = answer
                && !numbers.clone().any(|number| claimed.contains(&number))
            {
                match self.has(append).await {
                    Ok(true) => *answer = Ok(()),
                    Ok(false) => {}
                    Err(error) => *answer = Err(error),
                }
            }
            if answer.is_ok() {
                claimed.extend(&mut numbers);
            }
        }
    }

    /// Whether all these events are in the log as they are here.
    async fn has(&self, append: &Append) -> Result<bool, StoreError> {
        let numbers = append.events.iter().map(|event| event.seq);
        let (Some(first), Some(last)) = (numbers.clone().min(), numbers.max()) else { return Ok(false) };
        let rows = sqlx::query(
            "SELECT seq, kind, text, at, first_left, second_left, first_periods, second_periods FROM live_event \
             WHERE game = $1 AND seq >= $2 AND seq <= $3 ORDER BY seq",
        );
        let rows = rows.bind(without_nul(&append.game)).bind(first).bind(last).fetch_all(&self.pool).await?;
        let there = rows.iter().map(read_event).collect::<Result<Vec<EventRow>, StoreError>>()?;
        Ok(append.events.iter().all(|event| there.contains(&as_stored(event))))
    }
}

fn is_unavailable(answer: &Result<(), StoreError>) -> bool {
    matches!(answer, Err(StoreError::Unavailable(_)))
}

fn as_stored(event: &EventRow) -> EventRow {
    EventRow { kind: without_nul(&event.kind), text: without_nul(&event.text), ..event.clone() }
}
