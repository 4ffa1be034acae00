//! The cluster: the servers that share one PostgreSQL database. Each game has one owner, the server that decides what happens
//! in it. The other servers keep replicas for their spectators and forward requests to the owner. Messages go through the
//! database (`LISTEN`/`NOTIFY`), so the servers need no connection to each other.
//!
//! ```text
//!   owner     append (durable) ──> update to all ──> replicas show the same frames
//!   replica   move ──> request to the owner ──> its room ──> response ──> client
//!   no heartbeat of the owner for 3 s ──> the server that needs the game takes it over
//! ```
//!
//! If two servers believe that they own a game, no move is lost or doubled: sequence numbers are unique in the log (optimistic
//! concurrency), and the server whose append is refused reads the log again.

mod bus;
mod heartbeat;
mod messages;

pub(crate) use bus::receive_messages;
pub(crate) use heartbeat::send_heartbeats;
pub(crate) use messages::{ClusterMessage, GameUpdate, Operation, OwnerRequest, RequestDone};

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

/// The channel on which every server receives the updates of all games.
const UPDATES_CHANNEL: &str = "parlor_news";
/// How long a live owner may take to answer a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);

/// Names of the servers whose heartbeats are recent.
pub(crate) type ServerNames = Arc<HashSet<String>>;
type Answer = Result<RequestDone, Problem>;

/// Handle to the cluster as this server knows it.
#[derive(Clone)]
pub(crate) struct Cluster(Arc<ClusterState>);

struct ClusterState {
    name: String,
    store: Store,
    outbox: mpsc::UnboundedSender<(String, ClusterMessage)>,
    pending: Mutex<HashMap<u64, oneshot::Sender<Answer>>>,
    next_request: AtomicU64,
    alive: watch::Sender<ServerNames>,
    /// Whether enough heartbeats in a row have succeeded to tell which servers are gone.
    settled: AtomicBool,
    /// Notified when a server leaves: the next heartbeat is sent at once.
    departed: Notify,
}

impl Cluster {
    /// Joins the cluster of a shared database; `None` for a file, which only this server uses. Must be called inside a runtime.
    pub fn of(store: &Store) -> Option<Cluster> {
        if !store.is_shared() {
            return None;
        }
        let (outbox, messages) = mpsc::unbounded_channel();
        let cluster = Cluster(Arc::new(ClusterState {
            name: token::new_game_id()?,
            store: store.clone(),
            outbox,
            pending: Mutex::default(),
            next_request: AtomicU64::new(0),
            alive: watch::Sender::new(ServerNames::default()),
            settled: AtomicBool::new(false),
            departed: Notify::new(),
        }));
        tokio::spawn(bus::send_messages(store.clone(), messages));
        Some(cluster)
    }

    /// Name of this server in the cluster.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The channel for messages to one server.
    fn inbox(name: &str) -> String {
        format!("parlor_{name}")
    }

    fn send(&self, channel: String, message: ClusterMessage) {
        // The receiver ends with the server.
        let _ = self.0.outbox.send((channel, message));
    }

    fn pending(&self) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<Answer>>> {
        self.0.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends the events of a game that this server owns to all servers.
    pub fn broadcast_update(&self, game: &str, seq: i64, events: &[EventRow], offer: Option<OfferState>) {
        self.send(
            UPDATES_CHANNEL.to_string(),
            ClusterMessage::Update(GameUpdate::of(self.name(), game, seq, events, offer)),
        );
    }

    /// Tells the owner that this server has spectators of its game, so that its engine does not stop.
    pub fn report_spectators(&self, owner: &str, game: &str) {
        let operation = Operation::Watched;
        let request =
            OwnerRequest { number: 0, from: self.name().to_string(), game: game.to_string(), operation };
        self.send(Cluster::inbox(owner), ClusterMessage::Request(Box::new(request)));
    }

    /// Whether the heartbeat of a server is recent. Until the own heartbeats have settled, every server counts as alive.
    pub fn is_alive(&self, name: &str) -> bool {
        !self.0.settled.load(Ordering::Relaxed) || self.0.alive.borrow().contains(name)
    }

    /// Sends a request to the owner of a game and waits for the response. `None` if the owner is gone: then it is unknown
    /// whether the operation was done.
    pub async fn request(&self, owner: &str, game: &str, operation: Operation) -> Option<Answer> {
        let number = 1 + self.0.next_request.fetch_add(1, Ordering::Relaxed);
        let (send, answer) = oneshot::channel();
        self.pending().insert(number, send);
        let request =
            OwnerRequest { number, from: self.name().to_string(), game: game.to_string(), operation };
        self.send(Cluster::inbox(owner), ClusterMessage::Request(Box::new(request)));
        let mut alive = self.0.alive.subscribe();
        let gone = async {
            while self.is_alive(owner) {
                if alive.changed().await.is_err() {
                    return;
                }
            }
        };
        let answer = tokio::select! {
            answer = answer => answer.ok(),
            () = gone => None,
            () = tokio::time::sleep(REQUEST_TIMEOUT) => Some(Err(Problem::Busy("another server runs this game"))),
        };
        self.pending().remove(&number);
        answer
    }

    /// Delivers an answer to the task that waits for it.
    fn complete(&self, number: u64, answer: Answer) {
        if let Some(sender) = self.pending().remove(&number) {
            let _ = sender.send(answer);
        }
    }

    /// Announces that other servers may take over this server's games.
    pub async fn leave(&self) {
        let left = match self.0.store.deregister_server(self.name()).await {
            Ok(()) => self.0.store.notify(UPDATES_CHANNEL, &ClusterMessage::ServerLeft.text()).await,
            failed => failed,
        };
        if let Err(reason) = left {
            tracing::warn!(server = self.name(), %reason, "games not released; other servers take them over soon");
        }
    }
}
