//! The servers that share one database. Each game is played by one of them at a time, its owner; spectators may sit on any, and
//! whoever wants something of a game elsewhere has it asked of the owner. Letters between servers go through the database, so
//! that nothing else has to be reachable.
//!
//! ```text
//!   owner     append (durable) ──> news to all ──> followers show the same frames
//!   follower  move ──> errand to the owner ──> its room, the same door ──> done ──> answer
//!   no sign of life from the owner for a while ──> whoever needs the game takes it over
//! ```
//!
//! That two servers believe a game to be theirs is harmless: an event's number is in the log once, and who comes second reads
//! the log again.

mod heart;
mod letters;
mod mail;

pub(crate) use heart::beat;
pub(crate) use letters::{Done, Errand, Letter, News, Request};
pub(crate) use mail::listen;

use crate::{problem::Problem, token, wire::OfferState};
use parlor_store::{EventRow, Store};
use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::sync::{Notify, mpsc, oneshot, watch};

/// The channel on which every server hears of all games.
const NEWS: &str = "parlor_news";
/// How long an owner that lives may take for an errand.
const LONGEST_ERRAND: Duration = Duration::from_secs(15);

/// Names of the servers whose heartbeats are recent.
pub(crate) type Names = Arc<HashSet<String>>;
type Answer = Result<Done, Problem>;

/// What this server knows of the others; a handle.
#[derive(Clone)]
pub(crate) struct Fleet(Arc<Inner>);

struct Inner {
    me: String,
    store: Store,
    post: mpsc::UnboundedSender<(String, Letter)>,
    waiting: Mutex<HashMap<u64, oneshot::Sender<Answer>>>,
    numbers: AtomicU64,
    alive: watch::Sender<Names>,
    /// Whether this server has been in touch with the database for long enough to tell who is gone.
    steady: AtomicBool,
    /// A server has left: the next heartbeat need not be awaited.
    left: Notify,
}

impl Fleet {
    /// The fleet of a shared database; none where the database is this server's alone. Must be called inside a runtime.
    pub fn of(store: &Store) -> Option<Fleet> {
        if !store.is_shared() {
            return None;
        }
        let (post, letters) = mpsc::unbounded_channel();
        let fleet = Fleet(Arc::new(Inner {
            me: token::new_name()?,
            store: store.clone(),
            post,
            waiting: Mutex::default(),
            numbers: AtomicU64::new(0),
            alive: watch::Sender::new(Names::default()),
            steady: AtomicBool::new(false),
            left: Notify::new(),
        }));
        tokio::spawn(mail::send(store.clone(), letters));
        Some(fleet)
    }

    /// Name of this server in the cluster.
    pub fn me(&self) -> &str {
        &self.0.me
    }

    /// The channel for messages to one server.
    fn inbox(name: &str) -> String {
        format!("parlor_{name}")
    }

    fn post(&self, channel: String, letter: Letter) {
        // It ends with the server.
        let _ = self.0.post.send((channel, letter));
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<Answer>>> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells all servers what happened in a game of this one.
    pub fn news(&self, game: &str, seq: i64, events: &[EventRow], offer: Option<OfferState>) {
        self.post(NEWS.to_string(), Letter::News(News::of(self.me(), game, seq, events, offer)));
    }

    /// Tells a server that somebody here watches its game, so that its engine does not stop.
    pub fn watched(&self, owner: &str, game: &str) {
        let errand = Errand::Watched;
        let request = Request { number: 0, from: self.me().to_string(), game: game.to_string(), errand };
        self.post(Fleet::inbox(owner), Letter::Errand(Box::new(request)));
    }

    /// Whether a server lives, as far as this one can tell: where it cannot, everybody does.
    pub fn lives(&self, name: &str) -> bool {
        !self.0.steady.load(Ordering::Relaxed) || self.0.alive.borrow().contains(name)
    }

    /// Asks the owner of a game; none if that one has gone, and nobody knows what came of it.
    pub async fn ask(&self, owner: &str, game: &str, errand: Errand) -> Option<Answer> {
        let number = 1 + self.0.numbers.fetch_add(1, Ordering::Relaxed);
        let (send, answer) = oneshot::channel();
        self.waiting().insert(number, send);
        let request = Request { number, from: self.me().to_string(), game: game.to_string(), errand };
        self.post(Fleet::inbox(owner), Letter::Errand(Box::new(request)));
        let mut alive = self.0.alive.subscribe();
        let gone = async {
            while self.lives(owner) {
                if alive.changed().await.is_err() {
                    return;
                }
            }
        };
        let answer = tokio::select! {
            answer = answer => answer.ok(),
            () = gone => None,
            () = tokio::time::sleep(LONGEST_ERRAND) => Some(Err(Problem::Busy("another server runs this game"))),
        };
        self.waiting().remove(&number);
        answer
    }

    /// Delivers an answer to the task that waits for it.
    fn answered(&self, number: u64, answer: Answer) {
        if let Some(waiting) = self.waiting().remove(&number) {
            let _ = waiting.send(answer);
        }
    }

    /// Announces that other servers may take over this server's games.
    pub async fn leave(&self) {
        let left = match self.0.store.leave(self.me()).await {
            Ok(()) => self.0.store.notify(NEWS, &Letter::Left.text()).await,
            failed => failed,
        };
        if let Err(reason) = left {
            tracing::warn!(server = self.me(), %reason, "games not released; other servers take them over soon");
        }
    }
}
