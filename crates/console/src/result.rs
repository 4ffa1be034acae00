//! The result screen: the winner and both scores, for a while before a menu comes back.

use crate::{ConsoleSession, Terminal};
use parlor_core::{Cause, Ending, Outcome};
use std::{io, time::Duration};

/// What the frame round the result takes of each line.
const FRAME: usize = 8;

impl ConsoleSession<'_> {
    /// Shows the result for a while, in games that have a result screen. Returns whether it was shown. A screen is cleared
    /// first; the last board stays in sight.
    pub fn show_result(&mut self, term: &mut dyn Terminal) -> io::Result<bool> {
        if !self.view.info.keywords.linger || self.settings.linger == Duration::ZERO {
            return Ok(false);
        }
        let Some(Ending { cause, outcome: Some(outcome) }) = self.session.ending() else { return Ok(false) };
        if term.clear()? {
            self.show(term)?;
        }
        let lines = self.result_lines(cause, outcome, term.width().saturating_sub(FRAME));
        let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) + 4;
        let rule = format!("  +{}+", "-".repeat(width));
        term.print(&format!("\n{rule}\n"))?;
        for line in lines {
            term.print(&format!("  |{line:^width$}|\n"))?;
        }
        term.print(&format!("{rule}\n\n"))?;
        term.wait(self.settings.linger)?;
        Ok(true)
    }

    /// The winner, what ended the game early, and both scores: the final ones, or those on the board.
    fn result_lines(&self, cause: Cause, outcome: Outcome, width: usize) -> Vec<String> {
        let names = self.view.called();
        let winner = match outcome.winner {
            Some(side) => format!("{} wins", names[side.index()]),
            None => "A draw".to_string(),
        };
        let reason = match cause {
            Cause::Resigned => Some(format!("by {}", self.view.info.keywords.give_up[1])),
            Cause::Timeout => Some("on time".to_string()),
            Cause::Illegal => Some("by an illegal move".to_string()),
            Cause::Crash => Some("by a crash".to_string()),
            _ => None,
        };
        let board = self.session.board();
        let scores = board.final_scores().or_else(|| board.scores());
        let scores = scores.map_or(Vec::new(), |[first, second]| {
            let together = format!("{} {first} : {second} {}", names[0], names[1]);
            if together.chars().count() <= width {
                vec![together]
            } else {
                vec![format!("{} {first}", names[0]), format!("{} {second}", names[1])]
            }
        });
        [winner].into_iter().chain(reason).chain(scores).collect()
    }
}
