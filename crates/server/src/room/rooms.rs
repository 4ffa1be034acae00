//! The table of open rooms. A game has at most one room on a server. It is opened for a player or a spectator, and closed after a
//! while without clients, or earlier if space is needed: idle rooms are evicted, least recently used (LRU) first. Reading a game
//! from the store opens no room.

use super::{
    Action, Frames, GameFrame, Guest, LiveGame, RoomRequest,
    replica::Owner,
    task::{Room, RoomDeps},
};
use crate::{
    problem::{Problem, end_of_task},
    token,
};
use parlor_core::{Record, Side};
use parlor_session::Micros;
use parlor_store::{EventRow, LiveGameRow, StoreError};
use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{OnceCell, broadcast, mpsc, oneshot},
    time::timeout,
};

/// Requests queued in a room. When the queue is full, a client waits for a while and is then refused.
const QUEUE: usize = 64;
const QUEUE_TIMEOUT: Duration = Duration::from_secs(2);
/// Attempts to open a room that ends before it handles a request.
const MAX_ATTEMPTS: usize = 3;

/// One room in 64 is evicted at a time when space is needed.
const EVICTED_SHARE: usize = 64;

/// The channels to and from a room.
pub(super) struct RoomHandle {
    pub requests: mpsc::Sender<RoomRequest>,
    pub frames: broadcast::Sender<Arc<GameFrame>>,
    /// Whether an engine thinks, a clock runs, or a request is being handled.
    pub active: Arc<AtomicBool>,
}

impl RoomHandle {
    /// Whether nothing is lost when the room ends: no client waits or watches, and nothing runs.
    fn is_idle(&self) -> bool {
        // A client keeps its clone of the sender until it has the reply.
        self.requests.strong_count() == 1
            && self.frames.receiver_count() == 0
            && !self.active.load(Ordering::SeqCst)
    }
}

struct RoomEntry {
    room: Arc<OnceCell<RoomHandle>>,
    /// The counter value of the last request, for the order of eviction.
    used: u64,
}

impl RoomEntry {
    fn is_closed(&self) -> bool {
        self.room.get().is_some_and(|room| room.requests.is_closed())
    }

    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.room) == 1 && self.room.get().is_some_and(RoomHandle::is_idle)
    }
}

#[derive(Default)]
struct RoomTable {
    entries: HashMap<String, RoomEntry>,
    uses: u64,
}

impl RoomTable {
    fn insert(&mut self, id: &str, room: Arc<OnceCell<RoomHandle>>) {
        self.uses += 1;
        self.entries.insert(id.to_string(), RoomEntry { room, used: self.uses });
    }

    /// Ends idle rooms, the least recently used first. A room ends when its handle is dropped.
    fn evict(&mut self, count: usize) {
        let mut idle: Vec<(u64, String)> = self
            .entries
            .iter()
            .filter(|(_, entry)| entry.is_idle())
            .map(|(id, entry)| (entry.used, id.clone()))
            .collect();
        idle.sort_unstable();
        for (_, id) in idle.into_iter().take(count) {
            self.entries.remove(&id);
        }
    }
}

#[derive(Clone)]
pub struct Rooms {
    table: Arc<Mutex<RoomTable>>,
    pub(super) deps: RoomDeps,
    most: usize,
}

impl Rooms {
    pub(crate) fn new(deps: RoomDeps, most: usize) -> Rooms {
        Rooms { table: Arc::default(), deps, most }
    }

    pub fn len(&self) -> usize {
        self.table().entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn table(&self) -> MutexGuard<'_, RoomTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the room of a new game that is already stored.
    pub async fn open(
        &self,
        row: LiveGameRow,
        events: &[EventRow],
        visitor: Option<IpAddr>,
    ) -> Result<(), Problem> {
        let id = row.id.clone();
        let owner = self.owner(&id).await?;
        let room = self.start_room(row, events, owner, visitor)?;
        self.table().insert(&id, Arc::new(OnceCell::new_with(Some(room))));
        Ok(())
    }

    /// Makes space for one more room; false if every room is in use.
    pub fn make_space(&self) -> bool {
        self.make_space_in(&mut self.table())
    }

    fn make_space_in(&self, table: &mut RoomTable) -> bool {
        if table.entries.len() >= self.most {
            table.evict((self.most / EVICTED_SHARE).max(1));
        }
        table.entries.len() < self.most
    }

    /// Makes this server the owner of a game, unless another live server owns it.
    async fn owner(&self, id: &str) -> Result<Owner, Problem> {
        let Some(cluster) = &self.deps.cluster else { return Ok(Owner::Own) };
        let owner =
            self.deps.store.take_ownership(id, cluster.name()).await.map_err(|error| match error {
                StoreError::NotFound(_) => Problem::NotFound("game"),
                other => other.into(),
            })?;
        Ok(if owner == cluster.name() { Owner::Own } else { Owner::Other(owner) })
    }

    pub(super) fn ids(&self) -> Vec<String> {
        self.table().entries.keys().cloned().collect()
    }

    /// Sends a request to the room of a game, if there is one. If its queue is full, it rereads the log later instead.
    pub(super) fn send_to(&self, id: &str, request: RoomRequest) {
        let requests =
            self.table().entries.get(id).and_then(|entry| Some(entry.room.get()?.requests.clone()));
        let Some(requests) = requests else { return };
        if let Err(mpsc::error::TrySendError::Full(_)) = requests.try_send(request) {
            // Other updates may arrive before this one is sent, so the room reads the log.
            tokio::spawn(async move { requests.send(RoomRequest::Reread).await });
        }
    }

    fn start_room(
        &self,
        row: LiveGameRow,
        events: &[EventRow],
        owner: Owner,
        visitor: Option<IpAddr>,
    ) -> Result<RoomHandle, Problem> {
        let live = self.restore(row, events)?;
        let id = live.id().to_string();
        let (sender, requests) = mpsc::channel(QUEUE);
        let rooms = self.clone();
        let room = Room::new(live, self.deps.clone(), owner, visitor, requests);
        let handle = room.handle(sender);
        tokio::spawn(async move {
            // A panic ends this room only; the next request reloads the game from the store.
            if let Err(error) = tokio::spawn(room.run()).await {
                tracing::error!(game = id, reason = end_of_task(error), "room ended");
            }
            let mut table = rooms.table();
            if table.entries.get(&id).is_some_and(RoomEntry::is_closed) {
                table.entries.remove(&id);
            }
        });
        Ok(handle)
    }

    /// The request channel of a game's room, which is opened if necessary.
    async fn requests_of(&self, id: &str) -> Result<mpsc::Sender<RoomRequest>, Problem> {
        if !token::is_game_id(id) {
            return Err(Problem::NotFound("game"));
        }
        let room = self.entry(id)?;
        let made = room.get_or_try_init(|| async {
            // The owner first: everything that the previous owner wrote is then in the log.
            let owner = self.owner(id).await?;
            let (row, events) = self.read_rows(id).await?;
            self.start_room(row, &events, owner, None)
        });
        match made.await {
            Ok(room) => Ok(room.requests.clone()),
            Err(problem) => {
                let mut table = self.table();
                if table.entries.get(id).is_some_and(|entry| entry.room.get().is_none()) {
                    table.entries.remove(id);
                }
                Err(problem)
            }
        }
    }

    /// The entry of a game, which may have no room yet.
    fn entry(&self, id: &str) -> Result<Arc<OnceCell<RoomHandle>>, Problem> {
        let mut table = self.table();
        if table.entries.get(id).is_some_and(RoomEntry::is_closed) {
            table.entries.remove(id);
        }
        table.uses += 1;
        let now = table.uses;
        if let Some(entry) = table.entries.get_mut(id) {
            entry.used = now;
            return Ok(entry.room.clone());
        }
        if !self.make_space_in(&mut table) {
            return Err(Problem::Busy("too many games are open"));
        }
        let room = Arc::default();
        table.insert(id, Arc::clone(&room));
        Ok(room)
    }

    pub fn is_open(&self, id: &str) -> bool {
        self.table().entries.contains_key(id)
    }

    async fn read_rows(&self, id: &str) -> Result<(LiveGameRow, Vec<EventRow>), Problem> {
        if !token::is_game_id(id) {
            return Err(Problem::NotFound("game"));
        }
        self.deps.store.live_game(id).await?.ok_or(Problem::NotFound("game"))
    }

    /// Reads a game that has no room from the store.
    async fn read(&self, id: &str) -> Result<LiveGame, Problem> {
        let (row, events) = self.read_rows(id).await?;
        let mut live = self.restore(row, &events)?;
        // Another server may own it, and then its clock runs.
        if self.deps.cluster.is_some() {
            charge_elapsed(&mut live, self.deps.time.now());
        }
        Ok(live)
    }

    /// The game of these rows. Rows that do not replay are corrupt, or of a game that this version does not know.
    fn restore(&self, row: LiveGameRow, events: &[EventRow]) -> Result<LiveGame, Problem> {
        let id = row.id.clone();
        LiveGame::restore(row, events, self.deps.time.now())
            .map_err(|why| Problem::Broken(does_not_replay(&id, &why)))
    }

    fn frame_of(&self, live: &LiveGame) -> Arc<GameFrame> {
        Arc::new(live.frame(self.deps.time.now()))
    }

    /// Sends a request and waits for the reply; repeated if the room ends in between.
    pub(super) async fn ask<T>(
        &self,
        id: &str,
        request: impl Fn(oneshot::Sender<T>) -> RoomRequest,
    ) -> Result<T, Problem> {
        for _ in 0..MAX_ATTEMPTS {
            // Held until the reply: a room that a client waits for is not evicted.
            let requests = self.requests_of(id).await?;
            let (send, reply) = oneshot::channel();
            // Many simultaneous clients of one game queue up, but not for long.
            match timeout(QUEUE_TIMEOUT, requests.send(request(send))).await {
                Err(_) => return Err(Problem::Busy("too many requests for this game")),
                Ok(Err(_)) => continue,
                Ok(Ok(())) => {}
            }
            if let Ok(answer) = reply.await {
                return Ok(answer);
            }
        }
        Err(Problem::Broken(format!("the room of game {id} ended {MAX_ATTEMPTS} times before it answered")))
    }

    /// Opens the room of a game without a visitor. A failure is logged here, because there is no response that could report it.
    pub(crate) async fn open_in_background(&self, id: &str) -> bool {
        let opened = self.frame_in_room(id, None).await;
        if let Err(problem) = &opened {
            tracing::error!(game = id, reason = problem.reason(), "cannot open the game");
        }
        opened.is_ok()
    }

    /// The current state of the game, from its room.
    pub(super) async fn frame_in_room(
        &self,
        id: &str,
        visitor: Option<IpAddr>,
    ) -> Result<Arc<GameFrame>, Problem> {
        self.ask(id, |reply| RoomRequest::GetFrame(visitor, reply)).await
    }

    /// The current state of the game. A room is opened only for a player of a game that is not over: an engine may have to move.
    /// Others read a game without a room from the store, and no room is opened.
    pub async fn frame(
        &self,
        id: &str,
        key: Option<&str>,
        visitor: Option<IpAddr>,
    ) -> Result<Arc<GameFrame>, Problem> {
        if !self.is_open(id) {
            let live = self.read(id).await?;
            let plays = key.is_some_and(|key| !live.sides_of(key).is_empty());
            if live.board().ending().is_some() || !plays {
                return Ok(self.frame_of(&live));
            }
        }
        self.frame_in_room(id, visitor).await
    }

    /// The current state of the game and a stream of its later states; after the end of the game there is no stream, and no
    /// room is opened.
    pub async fn watch(
        &self,
        id: &str,
        visitor: Option<IpAddr>,
    ) -> Result<(Arc<GameFrame>, Option<Frames>), Problem> {
        if !self.is_open(id) {
            let live = self.read(id).await?;
            if live.board().ending().is_some() {
                return Ok((self.frame_of(&live), None));
            }
        }
        let (frame, frames) = self.ask(id, |reply| RoomRequest::Subscribe(visitor, reply)).await?;
        Ok((frame, Some(frames)))
    }

    pub async fn record(&self, id: &str) -> Result<Record, Problem> {
        if self.is_open(id) {
            self.ask(id, RoomRequest::GetRecord).await
        } else {
            Ok(self.read(id).await?.record())
        }
    }

    /// Sends an action of the player who holds this key to the owner of the game. Returns the state after the
    /// action, which is then stored and broadcast.
    pub async fn act(
        &self,
        id: &str,
        key: &str,
        action: &Action,
        visitor: Option<IpAddr>,
    ) -> Result<Arc<GameFrame>, Problem> {
        match self.act_here(id, key, action, visitor).await {
            Err(Problem::Elsewhere(owner)) => self.forward_action(id, key, action, visitor, owner).await,
            here => here,
        }
    }

    pub async fn join(&self, id: &str, guest: &Guest) -> Result<Side, Problem> {
        match self.join_here(id, guest).await {
            Err(Problem::Elsewhere(owner)) => self.forward_join(id, guest, owner).await,
            here => here,
        }
    }

    /// Handles an action in a game that this server owns.
    pub(crate) async fn act_here(
        &self,
        id: &str,
        key: &str,
        action: &Action,
        visitor: Option<IpAddr>,
    ) -> Result<Arc<GameFrame>, Problem> {
        self.ask(id, |reply| RoomRequest::Act {
            key: key.to_string(),
            action: action.clone(),
            visitor,
            reply,
        })
        .await?
    }

    /// Seats a guest in a game that this server owns.
    pub(crate) async fn join_here(&self, id: &str, guest: &Guest) -> Result<Side, Problem> {
        self.ask(id, |reply| RoomRequest::Join { guest: guest.clone(), reply }).await?
    }
}

/// Charges the side to move for the time since the last event, which another server counts. A correspondence game has been
/// charged when it was restored.
pub(super) fn charge_elapsed(live: &mut LiveGame, now: Micros) {
    if !live.is_correspondence() && !live.session().clock().is_paused() {
        let passed = now - Micros::from_millis(live.touched());
        live.session_mut().clock_mut().charge_elapsed(passed);
    }
}

/// The reason for the log when the rows of a game do not replay.
pub(super) fn does_not_replay(game: &str, why: &str) -> String {
    format!("corrupt rows of live_game or live_event (game {game}): {why}")
}
