//! Offers between the players: takebacks and claims of repetition. The session decides the effect of an offer and its answer.

use crate::{
    ConsoleSession, Terminal,
    display::print_line,
    help::{Reply, ask_yes_or_no},
};
use parlor_core::{Offer, Side};
use parlor_session::{Command, EventKind, OpenOffer};
use std::io;

impl ConsoleSession<'_> {
    /// Asks the other side about an offer and passes its answer to the session.
    pub(crate) fn ask_other(&mut self, open: OpenOffer, term: &mut dyn Terminal) -> io::Result<()> {
        let (movers, moves) = (self.session.board().movers(), self.session.record().moves);
        let command = match self.reply(open, term)? {
            Reply::Yes => Command::Accept,
            Reply::No => Command::Decline,
            Reply::TimeUp => Command::TimeUp,
            Reply::Interrupted => Command::Abandon,
        };
        let Some(event) = self.decide(open.by.other(), command, term)? else { return Ok(()) };
        match event.kind {
            EventKind::Takeback(ply) => {
                let undone = movers.iter().zip(&moves).skip(ply);
                let undone = undone.map(|(side, text)| format!("{} {text}", self.name(*side)));
                print_line(&format!("Moves taken back: {}.", undone.collect::<Vec<_>>().join(", ")), term)?;
                self.show(term)
            }
            EventKind::OfferClosed { .. } => print_line(
                match open.offer {
                    Offer::Takeback => "The move is not taken back.",
                    Offer::Cycle => "The game continues.",
                },
                term,
            ),
            _ => self.report(&event, term),
        }
    }

    /// Asks the other side. The clock of the side to move runs meanwhile if a person is involved.
    fn reply(&mut self, open: OpenOffer, term: &mut dyn Terminal) -> io::Result<Reply> {
        let other = open.by.other();
        let name = self.name(other).to_string();
        if self.participants[other.index()].is_person() {
            let by = self.name(open.by);
            let question = match open.offer {
                Offer::Takeback => format!("{by} asks to take back the last move."),
                Offer::Cycle => {
                    format!("{by} claims repetition: each player would keep the seeds on their own side.")
                }
            };
            print_line(&question, term)?;
            self.time.start();
            let question = format!("{name}, do you agree?");
            let left = || self.time.left(&self.session);
            let reply = ask_yes_or_no(&self.view.info, other, &question, &left, term);
            self.time.stop();
            return reply;
        }
        let is_charged = self.participants[open.by.index()].is_person();
        if is_charged {
            self.time.start();
        }
        let accepted = self.program_accepts(other, open.offer);
        if is_charged {
            self.time.stop();
        }
        print_line(&format!("{name} {}.", if accepted { "agrees" } else { "does not agree" }), term)?;
        Ok(if accepted { Reply::Yes } else { Reply::No })
    }

    /// Whether a program accepts an offer. It accepts every takeback and decides about a claim itself.
    fn program_accepts(&mut self, side: Side, offer: Offer) -> bool {
        if offer == Offer::Takeback {
            return true;
        }
        let player = self.participants[side.index()].player.as_mut();
        player.is_some_and(|player| player.accepts(self.session.board(), offer))
    }
}
