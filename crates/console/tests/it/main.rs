//! Integration tests, one program for the crate.

mod common;
mod kalah;
mod others;
mod oware;
mod programs;
mod time;
