//! The classic evaluation: none. What the search cannot see to the end of is level.

use super::{ConnectOf, eval::Threats, stones::Stones};
use parlor_core::{Evaluated, Evaluator, Value};

/// Every unfinished position has the value 0.
#[derive(Clone, Copy, Debug)]
pub struct Level;

impl<P: Stones> Evaluator<ConnectOf<P>> for Level {
    fn evaluate(&self, _game: &ConnectOf<P>, _pos: &P) -> Value {
        0
    }
}

impl<P: Stones> Evaluated for ConnectOf<P> {
    type Classic = Level;
    type Strong = Threats;
    const CLASSIC: Level = Level;
    const STRONG: Threats = Threats::USUAL;
}
