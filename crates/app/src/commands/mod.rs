//! The subcommands, one file each, and the menu without one.

mod analyze;
mod bench;
mod check;
mod completions;
mod engine;
mod games;
#[cfg(feature = "server")]
mod join;
mod man;
mod match_cmd;
pub mod new_bot;
mod perft;
mod play;
mod render;
mod rules;
pub mod sandbox_supervisor;
#[cfg(feature = "server")]
mod serve;
mod show;
mod solve;
mod sprt;
mod table;
#[cfg(feature = "server")]
mod tournament;
#[cfg(feature = "server")]
mod worker;

use crate::{args::Command, fault::Fault, stdio::Stdout};

/// Runs a subcommand, or the menu.
pub fn run(command: Option<Command>, mut out: Stdout) -> Result<(), Fault> {
    let Some(command) = command else { return play::menu(out) };
    match command {
        Command::Games(options) => games::run(&options, &mut out),
        Command::Rules { game } => rules::run(game.as_deref(), &mut out),
        Command::Play(options) => play::run(&options, out),
        Command::Perft(options) => perft::run(&options, &mut out),
        Command::Show(options) => show::run(&options, &mut out),
        Command::Render(options) => render::run(&options, &mut out),
        Command::Solve(options) => solve::run(&options, &mut out),
        Command::Analyze(options) => analyze::run(&options, &mut out),
        Command::Bench(options) => bench::run(&options, &mut out),
        Command::Match(options) => match_cmd::run(&options, &mut out),
        Command::Check(options) => check::run(&options, &mut out),
        #[cfg(feature = "server")]
        Command::Tournament(options) => tournament::run(&options, &mut out),
        #[cfg(feature = "server")]
        Command::Worker(options) => worker::run(&options, &mut out),
        Command::Engine(options) => engine::run(&options, out),
        Command::Sprt(options) => sprt::run(&options, &mut out),
        #[cfg(feature = "server")]
        Command::Serve(options) => serve::run(&options, &mut out),
        #[cfg(feature = "server")]
        Command::Join(options) => join::run(&options, &mut out),
        Command::Table { command } => table::run(&command, &mut out),
        Command::NewBot { language, folder } => new_bot::run(&language, &folder, &mut out),
        Command::Completions { shell } => completions::run(shell, &mut out),
        Command::Man { dir, markdown } => man::run(dir.as_deref(), markdown, &mut out),
    }
}
