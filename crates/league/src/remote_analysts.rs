//! Analysts in other processes. If a worker of the same version uses the same database, the server
//! puts long analyses into its queue. A request that no worker takes within half a second, or
//! answers in time, is withdrawn, and the server analyses by itself.

use crate::{
    analysis_request::{AnalysisRequest, read_answer},
    version::queue_version,
};
use parlor_catalog::Judgement;
use parlor_store::{ANSWERS_CHANNEL, QuestionState, Store, StoreError};
use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{sync::watch, time::timeout};

/// A worker whose last heartbeat is younger is present.
const PRESENT: Duration = Duration::from_secs(5);
/// How long what is known of that is believed.
const BELIEVED: Duration = Duration::from_secs(1);
/// A request that no worker takes within this time is analysed here.
const TAKEN_WITHIN: Duration = Duration::from_millis(500);
/// An answer may take longer than the requested time by this much.
const LATE: Duration = Duration::from_secs(2);
/// How often a request is looked up without a notification.
const LOOK: Duration = Duration::from_millis(250);

/// Analyses positions by way of workers.
pub struct RemoteAnalysts {
    store: Store,
    attended: Mutex<Option<(Instant, bool)>>,
    /// Changes when any answer arrives.
    answers: watch::Sender<u64>,
    listening: AtomicBool,
}

/// An open request; it is withdrawn when it is dropped.
struct Open {
    id: i64,
    store: Store,
}

impl Drop for Open {
    fn drop(&mut self) {
        let (store, id) = (self.store.clone(), self.id);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            // Questions that are left behind are forgotten after some minutes in any case.
            runtime.spawn(async move { drop(store.delete_question(id).await) });
        }
    }
}

impl RemoteAnalysts {
    /// `None` if the database is not shared.
    pub fn by(store: &Store) -> Option<RemoteAnalysts> {
        store.is_shared().then(|| RemoteAnalysts {
            store: store.clone(),
            attended: Mutex::default(),
            answers: watch::Sender::new(0),
            listening: AtomicBool::new(false),
        })
    }

    /// Whether a worker that analyses is present.
    async fn is_attended(&self) -> bool {
        let known = *self.attended.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, attended)) = known.filter(|(when, _)| when.elapsed() < BELIEVED) {
            return attended;
        }
        let attended = self.store.has_analysis_worker(&queue_version(), PRESENT).await;
        let attended = logged("cannot list the workers", attended).unwrap_or(false);
        *self.attended.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), attended));
        attended
    }

    /// The answer of a worker; none if it does not come in time.
    pub async fn judge(&self, question: &AnalysisRequest) -> Option<Vec<Judgement>> {
        if !self.is_attended().await {
            return None;
        }
        self.listen();
        let mut answers = self.answers.subscribe();
        let asked = Instant::now();
        let id = logged(
            "cannot send a position to a worker",
            self.store.enqueue_question(&queue_version(), &question.text()).await,
        )?;
        let open = Open { id, store: self.store.clone() };
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
                    QuestionState::Leased => question.time + LATE,
                    QuestionState::Waiting => TAKEN_WITHIN,
                    QuestionState::Missing => return None,
                };
            let left = patience.checked_sub(asked.elapsed())?;
            let _ = timeout(left.min(LOOK), answers.changed()).await;
        }
    }

    /// Listens for answers, from the first request on and while this server has open ones. If the
    /// connection is lost, requests are still looked at.
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

/// The value of a call to the queue. Without one the server analyses by itself, so a failure is a
/// line of level debug.
fn logged<T>(what: &str, result: Result<T, StoreError>) -> Option<T> {
    result.inspect_err(|reason| tracing::debug!(%reason, "{what}")).ok()
}
