//! Kalah: endgame tables filled in long runs, an exact solver that uses them, and the search of the engine.
//!
//! Techniques of the solver, from the cheapest to the strongest:
//! - two words of byte lanes and a table make a move two additions and a test for a capture;
//! - values have the parity of the beans in play, so windows are two wide, and never exceed them;
//! - a transposition table of proved bounds with exact keys, probed for all children before any is
//!   searched (enhanced transposition cutoff, Schaeffer and Plaat 1996);
//! - endgame tables, kept in files or filled as the search goes on.

mod endings;
mod fill;
mod kernel;
mod lane_turns;
mod play;
mod search;
mod searcher;
mod solver;
mod stay;
mod steps;

pub use fill::KalahFiller;
pub use searcher::KalahSearcher;
pub use solver::KalahExpert;
