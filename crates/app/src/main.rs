//! `parlor`: the menu without arguments, otherwise one file a subcommand. Only here are arguments and environment read,
//! and only here do faults become exit codes.

mod args;
mod commands;
#[cfg(feature = "server")]
mod database;
mod environment;
mod fault;
mod files;
mod log;
mod start;
mod stdio;

use args::{Cli, Command};
use clap::Parser;
use fault::Fault;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = commands::sandbox_supervisor::run() {
        return code;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return fault::usage(&error),
    };
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fault::exit(&error),
    }
}

fn run(cli: Cli) -> Result<(), Fault> {
    log::begin(&log::Options {
        filter: cli.log.as_ref(),
        format: cli.log_format,
        colour: cli.color,
        service: cli.command.as_ref().is_some_and(Command::is_service),
    })?;
    commands::run(cli.command, stdio::Stdout::new(cli.color))?;
    Ok(stdio::flush()?)
}
