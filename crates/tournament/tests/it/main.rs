//! Integration tests, one program for the crate.

mod floor;
mod players;
mod referee;
mod timing;
mod tournament;
