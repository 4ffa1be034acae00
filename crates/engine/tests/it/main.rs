//! Integration tests, one program for the crate.

mod mcts;
mod player_adapter;
mod search;
mod solver;
