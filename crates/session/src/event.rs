//! The results of decisions: events, and the reasons for which commands are refused.

use crate::{Micros, Remaining, Violation};
use parlor_core::{Ending, Offer, Side};

/// A change of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What changes in the session.
    pub kind: EventKind,
    /// The time at which it happens.
    pub at: Micros,
    /// The remaining time of both sides after it.
    pub left: [Option<Remaining>; 2],
}

/// The change that an event describes.
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
        /// Cause and result.
        ending: Ending,
        /// The violation that ended the game; `None` for any other end.
        violation: Option<Violation>,
    },
}

impl EventKind {
    /// Whether the event changes the game, and not only an offer. Offers are not stored: after a restart a player must offer
    /// again.
    pub fn is_durable(&self) -> bool {
        !matches!(self, EventKind::Offer(_) | EventKind::OfferClosed { .. })
    }
}

/// An offer that waits for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenOffer {
    /// The proposal.
    pub offer: Offer,
    /// The side that made it.
    pub by: Side,
}

/// Why a command changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The game is over.
    #[error("the game is over")]
    Over,
    /// The other side is to move.
    #[error("it is the other player's turn")]
    NotYourTurn,
    /// The move is not legal: the reason.
    #[error("{0}")]
    IllegalMove(String),
    /// Repetition cannot be claimed here: the reason.
    #[error("{0}")]
    NoClaim(String),
    /// There is no move to take back.
    #[error("there is no move to take back")]
    NothingToTakeBack,
    /// Moves are not taken back in this game.
    #[error("moves cannot be taken back in a game between programs")]
    NoTakebacks,
    /// An offer is open already.
    #[error("another offer is open; answer or withdraw it first")]
    OfferOpen,
    /// There is no open offer.
    #[error("there is no open offer")]
    NothingOffered,
    /// The other side has to answer the offer.
    #[error("the other player has to answer your offer")]
    OwnOffer,
    /// The game has gone on for too long to be aborted.
    #[error("a game can be aborted only before its second move; resign instead")]
    TooLateToAbort,
    /// Time is not up yet.
    #[error("time is not up yet")]
    TimeLeft,
}

/// Why an event cannot be applied to the session: the log it came from is damaged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Corrupt(pub String);
