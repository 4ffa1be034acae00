//! The command line.

use crate::completing::AnyGame;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Plays and referees Kalah, Connect-N, Oware and Amazons. Without a command: the menu.
#[derive(Parser, Debug)]
#[command(name = "parlor", version, max_term_width = 100, subcommand_help_heading = "Commands")]
#[command(
    after_help = "Examples:\n  parlor\n  parlor play kalah:6,4 --second minimax:depth=6\n  parlor perft connect 7"
)]
pub struct Cli {
    /// Colours: when standard output is a terminal and NO_COLOR is unset, always, or never
    #[arg(long, global = true, value_enum, default_value_t = When::Auto, value_name = "WHEN")]
    pub color: When,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    Auto,
    Always,
    Never,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// List the games: parameters, players, notation
    #[command(after_help = "Example:\n  parlor games kalah")]
    Games(GamesOptions),
    /// Play a game in the terminal
    #[command(
        after_help = "Examples:\n  parlor play kalah:6,4\n  parlor play connect --first human@Anna --second minimax:time=1s\n  \
                            parlor play amazons:6 --first beam --second random --no-pause --seed 7 --save game.parlor"
    )]
    Play(PlayOptions),
    /// Count the move sequences of each length: `depth count seconds` a line
    #[command(after_help = "Examples:\n  parlor perft oware 9\n  parlor perft connect:7,6,4 6 --moves 4453")]
    Perft(PerftOptions),
    /// Replay a record in the terminal
    #[command(
        after_help = "Examples:\n  parlor show game.parlor\n  parlor show league.parlor --number 3 --ply 20"
    )]
    Show(ShowOptions),
    /// Print the completions for a shell
    #[command(
        after_help = "Example:\n  parlor completions bash > ~/.local/share/bash-completion/completions/parlor"
    )]
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one for every command into a folder
    #[command(after_help = "Example:\n  parlor man | man -l -")]
    Man {
        /// Write parlor.1, parlor-play.1 and so on into this folder
        #[arg(long, value_name = "DIR")]
        directory: Option<PathBuf>,
    },
}

#[derive(Args, Debug)]
pub struct GamesOptions {
    /// Only this game
    #[arg(value_parser = AnyGame, hide_possible_values = true)]
    pub game: Option<String>,
    /// One JSON object a line
    #[arg(long)]
    pub json: bool,
}

/// Where to start from.
#[derive(Args, Debug)]
pub struct StartOptions {
    /// Start from this position, in the game's notation
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub position: Option<String>,
    /// Make these moves first, like "3 6 2"
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true)]
    pub moves: Option<String>,
}

#[derive(Args, Debug)]
pub struct PlayOptions {
    /// The game, like kalah:6,4, connect:7,6,4, oware or amazons:10,10
    #[arg(value_parser = AnyGame, hide_possible_values = true)]
    pub game: String,
    /// Who plays the first side, like human, minimax:depth=4 or bad@Tim [default: human]
    #[arg(long, value_name = "PLAYER")]
    pub first: Option<String>,
    /// Who plays the second side [default: minimax]
    #[arg(long, value_name = "PLAYER")]
    pub second: Option<String>,
    /// Do not wait for Enter between the moves of two computers
    #[arg(long)]
    pub no_pause: bool,
    /// A number that fixes all random choices
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Clocks: time for the game, plus time for each move
    #[arg(long, value_name = "5m+3s", allow_hyphen_values = true)]
    pub clock: Option<String>,
    /// Keep the record of the game in this file, after every move; games that it holds already stay before it
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// How long a result stays on the screen, in games that let it stay [default: 4s before a menu]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub linger: Option<String>,
    #[command(flatten)]
    pub start: StartOptions,
}

#[derive(Args, Debug)]
pub struct PerftOptions {
    /// The game, like kalah:6,4
    #[arg(value_parser = AnyGame, hide_possible_values = true)]
    pub game: String,
    /// The longest sequences to count
    #[arg(value_parser = depth, allow_negative_numbers = true)]
    pub depth: u32,
    /// One JSON object a line
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub start: StartOptions,
}

fn depth(text: &str) -> Result<u32, String> {
    text.parse()
        .ok()
        .filter(|depth| *depth <= 1000)
        .ok_or_else(|| "it is not a number from 0 to 1000".to_string())
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("it is not a number from 0 to {}", u64::MAX))
}

fn count(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "it is not a whole number like 3".to_string())
}

#[derive(Args, Debug)]
pub struct ShowOptions {
    /// A record file, or - for standard input
    pub file: PathBuf,
    /// Of several games in the file, only this one (counted from 1)
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub number: Option<usize>,
    /// Only the position after this many moves
    #[arg(long, value_name = "K", value_parser = count, allow_negative_numbers = true)]
    pub ply: Option<usize>,
    /// One JSON object for each position
    #[arg(long)]
    pub json: bool,
}
