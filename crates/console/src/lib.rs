//! The terminal: the menu, and games played line by line. It knows no game: boards, words and events come from the
//! catalogue. It touches no real terminal either: whoever calls it passes one in.

mod board_view;
mod clock;
mod console_session;
mod menu;
mod offers;
mod paint;
mod person;
mod result;
mod settings;
mod speech;
mod terminal;

pub use board_view::BoardView;
pub use clock::TimeControl;
pub use console_session::{ConsoleSession, Seat};
pub use menu::{game_menu, main_menu};
pub use paint::{Styled, paint};
pub use settings::{Archive, ConsoleSettings, NoArchive};
pub use speech::{tell, tell_strong, wrap};
pub use terminal::{Input, ScriptedTerminal, Terminal};
