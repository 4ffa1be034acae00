//! m,n,k-games: k in a row on a board of m columns and n rows. 3,3,3 is noughts and crosses, 15,15,5 free-style gomoku.
//!
//! X (first) and O place a mark on an empty square in turn. The side that first has k or more of its marks in a row,
//! horizontally, vertically or diagonally, wins. A full board without a row is a draw. With k = 1 the first move wins; with k
//! larger than both m and n every game is a draw.
//!
//! The margin of a win is 1.

mod classic;
#[cfg(test)]
mod reference;
mod rules;
#[cfg(test)]
mod tests;
mod text;
mod view;

pub use classic::Lines;
pub use rules::{Mnk, Position, Square};
