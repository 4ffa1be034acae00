//! Integration tests, one program for the crate.

mod amazons;
mod common;
mod connect;
mod kalah;
mod large_boards;
mod oware;
mod oware_records;
mod oware_rules;
mod reference;
