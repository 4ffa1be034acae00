//! Oware: tables of endings by going backwards.

mod board;
mod fill;
mod retrograde;

pub use fill::Fill;
