//! Integration tests, one program for the crate.

mod bots;
mod check;
mod command_line;
mod cosc;
mod durable;
mod engine_commands;
mod fair_time;
mod fixtures;
mod harness;
mod join;
mod log;
mod new_bot;
mod render;
mod serve;
mod servers;
mod tables;
mod tidy;
mod tournament;
mod traces;
mod worker;
