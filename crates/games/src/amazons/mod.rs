//! The Game of the Amazons.
//!
//! A board of `columns` by `rows` squares, 10 by 10 as a rule, and four queens a side: White (first) on the lower edge and the
//! lower part of both sides, Black as the mirror image above. Their distance from the corners depends on the length of the
//! edge: one square up to 6, two for 7 and 8, three from 9 on; so on 10 by 10 White has a4, d1, g1, j4.
//!
//! A turn has two parts, and both must be possible:
//! - one own queen moves like a queen of chess, over any number of empty squares, at least one, in one of eight directions;
//! - from its new square it shoots an arrow, which flies like a queen (also over the square the queen has just left) and blocks
//!   the square where it lands for the rest of the game.
//!
//! Nothing is captured and nothing is ever jumped. A side that has no turn to make loses. Every turn blocks a square, so
//! that the game ends and cannot be drawn.
//!
//! A queen that can move at all can shoot back to where it came from: only queens walled in on all sides are stuck.

mod board;
mod classic;
mod distances;
mod eval;
mod rays;
mod reading;
mod rules;
mod runs;
mod steps;
mod text;
mod view;

pub use board::{Square, WIDTH};
pub use classic::Mobility;
pub use distances::Distances;
pub use eval::{FEATURES, PHASES, Territory, Weights, features};
pub use rules::{Amazons, Position, Shot};
pub use steps::{Stage, Step, Steps};
