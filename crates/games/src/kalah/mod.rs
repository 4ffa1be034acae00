//! Kalah(m, n).
//!
//! Two sides, South (first) and North, with `m` holes each and one pot each; every hole starts with `n` beans. Holes are
//! numbered 1..m from left to right as South sees them, on both sides, so that South's hole k lies opposite North's hole k.
//! South's pot is at the right, North's at the left.
//!
//! A turn: take all beans of an own hole that has some and sow them one by one counterclockwise (South 1..m, South's pot,
//! North m..1, North's pot, South 1 …), into the own pot when it is passed and never into the other one.
//! - Last bean in the own pot: another turn, unless the game is over.
//! - Last bean in an own hole that was empty just before, and beans opposite: both go to the own pot. (A hole refilled by
//!   its own lap was empty just before.) In the variant `capture=empty` the bean goes to the pot even if there are none
//!   opposite.
//! - As soon as one side has no beans in its holes, after any sowing, the game is over; the beans left go to the pot of the
//!   side they lie on. More beans win.
//!
//! Boards of up to 16 holes a side are [`Kalah`], those of up to 64 [`LargeKalah`]: the same game with more words per board.

mod board;
mod classic;
mod eval;
mod index;
mod lanes;
mod learned;
mod rules;
mod sowing_table;
mod text;
mod view;

pub use board::{BoardError, BoardOf, MAX_BEANS, MAX_HOLES};
pub use classic::Pots;
pub use eval::Turns;
pub use learned::{NETWORK_HOLES, learned, network};
pub use rules::{Hole, KalahOf, PositionOf};
pub use sowing_table::{Sowing, SowingTable};

/// A board of up to 16 holes a side.
pub type KalahBoard = BoardOf<4>;
/// A board of up to 64 holes a side.
pub type LargeBoard = BoardOf<16>;
pub type Position = PositionOf<4>;
/// Kalah with up to 16 holes per side.
pub type Kalah = KalahOf<4>;
/// Kalah with up to 64 holes per side.
pub type LargeKalah = KalahOf<16>;
