//! What the players of a sitting settle among themselves: that play goes on endlessly, that a move is taken back. None of it
//! enters the record but its outcome.

use crate::{
    Terminal,
    person::agrees,
    sitting::{Seat, Sitting},
};
use parlor_play::{Cause, Ending, Offer, Side};
use std::io;

impl Sitting<'_> {
    /// With a person at the board a cycle is stopped at the third occurrence of a position, otherwise at the second.
    pub(crate) fn stop_cycles(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
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

    pub(crate) fn claim(&mut self, side: Side, term: &mut dyn Terminal) -> io::Result<()> {
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
    pub(crate) fn take_back(&mut self, side: Side, term: &mut dyn Terminal) -> io::Result<()> {
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
}
