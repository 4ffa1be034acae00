//! `cargo xtask book connect`: the opening book of four in a row on 7x6, built by our own solver, or checked.
//!
//! A build may be killed at any time: what was solved stands in a journal under target/book, and the same command goes on from
//! there. When the minutes are over it writes the book, which the next build of the program takes in.

mod build;
mod journal;
mod layers;
mod line;
mod verify;

use crate::{
    args::{Args, Usage},
    command, workspace,
};
use anyhow::{Result, ensure};
use std::{path::PathBuf, time::Duration};

/// What to build.
struct Plan {
    /// Complete to so many plies before anything beyond is looked at.
    plies: u32,
    time: Duration,
    threads: usize,
}

/// Entries to solve anew, unless a number is given.
const SAMPLE: u64 = 20;

pub fn run(mut args: Args) -> Result<()> {
    let verify = args.flag_or_number("--verify", SAMPLE)?;
    let plan = plan(&mut args)?;
    args.some_of("book", &["connect"])?;
    match verify {
        _ if cfg!(debug_assertions) => command::rerun_in_release(),
        Some(sample) => verify::verify(sample),
        None => build::build(&plan),
    }
}

fn plan(args: &mut Args) -> Result<Plan> {
    let plies = args.number("--plies")?.unwrap_or(4);
    let minutes = args.number("--minutes")?.unwrap_or(60);
    let threads = args.number("--threads")?.unwrap_or(2);
    ensure!(
        (1..=layers::DEEPEST as u64).contains(&plies),
        Usage::new("--plies is 1 to 7: more would not fit into the book")
    );
    ensure!(minutes <= 100_000, Usage::new("--minutes is at most 100000"));
    ensure!((1..=64).contains(&threads), Usage::new("--threads is 1 to 64"));
    Ok(Plan { plies: plies as u32, time: Duration::from_secs(60 * minutes), threads: threads as usize })
}

/// Where the book stands among the sources.
fn file() -> PathBuf {
    workspace::root().join("crates/solvers/src/connect/data/7x6.book")
}

/// Where the journal of an unfinished build stands.
fn journal() -> PathBuf {
    workspace::target().join("book").join("connect-7x6.journal")
}
