//! Oware: tables of endings by going backwards, and a search over packed boards that uses them.

mod audit;
mod board;
mod bounds;
mod course;
mod endings;
mod expert;
mod fill;
mod ground;
mod keeping;
mod key;
mod progress;
mod retrograde;
mod safety;
mod search;
mod solver;
mod unfolding;

pub use audit::{Audit, audit};
pub use endings::{SMALL, small_table};
pub use expert::Expert;
pub use fill::Fill;
pub use solver::Solver;
