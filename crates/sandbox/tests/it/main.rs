//! Tests of the sandbox: hostile programs, and honest ones in several languages.
#![cfg(target_os = "linux")]

mod attacks;
mod files;
mod freezing;
mod harness;
mod languages;
mod memory;
