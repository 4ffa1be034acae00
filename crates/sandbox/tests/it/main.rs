//! Tests of the sandbox: hostile programs, and honest ones in several languages.
#![cfg(all(target_os = "linux", feature = "isolation"))]

mod attacks;
mod files;
mod freezing;
mod harness;
mod languages;
mod memory;
