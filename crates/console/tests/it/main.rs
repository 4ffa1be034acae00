//! Integration tests, one program for the crate.

mod common;
mod every_game;
mod kalah;
mod others;
mod oware;
mod programs;
mod time;
