//! The terminal: the menu, and games played line by line. It knows no game: boards, words and events come from the
//! catalogue. It judges no game either: a [`parlor_session::Session`] does. The caller passes the terminal in.
//!
//! # Examples
//!
//! A game between two players of the catalogue, at a scripted terminal:
//!
//! ```
//! use parlor_console::{ConsoleSettings, NoArchive, ScriptedTerminal};
//! use parlor_core::Side;
//!
//! let game = parlor_catalog::game("kalah:3,2")?;
//! let settings = ConsoleSettings { pause: false, ..ConsoleSettings::new(1) };
//! let seats = [
//!     settings.seat(game.as_ref(), &"bad".parse()?, Side::First)?,
//!     settings.seat(game.as_ref(), &"random".parse()?, Side::Second)?,
//! ];
//! let (mut archive, mut terminal) = (NoArchive, ScriptedTerminal::typing(&[]));
//! let ending = settings.session(game.board(), seats, &mut archive).play(&mut terminal)?;
//! assert!(ending.is_some() && terminal.output.contains("South"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod charged_time;
mod console_session;
mod display;
mod menu;
mod offers;
mod person;
mod settings;
mod terminal;

pub use console_session::ConsoleSession;
pub use display::{BoardView, Styled, paint, tell, tell_strong, wrap};
pub use menu::{game_menu, main_menu};
pub use settings::{Archive, ConsoleSettings, NoArchive, Seat};
pub use terminal::{Input, ScriptedTerminal, Terminal};
