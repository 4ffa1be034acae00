//! Oware: endgame tables by retrograde analysis, and an alpha-beta search over packed boards that
//! uses them.

mod audit;
mod board;
mod bound_preserving;
mod bounds;
mod endings;
mod expert;
mod fill;
mod history_search;
mod key;
mod leaving;
mod marks;
mod progress;
mod progress_path;
mod reductions;
mod retrograde;
mod row_tables;
mod safety;
mod search;
mod sided_layer;
mod solver;

pub use audit::{Audit, audit};
pub use endings::{SMALL, small_table};
pub use expert::OwareSearcher;
pub use fill::OwareFiller;
pub use solver::OwareSolver;
