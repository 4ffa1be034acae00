//! Solvers that know their game, a folder each: what the generic search cannot match. They convert the public position once,
//! at the root, and are tested against plain negamax. `shared` has what they have in common.

pub mod amazons;
pub mod connect;
pub mod kalah;
pub mod oware;
mod shared;
