//! Which rooms there are. A game has at most one room here; it is made when somebody first wants something of the game and
//! ends when nobody has for a while.

use super::{
    Deed, Frame, Frames, Guest, Live, Order,
    task::{House, Room},
};
use crate::{problem::Problem, token};
use parlor_play::{Record, Side};
use parlor_store::{EventRow, LiveRow, Store};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::{OnceCell, mpsc, oneshot};

/// Orders that may wait in a room; whoever comes when it is full is told so.
const QUEUE: usize = 64;
/// A room that ended while an order was on its way is made again, so often.
const TRIES: usize = 3;

type Door = Arc<OnceCell<mpsc::Sender<Order>>>;

/// All rooms of a server.
#[derive(Clone)]
pub struct Rooms {
    doors: Arc<Mutex<HashMap<String, Door>>>,
    store: Store,
    house: House,
    most: usize,
}

impl Rooms {
    pub(crate) fn new(store: Store, house: House, most: usize) -> Rooms {
        Rooms { doors: Arc::default(), store, house, most }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.doors().len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn doors(&self) -> std::sync::MutexGuard<'_, HashMap<String, Door>> {
        self.doors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the room of a new game, whose row and events are kept already.
    pub fn open(&self, row: LiveRow, events: &[EventRow]) -> Result<(), Problem> {
        let id = row.id.clone();
        let sender = self.begin(row, events)?;
        self.doors().insert(id, Arc::new(OnceCell::new_with(Some(sender))));
        Ok(())
    }

    /// Whether there is room for one more.
    pub fn has_room(&self) -> bool {
        self.len() < self.most
    }

    fn begin(&self, row: LiveRow, events: &[EventRow]) -> Result<mpsc::Sender<Order>, Problem> {
        // A log that does not fold is damage, or of a game that this version does not know.
        let live = Live::fold(row, events, 0).map_err(|_| Problem::Broken)?;
        let (sender, orders) = mpsc::channel(QUEUE);
        let (rooms, id) = (self.clone(), live.id().to_string());
        let room = Room::new(live, self.house.clone(), orders);
        tokio::spawn(async move {
            // A room that panics takes nobody along; the next who comes finds the game in the store.
            let _ = tokio::spawn(room.run()).await;
            let mut doors = rooms.doors();
            if doors.get(&id).and_then(|door| door.get()).is_some_and(mpsc::Sender::is_closed) {
                doors.remove(&id);
            }
        });
        Ok(sender)
    }

    /// The way into the room of a game.
    async fn door(&self, id: &str) -> Result<mpsc::Sender<Order>, Problem> {
        if !token::is_name(id) {
            return Err(Problem::NotFound("game"));
        }
        let door = {
            let mut doors = self.doors();
            if doors.get(id).is_some_and(|door| door.get().is_some_and(mpsc::Sender::is_closed)) {
                doors.remove(id);
            }
            if doors.len() >= self.most && !doors.contains_key(id) {
                return Err(Problem::Busy("too many games are open"));
            }
            doors.entry(id.to_string()).or_default().clone()
        };
        let made = door.get_or_try_init(|| async {
            let (row, events) = self.store.game(id).await?.ok_or(Problem::NotFound("game"))?;
            self.begin(row, &events)
        });
        match made.await {
            Ok(sender) => Ok(sender.clone()),
            Err(problem) => {
                let mut doors = self.doors();
                if doors.get(id).is_some_and(|door| door.get().is_none()) {
                    doors.remove(id);
                }
                Err(problem)
            }
        }
    }

    /// Gives an order and waits for the reply; again where the room ended in between.
    async fn ask<T>(&self, id: &str, order: impl Fn(oneshot::Sender<T>) -> Order) -> Result<T, Problem> {
        for _ in 0..TRIES {
            let door = self.door(id).await?;
            let (send, reply) = oneshot::channel();
            match door.try_send(order(send)) {
                Err(mpsc::error::TrySendError::Full(_)) => {
                    return Err(Problem::Busy("too much is wanted of this game"));
                }
                Err(mpsc::error::TrySendError::Closed(_)) => continue,
                Ok(()) => {}
            }
            if let Ok(answer) = reply.await {
                return Ok(answer);
            }
        }
        Err(Problem::Broken)
    }

    /// The game as it stands.
    pub async fn look(&self, id: &str) -> Result<Arc<Frame>, Problem> {
        self.ask(id, Order::Look).await
    }

    /// The game as it stands, and all that happens from now on.
    pub async fn watch(&self, id: &str) -> Result<(Arc<Frame>, Frames), Problem> {
        self.ask(id, Order::Watch).await
    }

    /// The game as text.
    pub async fn record(&self, id: &str) -> Result<Record, Problem> {
        self.ask(id, Order::Record).await
    }

    /// Does something for whoever holds a seat by this key; the answer is the game after it, kept and told.
    pub async fn act(&self, id: &str, key: &str, deed: &Deed) -> Result<Arc<Frame>, Problem> {
        self.ask(id, |reply| Order::Do { key: key.to_string(), deed: deed.clone(), reply }).await?
    }

    /// Seats somebody who was invited.
    pub async fn sit(&self, id: &str, guest: &Guest) -> Result<Side, Problem> {
        self.ask(id, |reply| Order::Sit { guest: guest.clone(), reply }).await?
    }
}
