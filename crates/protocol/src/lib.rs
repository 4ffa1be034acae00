//! Line protocols between Parlor and programs. An external program becomes a [`parlor_core::Player`], and our own players
//! become an engine for any manager of the Universal Game Interface.
//!
//! The crate knows no game by name and trusts nothing that a program writes. The referee decides whether a move is legal.

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
