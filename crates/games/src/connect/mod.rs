//! Connect-N.
//!
//! Checkers are dropped into the columns of an upright board and fall to the lowest vacant level. Red (first) and Black
//! alternate; who first has N or more of their colour in a row, horizontally, vertically or diagonally, wins. A full board
//! without a row is a tie. With N = 1 the first move wins; with N larger than both dimensions every game is a tie.
//!
//! The margin of a win is how many checkers the winner has left, the winning one counted in: quicker wins are larger.

mod bits;
mod classic;
mod eval;
mod rules;
mod scaffold;
mod text;
mod view;

pub use classic::Level;
pub use eval::Threats;
pub use rules::{Column, Connect, Position};
pub use scaffold::{Checker, Refused, Scaffold};
