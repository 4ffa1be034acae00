//! Integration tests, one program for the crate.

mod floor;
mod referee;
mod tournament;
