//! How a game came out, shown on its own for a while before a menu comes back.

use crate::{Terminal, sitting::Sitting};
use parlor_play::{Cause, Ending, Outcome};
use std::{io, time::Duration};

impl Sitting<'_> {
    /// The result on its own for a while, before a menu comes back.
    pub fn linger(&self, term: &mut dyn Terminal) -> io::Result<()> {
        if !self.stage.face.manners.linger || self.lobby.linger == Duration::ZERO {
            return Ok(());
        }
        let Some(Ending { cause, outcome: Some(outcome) }) = self.board.ending() else { return Ok(()) };
        let lines = self.result_lines(cause, outcome);
        let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) + 4;
        let rule = format!("  +{}+", "-".repeat(width));
        term.say(&format!("\n{rule}\n"))?;
        for line in lines {
            term.say(&format!("  |{line:^width$}|\n"))?;
        }
        term.say(&format!("{rule}\n\n"))?;
        term.rest(self.lobby.linger)
    }

    /// Who won, and by what: the scores where the game was played out, otherwise what ended it.
    fn result_lines(&self, cause: Cause, outcome: Outcome) -> Vec<String> {
        let names = self.stage.called();
        let mut lines = vec![match outcome.winner {
            Some(side) => format!("{} wins", names[side.index()]),
            None => "A draw".to_string(),
        }];
        let scores =
            self.board.final_scores().map(|s| format!("{} {} : {} {}", names[0], s[0], s[1], names[1]));
        lines.extend(match cause {
            Cause::Resigned => Some(format!("by {}", self.stage.face.manners.give_up[1])),
            Cause::Timeout => Some("on time".to_string()),
            Cause::Illegal => Some("by an illegal move".to_string()),
            Cause::Crash => Some("by a breakdown".to_string()),
            _ => scores,
        });
        lines
    }
}
