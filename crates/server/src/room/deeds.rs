//! What players do at the board: checked against the game as it stands, and turned into what happens. No deed waits.

use super::{Deed, Guest, Happening, Live, MoveBy, Seat};
use crate::{
    problem::Problem,
    wire::{OfferKind, SeatKind},
};
use parlor_play::{Cause, Ending, Side};

/// What comes of a deed.
#[derive(Debug, PartialEq, Eq)]
pub enum Doing {
    /// Things happen, in this order, together.
    Happens(Vec<Happening>),
    /// An offer is made, or taken from the table: told, not kept.
    Offers(Option<(OfferKind, Side)>),
}

impl Live {
    /// What comes of a deed of whoever holds this key.
    pub fn consider(&self, key: &str, deed: &Deed) -> Result<Doing, Problem> {
        let sides = self.sides_of(key);
        let &[side, ..] = sides.as_slice() else { return Err(Problem::NotYourSeat) };
        // Somebody who plays both sides acts for the one to move.
        let side = if sides.contains(&self.board().turn()) { self.board().turn() } else { side };
        match deed {
            Deed::Move { ply, by } => self.consider_move(side, *ply, by),
            Deed::Resign => {
                self.still_on()?;
                Ok(Doing::Happens(vec![Happening::End(Ending::lost_by(side, Cause::Resigned))]))
            }
            Deed::Takeback => {
                let ply = self.takeback_ply(side)?;
                Ok(self.at_once_or(side, OfferKind::Takeback, Happening::Takeback(ply)))
            }
            Deed::Claim => {
                let ending = self.claim(side)?;
                self.program_sees_it(side)?;
                Ok(self.at_once_or(side, OfferKind::Cycle, Happening::End(ending)))
            }
            Deed::Accept => self.accept(&sides),
            Deed::Foul { ply, cause } => self.consider_foul(side, *ply, *cause),
            Deed::Decline => match self.offer {
                Some(_) => Ok(Doing::Offers(None)),
                None => Err(Problem::Refused("nothing is offered".to_string())),
            },
        }
    }

    /// Nobody moves for the other side, for another position, or after the end.
    fn consider_move(&self, side: Side, ply: u64, by: &MoveBy) -> Result<Doing, Problem> {
        if ply != self.board().ply() as u64 {
            return Err(Problem::Stale(ply, self.board().ply()));
        }
        self.still_on()?;
        if self.board().turn() != side {
            return Err(Problem::NotYourTurn);
        }
        let text = match by {
            MoveBy::Text(text) => text.clone(),
            MoveBy::Path(path) => self.by_path(path)?,
        };
        let text = self.board().check(&text).map_err(|bad| Problem::Illegal(bad.0))?;
        Ok(Doing::Happens(vec![Happening::Move(text)]))
    }

    /// Whoever leaves a game that nobody goes on with does not lose it.
    fn consider_foul(&self, side: Side, ply: Option<u64>, cause: Cause) -> Result<Doing, Problem> {
        self.still_on()?;
        let at = self.board().ply();
        if let Some(ply) = ply.filter(|&ply| ply != at as u64) {
            return Err(Problem::Stale(ply, at));
        }
        let ending = match cause {
            Cause::Abandoned => Ending { cause, outcome: None },
            _ => Ending::lost_by(side, cause),
        };
        Ok(Doing::Happens(vec![Happening::End(ending)]))
    }

    fn still_on(&self) -> Result<(), Problem> {
        match self.board().ending() {
            Some(_) => Err(Problem::Refused("the game is over".to_string())),
            None => Ok(()),
        }
    }

    /// A program is not asked whether it agrees that play is endless: the position must have stood before, or whoever is
    /// about to lose would claim it.
    fn program_sees_it(&self, side: Side) -> Result<(), Problem> {
        let other = self.seats()[side.other().index()].kind;
        let program = other == SeatKind::Bot || other.is_ours();
        if program && self.board().occurrences() < 2 {
            return Err(Problem::Refused(
                "a program agrees only where a position comes back; play on until one does".to_string(),
            ));
        }
        Ok(())
    }

    /// Engines agree at once, and so does somebody who plays both sides; bots have no word for it and are not asked.
    fn at_once_or(&self, side: Side, kind: OfferKind, what: Happening) -> Doing {
        let [own, other] = [side, side.other()].map(|side| &self.seats()[side.index()]);
        let silent = matches!(other.kind, SeatKind::Open | SeatKind::Bot);
        let agrees = other.kind.is_ours() || silent || other.key == own.key;
        if agrees { Doing::Happens(vec![what]) } else { Doing::Offers(Some((kind, side))) }
    }

    fn accept(&self, sides: &[Side]) -> Result<Doing, Problem> {
        let offer = self.offer.ok_or_else(|| Problem::Refused("nothing is offered".to_string()))?;
        let by = Side::from(offer.by);
        if !sides.contains(&by.other()) {
            return Err(Problem::Refused("the other side has to answer your offer".to_string()));
        }
        let what = match offer.kind {
            OfferKind::Takeback => Happening::Takeback(self.takeback_ply(by)?),
            OfferKind::Cycle => Happening::End(self.claim(by)?),
        };
        Ok(Doing::Happens(vec![what]))
    }

    /// Who sits down where; the same holder may come twice.
    pub fn consider_guest(&self, guest: &Guest) -> Result<(Side, Option<Happening>), Problem> {
        if let &[side, ..] = self.sides_of(&guest.key).as_slice() {
            return Ok((side, None));
        }
        let open = |side: &Side| {
            let seat = &self.seats()[side.index()];
            seat.kind == SeatKind::Open && seat.key == guest.invitation
        };
        let Some(side) = Side::BOTH.into_iter().find(open) else {
            return Err(Problem::Refused(
                "the invitation has been used or is not one to this game; ask for another".to_string(),
            ));
        };
        self.still_on()?;
        let seat = Seat { kind: guest.kind, name: guest.name.clone(), key: guest.key.clone() };
        Ok((side, Some(Happening::Sat(side, seat))))
    }
}
