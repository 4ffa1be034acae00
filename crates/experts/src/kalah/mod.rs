//! Kalah's tables filled quickly, and the game solved with them.

mod fill;
mod stay;
mod steps;

pub use fill::Fill;
