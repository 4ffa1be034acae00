//! Integration tests of the crate, built as one program.

mod games;
mod health;
mod journal;
mod outages;
mod proxy;
mod queue;
mod rows;
mod tournaments;
