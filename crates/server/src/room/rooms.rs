//! Which rooms there are. A game has at most one room here. It is opened when a player or a spectator comes, and ends after a
//! while without them, or earlier where space is needed. Looking at a game without a room opens none.

use super::{
    Action, Frame, Frames, Guest, LiveGame, Order,
    replica::Owner,
    task::{Room, RoomDeps},
};
use crate::{
    problem::{Problem, end_of_task},
    token,
};
use parlor_core::{Record, Side};
use parlor_session::Micros;
use parlor_store::{EventRow, LiveRow, StoreError};
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

/// Orders that may wait in a room. A client that comes when it is full waits for a while, and is refused then.
const QUEUE: usize = 64;
const QUEUE_TIMEOUT: Duration = Duration::from_secs(2);
/// A room that ended while an order was on its way is made again, so often.
const TRIES: usize = 3;

/// A part of all rooms this large is closed at once where space is needed: 1 in 64 of them, the least recently used.
const EVICTED: usize = 64;

/// The channels to and from a room.
pub(super) struct RoomHandle {
    pub orders: mpsc::Sender<Order>,
    pub frames: broadcast::Sender<Arc<Frame>>,
    /// Whether an engine thinks, a clock runs, or an order is being handled.
    pub active: Arc<AtomicBool>,
}

impl RoomHandle {
    /// Whether nothing is lost when the room ends: no client waits or watches, and nothing runs.
    fn is_idle(&self) -> bool {
        // A client keeps its clone of the sender until it has the reply.
        self.orders.strong_count() == 1
            && self.frames.receiver_count() == 0
            && !self.active.load(Ordering::SeqCst)
    }
}

struct Entry {
    room: Arc<OnceCell<RoomHandle>>,
    /// When a client last asked for it, as a number that grows.
    used: u64,
}

impl Entry {
    fn is_closed(&self) -> bool {
        self.room.get().is_some_and(|room| room.orders.is_closed())
    }

    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.room) == 1 && self.room.get().is_some_and(RoomHandle::is_idle)
    }
}

#[derive(Default)]
struct Table {
    entries: HashMap<String, Entry>,
    uses: u64,
}

impl Table {
    fn insert(&mut self, id: &str, room: Arc<OnceCell<RoomHandle>>) {
        self.uses += 1;
        self.entries.insert(id.to_string(), Entry { room, used: self.uses });
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
    table: Arc<Mutex<Table>>,
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

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the room of a new game, whose row and events are kept already.
    pub async fn open(
        &self,
        row: LiveRow,
        events: &[EventRow],
        visitor: Option<IpAddr>,
    ) -> Result<(), Problem> {
        let id = row.id.clone();
        let owner = self.owner(&id).await?;
        let room = self.begin(row, events, owner, visitor)?;
        self.table().insert(&id, Arc::new(OnceCell::new_with(Some(room))));
        Ok(())
    }

    /// Makes space for one more room; false if every room is in use.
    pub fn make_space(&self) -> bool {
        self.make_space_in(&mut self.table())
    }

    fn make_space_in(&self, table: &mut Table) -> bool {
        if table.entries.len() >= self.most {
            table.evict((self.most / EVICTED).max(1));
        }
        table.entries.len() < self.most
    }

    /// Whose a game is: this server's, unless it is that of another one that lives.
    async fn owner(&self, id: &str) -> Result<Owner, Problem> {
        let Some(fleet) = &self.deps.fleet else { return Ok(Owner::Own) };
        let owner = self.deps.store.claim_game(id, fleet.me()).await.map_err(|error| match error {
            StoreError::Missing(_) => Problem::NotFound("game"),
            other => other.into(),
        })?;
        Ok(if owner == fleet.me() { Owner::Own } else { Owner::Other(owner) })
    }

    pub(super) fn ids(&self) -> Vec<String> {
        self.table().entries.keys().cloned().collect()
    }

    /// Gives an order to the room of a game, if there is one. A room that has too much to do gets it when it has time.
    pub(super) fn send_to(&self, id: &str, order: Order) {
        let orders = self.table().entries.get(id).and_then(|entry| Some(entry.room.get()?.orders.clone()));
        let Some(orders) = orders else { return };
        if let Err(mpsc::error::TrySendError::Full(_)) = orders.try_send(order) {
            // What else comes meanwhile is not known: then it reads the log.
            tokio::spawn(async move { orders.send(Order::Reread).await });
        }
    }

    fn begin(
        &self,
        row: LiveRow,
        events: &[EventRow],
        owner: Owner,
        visitor: Option<IpAddr>,
    ) -> Result<RoomHandle, Problem> {
        let live = self.restore(row, events)?;
        let id = live.id().to_string();
        let (sender, orders) = mpsc::channel(QUEUE);
        let rooms = self.clone();
        let room = Room::new(live, self.deps.clone(), owner, visitor, orders);
        let handle = room.handle(sender);
        tokio::spawn(async move {
            // A panic ends this room only; the next request reloads the game from the store.
            if let Err(error) = tokio::spawn(room.run()).await {
                tracing::error!(game = id, reason = end_of_task(error), "room ended");
            }
            let mut table = rooms.table();
            if table.entries.get(&id).is_some_and(Entry::is_closed) {
                table.entries.remove(&id);
            }
        });
        Ok(handle)
    }

    /// The way into the room of a game, which is opened where there is none.
    async fn orders_of(&self, id: &str) -> Result<mpsc::Sender<Order>, Problem> {
        if !token::is_name(id) {
            return Err(Problem::NotFound("game"));
        }
        let room = self.entry(id)?;
        let made = room.get_or_try_init(|| async {
            // First whose it is: what the one before wrote until then is in the log.
            let owner = self.owner(id).await?;
            let (row, events) = self.stored(id).await?;
            self.begin(row, &events, owner, None)
        });
        match made.await {
            Ok(room) => Ok(room.orders.clone()),
            Err(problem) => {
                let mut table = self.table();
                if table.entries.get(id).is_some_and(|entry| entry.room.get().is_none()) {
                    table.entries.remove(id);
                }
                Err(problem)
            }
        }
    }

    /// The room of a game, or the place of one that is to be opened.
    fn entry(&self, id: &str) -> Result<Arc<OnceCell<RoomHandle>>, Problem> {
        let mut table = self.table();
        if table.entries.get(id).is_some_and(Entry::is_closed) {
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

    async fn stored(&self, id: &str) -> Result<(LiveRow, Vec<EventRow>), Problem> {
        if !token::is_name(id) {
            return Err(Problem::NotFound("game"));
        }
        self.deps.store.game(id).await?.ok_or(Problem::NotFound("game"))
    }

    /// Reads a game that has no room from the store.
    async fn read(&self, id: &str) -> Result<LiveGame, Problem> {
        let (row, events) = self.stored(id).await?;
        let mut live = self.restore(row, &events)?;
        // Another server may own it, and then its clock runs.
        if self.deps.fleet.is_some() {
            charge_elapsed(&mut live, self.deps.time.now());
        }
        Ok(live)
    }

    /// The game of these rows. Rows that do not replay are corrupt, or of a game that this version does not know.
    fn restore(&self, row: LiveRow, events: &[EventRow]) -> Result<LiveGame, Problem> {
        let id = row.id.clone();
        LiveGame::restore(row, events, self.deps.time.now())
            .map_err(|why| Problem::Broken(does_not_replay(&id, &why)))
    }

    fn frame_of(&self, live: &LiveGame) -> Arc<Frame> {
        Arc::new(live.frame(self.deps.time.now()))
    }

    /// Gives an order and waits for the reply; again where the room ended in between.
    pub(super) async fn ask<T>(
        &self,
        id: &str,
        order: impl Fn(oneshot::Sender<T>) -> Order,
    ) -> Result<T, Problem> {
        for _ in 0..TRIES {
            // Kept until the reply: a room that a client waits for is not evicted.
            let orders = self.orders_of(id).await?;
            let (send, reply) = oneshot::channel();
            // Many clients that come to one game at once wait for each other, not for long.
            match timeout(QUEUE_TIMEOUT, orders.send(order(send))).await {
                Err(_) => return Err(Problem::Busy("too many requests for this game")),
                Ok(Err(_)) => continue,
                Ok(Ok(())) => {}
            }
            if let Ok(answer) = reply.await {
                return Ok(answer);
            }
        }
        Err(Problem::Broken(format!("the room of game {id} ended {TRIES} times before it answered")))
    }

    /// Opens the room of a game without a visitor. A failure is logged here, because there is no response that could report it.
    pub(crate) async fn open_unasked(&self, id: &str) -> bool {
        let opened = self.look_in_room(id, None).await;
        if let Err(problem) = &opened {
            tracing::error!(game = id, reason = problem.reason(), "cannot open the game");
        }
        opened.is_ok()
    }

    /// The current state of the game, from its room.
    pub(super) async fn look_in_room(
        &self,
        id: &str,
        visitor: Option<IpAddr>,
    ) -> Result<Arc<Frame>, Problem> {
        self.ask(id, |reply| Order::Look(visitor, reply)).await
    }

    /// The current state of the game. A room is opened only for a player of a game that is not over: an engine may have to move.
    /// All others get the game from the store where it has no room, and nothing is kept.
    pub async fn look(
        &self,
        id: &str,
        key: Option<&str>,
        visitor: Option<IpAddr>,
    ) -> Result<Arc<Frame>, Problem> {
        if !self.is_open(id) {
            let live = self.read(id).await?;
            let plays = key.is_some_and(|key| !live.sides_of(key).is_empty());
            if live.board().ending().is_some() || !plays {
                return Ok(self.frame_of(&live));
            }
        }
        self.look_in_room(id, visitor).await
    }

    /// The current state of the game and a stream of its later states; after the end of the game there is no stream, and no
    /// room is opened.
    pub async fn watch(
        &self,
        id: &str,
        visitor: Option<IpAddr>,
    ) -> Result<(Arc<Frame>, Option<Frames>), Problem> {
        if !self.is_open(id) {
            let live = self.read(id).await?;
            if live.board().ending().is_some() {
                return Ok((self.frame_of(&live), None));
            }
        }
        let (frame, frames) = self.ask(id, |reply| Order::Watch(visitor, reply)).await?;
        Ok((frame, Some(frames)))
    }

    pub async fn record(&self, id: &str) -> Result<Record, Problem> {
        if self.is_open(id) { self.ask(id, Order::Record).await } else { Ok(self.read(id).await?.record()) }
    }

    /// Handles an action of the player who holds this key; returns the game after it, stored and broadcast.
    pub async fn act(
        &self,
        id: &str,
        key: &str,
        action: &Action,
        visitor: Option<IpAddr>,
    ) -> Result<Arc<Frame>, Problem> {
        match self.act_here(id, key, action, visitor).await {
            Err(Problem::Elsewhere(owner)) => self.act_elsewhere(id, key, action, visitor, owner).await,
            here => here,
        }
    }

    pub async fn sit(&self, id: &str, guest: &Guest) -> Result<Side, Problem> {
        match self.sit_here(id, guest).await {
            Err(Problem::Elsewhere(owner)) => self.sit_elsewhere(id, guest, owner).await,
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
    ) -> Result<Arc<Frame>, Problem> {
        self.ask(id, |reply| Order::Do { key: key.to_string(), action: action.clone(), visitor, reply })
            .await?
    }

    /// Seats a guest in a game that this server owns.
    pub(crate) async fn sit_here(&self, id: &str, guest: &Guest) -> Result<Side, Problem> {
        self.ask(id, |reply| Order::Sit { guest: guest.clone(), reply }).await?
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

/// What the log says of a game whose rows cannot be turned into a game.
pub(super) fn does_not_replay(game: &str, why: &str) -> String {
    format!("corrupt rows of live_game or live_event (game {game}): {why}")
}
