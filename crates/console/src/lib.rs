//! The terminal: the menu, and games played line by line. It knows no game: boards, words and events come from the
//! catalogue. It touches no real terminal either: whoever calls it passes one in.

mod clock;
mod lobby;
mod menu;
mod offers;
mod paint;
mod person;
mod result;
mod sitting;
mod speech;
mod stage;
mod terminal;

pub use clock::TimeControl;
pub use lobby::{Archive, Lobby, Nowhere};
pub use menu::{game_menu, main_menu};
pub use paint::{Styled, paint};
pub use sitting::{Seat, Sitting};
pub use speech::{tell, tell_strong, wrap};
pub use stage::Stage;
pub use terminal::{Heard, Scripted, Terminal};
