//! The classic evaluation: the difference of the scores.

use super::{Oware, OwareNetwork, Position};
use parlor_core::{Evaluated, Evaluator, Game, Value};

/// Own score minus the opponent's score.
#[derive(Clone, Copy, Debug)]
pub struct Scores;

impl Evaluator<Oware> for Scores {
    fn evaluate(&self, game: &Oware, pos: &Position) -> Value {
        Value::from(game.banked(pos).0)
    }
}

impl Evaluated for Oware {
    type Classic = Scores;
    type Strong = OwareNetwork;
    const CLASSIC: Scores = Scores;
    const STRONG: OwareNetwork = OwareNetwork;
}
