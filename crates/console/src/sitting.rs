//! One game between two seats: asks whose turn it is, makes the move, tells what happened, and sees that the game ends.
//! Every move, a person's or a computer's, goes through the same door and is checked there.

use crate::{
    Lobby, Save, Terminal,
    clock::Clocks,
    paint::{faint, paint, strong},
    person::{Wish, agrees, ask},
};
use parlor_catalog::PlayerSpec;
use parlor_play::{
    Answer, Audience, Board, Cause, Ending, Face, Failure, Limits, Offer, Outcome, Picture, Player, Side,
};
use std::{io, sync::atomic::Ordering, time::Duration};

/// Who sits at a side of the board.
pub struct Seat {
    /// Their own name, if they gave one.
    name: Option<String>,
    /// What the record calls them.
    described: String,
    /// Who thinks for them; nobody for a person.
    player: Option<Box<dyn Player>>,
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

    fn is_person(&self) -> bool {
        self.player.is_none()
    }
}

/// A game being played at a terminal.
pub struct Sitting<'a> {
    lobby: Lobby,
    board: Box<dyn Board>,
    face: Face,
    seats: [Seat; 2],
    names: [String; 2],
    /// Who made each move of this sitting.
    movers: Vec<Side>,
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

    fn show(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
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

    /// With a person at the board a cycle is stopped at the third occurrence of a position, otherwise at the second.
    fn stop_cycles(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
        let patience = if self.seats.iter().any(Seat::is_person) { 3 } else { 2 };
        if self.board.ending().is_some() {
            return Ok(());
        }
        match self.board.settled() {
            Some(outcome) if self.board.occurrences() >= patience => {
                let times = if patience == 3 { "third" } else { "second" };
                term.say(&format!("The same position stands for the {times} time: the game ends here.\n"))?;
                self.board.close(Ending { cause: Cause::Cycle, outcome: Some(outcome) });
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn claim(&mut self, side: Side, term: &mut dyn Terminal) -> io::Result<()> {
        let Some(outcome) = self.board.settled().filter(|_| self.board.claimable()) else {
            return term.say("There is no endless cycle to claim now.\n");
        };
        let question = format!(
            "{} claims that play goes on endlessly; each side would take its own.",
            self.names[side.index()]
        );
        if self.agreed(side.other(), Offer::Cycle, &question, term)? {
            self.board.close(Ending { cause: Cause::Cycle, outcome: Some(outcome) });
            Ok(())
        } else {
            term.say("The game goes on.\n")
        }
    }

    /// Takes back to where the side last had a choice.
    fn take_back(&mut self, side: Side, term: &mut dyn Terminal) -> io::Result<()> {
        let Some(ply) = self.movers.iter().rposition(|&mover| mover == side) else {
            return term.say("You have not moved yet: there is nothing to take back.\n");
        };
        let question = format!("{} asks to take the last move back.", self.names[side.index()]);
        if !self.agreed(side.other(), Offer::Takeback, &question, term)? {
            return term.say("The move stands.\n");
        }
        for _ in ply..self.movers.len() {
            self.board.undo();
        }
        self.movers.truncate(ply);
        self.show(term)
    }

    fn agreed(
        &mut self,
        side: Side,
        offer: Offer,
        question: &str,
        term: &mut dyn Terminal,
    ) -> io::Result<bool> {
        let record = self.board.record();
        match &mut self.seats[side.index()].player {
            Some(player) => Ok(player.accepts(&record, offer)),
            None => {
                term.say(&format!("{question}\n"))?;
                let name = self.names[side.index()].clone();
                agrees(&self.face, side, &format!("{name}, do you agree?"), term)
            }
        }
    }

    fn announce(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
        let names = [self.names[0].as_str(), self.names[1].as_str()];
        let sentence =
            self.board.verdict(names).unwrap_or_else(|| match self.board.ending().and_then(|e| e.outcome) {
                Some(outcome) => parlor_play::winner_sentence(None, outcome, names),
                None => "The game was left unfinished.".to_string(),
            });
        term.say(&format!("{}\n", strong(&sentence, term.colours())))
    }

    /// The result on its own for a while, before a menu comes back.
    pub fn linger(&self, term: &mut dyn Terminal) -> io::Result<()> {
        if !self.face.manners.linger || self.lobby.linger == Duration::ZERO {
            return Ok(());
        }
        let Some(Ending { outcome: Some(outcome), .. }) = self.board.ending() else { return Ok(()) };
        let lines = self.result_lines(outcome);
        let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) + 4;
        let rule = format!("  +{}+", "-".repeat(width));
        term.say(&format!("\n{rule}\n"))?;
        for line in lines {
            term.say(&format!("  |{line:^width$}|\n"))?;
        }
        term.say(&format!("{rule}\n\n"))?;
        term.rest(self.lobby.linger)
    }

    fn result_lines(&self, outcome: Outcome) -> Vec<String> {
        let names = [self.names[0].as_str(), self.names[1].as_str()];
        let mut lines = vec![match outcome.winner {
            Some(side) => format!("{} wins", names[side.index()]),
            None => "A draw".to_string(),
        }];
        let scores = self.board.final_scores().or_else(|| self.board.scores());
        lines.extend(scores.map(|s| format!("{} {} : {} {}", names[0], s[0], s[1], names[1])));
        lines
    }
}
