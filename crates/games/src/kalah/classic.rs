//! The classic judgement: the difference of the pots, and nothing else.

use super::{Kalah, Position, Turns};
use parlor_core::{Evaluated, Evaluator, Game, Value};

/// Own pot minus the other pot.
#[derive(Clone, Copy, Debug)]
pub struct Pots;

impl Evaluator<Kalah> for Pots {
    fn evaluate(&self, game: &Kalah, pos: &Position) -> Value {
        Value::from(game.banked(pos).0)
    }
}

impl Evaluated for Kalah {
    type Classic = Pots;
    type Strong = Turns;
    const CLASSIC: Pots = Pots;
    const STRONG: Turns = Turns::USUAL;
}
