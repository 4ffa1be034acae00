//! `cargo lab`: the research drivers of this repository, one file or folder for each subcommand:
//! benchmarks, proofs, the opening book, tuning, comparisons with other programs. They may run for
//! hours and may use the network. Nothing here is shipped.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a driver reports on the terminal")]

mod bench;
mod book;
mod check;
mod cross_check;
mod peers;
mod positions;
mod prove;
mod random_games;
mod tune;

use std::process::ExitCode;
use xtask::args::{Args, Usage};
use xtask::{args, command, postgres, python, workspace};

const COMMANDS: &str = "bench, prove, book, tune, check, cross-check";

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap_or_default();
    let run: fn(Args) -> anyhow::Result<()> = match name.as_str() {
        "bench" => bench::run,
        "prove" => prove::run,
        "book" => book::run,
        "tune" => tune::run,
        "check" => check::run,
        "cross-check" => cross_check::run,
        _ => {
            eprintln!("unknown command '{name}'; expected one of: {COMMANDS}");
            return ExitCode::from(2);
        }
    };
    match run(Args::new(words)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::from(if error.is::<Usage>() { 2 } else { 1 })
        }
    }
}
