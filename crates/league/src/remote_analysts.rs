//! Remote analysis by workers. If a worker of the same version is registered, the server puts long
//! analyses into the queue. A request that no worker leases within half a second, or that is not
//! answered in time, is withdrawn, and the server analyses the position itself.

use crate::{
    analysis_request::{AnalysisRequest, read_answer},
    version::queue_version,
};
use parlor_catalog::MoveAnalysis;
use parlor_store::{ANSWERS_CHANNEL, QuestionState, Store, StoreError};
use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{sync::watch, time::timeout};

/// A worker whose last heartbeat is older counts as gone.
const WORKER_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the answer to "is there a worker?" is cached.
const CACHE_TIME: Duration = Duration::from_secs(1);
/// A request that no worker leases within this time is withdrawn.
const LEASE_TIMEOUT: Duration = Duration::from_millis(500);
/// An answer may take longer than the requested time by this much.
const ANSWER_GRACE: Duration = Duration::from_secs(2);
/// How often an answer is polled without a notification.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Sends positions to workers and waits for their analyses.
pub struct RemoteAnalysts {
    store: Store,
    worker_seen: Mutex<Option<(Instant, bool)>>,
    /// Changes when any answer arrives.
    answers: watch::Sender<u64>,
    listening: AtomicBool,
}

/// A request in the queue. Dropping it withdraws the request.
struct OpenRequest {
    id: i64,
    store: Store,
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        let (store, id) = (self.store.clone(), self.id);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            // If this fails, the store deletes the request after some minutes.
            runtime.spawn(async move { drop(store.delete_question(id).await) });
        }
    }
}

impl RemoteAnalysts {
    /// `None` if the database is not shared.
    pub fn by(store: &Store) -> Option<RemoteAnalysts> {
        store.is_shared().then(|| RemoteAnalysts {
            store: store.clone(),
            worker_seen: Mutex::default(),
            answers: watch::Sender::new(0),
            listening: AtomicBool::new(false),
        })
    }

    /// Whether a worker that analyses positions is registered.
    async fn has_worker(&self) -> bool {
        let known = *self.worker_seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, worker_seen)) = known.filter(|(when, _)| when.elapsed() < CACHE_TIME) {
            return worker_seen;
        }
        let worker_seen = self.store.has_analysis_worker(&queue_version(), WORKER_TIMEOUT).await;
        let worker_seen = logged("cannot list the workers", worker_seen).unwrap_or(false);
        *self.worker_seen.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((Instant::now(), worker_seen));
        worker_seen
    }

    /// Lets a worker analyse a position. `None` if there is no answer in time.
    pub async fn analyze(&self, request: &AnalysisRequest) -> Option<Vec<MoveAnalysis>> {
        if !self.has_worker().await {
            return None;
        }
        self.listen();
        let mut answers = self.answers.subscribe();
        let asked = Instant::now();
        let id = logged(
            "cannot send a position to a worker",
            self.store.enqueue_question(&queue_version(), &request.text()).await,
        )?;
        let open = OpenRequest { id, store: self.store.clone() };
        loop {
            let patience =
                match logged("cannot read a worker's answer", self.store.question_state(open.id).await)? {
                    QuestionState::Answered(text) => {
                        let answer = read_answer(&text);
                        if answer.is_none() {
                            tracing::error!(table = "job", job = id, "corrupt answer from a worker");
                        }
                        return answer;
                    }
                    QuestionState::Leased => request.time + ANSWER_GRACE,
                    QuestionState::Waiting => LEASE_TIMEOUT,
                    QuestionState::Missing => return None,
                };
            let left = patience.checked_sub(asked.elapsed())?;
            let _ = timeout(left.min(POLL_INTERVAL), answers.changed()).await;
        }
    }

    /// Starts the task that listens for notifications of answers, once. If the connection is lost,
    /// answers are polled.
    fn listen(&self) {
        if self.listening.swap(true, Ordering::Relaxed) {
            return;
        }
        let (store, answers) = (self.store.clone(), self.answers.clone());
        tokio::spawn(async move {
            let listener = store.listener(&[ANSWERS_CHANNEL]).await;
            let Some(mut listener) = logged("no notifications of answers; polling instead", listener) else {
                return;
            };
            while listener.next().await.is_ok() && answers.receiver_count() + answers.sender_count() > 1 {
                answers.send_modify(|count| *count = count.wrapping_add(1));
            }
        });
    }
}

/// Logs an error of the queue at level debug only, because the server then analyses the position
/// itself.
fn logged<T>(what: &str, result: Result<T, StoreError>) -> Option<T> {
    result.inspect_err(|reason| tracing::debug!(%reason, "{what}")).ok()
}
