//! `parlor`: the menu without arguments, otherwise one file a subcommand. Only here are arguments and environment read,
//! and only here do faults become exit codes.

mod analyze;
mod args;
mod bench;
mod check;
mod completing;
mod database;
mod duel;
mod engine;
mod fault;
mod files;
mod games;
mod join;
mod kits;
mod log;
mod new_bot;
mod output;
mod paper;
mod perft;
mod play;
mod programs;
mod progress;
mod proof;
mod render;
mod serve;
mod show;
mod solve;
mod sprt;
mod start;
mod supervisor;
mod table;
mod terminal;
mod tournament;
mod worker;

use args::{Cli, Command};
use clap::Parser;
use fault::Fault;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = supervisor::run() {
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

fn run(cli: Cli) -> anyhow::Result<()> {
    let is_list = matches!(&cli.command, Some(Command::Worker(options)) if options.list);
    log::begin(&log::Options {
        filter: cli.log.as_ref(),
        format: cli.log_format,
        colour: cli.color,
        service: matches!(cli.command, Some(Command::Serve(_) | Command::Worker(_))) && !is_list,
    })?;
    let mut out = output::Stdout::new(cli.color);
    match cli.command {
        None => play::menu(out)?,
        Some(Command::Games(options)) => games::run(&options, &mut out)?,
        Some(Command::Play(options)) => play::run(&options, out)?,
        Some(Command::Perft(options)) => perft::run(&options, &mut out)?,
        Some(Command::Show(options)) => show::run(&options, &mut out)?,
        Some(Command::Render(options)) => render::run(&options, &mut out)?,
        Some(Command::Solve(options)) => solve::run(&options, &mut out)?,
        Some(Command::Analyze(options)) => analyze::run(&options, &mut out)?,
        Some(Command::Bench(options)) => bench::run(&options, &mut out)?,
        Some(Command::Match(options)) => duel::run(&options, &mut out)?,
        Some(Command::Check(options)) => check::run(&options, &mut out)?,
        Some(Command::Tournament(options)) => tournament::run(&options, &mut out)?,
        Some(Command::Worker(options)) => worker::run(&options, &mut out)?,
        Some(Command::Engine(options)) => engine::run(&options, out)?,
        Some(Command::Sprt(options)) => sprt::run(&options, &mut out)?,
        Some(Command::Serve(options)) => serve::run(&options, &mut out)?,
        Some(Command::Join(options)) => join::run(&options, &mut out)?,
        Some(Command::Table { command }) => table::run(&command, &mut out)?,
        Some(Command::NewBot { language, folder }) => new_bot::run(&language, &folder, &mut out)?,
        Some(Command::Completions { shell }) => paper::completions(shell, &mut out)?,
        Some(Command::Man { directory }) => paper::man(directory.as_deref(), &mut out)?,
    }
    output::flush().map_err(Fault::from)?;
    Ok(())
}
