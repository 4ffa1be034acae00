//! `cargo xtask`: the tasks of this repository, one file for each subcommand. They call cargo,
//! Python and other tools, may be slow and may use the network. This package is not part of releases.
//!
//! The public modules are for `cargo lab`: starting other programs, the folders of the repository,
//! packages from PyPI, a PostgreSQL server.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a task reports on the terminal")]

mod browser;
pub mod command;
mod dist;
mod docs;
mod fair_time;
mod fifth_game;
mod fuzz;
mod nightly;
mod node;
pub mod postgres;
pub mod provision;
pub mod python;
mod sanitize;
pub mod stages;
mod test;
pub mod workspace;

use clap::{Parser, Subcommand, builder::PossibleValuesParser};
use command::AlreadyReported;
use std::process::ExitCode;

/// Development tasks of Parlor. Benchmarks, proofs and other research drivers are in `cargo lab`.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install missing programs and run the checks of every change
    Test {
        /// The stages to run, in this order [default: all]
        #[arg(value_name = "STAGE", value_parser = PossibleValuesParser::new(test::stage_names()))]
        stages: Vec<String>,
    },
    /// Run the checks that take longer than a minute, compile tools or need a release build
    Nightly {
        /// The stages to run, in this order [default: all]
        #[arg(value_name = "STAGE", value_parser = PossibleValuesParser::new(nightly::stage_names()))]
        stages: Vec<String>,
    },
    /// Run fuzz targets with libFuzzer and AddressSanitizer
    Fuzz {
        /// How long to run each target
        #[arg(long, default_value_t = 30)]
        seconds: u64,
        /// The targets to run [default: all]
        #[arg(value_name = "TARGET", value_parser = PossibleValuesParser::new(fuzz::TARGETS))]
        targets: Vec<String>,
    },
    /// Run the tests of crates with unsafe files under AddressSanitizer
    Sanitize {
        /// The crates to test [default: all]
        #[arg(value_name = "CRATE", value_parser = PossibleValuesParser::new(sanitize::crate_names()))]
        crates: Vec<String>,
    },
    /// Start a PostgreSQL server for development in a temporary folder, until Ctrl-C
    ///
    /// Prints its URL, for PARLOR_POSTGRES or --database. Ctrl-C stops the server and deletes its
    /// data.
    Postgres,
    /// Build the documentation site in target/site and check its links
    Docs,
    /// Make a release in target/dist: binary, manual, completions, licences, checksums
    Dist,
}

impl Task {
    fn run(&self) -> anyhow::Result<()> {
        match self {
            Task::Test { stages } => test::run(stages),
            Task::Nightly { stages } => nightly::run(stages),
            Task::Fuzz { seconds, targets } => fuzz::run(targets, *seconds),
            Task::Sanitize { crates } => sanitize::run(crates),
            Task::Postgres => postgres::run(),
            Task::Docs => docs::run(),
            Task::Dist => dist::run(),
        }
    }
}

/// Runs the task that the command line names.
pub fn main() -> ExitCode {
    match Cli::parse().task.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<AlreadyReported>() => {
            ExitCode::from(error.downcast_ref().map_or(1, |&AlreadyReported(code)| code))
        }
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parse(line: &str) -> Result<Task, String> {
        let words = line.split_whitespace();
        Cli::try_parse_from(words).map(|cli| cli.task).map_err(|error| error.to_string())
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn options_may_come_before_and_after_names() {
        for line in ["xtask fuzz --seconds 5 laws record", "xtask fuzz laws record --seconds=5"] {
            let Ok(Task::Fuzz { seconds, targets }) = parse(line) else { panic!("{line} is refused") };
            assert_eq!((seconds, targets), (5, vec!["laws".to_string(), "record".to_string()]));
        }
    }

    #[test]
    fn stages_keep_the_order_of_the_command_line() {
        let Ok(Task::Test { stages }) = parse("xtask test docs fmt") else { panic!("refused") };
        assert_eq!(stages, ["docs", "fmt"]);
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_known_ones() {
        for (line, known) in
            [("xtask test dcos", "clippy"), ("xtask fuzz x", "table_file"), ("xtask sanitize x", "tables")]
        {
            let Err(error) = parse(line) else { panic!("{line} is accepted") };
            assert!(error.contains("possible values") && error.contains(known), "{error}");
        }
        assert!(parse("xtask fuzz --seconds x").is_err());
        assert!(parse("xtask dist x").is_err());
    }
}
