//! How a game came out, shown on its own for a while before a menu comes back.

use crate::{ConsoleSession, Terminal};
use parlor_play::{Cause, Ending, Outcome};
use std::{io, time::Duration};

/// What the frame round the result takes of each line.
const FRAME: usize = 8;

impl ConsoleSession<'_> {
    /// The result on its own for a while, before a menu comes back.
    pub fn linger(&self, term: &mut dyn Terminal) -> io::Result<()> {
        if !self.view.face.manners.linger || self.settings.linger == Duration::ZERO {
            return Ok(());
        }
        let Some(Ending { cause, outcome: Some(outcome) }) = self.session.ending() else { return Ok(()) };
        let lines = self.result_lines(cause, outcome, term.width().saturating_sub(FRAME));
        let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) + 4;
        let rule = format!("  +{}+", "-".repeat(width));
        term.print(&format!("\n{rule}\n"))?;
        for line in lines {
            term.print(&format!("  |{line:^width$}|\n"))?;
        }
        term.print(&format!("{rule}\n\n"))?;
        term.wait(self.settings.linger)
    }

    /// Who won, and by what: the scores where the game was played out, otherwise what ended it.
    fn result_lines(&self, cause: Cause, outcome: Outcome, width: usize) -> Vec<String> {
        let names = self.view.called();
        let mut lines = vec![match outcome.winner {
            Some(side) => format!("{} wins", names[side.index()]),
            None => "A draw".to_string(),
        }];
        match cause {
            Cause::Resigned => lines.push(format!("by {}", self.view.face.manners.give_up[1])),
            Cause::Timeout => lines.push("on time".to_string()),
            Cause::Illegal => lines.push("by an illegal move".to_string()),
            Cause::Crash => lines.push("by a crash".to_string()),
            _ => lines.extend(self.session.board().final_scores().into_iter().flat_map(|[first, second]| {
                let together = format!("{} {first} : {second} {}", names[0], names[1]);
                if together.chars().count() <= width {
                    vec![together]
                } else {
                    vec![format!("{} {first}", names[0]), format!("{} {second}", names[1])]
                }
            })),
        }
        lines
    }
}
