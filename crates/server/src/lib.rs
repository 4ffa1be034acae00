//! The game server: live games, the page and the API, all games treated alike.

pub mod board;
