//! The session of one game: it decides and applies the commands of players and drivers by the same rules for every front end.

use crate::{
    ChessClock, Corrupt, Event, EventKind, Micros, OpenOffer, Policy, Refused, Remaining, Takebacks,
    TimeControl, Violation, ViolationKind,
};
use parlor_core::{
    Answer, Board, Cause, Ending, Failure, Limits, Offer, Outcome, Record, Side, Target, shortened,
};

/// A game can be aborted while fewer moves than this have been made.
const ABORT_BEFORE: usize = 2;
/// The number of legal moves that the reason of an illegal move names.
const LISTED_MOVES: usize = 30;
/// The longest part of an illegal answer that its reason quotes.
const QUOTED: usize = 24;

/// A move as a player enters it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveInput {
    /// In the game's notation.
    Text(String),
    /// The targets that were touched, in order.
    Path(Vec<Target>),
}

/// A request of a player or a driver to a session.
///
/// # Examples
///
/// The answer of a program becomes a command:
///
/// ```
/// use parlor_core::{Answer, Failure};
/// use parlor_session::{Command, ViolationKind};
///
/// assert_eq!(Command::from(Ok(Answer::Move("3".into()))), Command::text("3"));
/// let crash = Command::from(Err(Failure::Crash("exit code 1".into())));
/// assert_eq!(crash, Command::Fail(ViolationKind::Crash, "crashed: exit code 1".into()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// A player makes a move.
    Move(MoveInput),
    /// A player resigns.
    Resign,
    /// A player asks to take back a move.
    OfferTakeback,
    /// A player claims repetition.
    ClaimRepetition,
    /// A player agrees to the open offer.
    Accept,
    /// A player declines the open offer, or withdraws it.
    Decline,
    /// A player aborts a game that has hardly begun.
    Abort,
    /// The driver has waited until the deadline.
    TimeUp,
    /// A program failed: how, and the rest of a sentence that begins with the player.
    Fail(ViolationKind, String),
    /// The driver ends the game with a proven result, or without one.
    Adjudicate(Option<Outcome>),
    /// The driver ends a game that will not be continued.
    Abandon,
}

impl Command {
    /// A move in the game's notation.
    pub fn text(text: impl Into<String>) -> Command {
        Command::Move(MoveInput::Text(text.into()))
    }
}

/// The answer of a program to a question: the only place where answers and failures get their meaning.
impl From<Result<Answer, Failure>> for Command {
    fn from(answer: Result<Answer, Failure>) -> Command {
        match answer {
            Ok(Answer::Move(text)) => Command::text(text),
            Ok(Answer::Resign) => Command::Resign,
            Ok(Answer::Claim) => Command::ClaimRepetition,
            Ok(Answer::NoMove) => {
                Command::Fail(ViolationKind::Illegal, "answered that it has no move".to_string())
            }
            Err(failure) => Command::Fail((&failure).into(), failure.to_string()),
        }
    }
}

/// One game in progress.
#[derive(Clone)]
pub struct Session {
    board: Box<dyn Board>,
    policy: Policy,
    clock: ChessClock,
    offer: Option<OpenOffer>,
    /// The side whose claim of repetition was declined in the current position.
    declined: Option<Side>,
    violation: Option<Violation>,
    /// Whether the ending follows from the policy on repetition and no event has confirmed it.
    ended_by_policy: bool,
    /// Whether a move has been made, also if it was taken back.
    begun: bool,
    /// The remaining time of both sides when each turn began, by the number of moves before it.
    turns: Vec<[Option<Remaining>; 2]>,
}

impl Session {
    /// Starts a session with this board, a time control for each side, and this policy.
    pub fn new(board: Box<dyn Board>, time: [TimeControl; 2], policy: Policy, now: Micros) -> Session {
        let clock = ChessClock::new(time, now);
        let (begun, turns) = (board.ply() > 0, vec![clock.left_at_turn_start(); board.ply() + 1]);
        let mut session = Session {
            board,
            policy,
            clock,
            offer: None,
            declined: None,
            violation: None,
            ended_by_policy: false,
            begun,
            turns,
        };
        session.end_by_repetition();
        session
    }

    /// Decides a command: the resulting event, or the reason for a refusal. Changes nothing. Any command after the time of the
    /// side to move is up results in the loss of that side.
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_core::{Match, Side};
    /// use parlor_games::kalah::Kalah;
    /// use parlor_session::{Command, EventKind, Micros, Policy, Refused, Session, TimeControl};
    ///
    /// let board = Box::new(Match::new(Kalah::sized(6, 4)?));
    /// let session = Session::new(board, [TimeControl::Unlimited; 2], Policy::people([false; 2]), Micros::ZERO);
    /// let event = session.decide(Side::First, Command::text("1"), Micros::ZERO)?;
    /// assert_eq!(event.kind, EventKind::Move("1".into()));
    /// assert_eq!(session.decide(Side::Second, Command::text("1"), Micros::ZERO), Err(Refused::NotYourTurn));
    /// assert_eq!(session.board().ply(), 0, "nothing has changed");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn decide(&self, by: Side, command: Command, now: Micros) -> Result<Event, Refused> {
        if self.ending().is_some() {
            return Err(Refused::Over);
        }
        if let Some(side) = self.out_of_time(now, command == Command::TimeUp) {
            return Ok(self.forfeit_on_time(side, now));
        }
        match command {
            Command::Move(input) => self.decide_move(by, &input, now),
            Command::Resign => Ok(self.end(Ending::lost_by(by, Cause::Resigned), now)),
            Command::OfferTakeback | Command::ClaimRepetition if self.offer.is_some() => {
                Err(Refused::OfferOpen)
            }
            Command::OfferTakeback => {
                self.takeback_ply(by)?;
                Ok(self.event(EventKind::Offer(OpenOffer { offer: Offer::Takeback, by }), now))
            }
            Command::ClaimRepetition => match self.claim(by) {
                Ok(_) => Ok(self.event(EventKind::Offer(OpenOffer { offer: Offer::Cycle, by }), now)),
                Err(Refused::NoClaim(why)) if self.policy.is_program(by) => {
                    let reason = format!("claimed repetition wrongly: {why}");
                    Ok(self.violate(by, ViolationKind::Illegal, &reason, now))
                }
                Err(refused) => Err(refused),
            },
            Command::Accept => self.accept(by, now),
            Command::Decline => {
                let offer = self.offer.ok_or(Refused::NothingOffered)?;
                Ok(self.event(EventKind::OfferClosed { declined: offer.by != by }, now))
            }
            Command::Abort if self.board.ply() >= ABORT_BEFORE => Err(Refused::TooLateToAbort),
            Command::Abort | Command::Abandon => {
                Ok(self.end(Ending { cause: Cause::Abandoned, outcome: None }, now))
            }
            Command::TimeUp => Err(Refused::TimeLeft),
            Command::Fail(kind, reason) => Ok(self.violate(by, kind, &reason, now)),
            Command::Adjudicate(outcome) => Ok(self.end(Ending { cause: Cause::Adjudicated, outcome }, now)),
        }
    }

    /// Applies an event that was decided, or read from a log. An error means that the log is damaged, and leaves the session as
    /// it was.
    pub fn apply(&mut self, event: &Event) -> Result<(), Corrupt> {
        match &event.kind {
            EventKind::Move(text) => {
                self.reopen();
                self.board.play(text).map_err(|illegal| Corrupt(illegal.0))?;
                self.begun = true;
                self.end_by_repetition();
            }
            EventKind::Takeback(ply) => {
                if *ply >= self.board.ply() {
                    return Err(Corrupt(format!("a takeback to move {ply} of {}", self.board.ply())));
                }
                while self.board.ply() > *ply {
                    self.board.undo();
                }
                self.ended_by_policy = false;
            }
            EventKind::Offer(offer) => {
                self.offer = Some(*offer);
                return Ok(());
            }
            EventKind::OfferClosed { declined } => {
                let offer = self.offer.take();
                let claim = offer.filter(|offer| *declined && offer.offer == Offer::Cycle);
                self.declined = claim.map(|offer| offer.by).or(self.declined);
                return Ok(());
            }
            EventKind::End { ending, .. } if self.ending() == Some(*ending) => self.ended_by_policy = false,
            EventKind::End { ending, violation } => {
                self.reopen();
                if !self.board.close(*ending) {
                    return Err(Corrupt("the game has ended already".to_string()));
                }
                self.violation.clone_from(violation);
            }
        }
        (self.offer, self.declined) = (None, None);
        self.clock.begin_turn(event.left, event.at);
        self.turns.truncate(self.board.ply());
        self.turns.push(self.clock.left_at_turn_start());
        Ok(())
    }

    /// Decides and applies a command, for drivers that store nothing.
    pub fn handle(&mut self, by: Side, command: Command, now: Micros) -> Result<Event, Refused> {
        let event = self.decide(by, command, now)?;
        match self.apply(&event) {
            Ok(()) => Ok(event),
            // `decide` returns only what `apply` accepts.
            Err(Corrupt(why)) => Err(Refused::IllegalMove(why)),
        }
    }

    /// The side whose clock runs, and the last moment at which its answer is in time.
    pub fn deadline(&self) -> Option<(Side, Micros)> {
        let side = self.running()?;
        Some((side, self.clock.deadline(side)? + self.policy.grace[side.index()]))
    }

    /// The side whose clock runs or is paused.
    pub fn running(&self) -> Option<Side> {
        let begun = self.policy.clock_before_first_move || self.begun;
        let side = self.board.turn();
        let runs = begun && self.ending().is_none() && self.clock.limit(side).is_some();
        runs.then_some(side)
    }

    /// Remaining time of both sides; `None` without a clock.
    pub fn remaining(&self, now: Micros) -> [Option<Remaining>; 2] {
        self.clock.remaining(self.running(), now)
    }

    /// The limits for the player of the side to move.
    pub fn limits(&self, now: Micros) -> Limits {
        let side = self.board.turn();
        let mut limits = self.clock.limits(side, self.running(), now);
        limits.deadline = limits.deadline.map(|all| all + self.policy.grace[side.index()].into());
        limits
    }

    /// The clocks: for drivers whose players wait for a processor, and for those that show them.
    pub fn clock(&self) -> &ChessClock {
        &self.clock
    }

    /// The clocks, to pause and to resume them.
    pub fn clock_mut(&mut self) -> &mut ChessClock {
        &mut self.clock
    }

    /// The board with all moves applied.
    pub fn board(&self) -> &dyn Board {
        self.board.as_ref()
    }

    /// The rules beside those of the game.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Replaces the policy: before the first move, when the last player joins.
    pub fn set_policy(&mut self, policy: Policy) {
        self.policy = policy;
    }

    /// How the game ended; `None` while it is in progress.
    pub fn ending(&self) -> Option<Ending> {
        self.board.ending()
    }

    /// The violation by which the game ended, if by one.
    pub fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    /// The offer that waits for an answer.
    pub fn offer(&self) -> Option<OpenOffer> {
        self.offer
    }

    /// Sets or removes the open offer, as another server reports it.
    pub fn set_offer(&mut self, offer: Option<OpenOffer>) {
        self.offer = offer;
    }

    /// The record of the game so far.
    pub fn record(&self) -> Record {
        self.board.record()
    }

    /// Keeps the result that an older version of the rules gave a stored game. Returns false and changes nothing if that is
    /// impossible.
    pub fn keep_result(&mut self, written: Outcome) -> bool {
        self.board.keep_result(written)
    }

    /// Sets a tag of the record, replacing an earlier value.
    pub fn tag(&mut self, name: &str, value: &str) {
        self.board.tag(name, value);
    }

    /// The number of moves that are left after a takeback by this side.
    pub fn takeback_ply(&self, side: Side) -> Result<usize, Refused> {
        if self.ending().is_some() {
            return Err(Refused::Over);
        }
        match self.policy.takebacks {
            Takebacks::None => Err(Refused::NoTakebacks),
            Takebacks::LastMove => self.board.ply().checked_sub(1).ok_or(Refused::NothingToTakeBack),
            Takebacks::OwnDecision => {
                let last = (0..self.board.ply()).rfind(|&ply| self.board.mover(ply) == Some(side));
                last.ok_or(Refused::NothingToTakeBack)
            }
        }
    }

    /// The ending by repetition, if this side may claim it.
    pub fn claim(&self, side: Side) -> Result<Ending, Refused> {
        if self.ending().is_some() {
            return Err(Refused::Over);
        }
        if self.board.turn() != side {
            return Err(Refused::NotYourTurn);
        }
        if self.declined == Some(side) {
            return Err(Refused::NoClaim("the claim was declined in this position; make a move".to_string()));
        }
        match self.board.repetition_payoff().filter(|_| self.board.may_claim_repetition()) {
            Some(outcome) => Ok(Ending { cause: Cause::Cycle, outcome: Some(outcome) }),
            None => Err(Refused::NoClaim(self.board.why_no_claim())),
        }
    }

    fn decide_move(&self, by: Side, input: &MoveInput, now: Micros) -> Result<Event, Refused> {
        if self.board.turn() != by {
            return Err(Refused::NotYourTurn);
        }
        match self.legal_move(input) {
            Ok(text) => {
                let left = self.clock.after_move(self.running(), now);
                Ok(Event { kind: EventKind::Move(text), at: now, left })
            }
            Err(why) if self.policy.is_program(by) => {
                let answer = match input {
                    MoveInput::Text(text) => shortened(text, QUOTED),
                    MoveInput::Path(path) => format!("{path:?}"),
                };
                let reason = format!("played '{answer}': {why}; {}", listed(&self.board.moves()));
                Ok(self.violate(by, ViolationKind::Illegal, &reason, now))
            }
            Err(why) => Err(Refused::IllegalMove(why)),
        }
    }

    /// The canonical text of a legal move, or why it is not legal.
    fn legal_move(&self, input: &MoveInput) -> Result<String, String> {
        let checked = match input {
            MoveInput::Text(text) => self.board.check(text),
            MoveInput::Path(path) => self.board.check_path(path),
        };
        checked.map_err(|illegal| illegal.0)
    }

    fn accept(&self, by: Side, now: Micros) -> Result<Event, Refused> {
        let offer = self.offer.ok_or(Refused::NothingOffered)?;
        if offer.by == by {
            return Err(Refused::OwnOffer);
        }
        match offer.offer {
            Offer::Takeback => {
                let ply = self.takeback_ply(offer.by)?;
                let left = self.after_takeback(offer.by, ply, now);
                Ok(Event { kind: EventKind::Takeback(ply), at: now, left })
            }
            Offer::Cycle => Ok(self.end(self.claim(offer.by)?, now)),
        }
    }

    /// The remaining times after a takeback. The side that asked gets no time back, and no more than it had in that position;
    /// the other side gets what it had. Time per move of a turn that did not end with a move is not carried over to the next
    /// turn of that side.
    fn after_takeback(&self, by: Side, ply: usize, now: Micros) -> [Option<Remaining>; 2] {
        let next = self.board.mover(ply).unwrap_or(by);
        let mut left = self.remaining(now);
        if let Some(side) = self.running().filter(|&side| side != next)
            && let TimeControl::Move(time) = self.clock.control(side)
        {
            left[side.index()] = Some(Remaining { time: time.into(), periods: 0 });
        }
        let Some(before) = self.turns.get(ply) else { return left };
        let (own, other) = (by.index(), by.other().index());
        left[other] = before[other];
        left[own] = left[own].zip(before[own]).map(|(now, before)| {
            if (now.periods, now.time) < (before.periods, before.time) { now } else { before }
        });
        left
    }

    /// The side to move, if its time is up. A move at the deadline is in time; a driver that has waited until the deadline
    /// passes `waited`.
    fn out_of_time(&self, now: Micros, waited: bool) -> Option<Side> {
        let side = self.running().filter(|_| !self.clock.is_paused())?;
        let limit = self.clock.limit(side)? + self.policy.grace[side.index()];
        let elapsed = self.clock.elapsed(now);
        (elapsed > limit || waited && elapsed == limit).then_some(side)
    }

    fn forfeit_on_time(&self, side: Side, now: Micros) -> Event {
        let used = self.clock.elapsed(now).as_millis();
        let limit = self.clock.limit(side).unwrap_or_default().as_millis();
        let whole = if matches!(self.clock.control(side), TimeControl::Move(_)) { "allowed" } else { "left" };
        let reason = format!("took too long ({used} ms; {limit} ms {whole})");
        self.violate(side, ViolationKind::Timeout, &reason, now)
    }

    fn violate(&self, side: Side, kind: ViolationKind, reason: &str, now: Micros) -> Event {
        let ending = Ending::lost_by(side, kind.cause());
        let violation = Some(Violation::new(side, kind, reason));
        self.event(EventKind::End { ending, violation }, now)
    }

    fn end(&self, ending: Ending, now: Micros) -> Event {
        self.event(EventKind::End { ending, violation: None }, now)
    }

    fn event(&self, kind: EventKind, now: Micros) -> Event {
        Event { kind, at: now, left: self.remaining(now) }
    }

    /// Ends a game whose position has occurred as often as the policy allows.
    fn end_by_repetition(&mut self) {
        let Some(occurrences) = self.policy.repetition_ends_at else { return };
        if self.board.ending().is_none()
            && self.board.occurrences() >= occurrences
            && let Some(outcome) = self.board.repetition_payoff()
        {
            let ending = Ending { cause: Cause::Cycle, outcome: Some(outcome) };
            self.ended_by_policy = self.board.close(ending);
        }
    }

    /// Removes an ending that only the policy gave: the log, which may be of an older build, continues.
    fn reopen(&mut self) {
        if std::mem::take(&mut self.ended_by_policy)
            && let Some(text) = self.board.undo()
        {
            // It was legal a moment ago.
            let _ = self.board.play(&text);
        }
    }
}

/// The legal moves for the reason of a violation, at most [`LISTED_MOVES`] of them.
fn listed(moves: &[String]) -> String {
    let first = moves.iter().take(LISTED_MOVES).map(String::as_str).collect::<Vec<_>>().join(" ");
    match moves.len().saturating_sub(LISTED_MOVES) {
        0 => format!("legal: {first}"),
        more => format!("legal: {first} and {more} more"),
    }
}
