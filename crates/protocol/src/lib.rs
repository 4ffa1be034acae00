//! How a program talks to Parlor: lines on standard input and output, in two dialects. It makes a foreign program a
//! [`parlor_core::Player`], lets our own players speak to foreign managers.
//!
//! It knows no game by name and trusts nothing that a program says: whether a move is legal is the referee's word.
//!
//! # Examples
//!
//! A line that a program writes, in either dialect:
//!
//! ```
//! use parlor_core::Answer;
//! use parlor_protocol::{Dialect, Said};
//!
//! assert_eq!(Dialect::Simple.read("3"), Said::Answer(Answer::Move("3".into())));
//! assert_eq!(Dialect::Ugi.read("bestmove 3"), Said::Answer(Answer::Move("3".into())));
//! assert!(matches!(Dialect::Ugi.read("info depth 4 nodes 1000"), Said::Report(_)));
//! ```

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
