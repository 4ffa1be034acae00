//! The classic evaluation: every unfinished position is 0, so that only finished games within the search depth count.

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
