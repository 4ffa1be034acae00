//! Integration tests, one program for the crate.

mod addresses;
mod analysis;
mod bots;
mod clocks;
mod remote_analysis;
mod cluster;
mod log;
mod play;
mod queue;
mod refusals;
mod rooms;
mod test_server;
mod tournaments;
