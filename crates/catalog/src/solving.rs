//! Solvers with their types forgotten: boards in, bounds out.

use crate::Resources;
use parlor_core::{BadRecord, Board, Bounds, Evaluated, Limits, Match, Notation, Record, Report, Solve};
use parlor_engine::Solver;
use parlor_tables::{BadCheckpoint, BadTable, Checkpoints};
use std::{path::Path, sync::atomic::AtomicBool};

/// Makes the solver of a game: the general one, or one that knows the game.
pub(crate) type MakeSolver<G> = fn(&G, &Resources) -> Result<Box<dyn Solve<G>>, BadTable>;

/// The solver that every game has.
pub(crate) fn general_solver<G: Notation + Evaluated>(resources: &Resources) -> Box<dyn Solve<G>> {
    let mut solver = Solver::new(G::CLASSIC, resources.solver_memory(), resources.clock.clone());
    solver.threads = resources.threads;
    Box::new(solver)
}

/// The general solver for boards so large that one line to the end would fill the memory: it proves what can be proved in at
/// most 250 moves.
pub(crate) fn deepening_solver<G: Notation + Evaluated>(resources: &Resources) -> Box<dyn Solve<G>> {
    let mut solver = Solver::new(G::CLASSIC, resources.solver_memory(), resources.clock.clone());
    (solver.threads, solver.deepens) = (resources.threads, true);
    Box::new(solver)
}

/// Solves positions of one game. It remembers what it found from one question to the next.
pub trait Solving: Send {
    /// What is proved of the position on the board, seen by the side to move; see [`Solve::solve`].
    fn solve(
        &mut self,
        board: &dyn Board,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Result<Bounds, BadRecord>;

    /// What it has proved and would take long to prove again; see [`Solve::remembered`].
    fn remembered(&self) -> Vec<u64>;

    /// Takes up what was proved before of the position on the board; see [`Solve::recall`].
    fn recall(&mut self, board: &dyn Board, proved: Bounds, words: &[u64]) -> Result<(), BadRecord>;

    /// Where the proof of the position on the board is kept in this folder.
    fn checkpoints(&self, dir: &Path, board: &dyn Board) -> Result<Checkpoints, BadCheckpoint>;
}

pub(crate) struct Solves<G: Notation> {
    /// The game in its scoring variant.
    game: G,
    solver: Box<dyn Solve<G>>,
    /// The match of the last question. A question about the same game makes only the moves that are new.
    last: Option<Match<G>>,
}

impl<G: Notation> Solves<G> {
    pub(crate) fn new(game: &G, solver: Box<dyn Solve<G>>) -> Solves<G> {
        Solves { game: game.scoring_variant(), solver, last: None }
    }

    /// The match of a board in the scoring variant of the game.
    fn variant(&mut self, board: &dyn Board) -> Result<Match<G>, BadRecord> {
        let own = Match::<G>::of(board).filter(|played| played.game().values() == self.game.values());
        let last = self.last.take();
        match own {
            Some(played) => {
                let followed = last.and_then(|mut last| last.follow(played).then_some(last));
                Ok(followed.unwrap_or_else(|| played.replayed_as(self.game.clone())))
            }
            None => valued(&self.game, &board.record()),
        }
    }
}

/// The match of a record in the game as it is valued. How the record ended says nothing about the position.
pub(crate) fn valued<G: Notation>(game: &G, record: &Record) -> Result<Match<G>, BadRecord> {
    Match::replay(game.scoring_variant(), &Record { ending: None, ..record.clone() })
}

impl<G: Notation> Solving for Solves<G> {
    fn solve(
        &mut self,
        board: &dyn Board,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Result<Bounds, BadRecord> {
        let played = self.variant(board)?;
        let bounds = self.solver.solve(&played, limits, stop, report);
        self.last = Some(played);
        Ok(bounds)
    }

    fn remembered(&self) -> Vec<u64> {
        self.solver.remembered()
    }

    fn recall(&mut self, board: &dyn Board, proved: Bounds, words: &[u64]) -> Result<(), BadRecord> {
        let played = self.variant(board)?;
        self.solver.recall(&played, proved, words);
        self.last = Some(played);
        Ok(())
    }

    fn checkpoints(&self, dir: &Path, board: &dyn Board) -> Result<Checkpoints, BadCheckpoint> {
        // Where positions can return, what came before counts too: the whole line is named.
        let (start, moves) = (board.start(), board.move_list());
        let start = start.as_deref().unwrap_or("the start");
        let after = if moves.is_empty() { String::new() } else { format!(" after {moves}") };
        Checkpoints::in_folder(dir, &self.game, &format!("{start}{after}"))
    }
}
