//! Terminal front end: menus, and games played line by line. Boards, keywords and events come from the catalogue, so the crate
//! knows no game by name. A [`parlor_session::Session`] checks moves and decides games. The caller passes the terminal in.
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
//!     settings.participant(game.as_ref(), &"bad".parse()?, Side::First)?,
//!     settings.participant(game.as_ref(), &"random".parse()?, Side::Second)?,
//! ];
//! let (mut archive, mut terminal) = (NoArchive, ScriptedTerminal::typing(&[]));
//! let ending = settings.session(game.board(), seats, &mut archive).play(&mut terminal)?;
//! assert!(ending.is_some() && terminal.output.contains("South"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod charged_time;
mod console_session;
mod display;
mod help;
mod menu;
mod offers;
mod rules;
mod settings;
mod terminal;

pub use console_session::ConsoleSession;
pub use display::{BoardView, Styled, paint, print_line, print_strong, wrap};
pub use menu::{game_menu, main_menu};
pub use rules::show_rules;
pub use settings::{Archive, ConsoleSettings, NoArchive, Participant};
pub use terminal::{Input, ScriptedTerminal, Terminal};
