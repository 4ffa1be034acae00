//! Whoever knows the truth about positions: solvers, which work it out, and oracles, which look it up. Neither guesses.

use crate::{Bounds, Game, Limits, Match, Report};
use std::sync::atomic::AtomicBool;

/// Works out the margin that best play gives.
pub trait Solve<G: Game>: Send {
    /// What is proved of the match's position, seen by the side to move, in the game as [`Game::scoring_variant`] plays it: the
    /// bounds always contain the true margin, and they meet unless a limit or `stop` ended the work. A repetition of what
    /// stands in the match counts. Every narrowing is reported; the last report has the line and the number of positions.
    fn solve(
        &mut self,
        played: &Match<G>,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Bounds;

    /// What it has proved and would take long to prove again, in words that mean something to its own kind alone: for
    /// [`Solve::recall`], also in another run of the program.
    fn remembered(&self) -> Vec<u64>;

    /// Takes up what was proved before: bounds of the match's position, and what a solver of the same game remembered. Words
    /// that it cannot use it leaves.
    fn recall(&mut self, played: &Match<G>, proved: Bounds, words: &[u64]);
}

/// Looks up what is known of positions, such as an endgame table.
pub trait Oracle<G: Game>: Send + Sync {
    /// What is proved of the position, seen by the side to move; none where nothing is known. In games with cycles it holds
    /// where nothing that stood before can return, such as right after a capture; else whatever came before.
    fn probe(&self, game: &G, pos: &G::Position) -> Option<Bounds>;
}
