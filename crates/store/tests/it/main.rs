//! Integration tests, one program for the crate.

mod games;
mod health;
mod journal;
mod outages;
mod proxy;
mod queue;
mod rows;
mod tournaments;
