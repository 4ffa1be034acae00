//! Kalah's tables filled quickly, and the game solved with them.

mod board;
mod fill;
mod search;
pub mod solver;
mod stay;
mod steps;

pub use fill::Fill;
