//! Line protocols between Parlor and programs. An external program becomes a [`parlor_core::Player`], and our own players
//! become an engine for any manager of the Universal Game Interface.
//!
//! The crate knows no game by name and trusts nothing that a program writes. The referee decides whether a move is legal.
//!
//! # Examples
//!
//! A line that a program writes, in either dialect:
//!
//! ```
//! use parlor_core::Answer;
//! use parlor_protocol::{Dialect, BotMessage};
//!
//! assert_eq!(Dialect::Simple.read("3"), BotMessage::Answer(Answer::Move("3".into())));
//! assert_eq!(Dialect::Ugi.read("bestmove 3"), BotMessage::Answer(Answer::Move("3".into())));
//! assert!(matches!(Dialect::Ugi.read("info depth 4 nodes 1000"), BotMessage::Report(_)));
//! ```

mod bot;
#[cfg(test)]
mod bot_tests;
pub mod dialects;
mod handshake;
mod inbox;
mod link;
mod process;
mod program;
mod serve;
mod stderr;
mod turn;

pub use bot::{Bot, BotOptions, Replay};
pub use dialects::{BotMessage, Dialect};
pub use inbox::{LONGEST_LINE, LineError};
pub use program::{BadProgram, Program};
pub use serve::{EngineOption, EngineSetup, OptionRange, OptionValues, serve};
