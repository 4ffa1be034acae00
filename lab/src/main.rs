//! `cargo lab`: the research drivers of this repository, one file or folder for each subcommand: benchmarks,
//! proofs, the opening book, tuning, comparisons with other programs. They may run for hours and may use the
//! network. This package is not part of releases.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a driver reports on the terminal")]

mod bench;
mod book;
mod check;
mod cross_check;
mod learn;
mod peers;
mod positions;
mod prove;
mod random_games;
mod tune;

use anyhow::{Result, ensure};
use clap::{Parser, Subcommand};
use std::process::ExitCode;
use xtask::{command, postgres, python, workspace};

/// Research drivers of Parlor: benchmarks, proofs, tuning, comparisons with other programs.
#[derive(Parser)]
#[command(bin_name = "cargo lab", arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure speed, compared with other programs or targets
    Bench(bench::BenchmarkArgs),
    /// Compute exact values of starting positions and compare them with published ones
    Prove(prove::ProveArgs),
    /// Build or verify the opening book of Connect-N on 7x6
    Book(book::BookArgs),
    /// Fit the weights of an evaluation to games of the engine against itself
    Tune(tune::TuneArgs),
    /// Play games of the engine against itself and write their positions, to train an evaluation
    Datagen(learn::datagen::DatagenArgs),
    /// Train the network of a game with the positions of `datagen`
    Fit(learn::fit::FitArgs),
    /// Play a match between two variants of the engine: other weights, or without a selective search
    Match(learn::matches::MatchArgs),
    /// Compare solvers and searches with reference values, BitBully, tables and plain negamax
    Check(check::CheckArgs),
    /// Replay random games with OpenSpiel and compare legal moves and results at every ply
    CrossCheck(cross_check::CrossCheckArgs),
}

impl Command {
    fn run(&self) -> Result<()> {
        match self {
            Command::Bench(options) => bench::run(options),
            Command::Prove(options) => prove::run(options),
            Command::Book(options) => book::run(options),
            Command::Tune(options) => tune::run(options),
            Command::Datagen(options) => learn::datagen::run(options),
            Command::Fit(options) => learn::fit::run(options),
            Command::Match(options) => learn::matches::run(options),
            Command::Check(options) => check::run(options),
            Command::CrossCheck(options) => cross_check::run(options),
        }
    }
}

fn main() -> ExitCode {
    match Cli::parse().command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Refuses a build with debug assertions, because its times are meaningless and its proofs take days.
fn ensure_optimised() -> Result<()> {
    ensure!(!cfg!(debug_assertions), "this command needs an optimised build: start it with 'cargo lab'");
    Ok(())
}

/// The names on the command line, or all values if there are none.
fn named_or_all<T: clap::ValueEnum>(named: &[T]) -> Vec<T> {
    if named.is_empty() { T::value_variants().to_vec() } else { named.to_vec() }
}

/// Reads an amount of memory such as `8G` or `512M`, in MiB.
fn mebibytes(text: &str) -> Result<usize, String> {
    let gib = text.strip_suffix('G').and_then(|number| number.parse::<usize>().ok()?.checked_mul(1024));
    let mib = gib.or_else(|| text.strip_suffix('M')?.parse().ok());
    mib.filter(|&mib| mib > 0).ok_or_else(|| "expected an amount like 8G or 512M".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parse(line: &str) -> Result<Command, String> {
        let words = line.split_whitespace();
        Cli::try_parse_from(words).map(|cli| cli.command).map_err(|error| error.to_string())
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_documented_command_line_is_accepted() {
        for line in [
            "lab cross-check --games 100 --amazons 10 --seed 2",
            "lab check connect --late 20000 --early 200 --seed 1",
            "lab check connect --quick",
            "lab check oware --games 1000 --nodes 1000 --up-to 9",
            "lab check amazons --endgames 100000 --separated 10000",
            "lab bench",
            "lab bench rules connect --positions 5",
            "lab bench connect --alone=1",
            "lab bench kalah --quick --memory 256M",
            "lab bench --quick oware amazons arena",
            "lab bench perfect --games 200 --empty 5 --seconds 600",
            "lab bench server servers hostile workers --trial",
            "lab prove connect --largest 13",
            "lab prove connect --rows 3,5 --keep",
            "lab prove connect --sizes 7x7,8x6 --minutes 5 --memory=8G",
            "lab prove kalah --largest 48 --memory 2G",
            "lab prove awari abapa --up-to 20",
            "lab prove amazons --boards 5x6,4x7 --minutes 5",
            "lab book connect --plies 4 --minutes 60 --threads 2",
            "lab book connect --verify",
            "lab book connect --verify 5",
            "lab datagen oware --games 20000 --nodes 4000 --opening 12 --noise 5 --seed 1 --threads 2 --out oware.csv",
            "lab fit oware --data one.csv --data two.csv --out network.bin --epochs 30 --outcome 50 --unit 300",
            "lab match oware --first a.bin --second embedded --nodes 10000 --pairs 200 --sprt -5,5",
            "lab tune amazons --games 3000 --nodes 5000 --rounds 1 --afresh --seed 1 --threads 2",
        ] {
            assert_eq!(parse(line).err(), None, "{line}");
        }
    }

    #[test]
    fn an_invalid_value_is_refused_with_what_is_accepted() {
        for (line, accepted) in [
            ("lab bench chess", "possible values: rules"),
            ("lab bench kalah --memory 8", "an amount like 8G or 512M"),
            ("lab bench kalah --memory 0G", "an amount like 8G or 512M"),
            ("lab prove connect --sizes 7x7,8", "a size like 7x6"),
            ("lab prove amazons --boards 99x99", "a size like 5x6"),
            ("lab prove connect --rows 3,x", "--rows"),
            ("lab book connect --plies 8", "1..=7"),
            ("lab book connect --threads 0", "1..=64"),
            ("lab match oware --sprt 5", "two Elo differences, the smaller first, like 0,20"),
            ("lab match oware --sprt 10,5", "two Elo differences, the smaller first, like 0,20"),
            ("lab tune chess", "possible values: amazons"),
        ] {
            let Err(error) = parse(line) else { panic!("{line} is accepted") };
            assert!(error.contains(accepted), "{error}");
        }
    }

    #[test]
    fn memory_has_a_unit() {
        assert_eq!(mebibytes("8G"), Ok(8192));
        assert_eq!(mebibytes("512M"), Ok(512));
        assert!(mebibytes("512").is_err() && mebibytes("G").is_err());
    }
}
