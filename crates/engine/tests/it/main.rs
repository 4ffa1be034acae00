//! Integration tests, one program for the crate.

mod search;
mod solver;
