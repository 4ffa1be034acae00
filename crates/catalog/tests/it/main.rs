//! Integration tests, one program for the crate.

mod boards;
mod data;
mod engine_players;
mod large_boards;
mod laws;
mod players;
mod recalling;
mod rules;
mod solving;
mod table_players;
mod tables;
