//! The program `parlor`: parses the command line and runs a subcommand, or the menu without arguments. Only this crate reads
//! arguments and environment variables, and only here errors become exit codes.

mod args;
mod commands;
#[cfg(feature = "server")]
mod database;
mod date;
mod environment;
mod error;
mod files;
mod interrupt;
mod log;
mod starting_board;
mod stdio;

use args::{Cli, Subcommand};
use clap::Parser;
use error::CommandError;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = commands::sandbox_supervisor::run() {
        return code;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return error::usage(&error),
    };
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error::exit(&error),
    }
}

fn run(cli: Cli) -> Result<(), CommandError> {
    log::init(&log::LogOptions {
        filter: cli.log.as_ref(),
        format: cli.log_format,
        colour: cli.color,
        service: cli.command.as_ref().is_some_and(Subcommand::is_service),
    })?;
    commands::run(cli.command, stdio::Stdout::new(cli.color))?;
    Ok(stdio::flush()?)
}
