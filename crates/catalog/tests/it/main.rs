//! Integration tests, one program for the crate.

mod engine_players;
mod laws;
mod oware_solver;
mod players;
mod recalling;
mod search;
mod solver;
mod table_players;
mod tables;
