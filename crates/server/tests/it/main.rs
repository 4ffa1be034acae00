//! Integration tests of the crate, built as one program.

mod addresses;
mod analysis;
mod bots;
mod clocks;
mod cluster;
mod log;
mod play;
mod queue;
mod refusals;
mod remote_analysis;
mod rooms;
mod rules;
mod test_server;
mod tournaments;
