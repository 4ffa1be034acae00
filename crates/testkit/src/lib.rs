//! Helpers for the tests of all crates: temporary folders, databases, an HTTP client, processes, scripted players.
//! Development only: no crate depends on it outside its tests.
//!
//! A test that needs a service or a tool is `#[ignore = "needs …"]`, and its path contains `needs_postgres`,
//! `needs_python`, `needs_node`, `needs_javac`, `needs_gxx`, `needs_nginx`, `needs_haproxy` or `needs_systemd`. `cargo xtask test`
//! runs ignored tests and uses these words to skip those whose program is not installed (the last three run in
//! `cargo xtask nightly`); `cargo test` alone reports them as ignored.
//!
//! # Examples
//!
//! ```
//! use parlor_testkit::{eventually, temp_folder};
//! use std::thread;
//!
//! let folder = temp_folder();
//! let file = folder.write("notes/a.txt", "hello");
//! let writer = thread::spawn({
//!     let copy = folder.join("b.txt");
//!     move || std::fs::copy(file, copy)
//! });
//! eventually("the copy is there", || folder.join("b.txt").exists());
//! assert!(writer.join().is_ok_and(|copied| copied.is_ok()));
//! ```
#![allow(clippy::print_stderr, reason = "a test prints its seed; the test runner shows it on failure")]

#[cfg(feature = "database")]
mod database;
mod folder;
mod http;
#[cfg(feature = "database")]
mod log;
mod players;
mod process;
mod random;
mod wait;

#[cfg(feature = "database")]
pub use database::{Database, query_sqlite};
pub use folder::{Folder, temp_folder};
pub use http::{Client, Response};
#[cfg(feature = "database")]
pub use log::Log;
pub use players::{DoesNotStart, Scripted};
pub use process::{Process, built_example, is_running, run, send_signal};
pub use random::{SplitMix64, seed};
pub use wait::{PATIENCE, eventually};
#[cfg(feature = "database")]
pub use wait::{eventually_async, within};

// Used by the macros.
#[cfg(feature = "database")]
#[doc(hidden)]
pub use tokio;
