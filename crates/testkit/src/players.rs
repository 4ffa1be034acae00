//! Players whose answers a test decides.

use parlor_core::{Answer, Failure, Limits, Player, Record, Report};
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
