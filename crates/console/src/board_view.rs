//! A board with its players' names: how a game in progress and a replayed game are shown.

use crate::{
    Terminal,
    paint::paint,
    speech::{tell, tell_strong},
};
use parlor_core::{
    Audience, Board, Cause, Colour, Ending, GameInfo, Picture, Side, Turn, shortened, winner_sentence,
};
use std::io;

/// Longer names are cut: they stand on the board.
const LONGEST_NAME: usize = 24;
/// What stays free at the left of a board.
const MARGIN: usize = 2;

/// A board with its players' names, as a terminal shows it.
#[derive(Clone, Debug)]
pub struct BoardView {
    /// What stays the same through the game.
    pub info: GameInfo,
    /// The players' names.
    pub names: [String; 2],
    reported_width: bool,
}

impl BoardView {
    /// A view with these names, where names were given. Two equal names get their sides added.
    pub fn new(info: GameInfo, given: [Option<&str>; 2]) -> BoardView {
        let seats = info.seats;
        let name = |side: Side| {
            let i = side.index();
            given[i].map_or(seats[i].to_string(), |name| shortened(name, LONGEST_NAME))
        };
        let mut names = Side::BOTH.map(name);
        if names[0] == names[1] {
            for i in 0..2 {
                if given[i].is_some() {
                    names[i] = format!("{} ({})", names[i], seats[i]);
                }
            }
        }
        BoardView { info, names, reported_width: false }
    }

    /// Both names.
    pub fn called(&self) -> [&str; 2] {
        [&self.names[0], &self.names[1]]
    }

    /// The name of a side.
    pub fn name(&self, side: Side) -> &str {
        &self.names[side.index()]
    }

    /// The names and the width to draw for.
    pub fn audience(&self, term: &dyn Terminal) -> Audience<'_> {
        Audience { names: self.called(), width: term.width() }
    }

    /// Draws the board.
    pub fn show(&mut self, board: &dyn Board, term: &mut dyn Terminal) -> io::Result<()> {
        let picture = board.draw(self.audience(term));
        self.show_picture(&picture, term)
    }

    fn show_picture(&mut self, picture: &Picture, term: &mut dyn Terminal) -> io::Result<()> {
        let (needed, width) = (picture.width(), term.width());
        if needed > width && !self.reported_width {
            self.reported_width = true;
            tell(
                &format!("The board is {needed} columns wide and this terminal {width}: make it wider."),
                term,
            )?;
        }
        let margin = if needed + MARGIN <= width { MARGIN } else { 0 };
        let sides: Option<[Colour; 2]> = term.colours().then_some(self.info.colours);
        term.print("\n")?;
        term.print_styled(&paint(picture, sides, margin))?;
        term.print("\n")
    }

    /// What happened in a move: each event that has a picture after it, then the board, then the other events.
    pub fn tell_turn(&mut self, turn: Turn, board: &dyn Board, term: &mut dyn Terminal) -> io::Result<()> {
        let (staged, plain): (Vec<_>, Vec<_>) =
            turn.events.into_iter().partition(|described| described.before.is_some());
        for described in staged {
            if let Some(picture) = &described.before {
                self.show_picture(picture, term)?;
            }
            tell(&described.event.text, term)?;
        }
        self.show(board, term)?;
        for described in plain {
            tell(&described.event.text, term)?;
        }
        Ok(())
    }

    /// The sentence for a resignation.
    fn gives_up(&self, side: Side) -> String {
        format!("{} {}s.", self.name(side), self.info.keywords.give_up[0])
    }

    /// Why a game ended that did not end by the rules, for readers who know only its record.
    pub fn tell_cause(&self, ending: Ending, term: &mut dyn Terminal) -> io::Result<()> {
        let loser = ending.outcome.and_then(|outcome| outcome.winner).map(Side::other);
        let sentence = match (ending.cause, loser) {
            (Cause::Normal | Cause::Abandoned, _) => return Ok(()),
            (Cause::Cycle, _) => "The game ended by repetition.".to_string(),
            (Cause::Resigned, Some(side)) => self.gives_up(side),
            (Cause::Timeout, Some(side)) => format!("{}'s time is up.", self.name(side)),
            (Cause::Illegal, Some(side)) => format!("{} answered an illegal move.", self.name(side)),
            (Cause::Crash, Some(side)) => format!("{} crashed.", self.name(side)),
            (Cause::Agreed, _) => "Both sides agreed on the result.".to_string(),
            (Cause::Adjudicated, _) => "The result was proved before the end of the game.".to_string(),
            (cause, None) => format!("The game ended early ({cause})."),
        };
        tell(&sentence, term)
    }

    /// The result; after an ending by repetition, first what each side keeps.
    pub fn announce(&self, board: &dyn Board, term: &mut dyn Terminal) -> io::Result<()> {
        let ending = board.ending();
        if ending.is_some_and(|ending| ending.cause == Cause::Cycle) {
            for sentence in board.settlement(self.called()) {
                tell(&sentence, term)?;
            }
        }
        let names = self.called();
        let sentence = board.verdict(names).unwrap_or_else(|| match ending.and_then(|e| e.outcome) {
            Some(outcome) => winner_sentence(None, outcome, names),
            None => "The game was left unfinished.".to_string(),
        });
        tell_strong(&sentence, term)
    }
}
