//! Players whose answers a test decides.

use parlor_core::{Answer, Board, Failure, Limits, Player, Report};
use std::sync::atomic::AtomicBool;

/// A player that answers what a function of the board says: a script, or any misbehaviour.
pub struct Scripted<F>(pub F);

impl<F: FnMut(&dyn Board) -> Result<Answer, Failure> + Send> Player for Scripted<F> {
    fn choose(
        &mut self,
        board: &dyn Board,
        _: &Limits,
        _: &AtomicBool,
        _: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure> {
        (self.0)(board)
    }
}
