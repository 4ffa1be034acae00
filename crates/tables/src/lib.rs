//! Endgame tables: every position of a layer with its exact value, one byte each. Built layer by layer, kept in files that
//! survive the sudden end of the program, verified by the rules alone, and probed in memory.
//!
//! This crate knows no game by name, reads no arguments and prints nothing.

mod filler;
mod forward;
mod map;

pub use filler::{Filler, Work};
pub use forward::Forward;
pub use map::shared;
