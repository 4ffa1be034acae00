//! Integration tests, one program for the crate.

mod log;
mod players;
