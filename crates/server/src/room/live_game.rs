//! A live game: its row, its seats and its session, restored from the log. No I/O.

use super::frame::GameFrame;
use crate::wire::{
    ClockState, EndState, GameState, OfferKind, OfferState, SeatKind, SeatState, Tree, end_sentence,
};
use parlor_catalog::DynGame;
use parlor_core::{Audience, Board, Cause, Ending, GameInfo, Offer, Outcome, RULES, Record, Side, shortened};
use parlor_session::{
    Event, EventKind, Micros, OpenOffer, Policy, Remaining, Session, Takebacks, TimeControl,
};
use parlor_store::{EventRow, GameStatus, LiveGameRow, SeatRow};
use std::sync::Arc;

/// Width of boards as text, in characters; wide enough for every board.
const WIDTH: usize = 120;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSeat {
    pub kind: SeatKind,
    /// The player's name; the side's own name is shown where it is empty.
    pub name: String,
    /// The hash of the token that holds it, or of the invitation to it; the spec of an engine or bot of the server.
    pub key: String,
}

/// A durable change of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Seat(Side, GameSeat),
    Session(Event),
}

#[derive(Clone)]
pub struct LiveGame {
    /// The row in the store as it was read. The other fields have the current seats, plies and ending.
    row: LiveGameRow,
    host: Arc<dyn DynGame>,
    info: Arc<GameInfo>,
    session: Session,
    seats: [GameSeat; 2],
    /// Sequence number of the last event.
    seq: i64,
    /// Whether the last change of the board took moves back.
    taken_back: bool,
}

impl LiveGame {
    /// Restores a game from its row and its log. Time between the last event and now is not charged, except in correspondence
    /// games. The error says what is wrong with the rows.
    pub fn restore(row: LiveGameRow, events: &[EventRow], now: Micros) -> Result<LiveGame, String> {
        let host = parlor_catalog::game(&row.game).map_err(|bad| bad.0)?;
        let board = match &row.start {
            None => host.board(),
            Some(start) => host.board_at(start).map_err(|bad| bad.0)?,
        };
        let seats = [seat(&row.seats[0])?, seat(&row.seats[1])?];
        let control: TimeControl = match row.clock.as_deref() {
            None => TimeControl::Unlimited,
            Some(text) => text.parse().map_err(|_| "its clock is invalid".to_string())?,
        };
        let info = Arc::new(board.info());
        let session = Session::new(board, [control; 2], policy(&seats), now);
        let mut game = LiveGame { row, host, info, session, seats, seq: 0, taken_back: false };
        for event in events {
            game.apply_row(event, now)?;
        }
        if game.is_correspondence() && game.is_full() && !game.is_ours(game.board().turn()) {
            let passed = now - Micros::from_millis(game.row.touched);
            game.session.clock_mut().charge_elapsed(passed);
        }
        let written = game.row.result.as_deref().and_then(Outcome::parse);
        if let Some(written) = written.filter(|_| game.row.rules < i64::from(RULES)) {
            game.session.keep_result(written);
        }
        game.pause_if_waiting(now);
        game.tag();
        Ok(game)
    }

    /// Applies an event of the log. The error names the event and what is wrong with it.
    pub fn apply_row(&mut self, row: &EventRow, now: Micros) -> Result<(), String> {
        if row.seq != self.seq + 1 {
            return Err(format!("event {} follows event {}", row.seq, self.seq));
        }
        let applied = match event_kind(row) {
            // Seats are in the game's row.
            Ok(None) => Ok(()),
            Ok(Some(kind)) => self.apply(&Event { kind, at: now, left: remaining_of(row) }),
            Err(why) => Err(why),
        };
        self.seq = row.seq;
        applied.map_err(|why| {
            let (kind, text) = (shortened(&row.kind, 20), shortened(&row.text, 60));
            format!("event {} ({kind} '{text}'): {why}", row.seq)
        })
    }

    pub fn apply(&mut self, event: &Event) -> Result<(), String> {
        self.session.apply(event).map_err(|corrupt| corrupt.0)?;
        match event.kind {
            EventKind::Move(_) => self.taken_back = false,
            EventKind::Takeback(_) => self.taken_back = true,
            _ => {}
        }
        Ok(())
    }

    /// The game after a durable change, and the change as the store keeps it.
    pub fn after(&self, change: &Change, now: Micros) -> Result<(LiveGame, EventRow), String> {
        let mut next = self.clone();
        next.seq += 1;
        let (kind, text) = match change {
            Change::Seat(side, seat) => {
                next.seats[side.index()] = seat.clone();
                next.session.set_policy(policy(&next.seats));
                // The new player may have no word for an answer.
                next.session.set_offer(None);
                // The clock has waited for the last player.
                if !self.is_full() {
                    next.session.clock_mut().begin_turn([None; 2], now);
                }
                next.tag();
                ("seat", format!("{side} {}", seat.name))
            }
            Change::Session(event) => {
                next.apply(event)?;
                match &event.kind {
                    EventKind::Move(text) => ("move", text.clone()),
                    EventKind::Takeback(ply) => ("takeback", ply.to_string()),
                    EventKind::End { ending, .. } => ("end", ending_text(*ending)),
                    EventKind::Offer(_) | EventKind::OfferClosed { .. } => {
                        return Err("offers are not stored".to_string());
                    }
                }
            }
        };
        next.pause_if_waiting(now);
        let left = both_sides(next.session.clock().left_at_turn_start());
        let periods = left.filter(|left| left.iter().any(|left| left.periods > 0));
        let row = EventRow {
            seq: next.seq,
            kind: kind.to_string(),
            text,
            at: now.as_millis(),
            left: left.map(|left| left.map(|left| left.time.as_millis())),
            periods: periods.map(|left| left.map(|left| left.periods.into())),
        };
        Ok((next, row))
    }

    /// Stops the clock while a seat is open, and until an engine of the server starts to think.
    fn pause_if_waiting(&mut self, now: Micros) {
        if !self.is_full() || self.is_ours(self.board().turn()) {
            self.session.clock_mut().pause(now);
        }
    }

    /// Starts the clock of the current turn again: its player has not seen the position until now.
    pub fn restart_turn(&mut self, now: Micros) {
        self.session.clock_mut().begin_turn([None; 2], now);
        self.pause_if_waiting(now);
    }

    /// What the list of games shows from now on.
    pub fn status(&self, seated: bool, now: i64) -> GameStatus {
        let ended = self.session.ending().map(|ending| {
            let result = ending.outcome.map_or("*".to_string(), |outcome| outcome.to_string());
            (now, result, ending.cause.to_string())
        });
        let seats = seated.then(|| [seat_row(&self.seats[0]), seat_row(&self.seats[1])]);
        let deadline =
            self.session.deadline().filter(|(side, _)| self.is_correspondence() && !self.is_ours(*side));
        // Rounded up, so that the time is over at the deadline.
        let deadline = deadline.map(|(_, moment)| moment.as_millis() + 1);
        GameStatus { plies: self.board().ply() as i64, seats, ended, deadline }
    }

    fn tag(&mut self) {
        let [first, second] = self.names();
        self.session.tag("First", &first);
        self.session.tag("Second", &second);
    }

    pub fn names(&self) -> [String; 2] {
        [Side::First, Side::Second].map(|side| {
            let (name, label) = (&self.seats[side.index()].name, self.info.seats[side.index()]);
            if name.is_empty() { label.to_string() } else { name.clone() }
        })
    }

    /// The id of the game, as in URLs.
    pub fn id(&self) -> &str {
        &self.row.id
    }

    /// Sequence number of the last event.
    pub fn seq(&self) -> i64 {
        self.seq
    }

    /// When the last event of the log happened, in milliseconds since 1970.
    pub fn touched(&self) -> i64 {
        self.row.touched
    }

    /// Whether the log ends the game, or only the rules that this build derives.
    pub fn is_stored_as_ended(&self) -> bool {
        self.row.ended.is_some()
    }

    pub fn host(&self) -> &Arc<dyn DynGame> {
        &self.host
    }

    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The session, to pause its clock and to set offers.
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    pub fn board(&self) -> &dyn Board {
        self.session.board()
    }

    pub fn seats(&self) -> &[GameSeat; 2] {
        &self.seats
    }

    /// Whether both seats are taken.
    pub fn is_full(&self) -> bool {
        self.seats.iter().all(|seat| seat.kind != SeatKind::Open)
    }

    /// Whether this server computes the moves of a side.
    pub fn is_ours(&self, side: Side) -> bool {
        self.seats[side.index()].kind.is_ours()
    }

    /// Whether its time runs on while no server has it loaded.
    pub fn is_correspondence(&self) -> bool {
        self.session.clock().control(Side::First).is_correspondence()
    }

    pub fn record(&self) -> Record {
        self.session.record()
    }

    /// The sides held by the token with this hash.
    pub fn sides_of(&self, key: &str) -> Vec<Side> {
        let holds = |side: &Side| {
            let seat = &self.seats[side.index()];
            matches!(seat.kind, SeatKind::Person | SeatKind::Bot) && seat.key == key
        };
        Side::BOTH.into_iter().filter(holds).collect()
    }

    pub fn offer(&self) -> Option<OfferState> {
        self.session.offer().map(OfferState::from)
    }

    /// The game at this moment, as spectators see it.
    pub fn frame(&self, now: Micros) -> GameFrame {
        let (last, won) = self.board().pointed_out();
        let names = self.names();
        let audience = Audience { names: [&names[0], &names[1]], width: WIDTH };
        let picture = self.board().draw(audience).to_string();
        let over = self.session.ending().is_some();
        let paths = (!over && !self.is_ours(self.board().turn())).then(|| self.board().paths());
        GameFrame::new(self.state(last, won, now), self.info.clone(), self.board().marks(), picture)
            .with_tree(paths.map(|paths| Tree::of(&paths)))
            .with_limits(self.session.limits(now), now)
            .with_holders([&self.seats[0], &self.seats[1]].map(|seat| match seat.kind {
                SeatKind::Person | SeatKind::Bot => Some(seat.key.clone()),
                _ => None,
            }))
            .with_prompt(self.board().prompt(), self.board().move_help())
    }

    /// The last events as sentences.
    fn last_sentences(&self) -> Vec<String> {
        if self.taken_back {
            return vec!["The last move was taken back.".to_string()];
        }
        let names = self.names();
        let turn = self.board().last_turn(Audience { names: [&names[0], &names[1]], width: WIDTH });
        turn.map_or(Vec::new(), |turn| {
            turn.events.into_iter().map(|described| described.event.text).collect()
        })
    }

    fn state(&self, last: Vec<u16>, won: bool, now: Micros) -> GameState {
        let (board, record) = (self.board(), self.session.record());
        let ending = board.ending();
        GameState {
            id: self.row.id.clone(),
            game: self.info.spec.clone(),
            title: self.info.title.to_string(),
            seq: self.seq,
            ply: board.ply(),
            turn: ending.is_none().then(|| board.turn().into()),
            seats: [Side::First, Side::Second].map(|side| self.seat_state(side)),
            start: record.start,
            position: board.position(),
            moves: record.moves,
            movers: board.movers().into_iter().map(Into::into).collect(),
            marks: board.marks().into_iter().map(Into::into).collect(),
            last,
            won,
            steps: board.last_steps().into_iter().map(Into::into).collect(),
            said: self.last_sentences(),
            scores: board.scores(),
            clocks: self.clocks(now),
            offer: self.offer(),
            claimable: self.session.claim(board.turn()).is_ok(),
            repetition: self.session.policy().points_out_repetition(board),
            queue: None,
            ending: ending.map(|ending| EndState::new(ending, self.end_sentence(ending))),
        }
    }

    /// The clocks: as they were when the turn began while one runs, otherwise as they are.
    fn clocks(&self, now: Micros) -> Option<ClockState> {
        let clock = self.session.clock();
        let running = self.session.running().filter(|_| !clock.is_paused());
        let (left, at) = match running {
            Some(_) => (both_sides(clock.left_at_turn_start())?, clock.turn_began()),
            None => (both_sides(self.session.remaining(now))?, now),
        };
        let (mut increment, mut delay, mut period) = (0, 0, None);
        let millis = |time: std::time::Duration| Micros::from(time).as_millis();
        match clock.control(Side::First) {
            TimeControl::Clock { increment: time, .. } => increment = millis(time),
            TimeControl::Delay { delay: time, .. } => delay = millis(time),
            TimeControl::ByoYomi { period: time, .. } => period = Some(millis(time)),
            _ => {}
        }
        Some(ClockState {
            left: left.map(|left| left.time.as_millis()),
            increment,
            delay,
            period,
            periods: period.map(|_| left.map(|left| left.periods)),
            running: running.map(Into::into),
            at: at.as_millis(),
        })
    }

    fn seat_state(&self, side: Side) -> SeatState {
        let seat = &self.seats[side.index()];
        let spec = (seat.kind == SeatKind::Player).then(|| seat.key.clone());
        let label = self.info.seats[side.index()].to_string();
        SeatState { label, name: self.names()[side.index()].clone(), kind: seat.kind, spec }
    }

    fn end_sentence(&self, ending: Ending) -> String {
        let names = self.names();
        end_sentence(self.board(), [&names[0], &names[1]], ending)
    }
}

/// The policy of a game with these seats: that of programs if no person plays or may join. A player who holds both
/// seats takes back single moves.
fn policy(seats: &[GameSeat; 2]) -> Policy {
    let program = |seat: &GameSeat| matches!(seat.kind, SeatKind::Bot | SeatKind::Player | SeatKind::House);
    let policy = Policy::of([program(&seats[0]), program(&seats[1])]);
    let alone = seats.iter().all(|seat| seat.kind == SeatKind::Person) && seats[0].key == seats[1].key;
    if alone { Policy { takebacks: Takebacks::LastMove, ..policy } } else { policy }
}

fn both_sides(left: [Option<Remaining>; 2]) -> Option<[Remaining; 2]> {
    Some([left[0]?, left[1]?])
}

/// Remaining time of both sides after an event of the log.
fn remaining_of(row: &EventRow) -> [Option<Remaining>; 2] {
    [0, 1].map(|side: usize| {
        let periods = row.periods.map_or(0, |periods| u32::try_from(periods[side]).unwrap_or(0));
        Some(Remaining { time: Micros::from_millis(row.left?[side]), periods })
    })
}

/// Parses an event of the log; `None` for an event that only changes the row.
fn event_kind(row: &EventRow) -> Result<Option<EventKind>, String> {
    let wrong = || "it cannot be read".to_string();
    Ok(Some(match row.kind.as_str() {
        "seat" => return Ok(None),
        "move" => EventKind::Move(row.text.clone()),
        "takeback" => EventKind::Takeback(row.text.parse().map_err(|_| wrong())?),
        "end" => {
            let (cause, outcome) = row.text.split_once(' ').ok_or_else(wrong)?;
            let cause = Cause::parse(cause).ok_or_else(wrong)?;
            EventKind::End { ending: Ending { cause, outcome: Outcome::parse(outcome) }, violation: None }
        }
        _ => return Err(wrong()),
    }))
}

fn ending_text(ending: Ending) -> String {
    let outcome = ending.outcome.map_or("*".to_string(), |outcome| outcome.to_string());
    format!("{} {outcome}", ending.cause)
}

impl From<OpenOffer> for OfferState {
    fn from(offer: OpenOffer) -> OfferState {
        let kind = match offer.offer {
            Offer::Takeback => OfferKind::Takeback,
            Offer::Cycle => OfferKind::Cycle,
        };
        OfferState { kind, by: offer.by.into() }
    }
}

impl From<OfferState> for OpenOffer {
    fn from(offer: OfferState) -> OpenOffer {
        let kind = match offer.kind {
            OfferKind::Takeback => Offer::Takeback,
            OfferKind::Cycle => Offer::Cycle,
        };
        OpenOffer { offer: kind, by: offer.by.into() }
    }
}

fn seat(row: &SeatRow) -> Result<GameSeat, String> {
    let kind = SeatKind::parse(&row.kind).ok_or("a seat is invalid")?;
    Ok(GameSeat { kind, name: row.name.clone(), key: row.spec.clone() })
}

/// A seat as the store represents it.
pub fn seat_row(seat: &GameSeat) -> SeatRow {
    SeatRow { kind: seat.kind.word().to_string(), name: seat.name.clone(), spec: seat.key.clone() }
}
