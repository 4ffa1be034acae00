//! The classic evaluation: the logarithm of White's turns over Black's, seen by the side to move. It ignores regions and
//! distances.

use super::{Amazons, Position, Territory};
use parlor_core::{Evaluated, Evaluator, Game, Side, Value};

/// The scale of the logarithm.
const UNIT: f64 = 1_000_000.0;
/// The value of a side without a turn: beyond every logarithm, but still an estimate.
const STUCK: Value = 900_000_000;

/// ln(own turns / the other side's turns), in millionths.
#[derive(Clone, Copy, Debug)]
pub struct Mobility;

impl Evaluator<Amazons> for Mobility {
    fn evaluate(&self, game: &Amazons, pos: &Position) -> Value {
        let turns = game.turns_of_both(pos);
        let turn = game.turn(pos);
        let (own, others) = (turns[turn.index()], turns[turn.other().index()]);
        match (own, others) {
            // If both sides are stuck, the side to move has lost.
            (0, _) => -STUCK,
            (_, 0) => STUCK,
            // Both sides use the same quotient, so that the value is antisymmetric.
            _ => {
                let white = (turns[0] as f64 / turns[1] as f64).ln();
                let value = (white * UNIT).round() as Value;
                if turn == Side::First { value } else { -value }
            }
        }
    }

    /// Nothing is ever banked in this game, so the number of turns of both sides is all there is to order by.
    fn order(&self, game: &Amazons, _before: &Position, after: &Position) -> Value {
        -self.evaluate(game, after)
    }
}

impl Evaluated for Amazons {
    type Classic = Mobility;
    type Strong = Territory;
    const CLASSIC: Mobility = Mobility;
    const STRONG: Territory = Territory::USUAL;
    const ODDS: Option<Value> = Some(Territory::ODDS);
}
