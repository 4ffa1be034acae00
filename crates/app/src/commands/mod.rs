//! The subcommands, one file or folder each.

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

use crate::{args::Subcommand, error::CommandError, stdio::Stdout};

/// Runs a subcommand; without one, the menu.
pub fn run(command: Option<Subcommand>, mut out: Stdout) -> Result<(), CommandError> {
    let Some(command) = command else { return play::menu(out) };
    match command {
        Subcommand::Games(options) => games::run(&options, &mut out),
        Subcommand::Rules { game } => rules::run(game.as_deref(), &mut out),
        Subcommand::Play(options) => play::run(&options, out),
        Subcommand::Perft(options) => perft::run(&options, &mut out),
        Subcommand::Show(options) => show::run(&options, &mut out),
        Subcommand::Render(options) => render::run(&options, &mut out),
        Subcommand::Solve(options) => solve::run(&options, &mut out),
        Subcommand::Analyze(options) => analyze::run(&options, &mut out),
        Subcommand::Bench(options) => bench::run(&options, &mut out),
        Subcommand::Match(options) => match_cmd::run(&options, &mut out),
        Subcommand::Check(options) => check::run(&options, &mut out),
        #[cfg(feature = "server")]
        Subcommand::Tournament(options) => tournament::run(&options, &mut out),
        #[cfg(feature = "server")]
        Subcommand::Worker(options) => worker::run(&options, &mut out),
        Subcommand::Engine(options) => engine::run(&options, out),
        Subcommand::Sprt(options) => sprt::run(&options, &mut out),
        #[cfg(feature = "server")]
        Subcommand::Serve(options) => serve::run(&options, &mut out),
        #[cfg(feature = "server")]
        Subcommand::Join(options) => join::run(&options, &mut out),
        Subcommand::Table { command } => table::run(&command, &mut out),
        Subcommand::NewBot { language, folder } => new_bot::run(&language, &folder, &mut out),
        Subcommand::Completions { shell } => completions::run(shell, &mut out),
        Subcommand::Man { dir, markdown } => man::run(dir.as_deref(), markdown, &mut out),
    }
}
