//! Game-specific solvers and searches, one folder per game, which are stronger than the general search. They convert the public
//! position once, at the root, and are tested against plain negamax. `shared` has their common parts.

pub mod amazons;
pub mod connect;
pub mod kalah;
pub mod oware;
mod shared;
