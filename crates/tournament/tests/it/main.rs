//! Integration tests, one program for the crate.

mod executor;
mod players;
mod referee;
mod timing;
mod tournament;
