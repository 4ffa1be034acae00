//! `cargo lab tune`: fits the weights of an evaluation to self-play games. It prints them and changes no file,
//! because matches have to show first that the new weights play better.

mod amazons;

use anyhow::Result;
use clap::{ValueEnum, value_parser};

/// The game whose evaluation is fitted.
#[derive(Clone, Copy, ValueEnum)]
enum Evaluation {
    Amazons,
}

#[derive(clap::Args)]
pub struct TuneArgs {
    /// The game whose evaluation is fitted
    #[arg(value_name = "GAME", value_enum, default_value = "amazons")]
    evaluation: Evaluation,
    /// Games to play in each round
    #[arg(long, default_value_t = 3000)]
    games: u64,
    /// Positions to evaluate for each move
    #[arg(long, default_value_t = 5000)]
    nodes: u64,
    /// Rounds of playing and fitting; each starts with the weights of the previous one
    #[arg(long, default_value_t = 1)]
    rounds: u64,
    /// Start with invented weights instead of the program's
    #[arg(long)]
    afresh: bool,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value_t = 2, value_parser = value_parser!(u64).range(1..))]
    threads: u64,
}

pub fn run(options: &TuneArgs) -> Result<()> {
    crate::ensure_optimised()?;
    let &TuneArgs { evaluation: Evaluation::Amazons, games, nodes, rounds, afresh, seed, threads } = options;
    amazons::tune(amazons::TuningRun { games, nodes, seed, threads, rounds, afresh })?;
    Ok(())
}
