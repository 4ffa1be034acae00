//! The search that all games share: deeper and deeper alpha-beta over one table, on any number of threads.
//!
//! It knows a game only by its rules, an evaluator and perhaps an oracle, extends and leaves out nothing, and with one thread and a limit of
//! nodes or depth it is deterministic. See [`crate::worker`] for what a value proves.

use crate::{
    Clock, DEEPEST, Deadline, Found, HELPER_STACK, Table, Think, help, lazy_smp, lead, useful_memory,
    worker::Worker,
};
use parlor_core::{Evaluator, Game, Limits, Match, Notation, Oracle, Report, Value};
use std::sync::{Arc, atomic::AtomicBool};

/// Searches, and remembers in a table what it found.
pub struct Search<G: Game, E> {
    /// Judges the leaves and orders the moves.
    pub evaluator: E,
    /// Knows some positions, such as an endgame table: nothing is searched below them.
    pub oracle: Option<Arc<dyn Oracle<G>>>,
    /// Threads, at least 1.
    pub threads: usize,
    /// The table's size in bytes.
    pub memory: usize,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// Moves less than this worse than the best still get their exact value; others may only get a bound that is no higher.
    pub width: Value,
    table: Option<Table>,
}

impl<G: Notation, E: Evaluator<G>> Search<G, E> {
    /// A search with one thread and 64 MiB.
    pub fn new(evaluator: E, clock: Arc<dyn Clock>) -> Self {
        Search { evaluator, oracle: None, threads: 1, memory: 64 << 20, clock, width: 0, table: None }
    }

    /// Forgets what was found before. A search that is limited by nodes or depth then depends on nothing but its question.
    pub fn forget(&mut self) {
        self.table = None;
    }

    /// Searches the match's position. It stops at the limits or when told, but it always has a move
    /// to give while the game goes on.
    pub fn run(
        &mut self,
        played: &Match<G>,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Found<G::Move> {
        let memory = self.memory.min(useful_memory(limits));
        let table = &*self.table.get_or_insert_with(|| Table::new(memory, false));
        let deadline = Deadline::after(limits.time, self.clock.clone(), stop);
        let oracle = self.oracle.as_deref();
        let mut worker = Worker::new(played, &self.evaluator, oracle, table, deadline);
        worker.most_nodes = limits.nodes.unwrap_or(u64::MAX);
        let deepest = limits.depth.unwrap_or(DEEPEST).clamp(1, DEEPEST);
        let (evaluator, width) = (&self.evaluator, self.width);
        let main = || lead(&mut worker, played.game(), deepest, width, report);
        lazy_smp(self.threads, HELPER_STACK, &self.clock, main, |deadline, number| {
            help(&mut Worker::new(played, evaluator, oracle, table, deadline), deepest, number);
        })
    }
}

impl<G: Notation, E: Evaluator<G>> Think<G> for Search<G, E> {
    fn run(
        &mut self,
        played: &Match<G>,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Found<G::Move> {
        Search::run(self, played, limits, stop, report)
    }

    fn forget(&mut self) {
        Search::forget(self);
    }

    fn widen(&mut self, width: Value) {
        self.width = width;
    }
}
