//! Which rooms there are. A game has at most one room here; it is made when somebody first wants something of the game and
//! ends when nobody has for a while.

use super::{
    Deed, Frame, Frames, Guest, Live, Order,
    follow::Owner,
    task::{House, Room},
};
use crate::{
    problem::{Problem, end_of_task},
    token,
};
use parlor_play::{Record, Side};
use parlor_store::{EventRow, LiveRow, StoreError};
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
    pub(super) house: House,
    most: usize,
}

impl Rooms {
    pub(crate) fn new(house: House, most: usize) -> Rooms {
        Rooms { doors: Arc::default(), house, most }
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
    pub async fn open(&self, row: LiveRow, events: &[EventRow]) -> Result<(), Problem> {
        let id = row.id.clone();
        let owner = self.owner(&id).await?;
        let sender = self.begin(row, events, owner)?;
        self.doors().insert(id, Arc::new(OnceCell::new_with(Some(sender))));
        Ok(())
    }

    /// Whether there is room for one more.
    pub fn has_room(&self) -> bool {
        self.len() < self.most
    }

    /// Whose a game is: this server's, unless it is that of another one that lives.
    async fn owner(&self, id: &str) -> Result<Owner, Problem> {
        let Some(fleet) = &self.house.fleet else { return Ok(Owner::Own) };
        let owner = self.house.store.claim_game(id, fleet.me()).await.map_err(|error| match error {
            StoreError::Missing(_) => Problem::NotFound("game"),
            other => other.into(),
        })?;
        Ok(if owner == fleet.me() { Owner::Own } else { Owner::Other(owner) })
    }

    /// All games that have a room.
    pub(super) fn ids(&self) -> Vec<String> {
        self.doors().keys().cloned().collect()
    }

    /// Gives an order to the room of a game, if there is one. A room that has too much to do gets it when it has time.
    pub(super) fn send_to(&self, id: &str, order: Order) {
        let door = self.doors().get(id).and_then(|door| door.get().cloned());
        let Some(door) = door else { return };
        if let Err(mpsc::error::TrySendError::Full(_)) = door.try_send(order) {
            // Nobody can tell what else comes meanwhile: then it reads the log.
            tokio::spawn(async move { door.send(Order::Reread).await });
        }
    }

    fn begin(&self, row: LiveRow, events: &[EventRow], owner: Owner) -> Result<mpsc::Sender<Order>, Problem> {
        // Rows that do not replay are corrupt, or of a game that this version does not know.
        let id = row.id.clone();
        let live = Live::fold(row, events, 0).map_err(|why| Problem::Broken(does_not_replay(&id, &why)))?;
        let (sender, orders) = mpsc::channel(QUEUE);
        let rooms = self.clone();
        let room = Room::new(live, self.house.clone(), owner, orders);
        tokio::spawn(async move {
            // A panic ends this room only; the next request reloads the game from the store.
            if let Err(error) = tokio::spawn(room.run()).await {
                tracing::error!(game = id, reason = end_of_task(error), "room ended");
            }
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
            // First whose it is: what the one before wrote until then is in the log.
            let owner = self.owner(id).await?;
            let (row, events) = self.house.store.game(id).await?.ok_or(Problem::NotFound("game"))?;
            self.begin(row, &events, owner)
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
    pub(super) async fn ask<T>(
        &self,
        id: &str,
        order: impl Fn(oneshot::Sender<T>) -> Order,
    ) -> Result<T, Problem> {
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
        Err(Problem::Broken(format!("the room of game {id} ended {TRIES} times before it answered")))
    }

    /// Opens the room of a game without a visitor. A failure is logged here, because there is no response that could report it.
    pub(crate) async fn open_unasked(&self, id: &str) {
        if let Err(problem) = self.look(id).await {
            tracing::error!(game = id, reason = problem.reason(), "game cannot be opened");
        }
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

    /// Does something in a game of this server's.
    pub(crate) async fn act_here(&self, id: &str, key: &str, deed: &Deed) -> Result<Arc<Frame>, Problem> {
        self.ask(id, |reply| Order::Do { key: key.to_string(), deed: deed.clone(), reply }).await?
    }

    /// Seats somebody who was invited to a game of this server's.
    pub(crate) async fn sit_here(&self, id: &str, guest: &Guest) -> Result<Side, Problem> {
        self.ask(id, |reply| Order::Sit { guest: guest.clone(), reply }).await?
    }
}

/// What the log says of a game whose rows cannot be turned into a game.
pub(super) fn does_not_replay(game: &str, why: &str) -> String {
    format!("corrupt rows of live_game or live_event (game {game}): {why}")
}
