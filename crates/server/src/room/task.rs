//! The task that owns one game. It waits for orders, for the engine's answer and for a flag to fall; it keeps what happens
//! and then tells it. When nobody has come for a while it ends, and the next who comes finds the game in the store.

use super::{
    Crew, Frame, Happening, Live, Order,
    deeds::Doing,
    follow::Owner,
    rooms::RoomHandle,
    thinking::{Answered, Thinking},
};
use crate::{fleet::Fleet, metrics::Metrics, pool::PLACE_INTERVAL, problem::Problem, wire::SeatKind};
use parlor_play::{Answer, Cause, Ending, Side, shortened};
use parlor_store::{Append, EventRow, Journal, Store, StoreError};
use std::{
    net::{IpAddr, Ipv4Addr},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{broadcast, mpsc, oneshot},
    time::{Instant, sleep_until},
};

/// How many frames a slow watcher may be behind; after that it gets the latest.
const FRAMES: usize = 16;
/// A room without orders and watchers ends after this.
const IDLE: Duration = Duration::from_secs(300);
/// Who has not been heard of for so long does not wait for the engine any more.
const WAITING: Duration = Duration::from_secs(60);
/// How often the server that plays a game is told that somebody watches elsewhere.
const INTEREST: Duration = Duration::from_secs(20);

/// What all rooms share.
#[derive(Clone)]
pub(crate) struct House {
    pub store: Store,
    /// The other servers of the database, where there may be some.
    pub fleet: Option<Fleet>,
    pub journal: Journal,
    pub crew: Crew,
    pub metrics: Arc<Metrics>,
    /// Milliseconds since 1970.
    pub now: fn() -> i64,
}

/// A room.
pub(super) struct Room {
    pub(super) live: Live,
    pub(super) house: House,
    pub(super) owner: Owner,
    orders: mpsc::Receiver<Order>,
    pub(super) frames: broadcast::Sender<Arc<Frame>>,
    frame: Arc<Frame>,
    thinking: Option<Thinking>,
    /// The place of the engine's move in the queue, as it was last told.
    place: Option<usize>,
    /// The address for which engines think: of the player who acted last, or of the first client that came.
    visitor: Option<IpAddr>,
    /// Whether the room must not be evicted, for the list of rooms.
    active: Arc<AtomicBool>,
    /// When somebody last wanted something.
    heard: Instant,
    /// The game's time runs by the runtime's clock, which tests can set: milliseconds since the room began.
    begun: Instant,
}

/// What a room wakes up for.
enum Wake {
    Order(Option<Order>),
    Answer(Box<Answered>),
    Flag,
    Idle,
    /// The engine's move may have another place in the queue.
    Place,
}

impl Room {
    pub fn new(
        mut live: Live,
        house: House,
        owner: Owner,
        visitor: Option<IpAddr>,
        orders: mpsc::Receiver<Order>,
    ) -> Room {
        let begun = Instant::now();
        live.offer = None;
        let frame = Arc::new(dated(live.frame(), (house.now)()));
        let frames = broadcast::Sender::new(FRAMES);
        // Until the first pass of its loop, when it knows better.
        let active = Arc::new(AtomicBool::new(true));
        let mut room = Room {
            live,
            house,
            owner,
            orders,
            frames,
            frame,
            thinking: None,
            place: None,
            visitor,
            active,
            heard: begun,
            begun,
        };
        if room.owner != Owner::Own {
            room.show_time_used();
            room.tell();
        }
        room
    }

    /// The server's own time, in which clocks are kept: the moment a room is made is 0.
    pub(super) fn clock(&self) -> i64 {
        self.begun.elapsed().as_millis() as i64
    }

    /// What the list of rooms keeps of this one.
    pub fn handle(&self, orders: mpsc::Sender<Order>) -> RoomHandle {
        RoomHandle { orders, frames: self.frames.clone(), active: self.active.clone() }
    }

    pub async fn run(mut self) {
        loop {
            self.think();
            self.tell_place();
            self.active.store(self.thinking.is_some() || self.clock_runs(), Ordering::SeqCst);
            let wake = self.wake().await;
            let goes_on = match wake {
                Wake::Order(Some(order)) => {
                    // Before the client that waits for the reply is gone.
                    self.active.store(true, Ordering::SeqCst);
                    self.heard = Instant::now();
                    self.obey(order).await
                }
                Wake::Order(None) => false,
                Wake::Answer(answered) => self.answered(*answered).await,
                Wake::Flag => self.flag().await,
                Wake::Idle => self.rest(),
                // Told at the beginning of the loop.
                Wake::Place => true,
            };
            if !goes_on {
                return;
            }
        }
    }

    async fn wake(&mut self) -> Wake {
        let far = self.heard + IDLE;
        let flag = self.live.left(self.clock()).filter(|_| self.owner == Owner::Own).map(|(_, left)| {
            // A millisecond more, so that the clock shows nothing left when this wakes.
            Instant::now() + Duration::from_millis(left.max(0) as u64 + 1)
        });
        let waiting = self.thinking.is_some() && self.frames.receiver_count() == 0;
        let idle =
            if waiting { self.heard + WAITING } else { far.max(Instant::now() + Duration::from_secs(1)) };
        let idle = if self.owner == Owner::Own { idle } else { idle.min(Instant::now() + INTEREST) };
        tokio::select! {
            order = self.orders.recv() => Wake::Order(order),
            answer = answer(&mut self.thinking) => Wake::Answer(Box::new(answer)),
            () = sleep_until(flag.unwrap_or(far)), if flag.is_some() => Wake::Flag,
            () = sleep_until(idle) => Wake::Idle,
            () = tokio::time::sleep(PLACE_INTERVAL), if self.place.is_some() => Wake::Place,
        }
    }

    /// Nobody is here: the engine stops, and after a while the room ends. A running clock keeps it.
    fn rest(&mut self) -> bool {
        if self.frames.receiver_count() > 0 {
            self.heard = Instant::now();
            self.show_interest();
            return true;
        }
        self.stop_thinking();
        self.clock_runs() || self.heard.elapsed() < IDLE
    }

    /// Whether a player of this server may lose on time.
    fn clock_runs(&self) -> bool {
        self.owner == Owner::Own && self.live.running().is_some()
    }

    pub(super) fn stop_thinking(&self) {
        if let Some(thinking) = &self.thinking {
            thinking.stop();
        }
    }

    /// Does what an order says; false if the room must end.
    async fn obey(&mut self, order: Order) -> bool {
        match order {
            // Whoever has gone away misses nothing.
            Order::Look(visitor, reply) => {
                self.visitor = self.visitor.or(visitor);
                drop(reply.send(self.frame.clone()));
            }
            Order::Watch(visitor, reply) => {
                self.visitor = self.visitor.or(visitor);
                drop(reply.send((self.frame.clone(), self.frames.subscribe())));
            }
            Order::Record(reply) => drop(reply.send(self.live.record())),
            Order::Do { reply, .. } if self.owner != Owner::Own => drop(reply.send(self.refused())),
            Order::Do { key, deed, visitor, reply } => {
                if !self.live.sides_of(&key).is_empty() {
                    self.visitor = visitor.or(self.visitor);
                }
                return match self.live.consider(&key, &deed) {
                    Err(problem) => {
                        let _ = reply.send(Err(problem));
                        true
                    }
                    Ok(Doing::Offers(offer)) => {
                        match offer {
                            Some((kind, side)) => self.live.offer(kind, side),
                            None => self.live.offer = None,
                        }
                        self.tell();
                        self.tell_others(&[]);
                        let _ = reply.send(Ok(self.frame.clone()));
                        true
                    }
                    Ok(Doing::Happens(happenings)) => self.settle(happenings, reply).await,
                };
            }
            Order::Sit { reply, .. } if self.owner != Owner::Own => drop(reply.send(self.refused())),
            Order::Sit { guest, reply } => match self.live.consider_guest(&guest) {
                Err(problem) => drop(reply.send(Err(problem))),
                Ok((side, None)) => drop(reply.send(Ok(side))),
                Ok((side, Some(sat))) => {
                    self.visitor = guest.address.or(self.visitor);
                    let kept = self.keep(vec![sat]).await;
                    let goes_on = kept.is_ok();
                    let _ = reply.send(kept.map(|()| side));
                    return goes_on;
                }
            },
            Order::News(news) => return self.hear(*news).await,
            Order::Reread if self.owner != Owner::Own => return self.reread().await,
            Order::Reread => {}
            Order::Orphaned => return !self.is_orphaned() || self.claim().await,
            Order::Claim(reply) => {
                let goes_on = self.claim().await;
                let _ = reply.send(());
                return goes_on;
            }
        }
        true
    }

    async fn settle(
        &mut self,
        happenings: Vec<Happening>,
        reply: oneshot::Sender<Result<Arc<Frame>, Problem>>,
    ) -> bool {
        let kept = self.keep(happenings).await;
        let goes_on = kept.is_ok();
        let _ = reply.send(kept.map(|()| self.frame.clone()));
        goes_on
    }

    /// Makes things happen, keeps them, and tells them then. On an error the room must end: what it holds may be more than what
    /// is kept, and the next one begins with the truth.
    async fn keep(&mut self, happenings: Vec<Happening>) -> Result<(), Problem> {
        let (now, at) = (self.clock(), (self.house.now)());
        let mut events = Vec::new();
        let mut sat = false;
        let mut queue = std::collections::VecDeque::from(happenings);
        while let Some(what) = queue.pop_front() {
            self.live.happen(&what, now).map_err(|why| self.broken(&why))?;
            events.push(self.live.event(&what, at));
            sat |= matches!(what, Happening::Sat(..));
            if matches!(what, Happening::Move(_)) {
                self.house.metrics.moves.add(1);
                queue.extend(self.live.endless().map(Happening::End));
            }
        }
        let standing = self.live.standing(sat, at);
        let append = Append { game: self.live.id().to_string(), events: events.clone(), standing };
        self.house.journal.append(append).await.map_err(|error| match error {
            // Whoever was faster owns the game now; the next room finds out who.
            StoreError::Stale(..) => Problem::Elsewhere(String::new()),
            other => other.into(),
        })?;
        self.stop_thinking();
        self.place = None;
        self.tell();
        self.tell_others(&events);
        Ok(())
    }

    /// Tells everybody how the game stands.
    pub(super) fn tell(&mut self) {
        let mut frame = dated(self.live.frame(), (self.house.now)() - self.clock());
        frame.state.queue = self.place;
        self.frame = Arc::new(frame);
        // Nobody may be watching.
        let _ = self.frames.send(self.frame.clone());
    }

    /// Tells the place of the engine's move in the queue, if it has changed.
    fn tell_place(&mut self) {
        let place = self.thinking.as_ref().and_then(Thinking::place);
        if place != self.place {
            self.place = place;
            self.tell();
        }
    }

    /// Tells the other servers, if there are some.
    fn tell_others(&self, events: &[EventRow]) {
        if let Some(fleet) = &self.house.fleet {
            fleet.news(self.live.id(), self.live.seq(), events, self.live.offer);
        }
    }

    /// Lets the engine think where it is its turn and somebody waits for it.
    fn think(&mut self) {
        let turn = self.live.board().turn();
        let seat = &self.live.seats()[turn.index()];
        let awaited = self.frames.receiver_count() > 0 || self.heard.elapsed() < WAITING;
        let full = self.live.seats().iter().all(|seat| seat.kind != SeatKind::Open);
        if self.thinking.is_some()
            || self.owner != Owner::Own
            || !seat.kind.is_ours()
            || self.live.board().ending().is_some()
            || !awaited
            || !full
        {
            return;
        }
        let clocks = self.live.clocks(self.clock());
        let visitor = self.visitor.unwrap_or(Ipv4Addr::UNSPECIFIED.into());
        self.thinking = Some(self.house.crew.think(&self.live, turn, clocks, visitor));
    }

    /// The engine's move comes in by the same door as a person's, unless the game went on without it.
    async fn answered(&mut self, answered: Answered) -> bool {
        let side = self.live.board().turn();
        let asked = answered.ply == self.live.board().ply()
            && answered.seq == self.frame.state.seq
            && self.owner == Owner::Own;
        // It was told to stop before it had anything: it is asked again when a visitor waits for it.
        if answered.stopped
            || !asked
            || self.live.board().ending().is_some()
            || !self.live.seats()[side.index()].kind.is_ours()
        {
            return true;
        }
        let what = match answered.answer {
            Ok(Answer::Move(text)) => match self.live.board().check(&text) {
                Ok(text) => Happening::Move(text),
                Err(bad) => {
                    self.log_failure(
                        side,
                        &format!("played the illegal move '{}': {}", shortened(&text, 60), bad.0),
                    );
                    Happening::End(Ending::lost_by(side, Cause::Illegal))
                }
            },
            Ok(Answer::Claim) => match self.live.claim(side) {
                Ok(ending) => Happening::End(ending),
                Err(_) => return true,
            },
            Ok(Answer::Resign) => Happening::End(Ending::lost_by(side, Cause::Resigned)),
            Ok(Answer::NoMove) => {
                self.log_failure(side, "answered that it has no move");
                Happening::End(Ending::lost_by(side, Cause::Crash))
            }
            Err(failure) => {
                self.log_failure(side, &failure.to_string());
                Happening::End(Ending::lost_by(side, Cause::Crash))
            }
        };
        self.keep_unasked(what).await
    }

    async fn flag(&mut self) -> bool {
        let Some((side, left)) = self.live.left(self.clock()) else { return true };
        if left > 0 {
            return true;
        }
        self.fall(side).await
    }

    async fn fall(&mut self, side: Side) -> bool {
        self.keep_unasked(Happening::End(Ending::lost_by(side, Cause::Timeout))).await
    }

    /// Keeps what no visitor asked for; false if the room must end. A failure is logged here, because there is no response that
    /// could report it.
    async fn keep_unasked(&mut self, what: Happening) -> bool {
        match self.keep(vec![what]).await {
            Ok(()) => true,
            // Another server owns the game; the next room finds out which.
            Err(Problem::Elsewhere(_)) => false,
            Err(problem) => {
                tracing::error!(game = self.live.id(), reason = problem.reason(), "event not kept");
                false
            }
        }
    }

    fn broken(&self, why: &str) -> Problem {
        Problem::Broken(format!("game {}: {why}", self.live.id()))
    }

    /// Logs that a player of the server has failed: its game, its side, its name, and the reason.
    fn log_failure(&self, side: Side, reason: &str) {
        let (game, bot) = (self.live.id(), &self.live.seats()[side.index()].name);
        tracing::warn!(game, %side, bot, reason, "bot failed");
    }
}

/// A frame whose clocks are told in everybody's time; a room's own began at `zero`.
pub(super) fn dated(mut frame: Frame, zero: i64) -> Frame {
    if let Some(clocks) = &mut frame.state.clocks {
        clocks.at += zero;
    }
    frame
}

/// The engine's answer; never, where nobody thinks.
async fn answer(thinking: &mut Option<Thinking>) -> Answered {
    match thinking {
        Some(running) => {
            let answered = running.answer().await;
            *thinking = None;
            answered
        }
        None => std::future::pending().await,
    }
}
