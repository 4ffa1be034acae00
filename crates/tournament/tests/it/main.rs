//! Integration tests of the crate, built as one program.

mod executor;
mod players;
mod referee;
mod timing;
mod tournament;
