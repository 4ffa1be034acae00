//! Static evaluation of unfinished positions, for the leaves of a search.

use crate::{Game, Margin};

/// The value of a position, higher is better for the side it is asked for.
pub type Value = i32;

/// Every finished game has a value above this, or below its negative; every estimate is smaller.
pub const LARGE: Value = 1_000_000_000;

/// The value of a finished game: a win above every estimate, larger margins first, then the quicker end. `ply` counts from
/// the root of the search.
///
/// # Examples
///
/// ```
/// use parlor_core::{Margin, finished, is_finished, margin_of};
///
/// let (soon, late) = (finished(Margin(4), 3), finished(Margin(4), 9));
/// assert!(soon > late && is_finished(late));
/// assert_eq!(margin_of(late), Margin(4));
/// ```
#[inline]
pub fn finished(margin: Margin, ply: u32) -> Value {
    let size = LARGE + Value::from(margin.0.unsigned_abs()) * 4096 - ply.min(4000) as Value;
    match margin.0 {
        0 => 0,
        1.. => size,
        _ => -size,
    }
}

/// Whether the value is that of a won or lost game, not of an estimate.
#[inline]
pub fn is_finished(value: Value) -> bool {
    value.abs() > LARGE
}

/// The margin of which [`finished`] made this value; a draw for everything that is not finished.
#[inline]
pub fn margin_of(value: Value) -> Margin {
    if !is_finished(value) {
        return Margin(0);
    }
    // The ply takes at most 4000 of the 4096 between two margins.
    let size = ((value.abs() - LARGE + 4000) / 4096) as i16;
    Margin(if value > 0 { size } else { -size })
}

/// Static evaluator of one game. It is a value, so that classic, strong and tuned evaluators exist side by side.
pub trait Evaluator<G: Game>: Send + Sync {
    /// The estimate for the side to move, between `-LARGE` and `LARGE`: in the unit of the margin (beans ahead), unless
    /// [`Evaluated::ODDS`] says otherwise. The position is not over.
    fn evaluate(&self, game: &G, pos: &G::Position) -> Value;
    /// How promising a move is before it is searched, larger first. It affects only the order and no value. Seeds that are
    /// banked at once and another turn count in favour of a move.
    #[inline]
    fn order(&self, game: &G, before: &G::Position, after: &G::Position) -> Value {
        let again = game.turn(before) == game.turn(after);
        let banked = if again { game.banked(after) } else { -game.banked(after) };
        2 * Value::from(banked.0 - game.banked(before).0) + Value::from(again)
    }
}

/// A game with its two evaluators.
pub trait Evaluated: Game {
    /// Type of [`Evaluated::CLASSIC`].
    type Classic: Evaluator<Self> + 'static;
    /// Type of [`Evaluated::STRONG`].
    type Strong: Evaluator<Self> + 'static;
    /// A simple evaluation, for the classic players (`minimax`, `beam`) and the lowest levels of the engine.
    const CLASSIC: Self::Classic;
    /// The best evaluation, for the engine; the classic one if there is no better.
    const STRONG: Self::Strong;
    /// The strong evaluation that means odds of e to one, in games where only winning counts. Analyses then show winning
    /// chances; without it they show evaluations as margins.
    const ODDS: Option<Value> = None;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quicker_wins_and_slower_losses_are_better_and_margins_come_first() {
        assert!(finished(Margin(1), 3) > finished(Margin(1), 5));
        assert!(finished(Margin(-1), 3) < finished(Margin(-1), 5));
        assert!(finished(Margin(2), 300) > finished(Margin(1), 1));
        assert!(finished(Margin(1), 4_000_000) > LARGE);
        assert_eq!(finished(Margin(0), 7), 0);
        assert!(is_finished(finished(Margin(i16::MAX), 0)) && !is_finished(LARGE));
        for (margin, ply) in [(1, 0), (-1, 4000), (48, 17), (-3, 9_000), (i16::MAX, 0), (0, 3)] {
            assert_eq!(margin_of(finished(Margin(margin), ply)), Margin(margin));
        }
        assert_eq!(margin_of(-17), Margin(0));
    }
}
