//! Integration tests, one program for the crate.

mod checkpoints;
mod common;
mod files;
mod packed;
mod values;
