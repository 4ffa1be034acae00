//! Connect-N solved exactly: null-window search over bitboards of 64 or 128 bits, with the size known to the compiler for
//! the usual boards and at run time for all others.
//!
//! Pruning, from the cheapest to the strongest:
//! - only moves that do not lose at once are searched; forced replies are played without a node;
//! - a move that makes two threats, or two above each other, wins;
//! - a side without a possible row cannot win;
//! - the follow-up strategy (`follow_up.rs`, Allis's claimeven with our extension): a side that can always answer in the same
//!   column has a bound without search;
//! - a transposition table of proved bounds, probed for all children before any is searched (enhanced transposition cutoff,
//!   Schaeffer and Plaat 1996).
//!
//! On 7x6 an opening book (`book.rs`) has the values of the first plies.

mod book;
mod book_statistics;
mod children;
mod expert;
mod follow_up;
mod kernel;
mod lanes;
mod lines;
mod search;
mod solver;
mod vectors;

pub use book::{BadBook, Book};
pub use book_statistics::{BookStatistics, Contradiction};
pub use expert::ConnectExpert;
pub use solver::ConnectSolver;
