//! Players whose answers a test decides.

use parlor_play::{Answer, Failure, Limits, Player, Record, Report};
use std::sync::atomic::AtomicBool;

/// A player that answers what a function of the record says: a script, or any misbehaviour.
pub struct Scripted<F>(pub F);

impl<F: FnMut(&Record) -> Result<Answer, Failure> + Send> Player for Scripted<F> {
    fn choose(
        &mut self,
        record: &Record,
        _: &Limits,
        _: &AtomicBool,
        _: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure> {
        (self.0)(record)
    }
}

impl Scripted<fn(&Record) -> Result<Answer, Failure>> {
    /// A player that plays these moves, one each time it is asked, and then has no move.
    pub fn moves(moves: &[&str]) -> Scripted<impl FnMut(&Record) -> Result<Answer, Failure> + Send + use<>> {
        let mut moves: Vec<String> = moves.iter().rev().map(ToString::to_string).collect();
        Scripted(move |_: &Record| Ok(moves.pop().map_or(Answer::NoMove, Answer::Move)))
    }
}
