//! Offers in a room: takebacks and claims of repetition. Programs answer at once; a person has a time limit for the claim of a
//! program.

use super::{live_game::Change, task::Room};
use crate::{problem::Problem, wire::SeatKind};
use parlor_core::{Offer, Side, program_agrees};
use parlor_session::{Command, Event, OpenOffer};
use std::time::Duration;
use tokio::time::Instant;

/// How long a person may leave the claim of a program without an answer. Then it counts as declined, and the program is asked again.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(10);

impl Room {
    /// Makes or closes an offer. A program answers at once. The outer error ends the room; the inner one is for the client.
    pub(super) async fn handle_offer(&mut self, event: Event) -> Result<Result<(), Problem>, Problem> {
        self.live.apply(&event).map_err(|why| self.broken(&why))?;
        let Some((side, command)) = self.automatic_answer() else {
            let by_program = |offer: &OpenOffer| self.live.session().policy().is_program(offer.by);
            let claim = self.live.session().offer().filter(by_program);
            self.claim_expires = claim.map(|_| Instant::now() + CLAIM_TIMEOUT);
            self.broadcast();
            self.send_to_replicas(&[]);
            return Ok(Ok(()));
        };
        let declined = command == Command::Decline;
        match self.live.session().decide(side, command, self.now()) {
            Ok(event) if event.kind.is_durable() => {
                self.commit(Change::Session(event)).await?;
            }
            Ok(event) => {
                self.live.apply(&event).map_err(|why| self.broken(&why))?;
                self.broadcast();
                self.send_to_replicas(&[]);
            }
            Err(refused) => return Ok(Err(refused.into())),
        }
        let sentence = "the opponent declined: programs agree only if the position has occurred before";
        Ok(if declined { Err(Problem::Refused(sentence.to_string())) } else { Ok(()) })
    }

    /// Declines the claim of a program that a person has left open.
    pub(super) async fn decline_claim(&mut self) -> bool {
        self.claim_expires = None;
        let Some(offer) = self.live.session().offer() else { return true };
        let decided = self.live.session().decide(offer.by.other(), Command::Decline, self.now());
        self.handle_own_event(decided).await
    }

    /// The answer to the open offer where no person has to give it: of a program, for an open seat, and of a player who holds
    /// both seats.
    fn automatic_answer(&self) -> Option<(Side, Command)> {
        let offer = self.live.session().offer()?;
        let side = offer.by.other();
        let [own, other] = [side, offer.by].map(|side| &self.live.seats()[side.index()]);
        let agrees = match own.kind {
            SeatKind::Person => (own.key == other.key).then_some(true)?,
            SeatKind::Open => true,
            SeatKind::Bot => program_agrees(self.live.board(), offer.offer),
            SeatKind::Player | SeatKind::House => self.engine_agrees(side, offer.offer),
        };
        Some((side, if agrees { Command::Accept } else { Command::Decline }))
    }

    fn engine_agrees(&self, side: Side, offer: Offer) -> bool {
        let (seat, board) = (&self.live.seats()[side.index()], self.live.board());
        if offer == Offer::Takeback {
            return program_agrees(board, offer);
        }
        let made = self.deps.engines.player(self.live.host().as_ref(), seat, 0);
        made.map_or_else(|_| program_agrees(board, offer), |mut player| player.accepts(board, offer))
    }
}
