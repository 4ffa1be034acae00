//! How a program talks to Parlor: lines on standard input and output, in two dialects. It makes a foreign program a
//! [`parlor_core::Player`], lets our own players speak to foreign managers.
//!
//! It knows no game by name and trusts nothing that a program says: whether a move is legal is the referee's word.

mod asking;
mod bot;
#[cfg(test)]
mod conversations;
pub mod dialects;
mod greeting;
mod inbox;
mod link;
mod notes;
mod process;
mod program;
mod serve;

pub use bot::{Bot, Replay, Terms};
pub use dialects::{Dialect, Said};
pub use inbox::{LONGEST_LINE, Trouble};
pub use program::{BadProgram, Program};
pub use serve::{Choice, Chosen, EngineSetup, Range, serve};
