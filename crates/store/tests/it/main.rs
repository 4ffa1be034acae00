//! Integration tests, one program for the crate.

mod away;
mod games;
mod health;
mod journal;
mod proxy;
mod queue;
mod rows;
mod tournaments;
