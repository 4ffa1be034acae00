//! Game-specific solvers and searches, a folder for each game: what the general search cannot match. They convert the
//! public position once, at the root, and are tested against plain negamax. `shared` has what they have in common.

pub mod amazons;
pub mod connect;
pub mod kalah;
pub mod oware;
mod shared;
