//! The games, each a folder with the same file names: rules, texts, views and evaluations.
//!
//! | file | trait | for |
//! | --- | --- | --- |
//! | `rules.rs` | `Game` | all users |
//! | `text.rs` | `Notation` | records, command line, protocol |
//! | `view.rs` | `View` | terminal and page |
//! | `classic.rs` | `Evaluator`, `Evaluated` | the classic players |
//! | `eval.rs` | `Evaluator` | the engine, where there is a better evaluation than the classic one |
//! | `learned.rs` | `Inputs`, `Evaluator` | the engine, where a network (`network.rs`) is better still |
//!
//! This crate uses no clock, file, random number or thread, and interacts with no user.
//!
//! # Examples
//!
//! The values of a game are typed, and each game has its texts and its picture:
//!
//! ```
//! use parlor_core::{Game, Match, Notation, View};
//! use parlor_games::kalah::{Hole, Kalah};
//!
//! let game = Kalah::sized(6, 4)?;
//! let mut played = Match::new(game.clone());
//! played.make(Hole(3));
//! assert_eq!(game.write_position(played.position()), "4,4,4,4,4,4/4,4,0,5,5,5 0/1 s");
//! assert_eq!(game.describe(game.banked(played.position())), "1 bean ahead");
//! # Ok::<(), parlor_core::BadParams>(())
//! ```

pub mod amazons;
pub mod connect;
pub mod fen;
pub mod kalah;
pub mod network;
pub mod oware;
pub mod rows;
mod simd;
mod sowing;

/// Whether the text is digits with an optional minus: a person means it as a number, even if there is no such column.
fn is_whole_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}
