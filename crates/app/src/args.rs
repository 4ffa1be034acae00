//! The command line.

mod matches;
mod possible_values;
mod records;
#[cfg(feature = "server")]
mod server;

pub use matches::{CheckOptions, EngineOptions, MatchOptions, SprtOptions};
pub use records::{RenderOptions, ShowOptions};
#[cfg(feature = "server")]
pub use server::{Corner, DatabaseOptions, JoinOptions, ServeOptions, TournamentOptions, WorkerOptions};

use crate::log::Filter;
use clap::{Args, Parser, ValueEnum};
use possible_values::{AnyGame, AnyLanguage};
use std::{path::PathBuf, time::Duration};

/// Play, solve and analyse two-player board games. Without a command, opens the menu.
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
    /// Use colours (auto: if standard output is a terminal and NO_COLOR is unset)
    #[arg(long, global = true, help_heading = "Global options", value_enum, default_value_t = When::Auto, value_name = "WHEN")]
    pub color: When,
    /// Log level for standard error: off, error, warn, info, debug or trace, or a comma-separated list with
    /// MODULE=LEVEL [default: $PARLOR_LOG, or info for serve and worker, warn for other commands]
    #[arg(long, global = true, help_heading = "Global options", value_name = "LEVEL", value_parser = Filter::parse)]
    pub log: Option<Filter>,
    /// Format of log lines
    #[arg(long, global = true, help_heading = "Global options", value_enum, default_value_t = LogFormat::Text, value_name = "FORMAT")]
    pub log_format: LogFormat,
    #[command(subcommand)]
    pub command: Option<Subcommand>,
}

/// Values of `--color`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    Auto,
    Always,
    Never,
}

/// Values of `--log-format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    Text,
    Json,
}

#[derive(clap::Subcommand, Debug)]
pub enum Subcommand {
    /// List the games with their parameters, players and notation
    #[command(after_help = "Example:\n  parlor games kalah")]
    Games(GamesOptions),
    /// Print the rules of a game with worked examples
    #[command(after_help = "Examples:\n  parlor rules\n  parlor rules kalah")]
    Rules {
        /// Game, e.g. kalah; without it, lists the games
        #[arg(value_parser = AnyGame, hide_possible_values = true)]
        game: Option<String>,
    },
    /// Play a game in the terminal
    #[command(
        after_help = "Examples:\n  parlor play kalah:6,4\n  parlor play connect --first human@Anna --second minimax:time=1s\n  \
                            parlor play amazons:6 --first beam --second random --no-pause --seed 7 --save game.parlor"
    )]
    Play(PlayOptions),
    /// Count the move sequences of each length (perft); one `depth count seconds` line per depth
    #[command(after_help = "Examples:\n  parlor perft oware 9\n  parlor perft connect:7,6,4 6 --moves 4453")]
    Perft(PerftOptions),
    /// Compute the exact value of a position, or bounds if time runs out
    #[command(
        after_help = "Examples:\n  parlor solve kalah:4,3\n  parlor solve connect:5,4 --moves 3,3 --json\n  \
                      echo 44444 | parlor solve connect --stdin --time 1s"
    )]
    Solve(SolveOptions),
    /// Evaluate every legal move of a position, or every move of a recorded game
    #[command(
        after_help = "Examples:\n  parlor analyze kalah:6,4 --time 2s\n  parlor analyze --file game.parlor"
    )]
    Analyze(AnalyzeOptions),
    /// Run fixed searches; print node counts (a checksum of behaviour) and speed
    #[command(after_help = "Examples:\n  parlor bench\n  parlor bench kalah --compare")]
    Bench(BenchOptions),
    /// Play a match between two players, in pairs of games with sides swapped
    #[command(
        after_help = "Example:\n  parlor match engine:level=3 engine:level=6 --game kalah --rounds 10 --seed 1"
    )]
    Match(MatchOptions),
    /// Check that a bot follows the protocol and the rules
    #[command(
        after_help = "Examples:\n  parlor check \"bot:python3 bot.py\" --game kalah:6,4\n  parlor check ugi:./engine --game oware --game connect"
    )]
    Check(CheckOptions),
    #[cfg(feature = "server")]
    /// Run a tournament from a file; run it again to resume
    #[command(
        after_help = "Examples:\n  parlor tournament league.toml\n  parlor tournament league.toml --rerun team7"
    )]
    Tournament(TournamentOptions),
    #[cfg(feature = "server")]
    /// Run jobs from a shared PostgreSQL queue: tournament games, and analyses for servers
    #[command(after_help = "Examples:\n  parlor worker --database postgres://parlor@db.example/parlor\n  \
                      parlor worker --database postgres://parlor@db.example/parlor --games 4 --dir league\n  \
                      parlor worker --database postgres://parlor@db.example/parlor --list")]
    Worker(WorkerOptions),
    /// Run an engine on standard input and output, with the Universal Game Interface (UGI)
    #[command(
        after_help = "Examples:\n  parlor engine kalah:6,4\n  parlor play kalah --second \"ugi:parlor engine kalah\"\n  \
                      parlor engine connect --player \"bot:python3 mybot.py\""
    )]
    Engine(EngineOptions),
    /// Compute match statistics (Elo, SPRT) from wins, losses and draws
    #[command(after_help = "Example:\n  parlor sprt 60 40 20 --elo0 0 --elo1 10")]
    Sprt(SprtOptions),
    /// Build and query endgame tables
    #[command(
        subcommand_required = true,
        after_help = "Examples:\n  parlor table build kalah:6,4 --up-to 12\n  parlor table probe kalah:6,1 --moves 3"
    )]
    Table {
        /// The table command
        #[command(subcommand)]
        command: TableCommand,
    },
    /// Replay a game record in the terminal
    #[command(
        after_help = "Examples:\n  parlor show game.parlor\n  parlor show league.parlor --number 3 --ply 20"
    )]
    Show(ShowOptions),
    #[cfg(feature = "server")]
    /// Start the game server with its web page
    #[command(
        after_help = "Examples:\n  parlor serve\n  parlor serve --listen 0.0.0.0:8000 --database league.db --bot \"greedy=bot:python3 greedy.py\""
    )]
    Serve(ServeOptions),
    #[cfg(feature = "server")]
    /// Connect a player to a server: by invitation link, by token, or as a waiting bot
    #[command(
        after_help = "Examples:\n  parlor join \"http://127.0.0.1:4117/games/ID?invitation=...\" --player engine:level=5\n  \
                      parlor join http://127.0.0.1:4117/ --player \"bot:python3 bot.py\" --name greedy\n  \
                      parlor join tcp://127.0.0.1:5000 --cosc left --name team7 --player engine:time=28s"
    )]
    Join(JoinOptions),
    /// Draw a position, or a whole game as an animation, as SVG
    #[command(after_help = "Examples:\n  parlor render kalah:6,4 --moves 3,6 --out board.svg\n  \
                      parlor render --file game.parlor --out game.svg\n  parlor render --file league.parlor --number 3 --ply 20")]
    Render(RenderOptions),
    /// Create a starter bot: source code, a test and a README
    #[command(after_help = "Examples:\n  parlor new-bot python my-bot\n  parlor new-bot rust bots/first")]
    NewBot {
        /// Programming language of the bot
        #[arg(value_parser = AnyLanguage)]
        language: String,
        /// Folder to create; it must be new or empty
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Print shell completions
    #[command(
        after_help = "Example:\n  parlor completions bash > ~/.local/share/bash-completion/completions/parlor"
    )]
    Completions {
        /// Shell to print completions for
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write the pages of all commands to a folder
    #[command(after_help = "Examples:\n  parlor man | man -l -\n  parlor man --dir man1")]
    Man {
        /// Write parlor.1, parlor-play.1, … to this folder
        #[arg(long, alias = "directory", value_name = "DIR")]
        dir: Option<PathBuf>,
        /// Write Markdown for the documentation site
        #[arg(long, requires = "dir", hide = true)]
        markdown: bool,
    },
}

impl Subcommand {
    /// Whether the subcommand runs until it is stopped, like a server.
    pub fn is_service(&self) -> bool {
        match self {
            #[cfg(feature = "server")]
            Subcommand::Serve(_) => true,
            #[cfg(feature = "server")]
            Subcommand::Worker(options) => !options.list,
            _ => false,
        }
    }
}

#[derive(clap::Subcommand, Debug)]
pub enum TableCommand {
    /// Build the missing layers of a table; run it again to resume
    #[command(
        after_help = "Examples:\n  parlor table build kalah:6,4 --up-to 16 --memory 2G --threads 2\n  \
                      parlor table build oware:rules=awari --up-to 20 --compress\n\n\
                      Sizes that differ only in the number of pieces at the start share a table."
    )]
    Build(TableBuildOptions),
    /// List the layers of a table
    #[command(
        after_help = "Examples:\n  parlor table info kalah\n  parlor table info kalah --histogram > histogram.txt"
    )]
    Info(TableInfoOptions),
    /// Verify a table: all checksums, and every entry against the rules
    #[command(
        after_help = "Examples:\n  parlor table verify kalah\n  parlor table verify kalah --sample 1000000 --seed 7"
    )]
    Verify(TableVerifyOptions),
    /// Look up the value of a position and of each of its moves
    #[command(after_help = "Example:\n  parlor table probe kalah:3 --position \"0,1,2/2,0,0 0/0 s\"")]
    Probe(TableProbeOptions),
}

/// Options of all table commands: the table, its folder and the output format.
#[derive(Args, Debug)]
pub struct TableOptions {
    /// Game, e.g. kalah:6,4
    #[arg(value_parser = AnyGame, hide_possible_values = true)]
    pub game: String,
    /// Folder of all tables [default: $PARLOR_TABLES, or parlor/tables in the user's data folder]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Print JSON, one object per line
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct TableBuildOptions {
    #[command(flatten)]
    pub table: TableOptions,
    /// Highest layer to build, e.g. the number of beans in play
    #[arg(long, value_name = "N", value_parser = layer, allow_negative_numbers = true)]
    pub up_to: u32,
    /// Store new layers compressed: about half the size, slower to probe; existing layers are kept as they are
    #[arg(long)]
    pub compress: bool,
    /// Memory for the current layer and the compressed layers below it, e.g. 512M or 8G
    #[arg(long, value_name = "SIZE", default_value = "8G", value_parser = size)]
    pub memory: usize,
    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: u16,
}

#[derive(Args, Debug)]
pub struct TableInfoOptions {
    #[command(flatten)]
    pub table: TableOptions,
    /// Print how often each value occurs per layer, as `layer value count` lines, smallest value first
    #[arg(long)]
    pub histogram: bool,
}

#[derive(Args, Debug)]
pub struct TableVerifyOptions {
    #[command(flatten)]
    pub table: TableOptions,
    /// Verify only N random entries, besides all checksums
    #[arg(long, value_name = "N", value_parser = entries, allow_negative_numbers = true)]
    pub sample: Option<u64>,
    /// Seed of all random choices
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true, requires = "sample")]
    pub seed: Option<u64>,
    /// Number of threads
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
    /// Show only this game, e.g. kalah
    #[arg(value_parser = AnyGame, hide_possible_values = true)]
    pub game: Option<String>,
    /// Print JSON, one object per game
    #[arg(long)]
    pub json: bool,
}

/// Options for the position from which a command starts.
#[derive(Args, Debug)]
pub struct StartOptions {
    /// Start from this position, in the game's notation (see `parlor games`)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub position: Option<String>,
    /// Play these moves first, e.g. "3 6 2"
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true)]
    pub moves: Option<String>,
}

#[derive(Args, Debug)]
pub struct PlayOptions {
    /// Game, e.g. kalah:6,4
    #[arg(value_parser = AnyGame, hide_possible_values = true)]
    pub game: String,
    /// First player: human, engine:level=5, minimax:depth=4, bad@Tim, bot:COMMAND, ugi:COMMAND, … [default: human]
    #[arg(long, value_name = "PLAYER")]
    pub first: Option<String>,
    /// Second player [default: engine]
    #[arg(long, value_name = "PLAYER")]
    pub second: Option<String>,
    /// Name of the first player
    #[arg(long, value_name = "NAME")]
    pub first_name: Option<String>,
    /// Name of the second player
    #[arg(long, value_name = "NAME")]
    pub second_name: Option<String>,
    /// Run bots without the sandbox
    #[arg(long)]
    pub no_sandbox: bool,
    /// Do not wait for Enter between turns when no human plays
    #[arg(long)]
    pub no_pause: bool,
    /// Seed of all random choices
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Time control for both sides: 5m+3s (time for the game, increment per move), move=10s, 5m,delay=3s,
    /// 5m,bronstein=3s or 10m,byoyomi=3x30s; units: ms, s, m, h, d (see docs/time-controls.md) [default: free]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub clock: Option<String>,
    /// Save the game record to this file after every move; games already in the file are kept
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// How long to show the result screen, in games that have one [default: 4s before a menu]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub linger: Option<String>,
    #[command(flatten)]
    pub start: StartOptions,
}

/// Options that limit the resources of a solver.
#[derive(Args, Debug)]
pub struct WorkOptions {
    /// Memory for the transposition table, e.g. 256M or 2G
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size)]
    pub memory: usize,
    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: u16,
}

#[derive(Args, Debug)]
pub struct SolveOptions {
    /// Game, e.g. kalah:6,4
    pub game: String,
    /// Time limit per position, e.g. 500ms or 5s
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub time: Option<Duration>,
    /// Read one move list per line from standard input; print one `moves value nodes microseconds` line for each
    #[arg(long, conflicts_with_all = ["json", "position", "moves"])]
    pub stdin: bool,
    /// Prove the value by search alone, without the opening book
    #[arg(long)]
    pub no_book: bool,
    /// Save the state of the proof in this folder and resume from it; for proofs that take hours or days
    #[arg(long, value_name = "DIR", conflicts_with = "stdin")]
    pub checkpoint: Option<PathBuf>,
    /// Print JSON, one object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub work: WorkOptions,
    #[command(flatten)]
    pub start: StartOptions,
}

#[derive(Args, Debug)]
pub struct AnalyzeOptions {
    /// Game, e.g. kalah:6,4
    pub game: Option<String>,
    /// Time limit per position, e.g. 500ms or 5s
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time)]
    pub time: Duration,
    /// Analyse the first game in this record file, or - for standard input, and draw a graph of its values
    #[arg(long, alias = "game", value_name = "FILE", conflicts_with_all = ["position", "moves"])]
    pub file: Option<PathBuf>,
    /// Print JSON, one object per move
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub work: WorkOptions,
    #[command(flatten)]
    pub start: StartOptions,
}

#[derive(Args, Debug)]
pub struct BenchOptions {
    /// Search only this game, e.g. kalah
    pub game: Option<String>,
    /// Compare the node counts with a file; exit with 1 if one differs
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "bench.txt")]
    pub compare: Option<PathBuf>,
    /// Print JSON, one object per game
    #[arg(long)]
    pub json: bool,
}

fn time(text: &str) -> Result<Duration, String> {
    parlor_catalog::duration(text).ok_or_else(|| "expected a time like 500ms, 5s or 2m".to_string())
}

fn size(text: &str) -> Result<usize, String> {
    let wrong = || "expected a size from 1M to 1024G, like 256M or 2G".to_string();
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
    /// Game, e.g. kalah:6,4
    #[arg(value_parser = AnyGame, hide_possible_values = true)]
    pub game: String,
    /// Length of the longest sequences to count
    #[arg(value_parser = depth, allow_negative_numbers = true)]
    pub depth: u32,
    /// Print JSON, one object per depth
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub start: StartOptions,
}

fn layer(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|layer| *layer <= 1000);
    number.ok_or_else(|| "expected a layer from 0 to 1000".to_string())
}

fn entries(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a number of entries, like 1000000".to_string())
}

fn depth(text: &str) -> Result<u32, String> {
    text.parse()
        .ok()
        .filter(|depth| *depth <= 1000)
        .ok_or_else(|| "expected a number from 0 to 1000".to_string())
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("expected a number from 0 to {}", u64::MAX))
}
