//! The games: one folder each, the same file names in each.
//!
//! | file | trait | for |
//! | --- | --- | --- |
//! | `rules.rs` | `Game` | all users |
//! | `text.rs` | `Notation` | records, command line, protocol |
//! | `view.rs` | `View` | terminal and page |
//! | `classic.rs` | `Evaluator`, `Evaluated` | the classic players |
//! | `eval.rs` | `Evaluator` | the engine, where there is a better evaluation than the classic one |
//!
//! This crate uses no clock, file, random number or thread, and interacts with no user.

pub mod amazons;
pub mod connect;
pub mod fen;
pub mod kalah;
pub mod oware;
pub mod rows;
mod simd;
mod sowing;

/// Whether the text is digits with an optional minus: a person means it as a number, even if there is no such column.
fn is_whole_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}
