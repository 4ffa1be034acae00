//! A live game without anything that waits: what it is, folded from the log of what happened, and what may happen next.
//! Whoever wants something is checked here; nothing is kept and nobody is told here.

use super::frame::Frame;
use crate::{
    ending,
    problem::Problem,
    wire::{ClockState, EndState, OfferKind, OfferState, SeatKind, SeatState, State, Tree},
};
use parlor_catalog::Hosted;
use parlor_play::{Audience, Board, Cause, Ending, Face, Outcome, Record, Side, shortened};
use parlor_session::TimeControl;
use parlor_store::{EventRow, LiveRow, SeatRow, Standing};
use std::sync::Arc;

/// Wide enough for every board.
const WIDTH: usize = 120;

/// Who sits at a side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Which kind of player.
    pub kind: SeatKind,
    /// What it is called; the side's own name where it has none.
    pub name: String,
    /// The hash of the token that holds it, or of the invitation to it; the spec of a player of ours.
    pub key: String,
}

/// Something that happens to a game and is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// Somebody sits down.
    Sat(Side, Seat),
    /// A move, in the game's notation.
    Move(String),
    /// Moves are taken back until so many stand.
    Takeback(usize),
    /// The end, where the moves do not say so themselves.
    End(Ending),
}

/// The time of both sides.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// What each had left when its clock was last stopped, in milliseconds.
    pub left: [i64; 2],
    /// What each gets for a move.
    pub increment: i64,
    /// When the running clock was started, in milliseconds of the server's own time.
    pub since: i64,
}

/// A game being played.
pub struct Live {
    /// Its row in the store, as it was made; seats, plies and end are here and now.
    row: LiveRow,
    host: Arc<dyn Hosted>,
    face: Arc<Face>,
    board: Box<dyn Board>,
    seats: [Seat; 2],
    timing: Option<Timing>,
    /// The number of the last event.
    seq: i64,
    said: Vec<String>,
    /// Lives here only: whoever restarts a server may ask again.
    pub offer: Option<OfferState>,
}

impl Live {
    /// The game that a log tells. The error says what is wrong with it.
    pub fn fold(row: LiveRow, events: &[EventRow], now: i64) -> Result<Live, String> {
        let host = parlor_catalog::game(&row.game).map_err(|bad| bad.0)?;
        let board = match &row.start {
            None => host.board(),
            Some(start) => host.board_at(start).map_err(|bad| bad.0)?,
        };
        let seats = [seat(&row.seats[0])?, seat(&row.seats[1])?];
        let timing = match row.clock.as_deref().map(str::parse) {
            Some(Ok(TimeControl::Clock { base, increment })) => {
                let (base, increment) = (base.as_millis() as i64, increment.as_millis() as i64);
                Some(Timing { left: [base; 2], increment, since: now })
            }
            Some(_) => return Err("its clock cannot be read".to_string()),
            None => None,
        };
        let face = Arc::new(board.face());
        let mut live = Live { row, host, face, board, seats, timing, seq: 0, said: Vec::new(), offer: None };
        for event in events {
            live.replay(event, now)?;
        }
        live.tag();
        Ok(live)
    }

    /// Applies an event of the log. The error names the event and what is wrong with it.
    pub fn replay(&mut self, event: &EventRow, now: i64) -> Result<(), String> {
        if event.seq != self.seq + 1 {
            return Err(format!("event {} follows event {}", event.seq, self.seq));
        }
        self.replay_next(event, now).map_err(|why| {
            let (kind, text) = (shortened(&event.kind, 20), shortened(&event.text, 60));
            format!("event {} ({kind} '{text}'): {why}", event.seq)
        })
    }

    fn replay_next(&mut self, event: &EventRow, now: i64) -> Result<(), String> {
        let wrong = || "it cannot be read".to_string();
        match event.kind.as_str() {
            // Who sits where stands in the game's row.
            "seat" => self.seq += 1,
            "move" => self.happen(&Happening::Move(event.text.clone()), now)?,
            "takeback" => {
                self.happen(&Happening::Takeback(event.text.parse().map_err(|_| wrong())?), now)?;
            }
            "end" => {
                let (cause, outcome) = event.text.split_once(' ').ok_or_else(wrong)?;
                let cause = Cause::parse(cause).ok_or_else(wrong)?;
                let outcome = Outcome::parse(outcome);
                self.happen(&Happening::End(Ending { cause, outcome }), now)?;
            }
            _ => return Err(wrong()),
        }
        if let (Some(timing), Some(left)) = (&mut self.timing, event.left) {
            timing.left = left;
        }
        Ok(())
    }

    /// Makes it so. What was checked before cannot fail.
    pub fn happen(&mut self, what: &Happening, now: i64) -> Result<(), String> {
        self.stop_clock(now, matches!(what, Happening::Move(_)));
        let names = self.names();
        let names = [names[0].as_str(), names[1].as_str()];
        match what {
            Happening::Sat(side, seat) => {
                self.seats[side.index()] = seat.clone();
                self.tag();
            }
            Happening::Move(text) => {
                let turn = self.board.play(text, Audience { names, width: WIDTH }).map_err(|bad| bad.0)?;
                self.said = turn.seen.into_iter().map(|seen| seen.sentence).collect();
            }
            Happening::Takeback(ply) => {
                while self.board.ply() > *ply {
                    self.board.undo();
                }
                self.said = vec!["The last move was taken back.".to_string()];
            }
            Happening::End(ending) => {
                if !self.board.close(*ending) {
                    return Err("it has ended already".to_string());
                }
            }
        }
        self.offer = None;
        self.seq += 1;
        Ok(())
    }

    /// Charges the running clock for the time since it was started, and starts the next.
    fn stop_clock(&mut self, now: i64, moved: bool) {
        let running = self.running();
        let Some(timing) = &mut self.timing else { return };
        if let Some(side) = running {
            let left = &mut timing.left[side.index()];
            *left = (*left - (now - timing.since)).max(0) + if moved { timing.increment } else { 0 };
        }
        timing.since = now;
    }

    /// Whose clock runs: nobody's before the first move, so that nobody pays for waiting until the other has come.
    pub fn running(&self) -> Option<Side> {
        let ticking = self.timing.is_some() && self.board.ply() > 0 && self.board.ending().is_none();
        ticking.then(|| self.board.turn())
    }

    /// How many milliseconds the side to move has left, where a clock runs.
    pub fn left(&self, now: i64) -> Option<(Side, i64)> {
        let side = self.running()?;
        let timing = self.timing?;
        Some((side, timing.left[side.index()] - (now - timing.since)))
    }

    /// The clocks as players are told them: what both have left, and what they get for a move.
    pub fn clocks(&self, now: i64) -> Option<([i64; 2], i64)> {
        let timing = self.timing?;
        let mut left = timing.left;
        if let Some((side, now_left)) = self.left(now) {
            left[side.index()] = now_left.max(0);
        }
        Some((left, timing.increment))
    }

    /// When the last event of the log happened, in milliseconds since 1970.
    pub fn touched(&self) -> i64 {
        self.row.touched
    }

    /// The clock that runs has run for so long already.
    pub fn has_run(&mut self, millis: i64) {
        if self.running().is_some()
            && let Some(timing) = &mut self.timing
        {
            timing.since -= millis;
        }
    }

    /// An event as the store keeps it; call it after it happened.
    pub fn event(&self, what: &Happening, now: i64) -> EventRow {
        let (kind, text) = match what {
            Happening::Sat(side, seat) => ("seat", format!("{side} {}", seat.name)),
            Happening::Move(text) => ("move", text.clone()),
            Happening::Takeback(ply) => ("takeback", ply.to_string()),
            Happening::End(ending) => {
                let outcome = ending.outcome.map_or("*".to_string(), |outcome| outcome.to_string());
                ("end", format!("{} {outcome}", ending.cause))
            }
        };
        let left = self.timing.map(|timing| timing.left);
        EventRow { seq: self.seq, kind: kind.to_string(), text, at: now, left }
    }

    /// What the list of games shows from now on.
    pub fn standing(&self, sat: bool, now: i64) -> Standing {
        let ended = self.board.ending().map(|ending| {
            let result = ending.outcome.map_or("*".to_string(), |outcome| outcome.to_string());
            (now, result, ending.cause.to_string())
        });
        let seats = sat.then(|| [seat_row(&self.seats[0]), seat_row(&self.seats[1])]);
        Standing { plies: self.board.ply() as i64, seats, ended }
    }

    fn tag(&mut self) {
        let [first, second] = self.names();
        self.board.tag("First", &first);
        self.board.tag("Second", &second);
    }

    /// What both are called.
    pub fn names(&self) -> [String; 2] {
        [Side::First, Side::Second].map(|side| {
            let (name, label) = (&self.seats[side.index()].name, self.face.seats[side.index()]);
            if name.is_empty() { label.to_string() } else { name.clone() }
        })
    }

    /// The game's name in addresses.
    pub fn id(&self) -> &str {
        &self.row.id
    }

    /// The number of the last thing that happened.
    pub fn seq(&self) -> i64 {
        self.seq
    }

    /// The game itself.
    pub fn host(&self) -> &Arc<dyn Hosted> {
        &self.host
    }

    /// The board.
    pub fn board(&self) -> &dyn Board {
        self.board.as_ref()
    }

    /// Who sits where.
    pub fn seats(&self) -> &[Seat; 2] {
        &self.seats
    }

    /// The game as text.
    pub fn record(&self) -> Record {
        self.board.record()
    }

    /// The sides that a token holds.
    pub fn sides_of(&self, key: &str) -> Vec<Side> {
        let holds = |side: &Side| {
            let seat = &self.seats[side.index()];
            matches!(seat.kind, SeatKind::Person | SeatKind::Bot) && seat.key == key
        };
        Side::BOTH.into_iter().filter(holds).collect()
    }

    /// Somebody at the board keeps it from ending at the second occurrence of a position.
    pub fn endless(&self) -> Option<Ending> {
        let people = self.seats.iter().any(|seat| !seat.kind.is_ours());
        let patience = if people { 3 } else { 2 };
        let settled = self.board.settled().filter(|_| self.board.ending().is_none())?;
        let stands = self.board.occurrences() >= patience;
        stands.then_some(Ending { cause: Cause::Cycle, outcome: Some(settled) })
    }

    /// The move that a path of targets means.
    pub fn by_path(&self, path: &[u16]) -> Result<String, Problem> {
        let found = self.board.paths().iter().position(|known| known == path);
        let mv = found.and_then(|i| self.board.moves().into_iter().nth(i));
        mv.ok_or_else(|| Problem::Illegal("that path of cells is no legal move".to_string()))
    }

    /// The game as everybody may see it now.
    pub fn frame(&self) -> Frame {
        let (last, won) = self.board.pointed_out();
        let names = self.names();
        let picture = self.board.draw(Audience { names: [&names[0], &names[1]], width: WIDTH }).to_string();
        let over = self.board.ending().is_some();
        let paths =
            (!over && !self.seats[self.board.turn().index()].kind.is_ours()).then(|| self.board.paths());
        Frame::new(self.state(last, won), self.face.clone(), self.board.marks(), picture)
            .with_tree(paths.map(|paths| Tree::of(&paths)))
            .held_by([&self.seats[0], &self.seats[1]].map(|seat| match seat.kind {
                SeatKind::Person | SeatKind::Bot => Some(seat.key.clone()),
                _ => None,
            }))
            .asking(self.board.prompt(), self.board.move_help())
    }

    fn state(&self, last: Vec<u16>, won: bool) -> State {
        let record = self.board.record();
        let ending = self.board.ending();
        let timing = self.timing.map(|timing| ClockState {
            left: timing.left,
            increment: timing.increment,
            running: self.running().map(Into::into),
            at: timing.since,
        });
        State {
            id: self.row.id.clone(),
            game: self.face.spec.clone(),
            title: self.face.title.to_string(),
            seq: self.seq,
            ply: self.board.ply(),
            turn: ending.is_none().then(|| self.board.turn().into()),
            seats: [Side::First, Side::Second].map(|side| self.seat_state(side)),
            start: record.start,
            position: self.board.position(),
            moves: record.moves,
            movers: self.board.movers().into_iter().map(Into::into).collect(),
            marks: self.board.marks().into_iter().map(Into::into).collect(),
            last,
            won,
            said: self.said.clone(),
            scores: self.board.scores(),
            clocks: timing,
            offer: self.offer,
            claimable: self.board.claimable(),
            queue: None,
            ending: ending.map(|ending| EndState::new(ending, self.end_sentence(ending))),
        }
    }

    fn seat_state(&self, side: Side) -> SeatState {
        let seat = &self.seats[side.index()];
        let spec = (seat.kind == SeatKind::Player).then(|| seat.key.clone());
        let label = self.face.seats[side.index()].to_string();
        SeatState { label, name: self.names()[side.index()].clone(), kind: seat.kind, spec }
    }

    fn end_sentence(&self, ending: Ending) -> String {
        let names = self.names();
        ending::sentence(self.board.as_ref(), [&names[0], &names[1]], ending)
    }

    /// Where a side would get back to by taking its last move back; the error is a sentence.
    pub fn takeback_ply(&self, side: Side) -> Result<usize, Problem> {
        if self.board.ending().is_some() {
            return Err(Problem::Refused("the game is over; no move can be taken back".to_string()));
        }
        let ply = self.board.movers().iter().rposition(|&mover| mover == side);
        ply.ok_or_else(|| {
            Problem::Refused("you have not moved yet: there is nothing to take back".to_string())
        })
    }

    /// What endless play pays here, if the side to move may claim it.
    pub fn claim(&self, side: Side) -> Result<Ending, Problem> {
        if self.board.ending().is_some() {
            return Err(Problem::Refused("the game is over".to_string()));
        }
        if self.board.turn() != side {
            return Err(Problem::NotYourTurn);
        }
        match self.board.settled().filter(|_| self.board.claimable()) {
            Some(outcome) => Ok(Ending { cause: Cause::Cycle, outcome: Some(outcome) }),
            None => Err(Problem::Refused(self.board.why_no_claim())),
        }
    }

    /// Something is offered to the other side.
    pub fn offer(&mut self, kind: OfferKind, by: Side) {
        self.offer = Some(OfferState { kind, by: by.into() });
    }
}

fn seat(row: &SeatRow) -> Result<Seat, String> {
    let kind = SeatKind::parse(&row.kind).ok_or("a seat cannot be read")?;
    Ok(Seat { kind, name: row.name.clone(), key: row.spec.clone() })
}

/// A seat as the store keeps it.
pub fn seat_row(seat: &Seat) -> SeatRow {
    SeatRow { kind: seat.kind.word().to_string(), name: seat.name.clone(), spec: seat.key.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(clock: Option<&str>) -> Live {
        let open = |key: &str| SeatRow { kind: "person".into(), name: String::new(), spec: key.into() };
        let row = LiveRow {
            id: "x".into(),
            game: "kalah:6,4".into(),
            start: None,
            clock: clock.map(String::from),
            seats: [open("a"), open("b")],
            listed: true,
            created: 0,
            touched: 0,
            plies: 0,
            ended: None,
            result: None,
            cause: None,
        };
        Live::fold(row, &[], 0).expect("a game")
    }

    fn play(live: &mut Live, text: &str, now: i64) -> EventRow {
        let what = Happening::Move(text.into());
        live.happen(&what, now).expect("a legal move");
        live.event(&what, now)
    }

    #[test]
    fn a_clock_runs_for_the_side_to_move_and_only_after_the_first_move() {
        let mut live = game(Some("10s+2s"));
        assert_eq!(live.left(7_000), None, "nobody pays for waiting");
        play(&mut live, "1", 7_000);
        assert_eq!(live.left(11_000), Some((Side::Second, 6_000)));
        play(&mut live, "1", 11_000);
        assert_eq!(live.clocks(12_500), Some(([8_500, 8_000], 2_000)), "two seconds for a move");
        assert_eq!(live.left(21_000), Some((Side::First, 0)), "the flag falls here");
    }

    #[test]
    fn a_log_folds_to_the_same_game_and_nobody_pays_for_the_time_between() {
        let mut live = game(Some("10s+0s"));
        let mut events = vec![play(&mut live, "1", 0), play(&mut live, "1", 3_000)];
        let back = Happening::Takeback(1);
        live.happen(&back, 4_000).expect("it happens");
        events.push(live.event(&back, 4_000));
        events.push(play(&mut live, "2", 5_000));
        let again = Live::fold(live.row.clone(), &events, 900_000).expect("a log that folds");
        assert_eq!(again.record(), live.record());
        assert_eq!((again.seq(), again.clocks(900_000)), (live.seq(), live.clocks(5_000)));
    }

    #[test]
    fn a_log_with_a_gap_or_an_illegal_move_is_not_believed() {
        let mut live = game(None);
        let first = play(&mut live, "1", 0);
        let row = live.row.clone();
        for wrong in [
            EventRow { seq: 2, ..first.clone() },
            EventRow { text: "9".into(), ..first.clone() },
            EventRow { kind: "?".into(), ..first },
        ] {
            assert!(Live::fold(row.clone(), &[wrong], 0).is_err());
        }
    }
}
