//! The classic evaluation: none. What the search cannot see to the end of is level.

use super::{ConnectOf, eval::Threats, stones::Stones};
use parlor_core::{Evaluated, Evaluator, Value};

/// Every unfinished position has the value 0.
#[derive(Clone, Copy, Debug)]
pub struct ZeroEvaluation;

impl<P: Stones> Evaluator<ConnectOf<P>> for ZeroEvaluation {
    fn evaluate(&self, _game: &ConnectOf<P>, _pos: &P) -> Value {
        0
    }
}

impl<P: Stones> Evaluated for ConnectOf<P> {
    type Classic = ZeroEvaluation;
    type Strong = Threats;
    const CLASSIC: ZeroEvaluation = ZeroEvaluation;
    const STRONG: Threats = Threats::USUAL;
}
