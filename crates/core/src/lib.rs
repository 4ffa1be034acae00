//! The common types of Parlor: games, matches, records, players and results.
//!
//! A [`Game`] is a set of rules with its parameters fixed. A [`Record`] (game, start, moves, ending: all text) is the only
//! stored truth; a [`Match`] is a typed game in progress; a [`Board`] is a match behind a trait object; a [`Player`] answers
//! with a move for a board. One integer, the [`Margin`], says who wins and by how much in every game.
//!
//! This crate does no input or output, reads no clock, draws no random numbers, and contains no particular game.
//!
//! # Examples
//!
//! ```
//! use parlor_core::{Board, Match, Side};
//! use parlor_games::kalah::Kalah;
//!
//! let mut game = Match::new(Kalah::sized(6, 4)?);
//! game.play("3")?;
//! assert_eq!(game.turn(), Side::First, "the last bean fell into the own pot, so the same side moves again");
//! assert!(game.check("3").is_err_and(|error| error.0 == "hole 3 is empty"));
//!
//! let record = game.record();
//! assert_eq!((record.game.as_str(), record.moves), ("kalah:6,4", vec!["3".to_string()]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![warn(missing_docs)]

mod board;
mod duration;
mod evaluate;
mod fault;
mod game;
mod hostile;
pub mod laws;
mod margin;
mod matches;
mod move_time;
mod notation;
mod occurrences;
mod picture;
mod player;
mod record;
mod record_text;
pub mod rules_text;
mod samples;
mod solve;
mod spec;
mod view;

pub use board::{Board, DescribedEvent, GameInfo, Turn};
pub use duration::{duration, write_duration};
pub use evaluate::{Evaluated, Evaluator, LARGE, Value, finished, is_finished, margin_of};
pub use fault::{BadParams, BadPosition, BadRecord, BadRulesText, IllegalMove};
pub use game::{Game, Side, perft, perft_until};
pub use hostile::{harmless, is_unseen, sanitized, sanitized_line, shortened};
pub use margin::{Bounds, Margin, Outcome};
pub use matches::Match;
pub use move_time::MoveTime;
pub use notation::{Notation, split_moves};
pub use picture::{Colour, Picture, PictureLine, Span, Stress, Tone};
pub use player::{Answer, Clocks, Failure, Limits, Offer, Player, Report, program_agrees};
pub use record::{Cause, Ending, Record, RecordVersion};
pub use samples::Samples;
pub use solve::{Indexed, Oracle, Solve};
pub use spec::{Fallback, Parameter, ParameterKind, parse_values, split_spec, write_spec};
pub use view::{
    Audience, BoardEvent, Cell, CellId, Glyph, Keywords, Mark, MenuEntry, PictureOptions, Piece, Shape,
    Staged, Step, Target, Token, View, capitalised, counted, winner_sentence,
};

/// The version of the rules. It increases when the rules of a game, the meaning of a time control or a decision of the referee
/// changes, because results of two versions must not be counted together: a plan of another version is not resumed, and a
/// worker of another version does not take its games. Builds without this number count as version 1.
pub const RULES: u32 = 2;

/// Folds words into a 64-bit hash: for keys of positions too large for an exact key.
///
/// Each word is multiplied and rotated in (the constants are the golden ratio's and a large odd number's); the last step
/// spreads the high bits down, so that tables may use the low ones.
pub fn mix(words: impl IntoIterator<Item = u64>) -> u64 {
    let mut hash = 0x9E37_79B9_7F4A_7C15_u64;
    for word in words {
        hash = (hash.rotate_left(23) ^ word).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    }
    hash ^ (hash >> 32)
}
