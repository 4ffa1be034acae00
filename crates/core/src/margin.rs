//! Results: relative ones ([`Margin`], seen by a side to move, for search and tables) and absolute ones ([`Outcome`], for
//! people and records). Separate types prevent mixing them up.

use crate::Side;
use std::{fmt, ops::Neg};

/// By how much the side to move wins (positive) or loses (negative); 0 is a draw.
///
/// # Examples
///
/// ```
/// use parlor_core::{Margin, Outcome, Side};
///
/// // The second side is to move and is three seeds behind.
/// let margin = Margin(-3);
/// assert_eq!(-margin, Margin(3));
/// assert_eq!(Outcome::of(Side::Second, margin).to_string(), "first by 3");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Margin(pub i16);

impl Neg for Margin {
    type Output = Margin;
    fn neg(self) -> Margin {
        Margin(-self.0)
    }
}

/// Proved bounds of a margin, both included. `lo == hi` is exact.
///
/// # Examples
///
/// ```
/// use parlor_core::{Bounds, Margin};
///
/// let rules = Bounds { lo: Margin(-8), hi: Margin(8) };
/// let search = Bounds { lo: Margin(2), hi: Margin(12) };
/// let both = rules.and(search);
/// assert_eq!(both, Bounds { lo: Margin(2), hi: Margin(8) });
/// assert!(both.contain(Margin(4)) && !both.are_exact());
/// assert_eq!(-both, Bounds { lo: Margin(-8), hi: Margin(-2) });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The side to move gets at least this.
    pub lo: Margin,
    /// The side to move gets at most this.
    pub hi: Margin,
}

impl Bounds {
    /// Lower and upper bound are this margin.
    #[inline]
    pub fn exactly(margin: Margin) -> Bounds {
        Bounds { lo: margin, hi: margin }
    }

    /// Whether the lower and upper bounds are equal.
    #[inline]
    pub fn are_exact(self) -> bool {
        self.lo == self.hi
    }

    /// The intersection of both intervals.
    #[inline]
    pub fn and(self, other: Bounds) -> Bounds {
        Bounds { lo: self.lo.max(other.lo), hi: self.hi.min(other.hi) }
    }

    /// Whether the margin lies within the bounds.
    #[inline]
    pub fn contain(self, margin: Margin) -> bool {
        self.lo <= margin && margin <= self.hi
    }
}

impl Neg for Bounds {
    type Output = Bounds;
    /// The same as the other side sees it.
    fn neg(self) -> Bounds {
        Bounds { lo: -self.hi, hi: -self.lo }
    }
}

/// The result of a game, independent of the side to move: the winner, and the margin if the game was played out.
///
/// # Examples
///
/// ```
/// use parlor_core::{Outcome, Side};
///
/// assert_eq!(Outcome::parse("first by 8"), Some(Outcome { winner: Some(Side::First), by: Some(8) }));
/// assert_eq!(Outcome::win(Side::Second).to_string(), "second");
/// assert_eq!(Outcome::DRAW.to_string(), "draw");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// `None` in a draw.
    pub winner: Option<Side>,
    /// `None` if no margin exists, as after a resignation or a time forfeit. A draw has none either.
    pub by: Option<u16>,
}

impl Outcome {
    /// A draw without a margin.
    pub const DRAW: Outcome = Outcome { winner: None, by: None };

    /// The margin as seen by `turn`, made absolute.
    pub fn of(turn: Side, margin: Margin) -> Outcome {
        let winner = match margin.0 {
            0 => return Outcome::DRAW,
            1.. => turn,
            _ => turn.other(),
        };
        Outcome { winner: Some(winner), by: Some(margin.0.unsigned_abs()) }
    }

    /// A win without a margin.
    pub fn win(winner: Side) -> Outcome {
        Outcome { winner: Some(winner), by: None }
    }

    /// Reads what `Display` writes: `first by 8`, `second`, `draw`.
    pub fn parse(text: &str) -> Option<Outcome> {
        let (who, by) = match text.split_once(" by ") {
            Some((who, by)) => (who, Some(by.parse().ok().filter(|&n: &u16| n > 0 && n.to_string() == by)?)),
            None => (text, None),
        };
        match who {
            "first" => Some(Outcome { winner: Some(Side::First), by }),
            "second" => Some(Outcome { winner: Some(Side::Second), by }),
            "draw" if by.is_none() => Some(Outcome::DRAW),
            _ => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.winner, self.by) {
            (None, _) => f.write_str("draw"),
            (Some(side), None) => write!(f, "{side}"),
            (Some(side), Some(by)) => write!(f, "{side} by {by}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_read_back_as_written() {
        for text in ["first by 8", "second by 1", "first", "second", "draw"] {
            assert_eq!(Outcome::parse(text).map(|o| o.to_string()).as_deref(), Some(text));
        }
        for bad in ["", "third", "draw by 2", "first by 0", "first by +3", "first by 99999", "first by"] {
            assert_eq!(Outcome::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_margin_belongs_to_the_side_that_sees_it() {
        assert_eq!(Outcome::of(Side::Second, Margin(3)).to_string(), "second by 3");
        assert_eq!(Outcome::of(Side::Second, Margin(-3)).to_string(), "first by 3");
        assert_eq!(Outcome::of(Side::First, -Margin(0)), Outcome::DRAW);
    }
}
