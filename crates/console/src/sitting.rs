//! One game between two seats: asks whose turn it is, makes the move, tells what happened, and sees that the game ends.
//! Every move, a person's or a computer's, goes through the same door and is checked there.

use crate::{
    Lobby, Save, Terminal,
    clock::Clocks,
    paint::{faint, paint, strong},
    person::{Wish, ask},
};
use parlor_catalog::PlayerSpec;
use parlor_play::{Answer, Audience, Board, Cause, Ending, Face, Failure, Limits, Picture, Player, Side};
use std::{io, sync::atomic::Ordering};

/// Who sits at a side of the board.
pub struct Seat {
    /// Their own name, if they gave one.
    name: Option<String>,
    /// What the record calls them.
    described: String,
    /// Who thinks for them; nobody for a person.
    pub(crate) player: Option<Box<dyn Player>>,
}

impl Seat {
    /// Somebody at the keyboard.
    pub fn person(name: Option<String>) -> Seat {
        Seat { described: name.clone().unwrap_or_else(|| "human".to_string()), name, player: None }
    }

    /// A program.
    pub fn computer(name: Option<String>, spec: &PlayerSpec, player: Box<dyn Player>) -> Seat {
        Seat { described: name.clone().unwrap_or_else(|| spec.to_string()), name, player: Some(player) }
    }

    pub(crate) fn is_person(&self) -> bool {
        self.player.is_none()
    }
}

/// A game being played at a terminal.
pub struct Sitting<'a> {
    pub(crate) lobby: Lobby,
    pub(crate) board: Box<dyn Board>,
    pub(crate) face: Face,
    pub(crate) seats: [Seat; 2],
    pub(crate) names: [String; 2],
    /// Who made each move of this sitting.
    pub(crate) movers: Vec<Side>,
    clocks: Option<Clocks>,
    save: Save<'a>,
    told_width: bool,
    input_ended: bool,
}

impl<'a> Sitting<'a> {
    pub(crate) fn new(
        lobby: Lobby,
        mut board: Box<dyn Board>,
        seats: [Seat; 2],
        save: Save<'a>,
    ) -> Sitting<'a> {
        let face = board.face();
        let name = |side: Side| {
            seats[side.index()].name.clone().unwrap_or_else(|| face.seats[side.index()].to_string())
        };
        let names = Side::BOTH.map(name);
        board.tag("First", &seats[0].described);
        board.tag("Second", &seats[1].described);
        board.tag("Seed", &lobby.seed.to_string());
        let clocks = lobby.control.map(Clocks::new);
        Sitting {
            lobby,
            board,
            face,
            seats,
            names,
            movers: Vec::new(),
            clocks,
            save,
            told_width: false,
            input_ended: false,
        }
    }

    /// Plays to the end and tells how it came out.
    pub fn play(&mut self, term: &mut dyn Terminal) -> io::Result<Option<Ending>> {
        self.greet(term)?;
        self.show(term)?;
        for side in Side::BOTH {
            let spec = self.face.spec.clone();
            if let Some(player) = &mut self.seats[side.index()].player {
                player.begin(&spec, side);
            }
        }
        (self.save)(&self.board.record())?;
        while self.board.ending().is_none() {
            self.turn(term)?;
            (self.save)(&self.board.record())?;
        }
        let ending = self.board.ending();
        if let Some(Ending { outcome: Some(outcome), .. }) = ending {
            self.seats
                .iter_mut()
                .filter_map(|seat| seat.player.as_mut())
                .for_each(|player| player.end(&outcome));
        }
        self.announce(term)?;
        Ok(ending)
    }

    fn greet(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
        let described = |side: Side| {
            let (seat, name) = (self.face.seats[side.index()], &self.seats[side.index()].described);
            format!("{seat}: {name}")
        };
        let line = format!("{} - {}, {}", self.face.spec, described(Side::First), described(Side::Second));
        term.say(&format!("\n{}\n", strong(&line, term.colours())))?;
        if self.seats.iter().any(Seat::is_person) {
            term.say(&format!("{}\n", faint("Type help to see what you can type.", term.colours())))?;
        }
        Ok(())
    }

    fn audience<'b>(names: &'b [String; 2], term: &dyn Terminal) -> Audience<'b> {
        // Two characters are the margin at the left.
        Audience { names: [&names[0], &names[1]], width: term.width().saturating_sub(2) }
    }

    pub(crate) fn show(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
        let picture = self.board.draw(Self::audience(&self.names, term));
        self.show_picture(&picture, term)
    }

    fn show_picture(&mut self, picture: &Picture, term: &mut dyn Terminal) -> io::Result<()> {
        let needed = picture.width() + 2;
        if needed > term.width() && !self.told_width {
            self.told_width = true;
            term.say(&format!(
                "The board is {needed} columns wide and this terminal {}: make it wider.\n",
                term.width()
            ))?;
        }
        term.say(&format!("\n{}\n", paint(picture, term.colours())))
    }

    fn turn(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
        let side = self.board.turn();
        if !self.seats.iter().any(Seat::is_person) {
            self.wait_for_enter(term)?;
        }
        if self.lobby.stop.load(Ordering::Relaxed) {
            self.board.close(Ending { cause: Cause::Abandoned, outcome: None });
            return Ok(());
        }
        let before = self.lobby.clock.now();
        let wish = if self.seats[side.index()].is_person() {
            let names = self.names.clone();
            let clock = self.clocks.map(|clocks| clocks.left(side));
            ask(self.board.as_ref(), &self.face, &names, clock, term)?
        } else {
            self.think(side, term)?
        };
        let thought = self.lobby.clock.now().saturating_sub(before);
        if wish != Wish::Board
            && let Some(clocks) = &mut self.clocks
            && !clocks.charge(side, thought)
        {
            return self.lose(
                side,
                Cause::Timeout,
                &format!("{}'s time is up.", self.names[side.index()]),
                term,
            );
        }
        self.grant(side, wish, term)
    }

    /// Between two computers somebody looks on, and turns the page.
    fn wait_for_enter(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
        if !self.lobby.pause || self.input_ended {
            return Ok(());
        }
        term.say("Press Enter for the next move. ")?;
        if term.hear(None)? == crate::Heard::End {
            self.input_ended = true;
            term.say("\n")?;
        }
        Ok(())
    }

    /// A computer's answer as a wish.
    fn think(&mut self, side: Side, term: &mut dyn Terminal) -> io::Result<Wish> {
        let limits = Limits { time: self.clocks.map(|clocks| clocks.share(side)), ..Limits::default() };
        let record = self.board.record();
        let Some(player) = &mut self.seats[side.index()].player else { return Ok(Wish::Board) };
        let answer = player.choose(&record, &limits, &self.lobby.stop, &mut |_| ());
        if self.lobby.stop.load(Ordering::Relaxed) {
            return Ok(Wish::Leave);
        }
        Ok(match answer {
            Ok(Answer::Move(text)) => {
                term.say(&format!("{} plays {text}.\n", self.names[side.index()]))?;
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
        let name = self.names[side.index()].clone();
        match wish {
            Wish::Move(text) => self.make(side, &text, term),
            Wish::Board => self.show(term),
            Wish::Resign => self.lose(side, Cause::Resigned, &format!("{name} resigns."), term),
            Wish::TimeUp => self.lose(side, Cause::Timeout, &format!("{name}'s time is up."), term),
            Wish::Fail(cause, why) => self.lose(side, cause, &format!("{name} {why}."), term),
            Wish::Claim => self.claim(side, term),
            Wish::Takeback => self.take_back(side, term),
            Wish::Leave => {
                self.board.close(Ending { cause: Cause::Abandoned, outcome: None });
                Ok(())
            }
        }
    }

    fn lose(&mut self, side: Side, cause: Cause, sentence: &str, term: &mut dyn Terminal) -> io::Result<()> {
        self.board.close(Ending::lost_by(side, cause));
        term.say(&format!("{sentence}\n"))
    }

    fn make(&mut self, side: Side, text: &str, term: &mut dyn Terminal) -> io::Result<()> {
        let names = self.names.clone();
        let turn = match self.board.play(text, Self::audience(&names, term)) {
            Ok(turn) => turn,
            Err(why) => {
                let sentence = format!("{} answered '{text}', which is illegal: {why}.", names[side.index()]);
                return self.lose(side, Cause::Illegal, &sentence, term);
            }
        };
        self.movers.push(side);
        let (staged, plain): (Vec<_>, Vec<_>) = turn.seen.into_iter().partition(|seen| seen.before.is_some());
        for seen in staged {
            if let Some(picture) = &seen.before {
                self.show_picture(picture, term)?;
            }
            term.say(&format!("{}\n", seen.sentence))?;
        }
        self.show(term)?;
        for seen in plain.iter().filter(|seen| !seen.sentence.is_empty()) {
            term.say(&format!("{}\n", seen.sentence))?;
        }
        self.stop_cycles(term)
    }
}
