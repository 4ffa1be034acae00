//! The differences between games of people and games of programs.

use crate::Micros;
use parlor_core::{Board, Side};

/// How late an answer may be in a game of programs, unless a plan says otherwise.
pub const GRACE: Micros = Micros(20_000);

/// How far a takeback goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takebacks {
    /// Takebacks are refused.
    None,
    /// To the last decision of the side that asks.
    OwnDecision,
    /// To the last move of either side: both players use one keyboard.
    LastMove,
}

/// The rules of a session in addition to those of the game.
///
/// # Examples
///
/// ```
/// use parlor_core::Side;
/// use parlor_session::{Micros, Policy, Takebacks};
///
/// let programs = Policy::of([true, true]);
/// assert_eq!((programs.repetition_ends_at, programs.takebacks), (Some(2), Takebacks::None));
///
/// let mixed = Policy::of([false, true]);
/// assert!(mixed.is_program(Side::Second) && !mixed.is_program(Side::First));
/// assert_eq!(mixed.grace, [Micros::ZERO; 2]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Which sides are programs. A program loses by a violation; a person is refused with a reason and asked again.
    pub programs: [bool; 2],
    /// Whether the clock runs before the first move.
    pub clock_before_first_move: bool,
    /// How late an answer of each side may be.
    pub grace: [Micros; 2],
    /// The occurrence of a position at which the game ends; `None` if it ends only by claim or agreement.
    pub repetition_ends_at: Option<usize>,
    /// How far a takeback goes.
    pub takebacks: Takebacks,
}

/// From this occurrence of a position on, front ends point out to people that repetition can be claimed.
const POINTED_OUT_AT: usize = 3;

impl Policy {
    /// A game with at least one person. `programs` says which sides are programs.
    pub fn people(programs: [bool; 2]) -> Policy {
        Policy {
            programs,
            clock_before_first_move: false,
            grace: [Micros::ZERO; 2],
            repetition_ends_at: None,
            takebacks: Takebacks::OwnDecision,
        }
    }

    /// The rules for a game between two programs.
    pub fn engines() -> Policy {
        Policy {
            programs: [true; 2],
            clock_before_first_move: true,
            grace: [GRACE; 2],
            repetition_ends_at: Some(2),
            takebacks: Takebacks::None,
        }
    }

    /// `engines()` for two programs, `people()` otherwise.
    pub fn of(programs: [bool; 2]) -> Policy {
        if programs == [true; 2] { Policy::engines() } else { Policy::people(programs) }
    }

    /// Whether a side is a program.
    pub fn is_program(&self, side: Side) -> bool {
        self.programs[side.index()]
    }

    /// Whether to tell the person to move that repetition can be claimed.
    pub fn points_out_repetition(&self, board: &dyn Board) -> bool {
        self.repetition_ends_at.is_none()
            && board.may_claim_repetition()
            && board.occurrences() >= POINTED_OUT_AT
    }
}
