//! Integration tests of the engine crate: one binary, one module per subject.

mod mcts;
