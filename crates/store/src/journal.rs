//! The journal: one task that writes the appends of all games with group commit. While one batch is being written the next one
//! gathers, so that games share a commit and a single append does not wait. Appends are written in the order in which they arrive,
//! and acknowledged after the commit.
//!
//! While a shared database is unavailable, the task waits, and its callers with it. When a connection is lost during a commit, it is
//! unknown whether the events were written. So they are appended again, and an append whose own events are in the log already counts
//! as written. If the first attempt is still in progress in the database, the second one waits for it, because both insert the same
//! keys.

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

/// Appends in the queue; when it is full, callers wait.
const QUEUE: usize = 4096;
/// Appends per transaction: a larger batch would delay its first append.
const BATCH: usize = 512;

type Answer = oneshot::Sender<Result<(), StoreError>>;

/// Handle to the task that writes appends. Clones share the task.
///
/// # Examples
///
/// ```
/// use parlor_store::{Append, EventRow, GameStatus, Journal, Store};
/// # use parlor_store::{LiveGameRow, SeatRow};
///
/// # let folder = parlor_testkit::temp_folder();
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let store = Store::open(&folder.join("games.db")).await?;
/// # let seat = SeatRow { kind: "person".into(), name: "Anna".into(), spec: String::new() };
/// # let game = LiveGameRow {
/// #     id: "bg35n8F5tf".into(),
/// #     game: "oware".into(),
/// #     start: None,
/// #     clock: None,
/// #     seats: [seat.clone(), seat],
/// #     listed: true,
/// #     created: 1_700_000_000_000,
/// #     touched: 1_700_000_000_000,
/// #     plies: 0,
/// #     ended: None,
/// #     result: None,
/// #     cause: None,
/// #     rules: 1,
/// #     deadline: None,
/// # };
/// // `game` is a row of a new game.
/// store.create_game(&game, &[]).await?;
///
/// let (journal, task) = Journal::start(store.clone());
/// let event = EventRow { seq: 1, kind: "move".into(), text: "c".into(), ..EventRow::default() };
/// let status = GameStatus { plies: 1, ..GameStatus::default() };
/// journal.append(Append { game: game.id, events: vec![event], status }).await?;
/// assert_eq!(journal.commits(), 1);
/// drop(journal);
/// task.await?;
/// # store.close().await;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

    /// Appends to a game's log and returns when the append is on the disk; see [`Store::append`]. The append of a call that is
    /// dropped may still be written, as a whole. Waits for a shared database that is unavailable, so it never returns
    /// [`StoreError::Unavailable`] for one.
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

/// After this time without an answer a shared database counts as unavailable: a dead machine does not close its connections.
const APPEND_TIMEOUT: Duration = Duration::from_secs(30);

impl Store {
    /// Like [`Store::append`], but waits for a shared database that is unavailable.
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

    /// Turns a conflict into a success where the conflicting events are the append's own, written by an earlier attempt. Of two
    /// appends with the same sequence number the first one wins.
    async fn confirm_written(&self, appends: &[Append], answers: &mut [Result<(), StoreError>]) {
        let mut written = BTreeSet::new();
        for (append, answer) in appends.iter().zip(answers) {
            let mut numbers = append.events.iter().map(|event| (append.game.as_str(), event.seq));
            if let Err(StoreError::Conflict(..)) = answer
                && !numbers.clone().any(|number| written.contains(&number))
            {
                match self.has(append).await {
                    Ok(true) => *answer = Ok(()),
                    Ok(false) => {}
                    Err(error) => *answer = Err(error),
                }
            }
            if answer.is_ok() {
                written.extend(&mut numbers);
            }
        }
    }

    /// Whether the log contains exactly these events.
    async fn has(&self, append: &Append) -> Result<bool, StoreError> {
        let numbers = append.events.iter().map(|event| event.seq);
        let (Some(first), Some(last)) = (numbers.clone().min(), numbers.max()) else { return Ok(false) };
        let rows = sqlx::query(
            "SELECT seq, kind, text, at, first_left, second_left, first_periods, second_periods FROM live_event \
             WHERE game = $1 AND seq >= $2 AND seq <= $3 ORDER BY seq",
        );
        let rows = rows.bind(without_nul(&append.game)).bind(first).bind(last).fetch_all(&self.pool).await?;
        let stored = rows.iter().map(read_event).collect::<Result<Vec<EventRow>, StoreError>>()?;
        Ok(append.events.iter().all(|event| stored.contains(&as_stored(event))))
    }
}

fn is_unavailable(answer: &Result<(), StoreError>) -> bool {
    matches!(answer, Err(StoreError::Unavailable(_)))
}

fn as_stored(event: &EventRow) -> EventRow {
    EventRow { kind: without_nul(&event.kind), text: without_nul(&event.text), ..event.clone() }
}
