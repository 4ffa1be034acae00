//! The games: one folder each, the same file names in each.
//!
//! | file | trait | for |
//! | --- | --- | --- |
//! | `rules.rs` | `Game` | everyone |
//! | `text.rs` | `Notation` | records, command line, protocol |
//! | `view.rs` | `View` | terminal and page |
//! | `classic.rs` | `Evaluator`, `Evaluated` | the classic players |
//! | `eval.rs` | `Evaluator` | the engine, where there is a better evaluation than the classic one |
//!
//! Nothing here sees a clock, a file, a random number, a thread or a user.

pub mod amazons;
pub mod connect;
pub mod fen;
pub mod kalah;
pub mod oware;
pub mod rows;
mod simd;
mod sowing;

/// Digits, with a minus before them at most: what a person means as a number, even where there is no such column.
fn is_whole_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}
