//! The classic judgement: none. What the search cannot see to the end of is level.

use super::{Connect, Position, eval::Threats};
use parlor_core::{Evaluated, Evaluator, Value};

/// Every unfinished position is worth 0.
#[derive(Clone, Copy, Debug)]
pub struct Level;

impl Evaluator<Connect> for Level {
    fn evaluate(&self, _game: &Connect, _pos: &Position) -> Value {
        0
    }
}

impl Evaluated for Connect {
    type Classic = Level;
    type Strong = Threats;
    const CLASSIC: Level = Level;
    const STRONG: Threats = Threats::USUAL;
}
