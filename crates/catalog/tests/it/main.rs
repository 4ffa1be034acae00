//! Integration tests, one program for the crate.

mod boards;
mod engine_players;
mod large_boards;
mod laws;
mod players;
mod recalling;
mod table_players;
mod tables;
