//! One game between two seats: asks whose turn it is, makes the move, tells what happened, and sees that the game ends.
//! Every move, a person's or a computer's, goes through the same door and is checked there.

use crate::{
    Archive, BoardView, ConsoleSettings, Input, Terminal,
    clock::{Clocks, Flag},
    person::{Person, Wish},
    speech::{prompt, tell, tell_faint, tell_strong},
};
use parlor_catalog::PlayerSpec;
use parlor_play::{Answer, Board, Cause, Ending, Failure, Limits, Player, Side};
use std::{io, sync::atomic::Ordering};

/// Who sits at a side of the board.
pub struct Seat {
    /// Their own name, if they gave one.
    name: Option<String>,
    /// What the record calls them: the whole player spec.
    described: String,
    /// Who thinks for them; nobody for a person.
    pub(crate) player: Option<Box<dyn Player>>,
}

impl Seat {
    /// Somebody at the keyboard.
    pub fn person(spec: &PlayerSpec) -> Seat {
        Seat { described: spec.to_string(), name: spec.name.clone(), player: None }
    }

    /// A program.
    pub fn computer(spec: &PlayerSpec, player: Box<dyn Player>) -> Seat {
        Seat { described: spec.to_string(), name: spec.name.clone(), player: Some(player) }
    }

    /// A program of somebody else's: what the record calls it, and its own name if it was given one.
    pub fn foreign(described: &str, name: Option<&str>, player: Box<dyn Player>) -> Seat {
        Seat { described: described.to_string(), name: name.map(String::from), player: Some(player) }
    }

    pub(crate) fn is_person(&self) -> bool {
        self.player.is_none()
    }
}

/// A game being played at a terminal.
pub struct ConsoleSession<'a> {
    pub(crate) settings: ConsoleSettings,
    pub(crate) board: Box<dyn Board>,
    pub(crate) view: BoardView,
    pub(crate) seats: [Seat; 2],
    clocks: Option<Clocks>,
    archive: &'a mut dyn Archive,
}

impl<'a> ConsoleSession<'a> {
    pub(crate) fn new(
        settings: ConsoleSettings,
        mut board: Box<dyn Board>,
        seats: [Seat; 2],
        archive: &'a mut dyn Archive,
    ) -> ConsoleSession<'a> {
        let view = BoardView::new(board.face(), [seats[0].name.as_deref(), seats[1].name.as_deref()]);
        board.tag("First", &seats[0].described);
        board.tag("Second", &seats[1].described);
        for (name, value) in &settings.tags {
            board.tag(name, value);
        }
        board.tag("Seed", &settings.seed.to_string());
        if let Some(control) = settings.control {
            board.tag("Clock", &control.to_string());
        }
        let clocks = settings.control.map(Clocks::new);
        ConsoleSession { settings, board, view, seats, clocks, archive }
    }

    /// Plays to the end and tells how it came out.
    pub fn play(&mut self, term: &mut dyn Terminal) -> io::Result<Option<Ending>> {
        self.archive.begin()?;
        self.archive.keep(&self.board.record())?;
        self.greet(term)?;
        self.open(term)?;
        self.make_ready(term)?;
        while self.board.ending().is_none() {
            self.turn(term)?;
            self.archive.keep(&self.board.record())?;
        }
        let ending = self.board.ending();
        if let Some(ending) = ending {
            let players = self.seats.iter_mut().filter_map(|seat| seat.player.as_mut());
            players.for_each(|player| player.end(&ending));
        }
        self.view.announce(self.board.as_ref(), term)?;
        Ok(ending)
    }

    /// Tells the programs of the game. Where one cannot be started there is no game.
    fn make_ready(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
        let spec = self.view.face.spec.clone();
        for side in Side::BOTH {
            let Some(player) = &mut self.seats[side.index()].player else { continue };
            match player.ready(&spec) {
                Ok(()) => player.begin(&spec, side),
                Err(failure) => {
                    tell(&format!("{} {failure}.", self.name(side)), term)?;
                    self.abandon();
                }
            }
        }
        Ok(())
    }

    pub(crate) fn name(&self, side: Side) -> &str {
        self.view.name(side)
    }

    fn greet(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
        let described = |side: Side| {
            let (seat, name) = (self.view.face.seats[side.index()], &self.seats[side.index()].described);
            format!("{seat}: {name}")
        };
        let line =
            format!("{} - {}, {}", self.view.face.spec, described(Side::First), described(Side::Second));
        term.print("\n")?;
        tell_strong(&line, term)?;
        if self.board.ending().is_none() && self.seats.iter().any(Seat::is_person) {
            tell_faint("Type help to see what you can type.", term)?;
        }
        Ok(())
    }

    /// The first board; where the game is over already, with what its last move did.
    fn open(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
        match self.board.last_turn(self.view.audience(term)).filter(|_| self.board.ending().is_some()) {
            Some(turn) => self.view.tell_turn(turn, self.board.as_ref(), term),
            None => self.show(term),
        }
    }

    pub(crate) fn show(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
        self.view.show(self.board.as_ref(), term)
    }

    fn turn(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
        let side = self.board.turn();
        let watched = !self.seats.iter().any(Seat::is_person);
        if watched && !self.goes_on(term)? || self.settings.stop.load(Ordering::Relaxed) {
            self.abandon();
            return Ok(());
        }
        let before = self.settings.clock.now();
        let wish = if self.seats[side.index()].is_person() {
            let flag = self
                .clocks
                .map(|clocks| Flag { clock: self.settings.clock.clone(), falls: before + clocks.left(side) });
            Person { board: self.board.as_ref(), view: &self.view, flag }.ask(term)?
        } else {
            self.think(side, term)?
        };
        let passed = self.settings.clock.now().saturating_sub(before);
        let player = self.seats[side.index()].player.as_ref();
        let thought = player.and_then(|player| player.thought()).unwrap_or(passed);
        let in_time = self.clocks.as_mut().is_none_or(|clocks| clocks.spend(side, thought));
        if in_time || wish == Wish::Leave {
            self.grant(side, wish, term)
        } else {
            self.grant(side, Wish::TimeUp, term)
        }
    }

    /// Between two computers somebody looks on, and turns the page. False: they have seen enough.
    fn goes_on(&mut self, term: &mut dyn Terminal) -> io::Result<bool> {
        if !self.settings.pause {
            return Ok(true);
        }
        prompt("Press Enter for the next move, or type run (to the end) or q (to stop).", term)?;
        match term.read_line(None)? {
            Input::Line(line) => {
                let word = line.trim().to_ascii_lowercase();
                self.settings.pause = word != "run";
                Ok(!["q", "quit"].contains(&word.as_str()))
            }
            Input::End | Input::TimedOut => {
                // Nobody is there to turn pages.
                self.settings.pause = false;
                term.print("\n")?;
                Ok(true)
            }
            Input::Interrupted => {
                term.print("\n")?;
                Ok(false)
            }
        }
    }

    /// A computer's answer as a wish.
    fn think(&mut self, side: Side, term: &mut dyn Terminal) -> io::Result<Wish> {
        let clocks = self.clocks.map(|clocks| clocks.told());
        let time = clocks.map(|clocks| clocks.left[side.index()]);
        let limits = Limits { time, clocks, ..Limits::default() };
        let record = self.board.record();
        let Some(player) = &mut self.seats[side.index()].player else { return Ok(Wish::Board) };
        let answer = player.choose(&record, &limits, &self.settings.stop, &mut |_| ());
        if self.settings.stop.load(Ordering::Relaxed) {
            // The terminal has shown ^C.
            term.print("\n")?;
            return Ok(Wish::Leave);
        }
        Ok(match answer {
            Ok(Answer::Move(text)) => {
                tell(&format!("{} plays {text}.", self.name(side)), term)?;
                Wish::Move(text)
            }
            Ok(Answer::Resign) => Wish::Resign,
            Ok(Answer::Claim) => Wish::Claim,
            Ok(Answer::NoMove) => Wish::Fail(Cause::Illegal, "found no move".to_string()),
            Err(failure @ Failure::Timeout(_)) => Wish::Fail(Cause::Timeout, failure.to_string()),
            Err(failure @ Failure::Garbage(_)) => Wish::Fail(Cause::Illegal, failure.to_string()),
            Err(failure) => Wish::Fail(Cause::Crash, failure.to_string()),
        })
    }

    fn grant(&mut self, side: Side, wish: Wish, term: &mut dyn Terminal) -> io::Result<()> {
        let name = self.name(side).to_string();
        match wish {
            Wish::Move(text) => self.make(side, &text, term),
            Wish::Board => self.show(term),
            Wish::Resign => self.lose(side, Cause::Resigned, &self.view.gives_up(side), term),
            Wish::TimeUp => self.lose(side, Cause::Timeout, &format!("{name}'s time is up."), term),
            Wish::Fail(cause, why) => self.lose(side, cause, &format!("{name} {why}."), term),
            Wish::Claim => self.claim(side, term),
            Wish::Takeback => self.take_back(side, term),
            Wish::Leave => {
                self.abandon();
                Ok(())
            }
        }
    }

    pub(crate) fn abandon(&mut self) {
        self.board.close(Ending { cause: Cause::Abandoned, outcome: None });
    }

    fn lose(&mut self, side: Side, cause: Cause, sentence: &str, term: &mut dyn Terminal) -> io::Result<()> {
        self.board.close(Ending::lost_by(side, cause));
        tell(sentence, term)
    }

    fn make(&mut self, side: Side, text: &str, term: &mut dyn Terminal) -> io::Result<()> {
        let turn = match self.board.play(text, self.view.audience(term)) {
            Ok(turn) => turn,
            Err(why) => {
                let sentence = format!("{} answered '{text}', which is illegal: {why}.", self.name(side));
                return self.lose(side, Cause::Illegal, &sentence, term);
            }
        };
        if let Some(clocks) = &mut self.clocks {
            clocks.moved(side);
        }
        self.view.tell_turn(turn, self.board.as_ref(), term)?;
        self.stop_cycles(term)
    }
}
