//! Oware: tables of endings by going backwards.

mod board;
mod bounds;
mod fill;
mod retrograde;

pub use fill::Fill;
