//! What a decision results in.

use crate::{Micros, Remaining, Violation};
use parlor_core::{Ending, Offer, Side};
use std::fmt;

/// A change of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What changes.
    pub kind: EventKind,
    /// When.
    pub at: Micros,
    /// What both sides have left after it.
    pub left: [Option<Remaining>; 2],
}

/// What changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The side to move makes this move, in the game's notation.
    Move(String),
    /// Moves are taken back until this many are left.
    Takeback(usize),
    /// A side makes an offer.
    Offer(OpenOffer),
    /// The open offer is declined by the other side, or withdrawn.
    OfferClosed {
        /// Whether the other side declined it.
        declined: bool,
    },
    /// The game ends.
    End {
        /// How.
        ending: Ending,
        /// By which violation, if by one.
        violation: Option<Violation>,
    },
}

impl EventKind {
    /// Whether it changes the game, and not only an offer. Offers are not stored: after a restart a player asks again.
    pub fn is_durable(&self) -> bool {
        !matches!(self, EventKind::Offer(_) | EventKind::OfferClosed { .. })
    }
}

/// An offer that waits for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenOffer {
    /// What is offered.
    pub offer: Offer,
    /// By which side.
    pub by: Side,
}

/// Why a command changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The game is over.
    Over,
    /// The other side is to move.
    NotYourTurn,
    /// The move is not legal: why.
    IllegalMove(String),
    /// Repetition cannot be claimed here: why.
    NoClaim(String),
    /// There is no move to take back.
    NothingToTakeBack,
    /// Moves are not taken back in this game.
    NoTakebacks,
    /// An offer is open already.
    OfferOpen,
    /// There is no open offer.
    NothingOffered,
    /// The other side has to answer the offer.
    OwnOffer,
    /// The game has gone on for too long to be aborted.
    TooLateToAbort,
    /// Time is not up yet.
    TimeLeft,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refused::Over => "the game is over",
            Refused::NotYourTurn => "the other side is to move",
            Refused::IllegalMove(why) | Refused::NoClaim(why) => why,
            Refused::NothingToTakeBack => "there is no move to take back",
            Refused::NoTakebacks => "moves are not taken back in a game between programs",
            Refused::OfferOpen => "another offer is open; answer or withdraw it first",
            Refused::NothingOffered => "nothing is offered",
            Refused::OwnOffer => "the other side has to answer your offer",
            Refused::TooLateToAbort => "a game can be aborted before its second move only; resign instead",
            Refused::TimeLeft => "time is not up yet",
        })
    }
}

/// Why an event does not fit the session: the log it came from is damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corrupt(pub String);

impl fmt::Display for Corrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
