//! One game in progress: which clock runs, which commands are allowed, how the game ends.
//!
//! A [`Session`] is a plain value. It does no input or output, starts no thread and reads no clock: every call gets the time.
//! A driver (the console, the tournament referee, a room of the server) reads input, calls [`Session::decide`], makes the
//! event durable where that is required, calls [`Session::apply`], and waits until [`Session::deadline`] at most.
//!
//! ```text
//!   command ──decide──▶ event ──(persist)──▶ apply ──▶ session
//!              │
//!              └──────▶ refused: nothing changes
//! ```
//!
//! [`Policy`] contains every difference between games of people and games of programs. [`TimeControl`] is the only definition
//! of a time control, [`ViolationKind`] the only list of violations that lose a game.
#![warn(missing_docs)]

mod clock;
mod event;
mod policy;
mod session;
mod time_control;
mod violation;

pub use clock::{ChessClock, Micros, Remaining};
pub use event::{Corrupt, Event, EventKind, OpenOffer, Refused};
pub use policy::{GRACE, Policy, Takebacks};
pub use session::{Command, MoveInput, Session};
pub use time_control::{BadTimeControl, TimeControl};
pub use violation::{Violation, ViolationKind};
