//! Slow, literal implementations of the games, to compare the fast ones with.

pub mod amazons;
pub mod connect;
pub mod kalah;
pub mod oware;
