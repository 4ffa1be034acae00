//! Integration tests, one program for the crate.

mod mcts;
mod search;
mod solver;
