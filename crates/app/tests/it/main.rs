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
mod hostile_text;
mod join;
mod join_tls;
mod log;
mod new_bot;
mod recipes;
mod render;
mod serve;
mod servers;
mod tables;
mod tidy;
mod tournament;
mod traces;
mod wording;
mod worker;
