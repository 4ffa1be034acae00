//! The terminal: the menu, and games played line by line. It knows no game: boards, words and events come from the
//! catalogue. It judges no game either: a [`parlor_session::Session`] does. The caller passes the terminal in.

mod board_view;
mod charged_time;
mod console_session;
mod menu;
mod offers;
mod paint;
mod person;
mod result;
mod seat;
mod settings;
mod speech;
mod terminal;

pub use board_view::BoardView;
pub use console_session::ConsoleSession;
pub use menu::{game_menu, main_menu};
pub use paint::{Styled, paint};
pub use seat::Seat;
pub use settings::{Archive, ConsoleSettings, NoArchive};
pub use speech::{tell, tell_strong, wrap};
pub use terminal::{Input, ScriptedTerminal, Terminal};
