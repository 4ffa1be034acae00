//! Command-line options of the commands that need a database or the network: `serve`, `join`, `tournament` and `worker`.

use clap::{Args, ValueEnum};
use parlor_server::Network;
use std::{net::SocketAddr, path::PathBuf, time::Duration};

/// Options that select the database. There are three ways, so that a password need not be on the command line,
/// which other users can see.
#[derive(Args, Debug)]
#[group(id = "place", multiple = false)]
pub struct DatabaseOptions {
    /// Database: a SQLite file, or a URL like postgres://user@host/name. Put a password in --database-file instead:
    /// other users can see the command line [default: $PARLOR_DATABASE for serve and worker; otherwise
    /// parlor/games.db in the user's data folder for serve, games.db in the results folder for tournament]
    #[arg(long, value_name = "FILE|URL")]
    pub database: Option<PathBuf>,
    /// Read the database URL, which may contain a password, from the first line of this file
    #[arg(long, value_name = "FILE")]
    pub database_file: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct TournamentOptions {
    /// Tournament file (TOML); see docs/tournaments.md
    pub file: PathBuf,
    /// Folder for games and results [default: the tournament file's name without its extension]
    #[arg(long, alias = "out", value_name = "DIR")]
    pub dir: Option<PathBuf>,
    #[command(flatten)]
    pub database: DatabaseOptions,
    /// Play no games in this process; only fill the queue for workers and collect their results
    #[arg(long, requires = "place")]
    pub workers_only: bool,
    /// Replay the games of this player, e.g. after it changed; may be repeated
    #[arg(long, value_name = "NAME")]
    pub rerun: Vec<String>,
    /// Delete the games of an earlier run and start over
    #[arg(long)]
    pub fresh: bool,
    /// Run bots without the sandbox
    #[arg(long)]
    pub no_sandbox: bool,
    /// Print JSON, one object with the results
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct WorkerOptions {
    #[command(flatten)]
    pub database: DatabaseOptions,
    /// Number of games played at the same time [default: one per CPU core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub games: Option<u16>,
    /// Working folder of bot commands, with the same layout as the tournament file's folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Run bots without the sandbox
    #[arg(long)]
    pub no_sandbox: bool,
    /// Exit when the queue is empty
    #[arg(long)]
    pub until_idle: bool,
    /// List the workers and the waiting jobs, then exit
    #[arg(long, conflicts_with_all = ["games", "no_sandbox", "until_idle"])]
    pub list: bool,
    /// Print JSON, one object per line
    #[arg(long, requires = "list")]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct ServeOptions {
    /// Address to listen on, e.g. 0.0.0.0:8000
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4117", value_parser = listen)]
    pub listen: SocketAddr,
    #[command(flatten)]
    pub database: DatabaseOptions,
    /// Public URL of this server behind a reverse proxy, e.g. `https://games.example.org`
    #[arg(long, value_name = "URL", value_parser = public)]
    pub public: Option<String>,
    /// Reverse proxy whose X-Forwarded-For header is trusted: an address like 127.0.0.1 or a network like
    /// 10.0.0.0/8; may be repeated [default: none, the header is ignored]
    #[arg(long, value_name = "ADDRESS[/BITS]")]
    pub trusted_proxy: Vec<Network>,
    /// Bot that visitors can play against, e.g. "greedy=bot:python3 greedy.py"; may be repeated
    #[arg(long, value_name = "NAME=SPEC", value_parser = bot)]
    pub bot: Vec<(String, String)>,
    /// Run bots without the sandbox
    #[arg(long)]
    pub no_sandbox: bool,
    /// Number of engine moves and analyses computed at the same time, besides one short job [default: one per
    /// CPU core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub engines: Option<u16>,
    /// Longest engine time per move, e.g. 500ms or 10s; larger requests are reduced to it
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = think_time)]
    pub think_time: Duration,
    /// Most open connections per client address; trusted proxies are exempt
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..))]
    pub connections_per_address: u16,
    /// Disable the limits on requests and connections per client; for tests and private networks
    #[arg(long)]
    pub no_limits: bool,
}

#[derive(Args, Debug)]
pub struct JoinOptions {
    /// Invitation link; game URL (with --token); server URL, to wait for challenges; or tcp://HOST:PORT (with --cosc)
    pub url: String,
    /// Player that chooses the moves, e.g. engine:level=5, bot:COMMAND or ugi:COMMAND
    #[arg(long, value_name = "PLAYER", default_value = "engine:threads=1")]
    pub player: String,
    /// Name shown on the server [default: the player spec]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Token of a seat that this player already holds
    #[arg(long, value_name = "TOKEN", conflicts_with = "cosc")]
    pub token: Option<String>,
    /// Also trust the certificate authority in this PEM file, e.g. for a self-signed certificate [default: the
    /// system's authorities, or those in $SSL_CERT_FILE]
    #[arg(long, value_name = "FILE", conflicts_with = "cosc")]
    pub ca: Option<PathBuf>,
    /// Time limit per move, e.g. 500ms or 5s
    #[arg(long, value_name = "TIME", value_parser = super::time)]
    pub time: Option<Duration>,
    /// Connect to a COSC 322 league through its bridge; the value is the bottom corner that has square (1,1)
    #[arg(long, value_enum, value_name = "CORNER")]
    pub cosc: Option<Corner>,
    /// Run bots without the sandbox
    #[arg(long)]
    pub no_sandbox: bool,
    /// Seed of all random choices
    #[arg(long, value_name = "N", value_parser = super::seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Print every move
    #[arg(short, long)]
    pub verbose: bool,
}

/// The bottom corner that has square (1,1) in a COSC 322 league.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Corner {
    Left,
    Right,
}

fn listen(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "expected an address with a port, like 127.0.0.1:4117 or [::1]:4117".to_string())
}

fn think_time(text: &str) -> Result<Duration, String> {
    let fits = |time: &Duration| (Duration::from_millis(10)..=Duration::from_secs(3600)).contains(time);
    super::time(text).ok().filter(fits).ok_or_else(|| "expected a time from 10ms to 1h, like 10s".to_string())
}

fn public(text: &str) -> Result<String, String> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = host.map(|host| host.trim_end_matches('/'));
    let plain = |host: &str| {
        !host.is_empty() && host.bytes().all(|b| b.is_ascii_alphanumeric() || b".-:[]".contains(&b))
    };
    match host.filter(|host| plain(host)) {
        Some(_) => Ok(text.trim_end_matches('/').to_string()),
        None => Err("expected a URL without a path, like https://games.example.org".to_string()),
    }
}

fn bot(text: &str) -> Result<(String, String), String> {
    let both = text.split_once('=').map(|(name, spec)| (name.trim().to_string(), spec.trim().to_string()));
    let fits = |(name, spec): &(String, String)| {
        !name.is_empty()
            && name.chars().count() <= 40
            && !spec.is_empty()
            && !name.chars().any(char::is_control)
    };
    both.filter(fits).ok_or_else(|| "expected NAME=SPEC, like \"greedy=bot:python3 greedy.py\"".to_string())
}
