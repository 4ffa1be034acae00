//! What the players of a session settle among themselves: that play goes on endlessly, that a move is taken back. None of it
//! enters the record but its outcome.

use crate::{
    Terminal,
    console_session::{ConsoleSession, Seat},
    person::{Reply, agrees},
    speech::tell,
};
use parlor_play::{Cause, Ending, Offer, Outcome, Side, capitalised};
use std::io;

impl ConsoleSession<'_> {
    /// With a person at the board a cycle is stopped at the third occurrence of a position, otherwise at the second.
    pub(crate) fn stop_cycles(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
        let patience = if self.seats.iter().any(Seat::is_person) { 3 } else { 2 };
        if self.board.ending().is_some() {
            return Ok(());
        }
        match self.board.settled() {
            Some(outcome) if self.board.occurrences() >= patience => {
                let times = if patience == 3 { "third" } else { "second" };
                tell(&format!("The same position stands for the {times} time: the game ends here."), term)?;
                self.close_cycle(outcome);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn claim(&mut self, side: Side, term: &mut dyn Terminal) -> io::Result<()> {
        let Some(outcome) = self.board.settled().filter(|_| self.board.claimable()) else {
            return tell(&format!("{}.", capitalised(&self.board.why_no_claim())), term);
        };
        let question =
            format!("{} claims that play goes on endlessly; each side would take its own.", self.name(side));
        match self.agreed(side.other(), Offer::Cycle, &question, term)? {
            Reply::Yes => self.close_cycle(outcome),
            Reply::Leave => self.abandon(),
            Reply::No | Reply::TimeUp => tell("The game goes on.", term)?,
        }
        Ok(())
    }

    fn close_cycle(&mut self, outcome: Outcome) {
        self.board.close(Ending { cause: Cause::Cycle, outcome: Some(outcome) });
    }

    /// Takes back to where the side last had a choice.
    pub(crate) fn take_back(&mut self, side: Side, term: &mut dyn Terminal) -> io::Result<()> {
        let movers = self.board.movers();
        let Some(ply) = movers.iter().rposition(|&mover| mover == side) else {
            return tell("You have not moved yet: there is nothing to take back.", term);
        };
        let question = format!("{} asks to take the last move back.", self.name(side));
        match self.agreed(side.other(), Offer::Takeback, &question, term)? {
            Reply::Yes => {}
            Reply::Leave => {
                self.abandon();
                return Ok(());
            }
            Reply::No | Reply::TimeUp => return tell("The move stands.", term),
        }
        let undone = movers[ply..].iter().rev().map(|&mover| {
            let text = self.board.undo().unwrap_or_default();
            format!("{} {text}", self.view.name(mover))
        });
        let mut undone: Vec<String> = undone.collect();
        undone.reverse();
        tell(&format!("Taken back: {}.", undone.join(", ")), term)?;
        self.show(term)
    }

    /// Asks the other side. A person answers without a clock: it is not their turn.
    fn agreed(
        &mut self,
        side: Side,
        offer: Offer,
        question: &str,
        term: &mut dyn Terminal,
    ) -> io::Result<Reply> {
        let name = self.name(side).to_string();
        let Some(player) = &mut self.seats[side.index()].player else {
            tell(question, term)?;
            return agrees(&self.view.face, side, &format!("{name}, do you agree?"), None, term);
        };
        let accepted = player.accepts(self.board.as_ref(), offer);
        tell(&format!("{name} {}.", if accepted { "agrees" } else { "does not agree" }), term)?;
        Ok(if accepted { Reply::Yes } else { Reply::No })
    }
}
