//! How a game came out, told at the end of a sitting, and shown on its own for a while before a menu comes back.

use crate::{Terminal, paint::strong, sitting::Sitting};
use parlor_play::{Ending, Outcome};
use std::{io, time::Duration};

impl Sitting<'_> {
    pub(crate) fn announce(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
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
