//! The command line of matches, engines and the referee.

use super::{possible_values::AnyGame, seed};
use clap::Args;
use parlor_session::TimeControl;
use parlor_tournament::MOST_PLIES;
use std::{path::PathBuf, time::Duration};

#[derive(Args, Debug)]
pub struct MatchOptions {
    /// One player, like engine:level=6
    pub one: String,
    /// The other
    pub other: String,
    /// The game, like kalah:6,4
    #[arg(long, value_name = "GAME")]
    pub game: String,
    /// What to call the first player
    #[arg(long, value_name = "NAME")]
    pub first_name: Option<String>,
    /// What to call the other
    #[arg(long, value_name = "NAME")]
    pub second_name: Option<String>,
    /// Pairs of games
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = games_played, allow_negative_numbers = true)]
    pub rounds: u64,
    /// Time control: 10s+100ms (time for the game, increment per move), move=100ms, nodes=10000, depth=6, …
    /// [default: move=5s if a player is a program, else none]
    #[arg(long, value_name = "TIME")]
    pub time: Option<TimeControl>,
    /// Let programs think while the other side does, instead of stopping them between their turns
    #[arg(long)]
    pub ponder: bool,
    /// Processor time that a program may use for a move, like 500ms; more loses the game
    #[arg(long, value_name = "TIME", value_parser = super::time)]
    pub cpu_limit: Option<Duration>,
    /// Random moves at the beginning of each pair
    #[arg(long, value_name = "PLIES", default_value_t = 2, value_parser = plies)]
    pub opening: usize,
    /// Games played at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub concurrency: usize,
    /// Pin each game to a processor core of its own
    #[arg(long)]
    pub pin: bool,
    /// End a game as soon as its result is proved
    #[arg(long)]
    pub adjudicate: bool,
    /// Stop as soon as it is clear whether the first player is rather stronger by ELO0 or by ELO1
    #[arg(long, value_name = "ELO0,ELO1", value_parser = two_elos, allow_hyphen_values = true)]
    pub sprt: Option<[f64; 2]>,
    /// A number that fixes all random choices
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Keep the records of all games in this file
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Run foreign programs without the sandbox
    #[arg(long)]
    pub no_sandbox: bool,
    /// One JSON object a game, then one for the match
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct CheckOptions {
    /// The bot, like "bot:python3 bot.py" or ugi:./engine
    pub bot: String,
    /// A game that it plays, like kalah:6,4; may be given several times
    #[arg(long, value_name = "GAME", required = true)]
    pub game: Vec<String>,
    /// Time control of its games and of each position, like move=1s or 10s+100ms
    #[arg(long, value_name = "TIME", default_value = "move=1s")]
    pub time: TimeControl,
    /// Random positions of each game
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub positions: u32,
    /// A number that fixes all random choices
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Run it without the sandbox
    #[arg(long)]
    pub no_sandbox: bool,
    /// One JSON object a verdict
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct EngineOptions {
    /// The game to begin with, like kalah:6,4; a manager may change it
    #[arg(value_parser = AnyGame, hide_possible_values = true)]
    pub game: String,
    /// Run a foreign program without the sandbox
    #[arg(long)]
    pub no_sandbox: bool,
    /// Who thinks
    #[arg(long, value_name = "PLAYER", default_value = "engine:threads=1")]
    pub player: String,
    /// A number that fixes all random choices
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,
}

#[derive(Args, Debug)]
pub struct SprtOptions {
    /// Games won
    #[arg(value_parser = games_played, allow_negative_numbers = true)]
    pub wins: u64,
    /// Games lost
    #[arg(value_parser = games_played, allow_negative_numbers = true)]
    pub losses: u64,
    /// Games drawn
    #[arg(value_parser = games_played, allow_negative_numbers = true)]
    pub draws: u64,
    /// The difference of strength if nothing is gained
    #[arg(long, value_name = "ELO", default_value_t = 0.0, value_parser = elo, allow_hyphen_values = true)]
    pub elo0: f64,
    /// The difference if something is
    #[arg(long, value_name = "ELO", default_value_t = 5.0, value_parser = elo, allow_hyphen_values = true)]
    pub elo1: f64,
    /// How often no gain may be taken for one
    #[arg(long, value_name = "RISK", default_value_t = 0.05, value_parser = risk)]
    pub alpha: f64,
    /// How often a gain may be missed
    #[arg(long, value_name = "RISK", default_value_t = 0.05, value_parser = risk)]
    pub beta: f64,
    /// One JSON object
    #[arg(long)]
    pub json: bool,
}

fn plies(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|plies| *plies <= MOST_PLIES);
    number.ok_or_else(|| format!("it is not a number of moves from 0 to {MOST_PLIES}"))
}

fn two_elos(text: &str) -> Result<[f64; 2], String> {
    let (one, other) = text.split_once(',').ok_or("it is not like 0,10")?;
    let [low, high] = [elo(one)?, elo(other)?];
    if low < high { Ok([low, high]) } else { Err("the first is not less than the second".to_string()) }
}

fn elo(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|elo| elo.abs() <= 2000.0);
    number.ok_or_else(|| "it is not a number from -2000 to 2000".to_string())
}

fn risk(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|risk| *risk > 0.0 && *risk < 0.5);
    number.ok_or_else(|| "it is not a number between 0 and 0.5".to_string())
}

fn games_played(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "it is not a number of games, like 60".to_string())
}
