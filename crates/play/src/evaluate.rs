//! Judgements of positions that are not over: what a search puts at its leaves.

use crate::{Game, Margin};

/// A judgement of a position, higher is better for the side it is asked for.
pub type Value = i32;

/// Every finished game is worth more than this, or less than its negative; every estimate is smaller.
pub const LARGE: Value = 1_000_000_000;

/// The worth of a finished game: a win above every estimate, larger margins first, then the quicker end. `ply` counts from
/// the root of the search.
pub fn finished(margin: Margin, ply: u32) -> Value {
    let size = LARGE + Value::from(margin.0.unsigned_abs()) * 4096 - ply.min(4000) as Value;
    match margin.0 {
        0 => 0,
        1.. => size,
        _ => -size,
    }
}

/// Whether the value is that of a won or lost game, not of an estimate.
pub fn is_finished(value: Value) -> bool {
    value.abs() > LARGE
}

/// Judges positions of one game. A value, so that classic, strong and tuned judgements stand side by side.
pub trait Evaluator<G: Game>: Send + Sync {
    /// The estimate for the side to move, between `-LARGE` and `LARGE`. The position is not over.
    fn evaluate(&self, game: &G, pos: &G::Position) -> Value;
}

/// A game with its classic judgement: what the course players of the game searched with.
pub trait Evaluated: Game {
    /// The type of the judgement.
    type Classic: Evaluator<Self> + 'static;
    /// The classic judgement.
    const CLASSIC: Self::Classic;
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
    }
}
