//! The task that owns one game. It waits for messages, for the engine's answer and for the deadline of the side to move. It
//! decides, writes the event to the store, and then applies and broadcasts it. Without clients it ends after a while, and the
//! next request reloads the game from the store.

use super::{
    Action, EnginePool, GameFrame, GameTime, LiveGame, RoomRequest,
    live_game::Change,
    replica::Owner,
    rooms::RoomHandle,
    thinking::{EngineAnswer, SearchProgress, Thinking},
};
use crate::{cluster::Cluster, metrics::Metrics, problem::Problem, thread_pool::PLACE_INTERVAL};
use parlor_session::{Command, Event, EventKind, Micros, Refused, Violation, ViolationKind};
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

/// How many frames a slow spectator may be behind; after that it gets the latest.
const FRAMES: usize = 16;
/// A room without requests and spectators ends after this time.
const IDLE_TIMEOUT: Duration = Duration::from_secs(300);
/// A player who has sent nothing for this time does not wait for the engine any more.
const ENGINE_WAIT: Duration = Duration::from_secs(60);
/// How often the owner of a game learns that it has spectators on another server.
const SPECTATOR_REPORT_INTERVAL: Duration = Duration::from_secs(20);
/// How much later than the deadline a thinking engine is stopped. Only the time that it thought is charged.
const ANSWER_DELAY: Duration = Duration::from_millis(250);

/// Dependencies shared by all rooms.
#[derive(Clone)]
pub(crate) struct RoomDeps {
    pub store: Store,
    /// The cluster; `None` if the database is not shared.
    pub cluster: Option<Cluster>,
    pub journal: Journal,
    pub engines: EnginePool,
    pub metrics: Arc<Metrics>,
    pub time: GameTime,
}

/// The task of one game in memory.
pub(super) struct Room {
    pub(super) live: LiveGame,
    pub(super) deps: RoomDeps,
    pub(super) owner: Owner,
    requests: mpsc::Receiver<RoomRequest>,
    pub(super) frames: broadcast::Sender<Arc<GameFrame>>,
    frame: Arc<GameFrame>,
    thinking: Option<Thinking>,
    /// The place of the engine's move in the queue, as it was last shown.
    place: Option<usize>,
    /// The address for which engines think: of the player who acted last, or of the first client that came.
    visitor: Option<IpAddr>,
    /// Whether the room must not be evicted, for the list of rooms.
    active: Arc<AtomicBool>,
    /// Time of the last request.
    last_request: Instant,
    /// When the claim of a program that waits for a person's answer counts as declined.
    pub(super) claim_expires: Option<Instant>,
}

enum Wake {
    Request(Option<RoomRequest>),
    /// The engine has left the queue and thinks since this moment, about the position after this event.
    Started(Micros, i64),
    /// A person has not answered the claim of a program.
    ClaimExpired,
    Answer(Box<EngineAnswer>),
    Deadline,
    Idle,
    /// The engine's move may have another place in the queue.
    Place,
}

impl Room {
    pub fn new(
        live: LiveGame,
        deps: RoomDeps,
        owner: Owner,
        visitor: Option<IpAddr>,
        requests: mpsc::Receiver<RoomRequest>,
    ) -> Room {
        let frame = Arc::new(live.frame(deps.time.now()));
        let frames = broadcast::Sender::new(FRAMES);
        // Until the first pass of the loop, which sets it.
        let active = Arc::new(AtomicBool::new(true));
        let mut room = Room {
            live,
            deps,
            owner,
            requests,
            frames,
            frame,
            thinking: None,
            place: None,
            visitor,
            active,
            last_request: Instant::now(),
            claim_expires: None,
        };
        if room.owner != Owner::Own {
            room.charge_elapsed();
            room.broadcast();
        }
        room
    }

    /// The current time of the games' clock.
    pub(super) fn now(&self) -> Micros {
        self.deps.time.now()
    }

    /// The handle for the table of rooms.
    pub fn handle(&self, requests: mpsc::Sender<RoomRequest>) -> RoomHandle {
        RoomHandle { requests, frames: self.frames.clone(), active: self.active.clone() }
    }

    pub async fn run(mut self) {
        if !self.store_derived_ending().await {
            return;
        }
        loop {
            self.think();
            self.pause_or_resume();
            self.broadcast_place();
            self.active.store(self.thinking.is_some() || self.clock_runs(), Ordering::SeqCst);
            let wake = self.wake().await;
            let keep_room = match wake {
                Wake::Request(Some(request)) => {
                    // Before the client that waits for the reply is gone.
                    self.active.store(true, Ordering::SeqCst);
                    self.last_request = Instant::now();
                    self.handle_request(request).await
                }
                Wake::Request(None) => false,
                Wake::Started(at, seq) => {
                    if seq == self.live.seq() {
                        self.live.session_mut().clock_mut().resume(at);
                        self.broadcast();
                    }
                    true
                }
                Wake::ClaimExpired => self.decline_claim().await,
                Wake::Answer(answered) => self.on_engine_answer(*answered).await,
                Wake::Deadline => self.check_time().await,
                Wake::Idle => self.on_idle(),
                // Broadcast at the beginning of the loop.
                Wake::Place => true,
            };
            if !keep_room {
                return;
            }
        }
    }

    async fn wake(&mut self) -> Wake {
        let far = self.last_request + IDLE_TIMEOUT;
        let deadline = self.live.session().deadline().filter(|_| self.owner == Owner::Own);
        // A millisecond more, so that time is up when this wakes.
        let delay = if self.thinks() { ANSWER_DELAY } else { Duration::from_millis(1) };
        let deadline = deadline.map(|(_, moment)| Instant::now() + self.deps.time.until(moment) + delay);
        let expires = self.claim_expires;
        let waiting = self.thinking.is_some() && self.frames.receiver_count() == 0;
        let idle = if waiting { self.last_request + ENGINE_WAIT } else { far }
            .max(Instant::now() + Duration::from_secs(1));
        let idle = if self.owner == Owner::Own {
            idle
        } else {
            idle.min(Instant::now() + SPECTATOR_REPORT_INTERVAL)
        };
        tokio::select! {
            request = self.requests.recv() => Wake::Request(request),
            progress = progress(&mut self.thinking) => match progress {
                SearchProgress::Started { at, seq } => Wake::Started(at, seq),
                SearchProgress::Answered(answered) => Wake::Answer(answered),
            },
            () = sleep_until(deadline.unwrap_or(far)), if deadline.is_some() => Wake::Deadline,
            () = sleep_until(expires.unwrap_or(far)), if expires.is_some() => Wake::ClaimExpired,
            () = sleep_until(idle) => Wake::Idle,
            () = tokio::time::sleep(PLACE_INTERVAL), if self.place.is_some() => Wake::Place,
        }
    }

    /// Without clients the engine stops, and after a while the room ends. A running clock keeps it.
    fn on_idle(&mut self) -> bool {
        if self.frames.receiver_count() > 0 {
            self.last_request = Instant::now();
            self.report_spectators();
            return true;
        }
        self.stop_thinking();
        self.clock_runs() || self.last_request.elapsed() < IDLE_TIMEOUT
    }

    /// Whether a player of this server may lose on time while the room is open. The deadline of a correspondence game is in its
    /// row, and the server opens the room when it has passed.
    fn clock_runs(&self) -> bool {
        self.owner == Owner::Own && self.live.session().deadline().is_some() && !self.live.is_correspondence()
    }

    /// Stops the clock while a seat is open and while an engine of the server does not think: waiting for a processor is not
    /// charged. An open offer does not stop it.
    fn pause_or_resume(&mut self) {
        let (now, session) = (self.now(), self.live.session());
        let is_ours = self.live.is_ours(session.board().turn());
        // Whether the engine of another server waits is not known here.
        let thinks = self.owner != Owner::Own || self.thinks();
        let stopped = !self.live.is_full() || is_ours && !thinks && session.offer().is_none();
        let clock = self.live.session_mut().clock_mut();
        if !stopped {
            clock.resume(now);
        } else if !clock.is_paused() {
            clock.pause(now);
        }
    }

    fn thinks(&self) -> bool {
        self.thinking.as_ref().is_some_and(|thinking| thinking.thinks_after(self.live.seq()))
    }

    pub(super) fn stop_thinking(&self) {
        if let Some(thinking) = &self.thinking {
            thinking.stop();
        }
    }

    /// Handles a message; false if the room must end.
    async fn handle_request(&mut self, request: RoomRequest) -> bool {
        match request {
            // The client may have disconnected.
            RoomRequest::GetFrame(visitor, reply) => {
                self.visitor = self.visitor.or(visitor);
                drop(reply.send(self.frame.clone()));
            }
            RoomRequest::Subscribe(visitor, reply) => {
                self.visitor = self.visitor.or(visitor);
                drop(reply.send((self.frame.clone(), self.frames.subscribe())));
            }
            RoomRequest::GetRecord(reply) => drop(reply.send(self.live.record())),
            RoomRequest::Act { reply, .. } if self.owner != Owner::Own => drop(reply.send(self.refused())),
            RoomRequest::Act { key, action, visitor, reply } => {
                if !self.live.sides_of(&key).is_empty() {
                    self.visitor = visitor.or(self.visitor);
                }
                return self.handle_action(&key, &action, reply).await;
            }
            RoomRequest::Join { reply, .. } if self.owner != Owner::Own => drop(reply.send(self.refused())),
            RoomRequest::Join { guest, reply } => match self.live.decide_seat(&guest) {
                Err(problem) => drop(reply.send(Err(problem))),
                Ok((side, None)) => drop(reply.send(Ok(side))),
                Ok((side, Some(seat))) => {
                    self.visitor = guest.address.or(self.visitor);
                    let kept = self.commit(Change::Seat(side, seat)).await;
                    let keep_room = kept.is_ok();
                    let _ = reply.send(kept.map(|()| side));
                    return keep_room;
                }
            },
            RoomRequest::Update(update) => return self.apply_update(*update).await,
            RoomRequest::Reread if self.owner != Owner::Own => return self.reread().await,
            RoomRequest::Reread => {}
            RoomRequest::ServerGone => return !self.is_orphaned() || self.take_ownership().await,
            RoomRequest::TakeOwnership(reply) => {
                let keep_room = self.take_ownership().await;
                let _ = reply.send(());
                return keep_room;
            }
        }
        true
    }

    async fn handle_action(
        &mut self,
        key: &str,
        action: &Action,
        reply: oneshot::Sender<Result<Arc<GameFrame>, Problem>>,
    ) -> bool {
        let done = match self.live.decide(key, action, self.now()) {
            Ok((_, event)) => self.handle_event(event).await,
            Err(problem) => Ok(Err(problem)),
        };
        let keep_room = done.is_ok();
        let reply_with = done.map_or_else(Err, |done| done.map(|()| self.frame.clone()));
        let _ = reply.send(reply_with);
        keep_room
    }

    /// Commits a decided event; an offer is made and not stored. The outer error ends the room; the inner one is for the client.
    async fn handle_event(&mut self, event: Event) -> Result<Result<(), Problem>, Problem> {
        if !event.kind.is_durable() {
            return self.handle_offer(event).await;
        }
        self.log_violation(&event);
        self.commit(Change::Session(event)).await.map(Ok)
    }

    /// Writes a change to the store, then applies and broadcasts it. After an error the room must end: the change may be stored,
    /// and the next room reads what is.
    pub(super) async fn commit(&mut self, change: Change) -> Result<(), Problem> {
        let now = self.now();
        let (next, row) = self.live.after(&change, now).map_err(|why| self.broken(&why))?;
        let seated = matches!(change, Change::Seat(..));
        if let Change::Session(Event { kind: EventKind::Move(_), .. }) = change {
            self.deps.metrics.moves.add(1);
        }
        let status = next.status(seated, now.as_millis());
        let append = Append { game: next.id().to_string(), events: vec![row.clone()], status };
        self.deps.journal.append(append).await.map_err(|error| match error {
            // Another server was faster and owns the game now; the next room finds out which one.
            StoreError::Conflict(..) => Problem::Elsewhere(String::new()),
            other => other.into(),
        })?;
        // A program that takes over a seat gets no time back.
        let turn_begins = !seated || !self.live.is_full();
        self.live = next;
        if turn_begins {
            // The time of the write is not charged to the next player.
            self.live.restart_turn(self.deps.time.now());
        }
        self.stop_thinking();
        (self.place, self.claim_expires) = (None, None);
        self.broadcast();
        self.send_to_replicas(&[row]);
        Ok(())
    }

    /// Stores an ending that this build derives from a log of an older one. False if that fails and the room must end.
    async fn store_derived_ending(&mut self) -> bool {
        let ended = self.live.session().ending().is_some();
        if !ended || self.live.is_stored_as_ended() || self.owner != Owner::Own {
            return true;
        }
        let status = self.live.status(false, self.deps.time.millis());
        let append = Append { game: self.live.id().to_string(), events: Vec::new(), status };
        self.deps.journal.append(append).await.is_ok()
    }

    pub(super) fn broadcast(&mut self) {
        let mut frame = self.live.frame(self.now());
        frame.state.queue = self.place;
        self.frame = Arc::new(frame);
        // There may be no spectators.
        let _ = self.frames.send(self.frame.clone());
    }

    /// Shows the place of the engine's move in the queue, if it has changed.
    fn broadcast_place(&mut self) {
        let place = self.thinking.as_ref().and_then(Thinking::place);
        if place != self.place {
            self.place = place;
            self.broadcast();
        }
    }

    /// Sends events to the other servers, if there are some.
    pub(super) fn send_to_replicas(&self, events: &[EventRow]) {
        if let Some(cluster) = &self.deps.cluster {
            cluster.broadcast_update(self.live.id(), self.live.seq(), events, self.live.offer());
        }
    }

    /// Lets the engine think where it is its turn and a client waits for it.
    fn think(&mut self) {
        let session = self.live.session();
        let turn = session.board().turn();
        let awaited = self.frames.receiver_count() > 0 || self.last_request.elapsed() < ENGINE_WAIT;
        if self.thinking.is_some()
            || self.owner != Owner::Own
            || !self.live.is_ours(turn)
            || session.ending().is_some()
            || session.offer().is_some()
            || !awaited
            || !self.live.is_full()
        {
            return;
        }
        let limits = session.limits(self.now());
        let visitor = self.visitor.unwrap_or(Ipv4Addr::UNSPECIFIED.into());
        self.thinking = Some(self.deps.engines.think(&self.live, turn, limits, &self.deps.time, visitor));
    }

    /// An engine's answer takes the same path as a person's, unless the game has changed since the question.
    async fn on_engine_answer(&mut self, answered: EngineAnswer) -> bool {
        let side = self.live.board().turn();
        let asked = answered.ply == self.live.board().ply()
            && answered.seq == self.frame.state.seq
            && self.owner == Owner::Own;
        // Stopped before it had an answer: it is asked again when a client waits for it.
        if answered.stopped || !asked || !self.live.is_ours(side) {
            return true;
        }
        // Only its thinking is charged; the next clock starts now.
        let decided = self.live.session().decide(side, answered.answer.into(), answered.at);
        self.handle_own_event(decided.map(|event| Event { at: self.now(), ..event })).await
    }

    async fn check_time(&mut self) -> bool {
        let side = self.live.board().turn();
        let decided = self.live.session().decide(side, Command::TimeUp, self.now());
        self.handle_own_event(decided).await
    }

    /// Commits what no client asked for; false if the room must end. A failure is logged here, because there is no response that
    /// could report it.
    pub(super) async fn handle_own_event(&mut self, decided: Result<Event, Refused>) -> bool {
        // The game has gone on meanwhile.
        let Ok(event) = decided else { return true };
        match self.handle_event(event).await {
            Ok(_) => true,
            // Another server owns the game; the next room finds out which.
            Err(Problem::Elsewhere(_)) => false,
            Err(problem) => {
                tracing::error!(game = self.live.id(), reason = problem.reason(), "event not saved");
                false
            }
        }
    }

    pub(super) fn broken(&self, why: &str) -> Problem {
        Problem::Broken(format!("game {}: {why}", self.live.id()))
    }

    /// Logs that a program has failed: its game, its side, its name, and the reason. Of a bot over the network only illegal
    /// answers: where its connection fails, the connection is logged.
    fn log_violation(&self, event: &Event) {
        let EventKind::End { violation: Some(Violation { side, kind, reason }), .. } = &event.kind else {
            return;
        };
        let (game, bot) = (self.live.id(), &self.live.names()[side.index()]);
        if self.live.is_ours(*side) {
            tracing::warn!(game, %side, bot, %kind, reason, "bot failed");
        } else if *kind == ViolationKind::Illegal {
            tracing::info!(game, %side, bot, %kind, reason, "bot failed");
        }
    }
}

/// The next progress of the engine; never completes if none thinks.
async fn progress(thinking: &mut Option<Thinking>) -> SearchProgress {
    let Some(running) = thinking else { return std::future::pending().await };
    let progress = running.progress().await;
    if matches!(progress, SearchProgress::Answered(_)) {
        *thinking = None;
    }
    progress
}
