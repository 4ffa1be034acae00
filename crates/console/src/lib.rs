//! Terminal front end: menus, and games played line by line. Boards, keywords and events come from the catalogue, so the crate
//! knows no game by name. A [`parlor_session::Session`] checks moves and decides games. The caller passes the terminal in.

mod charged_time;
mod console_session;
mod display;
mod help;
mod menu;
mod offers;
mod settings;
mod terminal;

pub use console_session::ConsoleSession;
pub use display::{BoardView, Styled, paint, print_line, print_strong, wrap};
pub use menu::{game_menu, main_menu};
pub use settings::{Archive, ConsoleSettings, NoArchive, Participant};
pub use terminal::{Input, ScriptedTerminal, Terminal};
