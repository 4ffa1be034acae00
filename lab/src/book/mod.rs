//! `cargo lab book connect`: builds the opening book of four in a row on 7x6 with our own solver, or verifies it.
//!
//! A build may be killed at any time: a journal under target/book has the solved positions, and the same command
//! continues from it. At the time limit it writes the book, which the next compilation of the program embeds.

mod build;
mod journal;
mod layers;
mod line;
mod verify;

use crate::workspace;
use anyhow::Result;
use clap::{ValueEnum, value_parser};
use std::{path::PathBuf, time::Duration};

/// The game of a book.
#[derive(Clone, Copy, ValueEnum)]
enum Book {
    Connect,
}

#[derive(clap::Args)]
pub struct BookArgs {
    /// The game of the book
    #[arg(value_name = "GAME", value_enum, default_value = "connect")]
    book: Book,
    /// Solve every position up to this ply before any beyond it
    #[arg(long, default_value_t = 4, value_parser = value_parser!(u32).range(1..=layers::DEEPEST as i64))]
    plies: u32,
    /// Time limit in minutes, after which the book is written
    #[arg(long, default_value_t = 60, value_parser = value_parser!(u64).range(..=100_000))]
    minutes: u64,
    #[arg(long, default_value_t = 2, value_parser = value_parser!(u8).range(1..=64))]
    threads: u8,
    /// Verify the embedded book instead of building: it is complete, free of contradictions, and N
    /// random entries are solved again [default: 20]
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "20")]
    verify: Option<u64>,
}

struct BookPlan {
    /// The book is complete to this ply before any position beyond it is solved.
    plies: u32,
    time: Duration,
    threads: usize,
}

pub fn run(options: &BookArgs) -> Result<()> {
    crate::ensure_optimised()?;
    let Book::Connect = options.book;
    match options.verify {
        Some(sample) => verify::verify(sample),
        None => build::build(&BookPlan {
            plies: options.plies,
            time: Duration::from_secs(60 * options.minutes),
            threads: options.threads.into(),
        }),
    }
}

/// Path of the book in the source tree.
fn file() -> PathBuf {
    workspace::root().join("crates/solvers/src/connect/data/7x6.book")
}

/// Path of the journal of an unfinished build.
fn journal() -> PathBuf {
    workspace::target().join("book").join("connect-7x6.journal")
}
