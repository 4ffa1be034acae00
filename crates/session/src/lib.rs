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
//!
//! # Examples
//!
//! Two people play with ten seconds each; the clocks run from the second move on:
//!
//! ```
//! use parlor_core::{Match, Side};
//! use parlor_games::kalah::Kalah;
//! use parlor_session::{Command, Micros, Policy, Session};
//!
//! let board = Box::new(Match::new(Kalah::sized(6, 4)?));
//! let time = ["10s".parse()?; 2];
//! let mut session = Session::new(board, time, Policy::people([false; 2]), Micros::ZERO);
//!
//! let event = session.decide(Side::First, Command::text("1"), Micros::from_millis(3000))?;
//! session.apply(&event)?;
//! assert_eq!(session.deadline(), Some((Side::Second, Micros::from_millis(13_000))));
//!
//! session.handle(Side::Second, Command::TimeUp, Micros::from_millis(13_000))?;
//! let ending = session.ending().expect("an end");
//! assert_eq!(ending.cause.to_string(), "timeout");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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
