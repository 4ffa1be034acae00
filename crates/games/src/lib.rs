//! The games: one folder each, the same file names in each.
//!
//! | file | trait | for |
//! | --- | --- | --- |
//! | `rules.rs` | `Game` | everyone |
//! | `text.rs` | `Notation` | records, command line, protocol |
//! | `view.rs` | `View` | terminal and page |
//! | `classic.rs` | `Evaluator` | the classic players |
//!
//! Nothing here sees a clock, a file, a random number, a thread or a user.

pub mod amazons;
pub mod connect;
pub mod kalah;
pub mod oware;
mod sowing;
