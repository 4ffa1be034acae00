//! The terminal: the menu, and games played line by line. It knows no game: boards, words and events come from the
//! catalogue. It judges no game either: a [`parlor_session::Session`] does. The caller passes the terminal in.

mod charged_time;
mod console_session;
mod display;
mod menu;
mod offers;
mod person;
mod rules;
mod settings;
mod terminal;

pub use console_session::ConsoleSession;
pub use display::{BoardView, Styled, paint, tell, tell_strong, wrap};
pub use menu::{game_menu, main_menu};
pub use rules::show_rules;
pub use settings::{Archive, ConsoleSettings, NoArchive, Seat};
pub use terminal::{Input, ScriptedTerminal, Terminal};
