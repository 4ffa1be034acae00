//! Solvers that know their game, a folder each: what the generic search cannot match. They convert the public position once,
//! at the root, and are tested against plain negamax.

pub mod amazons;
pub mod connect;
mod crew;
pub mod kalah;
pub mod oware;
mod proved;
mod watch;
