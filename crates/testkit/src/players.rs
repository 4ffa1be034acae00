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

/// A program that cannot be started, for this reason.
pub struct DoesNotStart(pub &'static str);

impl Player for DoesNotStart {
    fn ready(&mut self, _game: &str) -> Result<(), Failure> {
        Err(Failure::Start(self.0.to_string()))
    }

    fn choose(
        &mut self,
        _: &dyn Board,
        _: &Limits,
        _: &AtomicBool,
        _: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure> {
        panic!("a player that did not start is asked for a move")
    }
}
