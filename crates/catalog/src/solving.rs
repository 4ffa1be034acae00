//! Solvers with their types forgotten: records in, bounds out.

use parlor_core::{BadRecord, Bounds, Evaluated, Limits, Match, Notation, Record, Report, Solve};
use parlor_engine::{Clock, Solver};
use parlor_tables::{BadCheckpoint, BadTable, Checkpoints};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

/// What a solver is made with.
#[derive(Clone, Debug)]
pub struct Tools {
    /// The size of its table in bytes.
    pub memory: usize,
    /// How many threads it may use.
    pub threads: usize,
    /// All its time.
    pub clock: Arc<dyn Clock>,
    /// The folder of all tables, where there is one. A solver that is to use a damaged one is refused.
    pub tables: Option<PathBuf>,
}

/// Makes the solver of a game: the general one, or one that knows the game.
pub(crate) type MakeSolver<G> = fn(&G, &Tools) -> Result<Box<dyn Solve<G>>, BadTable>;

/// The solver that every game has.
pub(crate) fn general_solver<G: Notation + Evaluated>(tools: &Tools) -> Box<dyn Solve<G>> {
    let mut solver = Solver::new(G::CLASSIC, tools.memory, tools.clock.clone());
    solver.threads = tools.threads;
    Box::new(solver)
}

/// The general solver for boards so large that one line to the end would fill the memory: it proves what can be proved in at
/// most 250 moves.
pub(crate) fn deepening_solver<G: Notation + Evaluated>(tools: &Tools) -> Box<dyn Solve<G>> {
    let mut solver = Solver::new(G::CLASSIC, tools.memory, tools.clock.clone());
    (solver.threads, solver.deepens) = (tools.threads, true);
    Box::new(solver)
}

/// Solves positions of one game. It remembers what it found from one question to the next.
pub trait Solving: Send {
    /// What is proved of the position after the record, seen by the side to move; see [`Solve::solve`].
    fn solve(
        &mut self,
        record: &Record,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Result<Bounds, BadRecord>;

    /// What it has proved and would take long to prove again; see [`Solve::remembered`].
    fn remembered(&self) -> Vec<u64>;

    /// Takes up what was proved before of the position after the record; see [`Solve::recall`].
    fn recall(&mut self, record: &Record, proved: Bounds, words: &[u64]) -> Result<(), BadRecord>;

    /// Where the proof of the position after the record is kept in this folder.
    fn checkpoints(&self, dir: &Path, record: &Record) -> Result<Checkpoints, BadCheckpoint>;
}

pub(crate) struct Solves<G: Notation> {
    pub game: G,
    pub solver: Box<dyn Solve<G>>,
}

/// The match of a record in the game as it is valued. How the record ended says nothing about the position.
pub(crate) fn valued<G: Notation>(game: &G, record: &Record) -> Result<Match<G>, BadRecord> {
    Match::replay(game.for_values(), &Record { ending: None, ..record.clone() })
}

impl<G: Notation> Solving for Solves<G> {
    fn solve(
        &mut self,
        record: &Record,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Result<Bounds, BadRecord> {
        Ok(self.solver.solve(&valued(&self.game, record)?, limits, stop, report))
    }

    fn remembered(&self) -> Vec<u64> {
        self.solver.remembered()
    }

    fn recall(&mut self, record: &Record, proved: Bounds, words: &[u64]) -> Result<(), BadRecord> {
        self.solver.recall(&valued(&self.game, record)?, proved, words);
        Ok(())
    }

    fn checkpoints(&self, dir: &Path, record: &Record) -> Result<Checkpoints, BadCheckpoint> {
        // Where positions can return, what came before counts too: the whole line is named.
        let start = record.start.as_deref().unwrap_or("the start");
        let moves = record.moves.join(" ");
        let after = if moves.is_empty() { String::new() } else { format!(" after {moves}") };
        Checkpoints::in_folder(dir, &self.game, &format!("{start}{after}"))
    }
}
