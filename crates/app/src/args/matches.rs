//! Command-line options of `match`, `check`, `engine` and `sprt`.

use super::{possible_values::AnyGame, seed};
use clap::Args;
use parlor_session::TimeControl;
use parlor_tournament::MOST_PLIES;
use std::{path::PathBuf, time::Duration};

#[derive(Args, Debug)]
pub struct MatchOptions {
    /// First player, e.g. engine:level=6 or "bot:python3 bot.py"
    #[arg(value_name = "FIRST")]
    pub one: String,
    /// Second player, e.g. engine:level=6 or "bot:python3 bot.py"
    #[arg(value_name = "SECOND")]
    pub other: String,
    /// Game, e.g. kalah:6,4
    #[arg(long, value_name = "GAME")]
    pub game: String,
    /// Name of the first player
    #[arg(long, value_name = "NAME")]
    pub first_name: Option<String>,
    /// Name of the second player
    #[arg(long, value_name = "NAME")]
    pub second_name: Option<String>,
    /// Number of game pairs, i.e. half the number of games
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = games_played, allow_negative_numbers = true)]
    pub rounds: u64,
    /// Time control: 10s+100ms (time for the game, increment per move), move=100ms, nodes=10000, depth=6, …
    /// [default: move=5s if a player is a bot, otherwise no limit]
    #[arg(long, value_name = "TIME")]
    pub time: Option<TimeControl>,
    /// Let bots think on the opponent's time instead of pausing them
    #[arg(long)]
    pub ponder: bool,
    /// CPU time limit per move for bots, e.g. 500ms; a bot that exceeds it loses the game
    #[arg(long, value_name = "TIME", value_parser = super::time)]
    pub cpu_limit: Option<Duration>,
    /// Number of random opening moves, the same for both games of a pair
    #[arg(long, value_name = "PLIES", default_value_t = 2, value_parser = plies)]
    pub opening: usize,
    /// Number of games played at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub concurrency: usize,
    /// Pin each game to its own CPU core
    #[arg(long)]
    pub pin: bool,
    /// End a game as soon as its result is proven
    #[arg(long)]
    pub adjudicate: bool,
    /// Stop early with a sequential probability ratio test (SPRT) of ELO0 against ELO1
    #[arg(long, value_name = "ELO0,ELO1", value_parser = two_elos, allow_hyphen_values = true)]
    pub sprt: Option<[f64; 2]>,
    /// Seed of all random choices
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Save the records of all games to this file
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Run bots without the sandbox
    #[arg(long)]
    pub no_sandbox: bool,
    /// Print JSON, one object per game and one for the match
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct CheckOptions {
    /// Bot to check, e.g. "bot:python3 bot.py" or ugi:./engine
    pub bot: String,
    /// Game to check, e.g. kalah:6,4; may be repeated
    #[arg(long, value_name = "GAME", required = true)]
    pub game: Vec<String>,
    /// Time control of each game and of each position, e.g. move=1s or 10s+100ms
    #[arg(long, value_name = "TIME", default_value = "move=1s")]
    pub time: TimeControl,
    /// Number of random positions per game
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub positions: u32,
    /// Seed of all random choices
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Run bots without the sandbox
    #[arg(long)]
    pub no_sandbox: bool,
    /// Print JSON, one object per check
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct EngineOptions {
    /// Initial game, e.g. kalah:6,4; the `game` command changes it
    #[arg(value_parser = AnyGame, hide_possible_values = true)]
    pub game: String,
    /// Run bots without the sandbox
    #[arg(long)]
    pub no_sandbox: bool,
    /// Player that chooses the moves, e.g. engine:level=5, bot:COMMAND or ugi:COMMAND
    #[arg(long, value_name = "PLAYER", default_value = "engine:threads=1")]
    pub player: String,
    /// Seed of all random choices
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,
}

#[derive(Args, Debug)]
pub struct SprtOptions {
    /// Number of games won
    #[arg(value_parser = games_played, allow_negative_numbers = true)]
    pub wins: u64,
    /// Number of games lost
    #[arg(value_parser = games_played, allow_negative_numbers = true)]
    pub losses: u64,
    /// Number of games drawn
    #[arg(value_parser = games_played, allow_negative_numbers = true)]
    pub draws: u64,
    /// Elo difference under H0
    #[arg(long, value_name = "ELO", default_value_t = 0.0, value_parser = elo, allow_hyphen_values = true)]
    pub elo0: f64,
    /// Elo difference under H1
    #[arg(long, value_name = "ELO", default_value_t = 5.0, value_parser = elo, allow_hyphen_values = true)]
    pub elo1: f64,
    /// False-positive rate (alpha)
    #[arg(long, value_name = "RISK", default_value_t = 0.05, value_parser = risk)]
    pub alpha: f64,
    /// False-negative rate (beta)
    #[arg(long, value_name = "RISK", default_value_t = 0.05, value_parser = risk)]
    pub beta: f64,
    /// Print JSON, one object
    #[arg(long)]
    pub json: bool,
}

fn plies(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|plies| *plies <= MOST_PLIES);
    number.ok_or_else(|| format!("expected a number of moves from 0 to {MOST_PLIES}"))
}

fn two_elos(text: &str) -> Result<[f64; 2], String> {
    let (one, other) = text.split_once(',').ok_or("expected two numbers, like 0,10")?;
    let [low, high] = [elo(one)?, elo(other)?];
    if low < high {
        Ok([low, high])
    } else {
        Err("expected ELO0 to be less than ELO1, like 0,10".to_string())
    }
}

fn elo(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|elo| elo.abs() <= 2000.0);
    number.ok_or_else(|| "expected a number from -2000 to 2000".to_string())
}

fn risk(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|risk| *risk > 0.0 && *risk < 0.5);
    number.ok_or_else(|| "expected a number between 0 and 0.5".to_string())
}

fn games_played(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a number of games, like 60".to_string())
}
