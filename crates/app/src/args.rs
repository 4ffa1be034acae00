//! The command line.

mod matches;
mod possible_values;
#[cfg(feature = "server")]
mod server;

pub use matches::{CheckOptions, EngineOptions, MatchOptions, SprtOptions};
#[cfg(feature = "server")]
pub use server::{Corner, DatabaseOptions, JoinOptions, ServeOptions, TournamentOptions, WorkerOptions};

use crate::log::Filter;
use clap::{Args, Parser, Subcommand, ValueEnum};
use possible_values::{AnyGame, AnyLanguage};
use std::{path::PathBuf, time::Duration};

/// Plays, solves and referees board games for two. Without a command: the menu.
#[derive(Parser, Debug)]
#[command(
    name = "parlor",
    bin_name = "parlor",
    version,
    max_term_width = 100,
    subcommand_help_heading = "Commands"
)]
#[command(
    after_help = "Examples:\n  parlor\n  parlor play kalah:6,4 --second minimax:depth=6\n  parlor perft connect 7"
)]
pub struct Cli {
    /// Colours: when standard output is a terminal and NO_COLOR is unset, always, or never
    #[arg(long, global = true, value_enum, default_value_t = When::Auto, value_name = "WHEN")]
    pub color: When,
    /// What is logged to standard error: off, error, warn, info, debug or trace, or MODULE=LEVEL for a part, with commas
    /// [default: $PARLOR_LOG, or info for serve and worker, warn for others]
    #[arg(long, global = true, value_name = "LEVEL", value_parser = Filter::parse)]
    pub log: Option<Filter>,
    /// How log lines are written: text for people, json for programs
    #[arg(long, global = true, value_enum, default_value_t = LogFormat::Text, value_name = "FORMAT")]
    pub log_format: LogFormat,
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

/// How log lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    Text,
    Json,
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
    /// The exact value of a position; bounds if the time runs out
    #[command(
        after_help = "Examples:\n  parlor solve kalah:4,3\n  parlor solve connect:5,4 --moves 3,3 --json\n  \
                      echo 44444 | parlor solve connect --stdin --time 1s"
    )]
    Solve(SolveOptions),
    /// Every legal move with its worth, proven or estimated
    #[command(
        after_help = "Examples:\n  parlor analyze kalah:6,4 --time 2s\n  parlor analyze connect --game game.parlor"
    )]
    Analyze(AnalyzeOptions),
    /// Fixed work: node counts (a checksum of behaviour) and speed
    #[command(after_help = "Examples:\n  parlor bench\n  parlor bench kalah --compare")]
    Bench(BenchOptions),
    /// Play a match of two players: pairs of games with sides swapped
    #[command(
        after_help = "Example:\n  parlor match engine:level=3 engine:level=6 --game kalah --rounds 10 --seed 1"
    )]
    Match(MatchOptions),
    /// Check whether a bot keeps the protocol and the rules
    #[command(
        after_help = "Examples:\n  parlor check \"bot:python3 bot.py\" --game kalah:6,4\n  parlor check ugi:./engine --game oware --game connect"
    )]
    Check(CheckOptions),
    #[cfg(feature = "server")]
    /// Play a tournament of a file; the same command goes on where it was left
    #[command(
        after_help = "Examples:\n  parlor tournament league.toml\n  parlor tournament league.toml --rerun team7"
    )]
    Tournament(TournamentOptions),
    #[cfg(feature = "server")]
    /// Play games of tournaments out of a queue that several machines share, and judge positions for servers
    #[command(after_help = "Examples:\n  parlor worker --database postgres://parlor@db.example/parlor\n  \
                      parlor worker --database postgres://parlor@db.example/parlor --games 4 --dir league\n  \
                      parlor worker --database postgres://parlor@db.example/parlor --list")]
    Worker(WorkerOptions),
    /// Be an engine for managers of the Universal Game Interface: commands in, `bestmove` out
    #[command(
        after_help = "Examples:\n  parlor engine kalah:6,4\n  parlor play kalah --second \"ugi:parlor engine kalah\"\n  \
                      parlor engine connect --player \"bot:python3 mybot.py\""
    )]
    Engine(EngineOptions),
    /// The statistics of a match alone: wins, losses and draws
    #[command(after_help = "Example:\n  parlor sprt 60 40 20 --elo0 0 --elo1 10")]
    Sprt(SprtOptions),
    /// Endgame tables: the exact value of every position with little left in play
    #[command(
        subcommand_required = true,
        after_help = "Examples:\n  parlor table build kalah:6,4 --up-to 12\n  parlor table probe kalah:6,1 --moves 3"
    )]
    Table {
        /// What to do
        #[command(subcommand)]
        command: TableCommand,
    },
    /// Replay a record in the terminal
    #[command(
        after_help = "Examples:\n  parlor show game.parlor\n  parlor show league.parlor --number 3 --ply 20"
    )]
    Show(ShowOptions),
    #[cfg(feature = "server")]
    /// The game server with its web page: play, watch, analyse
    #[command(
        after_help = "Examples:\n  parlor serve\n  parlor serve --listen 0.0.0.0:8000 --database league.db --bot \"greedy=bot:python3 greedy.py\""
    )]
    Serve(ServeOptions),
    #[cfg(feature = "server")]
    /// Let a player take a seat on a server: by an invitation, by a token, or waiting for whoever asks
    #[command(
        after_help = "Examples:\n  parlor join \"http://127.0.0.1:4117/games/ID?invitation=...\" --player engine:level=5\n  \
                      parlor join http://127.0.0.1:4117/ --player \"bot:python3 bot.py\" --name greedy\n  \
                      parlor join tcp://127.0.0.1:5000 --cosc left --name team7 --player engine:time=28s"
    )]
    Join(JoinOptions),
    /// A position as a picture (SVG), or a whole game as one that moves
    #[command(after_help = "Examples:\n  parlor render kalah:6,4 --moves 3,6 --out board.svg\n  \
                      parlor render --game game.parlor --out game.svg\n  parlor render --game league.parlor --number 3 --ply 20")]
    Render(RenderOptions),
    /// Make a working first bot: its source, a test and a README
    #[command(after_help = "Examples:\n  parlor new-bot python my-bot\n  parlor new-bot rust bots/first")]
    NewBot {
        /// The language
        #[arg(value_parser = AnyLanguage)]
        language: String,
        /// The folder to make; it must not hold anything yet
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
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

impl Command {
    /// Whether it runs until it is stopped, as a server does.
    pub fn is_service(&self) -> bool {
        match self {
            #[cfg(feature = "server")]
            Command::Serve(_) => true,
            #[cfg(feature = "server")]
            Command::Worker(options) => !options.list,
            _ => false,
        }
    }
}

#[derive(Subcommand, Debug)]
pub enum TableCommand {
    /// Build a table, or what is missing of it; a build that was interrupted goes on where it was
    #[command(
        after_help = "Examples:\n  parlor table build kalah:6,4 --up-to 16 --memory 2G --threads 2\n  \
                      parlor table build oware:rules=awari --up-to 20 --compress\n\n\
                      All sizes of a game that differ only in how many pieces they start with share a table."
    )]
    Build(TableBuildOptions),
    /// Tell what layers there are
    #[command(
        after_help = "Examples:\n  parlor table info kalah\n  parlor table info kalah --histogram > histogram.txt"
    )]
    Info(TableInfoOptions),
    /// Check every byte by its checksum and every entry by the rules
    #[command(
        after_help = "Examples:\n  parlor table verify kalah\n  parlor table verify kalah --sample 1000000 --seed 7"
    )]
    Verify(TableVerifyOptions),
    /// Look a position up: its value, and that of every move
    #[command(after_help = "Example:\n  parlor table probe kalah:3 --position \"0,1,2/2,0,0 0/0 s\"")]
    Probe(TableProbeOptions),
}

/// Which table.
#[derive(Args, Debug)]
pub struct TableOptions {
    /// The game, like kalah:6,4
    #[arg(value_parser = AnyGame, hide_possible_values = true)]
    pub game: String,
    /// The folder of all tables [default: $PARLOR_TABLES, or parlor/tables among the user's data]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// JSON, one object a line
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct TableBuildOptions {
    #[command(flatten)]
    pub table: TableOptions,
    /// The highest layer, such as the most beans in play
    #[arg(long, value_name = "N", value_parser = layer, allow_negative_numbers = true)]
    pub up_to: u32,
    /// Keep new layers in compressed blocks, about half the size and slower to ask; those that are there stay as they are
    #[arg(long)]
    pub compress: bool,
    /// Memory for the layer in progress and all compressed ones below it, like 512M or 8G
    #[arg(long, value_name = "SIZE", default_value = "8G", value_parser = size)]
    pub memory: usize,
    /// Processors to use
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: u16,
}

#[derive(Args, Debug)]
pub struct TableInfoOptions {
    #[command(flatten)]
    pub table: TableOptions,
    /// How often each value stands in each layer: `layer value count` a line, smallest first
    #[arg(long)]
    pub histogram: bool,
}

#[derive(Args, Debug)]
pub struct TableVerifyOptions {
    #[command(flatten)]
    pub table: TableOptions,
    /// Derive only so many entries, drawn by chance; all checksums are checked nevertheless
    #[arg(long, value_name = "N", value_parser = entries, allow_negative_numbers = true)]
    pub sample: Option<u64>,
    /// A number that fixes which entries are drawn
    #[arg(long, value_name = "S", value_parser = seed, allow_negative_numbers = true, requires = "sample")]
    pub seed: Option<u64>,
    /// Processors to use
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: u16,
}

#[derive(Args, Debug)]
pub struct TableProbeOptions {
    #[command(flatten)]
    pub table: TableOptions,
    #[command(flatten)]
    pub start: StartOptions,
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
    /// The game, like kalah:6,4; `parlor games` lists all
    #[arg(value_parser = AnyGame, hide_possible_values = true)]
    pub game: String,
    /// Who plays the first side, like human, minimax:depth=4, bad@Tim or a program, bot:COMMAND or ugi:COMMAND [default: human]
    #[arg(long, value_name = "PLAYER")]
    pub first: Option<String>,
    /// Who plays the second side [default: engine]
    #[arg(long, value_name = "PLAYER")]
    pub second: Option<String>,
    /// What to call the first player
    #[arg(long, value_name = "NAME")]
    pub first_name: Option<String>,
    /// What to call the second player
    #[arg(long, value_name = "NAME")]
    pub second_name: Option<String>,
    /// Run foreign programs without the sandbox
    #[arg(long)]
    pub no_sandbox: bool,
    /// Do not wait for Enter after each turn of two computers
    #[arg(long)]
    pub no_pause: bool,
    /// A number that fixes all random choices
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Time control of both sides: 5m+3s (time for the game, increment per move), move=10s, 5m,delay=3s, 5m,bronstein=3s or
    /// 10m,byoyomi=3x30s; units are ms, s, m, h and d; docs/time-controls.md explains them [default: free]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
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

/// How much a solver may use.
#[derive(Args, Debug)]
pub struct WorkOptions {
    /// Memory for the table, like 256M or 2G
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size)]
    pub memory: usize,
    /// Processors to use
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: u16,
}

#[derive(Args, Debug)]
pub struct SolveOptions {
    /// The game, like kalah:6,4
    pub game: String,
    /// Think no longer than this about a position, like 500ms or 5s
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub time: Option<Duration>,
    /// Be a filter: a list of moves a line in, `moves value nodes microseconds` a line out
    #[arg(long, conflicts_with_all = ["json", "position", "moves"])]
    pub stdin: bool,
    /// Keep what is proved in this folder, and go on with what is there: for proofs of hours and days
    #[arg(long, value_name = "DIR", conflicts_with = "stdin")]
    pub checkpoint: Option<PathBuf>,
    /// One JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub work: WorkOptions,
    #[command(flatten)]
    pub start: StartOptions,
}

#[derive(Args, Debug)]
pub struct AnalyzeOptions {
    /// The game, like kalah:6,4
    pub game: Option<String>,
    /// Think so long about a position
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time)]
    pub time: Duration,
    /// Go through the game of this record file and draw how it went
    #[arg(long = "game", value_name = "FILE", conflicts_with_all = ["position", "moves"])]
    pub file: Option<PathBuf>,
    /// One JSON object a move
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub work: WorkOptions,
    #[command(flatten)]
    pub start: StartOptions,
}

#[derive(Args, Debug)]
pub struct BenchOptions {
    /// Only this game
    pub game: Option<String>,
    /// Compare the counts with those of a file; exit 1 if one differs
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "bench.txt")]
    pub compare: Option<PathBuf>,
    /// One JSON object a game
    #[arg(long)]
    pub json: bool,
}

fn time(text: &str) -> Result<Duration, String> {
    parlor_catalog::duration(text).ok_or_else(|| "it is not a time like 500ms, 5s or 2m".to_string())
}

fn size(text: &str) -> Result<usize, String> {
    let wrong = || "it is not a size from 1M to 1024G, like 256M or 2G".to_string();
    let unit = match text.chars().last() {
        Some('M' | 'm') => 1 << 20,
        Some('G' | 'g') => 1 << 30,
        _ => return Err(wrong()),
    };
    let number: usize = text[..text.len() - 1].parse().map_err(|_| wrong())?;
    Some(number).filter(|n| (1..=1024).contains(n)).map(|n| n * unit).ok_or_else(wrong)
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

fn layer(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|layer| *layer <= 1000);
    number.ok_or_else(|| "it is not a layer from 0 to 1000".to_string())
}

fn entries(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "it is not a number of entries, like 1000000".to_string())
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

#[derive(Args, Debug)]
pub struct RenderOptions {
    /// The game, like kalah:6,4
    #[arg(value_parser = AnyGame, hide_possible_values = true, required_unless_present = "file", conflicts_with = "file")]
    pub game: Option<String>,
    #[command(flatten)]
    pub start: StartOptions,
    /// The game of this record file, or of - for standard input
    #[arg(long = "game", value_name = "FILE", conflicts_with_all = ["position", "moves"])]
    pub file: Option<PathBuf>,
    /// Of several games in the file, this one (counted from 1)
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, conflicts_with = "game")]
    pub number: Option<usize>,
    /// Only the position after this many moves
    #[arg(long, value_name = "K", value_parser = count, allow_negative_numbers = true, conflicts_with = "game")]
    pub ply: Option<usize>,
    /// Write it into this file [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Seen from the second seat
    #[arg(long)]
    pub turned: bool,
}
