//! Connect-N.
//!
//! Checkers are dropped into the columns of an upright board and fall to the lowest vacant level. Red (first) and Black
//! alternate; the first side with N or more of its colour in a row, horizontally, vertically or diagonally, wins. A full board
//! without a row is a tie. With N = 1 the first move wins; with N larger than both dimensions every game is a tie.
//!
//! The margin of a win is the number of checkers that the winner has left, including the winning one: quicker wins are larger.

//!
//! Boards of at most 128 bits are [`Connect`], all others [`LargeConnect`]: the same game over another way to store the
//! checkers. [`LargeConnect`] takes small boards too, more slowly.

mod bits;
mod classic;
mod eval;
mod large;
mod large_eval;
mod rules;
mod scaffold;
mod stones;
mod text;
mod view;
mod word;

pub use classic::ZeroEvaluation;
pub use eval::Threats;
pub use large::LargePosition;
pub use rules::{Column, ConnectOf};
pub use scaffold::{Checker, DropError, Scaffold};
pub use word::Position;

/// Connect-N on boards with columns x (levels + 1) of at most 128.
pub type Connect = ConnectOf<Position>;
/// Connect-N on boards of any supported size.
pub type LargeConnect = ConnectOf<LargePosition>;
