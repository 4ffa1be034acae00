//! The command line of what needs a database or the network: the server, its players, tournaments and workers.

use clap::{Args, ValueEnum};
use parlor_server::Network;
use std::{net::SocketAddr, path::PathBuf, time::Duration};

/// Where games and tournaments are kept. Three ways, so that a password need not be in the process list.
#[derive(Args, Debug)]
#[group(id = "place", multiple = false)]
pub struct DatabaseOptions {
    /// The database: a file (SQLite), or an address like postgres://user@host/name, without a password, for other users see the
    /// command line [default: serve and worker: $PARLOR_DATABASE; serve: parlor/games.db among the user's data; tournament: games.db in
    /// its folder]
    #[arg(long, value_name = "FILE|URL")]
    pub database: Option<PathBuf>,
    /// Read the database's address, which may have a password, from the first line of this file
    #[arg(long, value_name = "FILE")]
    pub database_file: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct TournamentOptions {
    /// The tournament, as TOML: see docs/tournaments.md
    pub file: PathBuf,
    /// The folder of its games and results [default: the file's name without its ending]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub database: DatabaseOptions,
    /// Play nothing here: only fill the queue for workers, and count what they play
    #[arg(long, requires = "place")]
    pub workers_only: bool,
    /// Play the games of this player again, because it was changed; may be given several times
    #[arg(long, value_name = "NAME")]
    pub rerun: Vec<String>,
    /// Forget the games of an earlier run and begin anew
    #[arg(long)]
    pub fresh: bool,
    /// Run foreign programs without the sandbox
    #[arg(long)]
    pub no_sandbox: bool,
    /// The results as one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct WorkerOptions {
    #[command(flatten)]
    pub database: DatabaseOptions,
    /// Games at a time [default: one a processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub games: Option<u16>,
    /// The folder in which the commands of bots begin, laid out like that of the tournament's file
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Run foreign programs without the sandbox
    #[arg(long)]
    pub no_sandbox: bool,
    /// Leave when there is nothing to do
    #[arg(long)]
    pub until_idle: bool,
    /// Only show the workers and what waits for them
    #[arg(long, conflicts_with_all = ["games", "no_sandbox", "until_idle"])]
    pub list: bool,
    /// The list as JSON, one object a line
    #[arg(long, requires = "list")]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct ServeOptions {
    /// The address to listen at
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4117", value_parser = listen)]
    pub listen: SocketAddr,
    #[command(flatten)]
    pub database: DatabaseOptions,
    /// Where visitors find this server, if another one stands before it, like `https://games.example.org`
    #[arg(long, value_name = "URL", value_parser = public)]
    pub public: Option<String>,
    /// A reverse proxy whose X-Forwarded-For header names the visitor: an address like 127.0.0.1 or a network like 10.0.0.0/8; may be
    /// given several times [default: none, the header is ignored]
    #[arg(long, value_name = "ADDRESS[/BITS]")]
    pub trusted_proxy: Vec<Network>,
    /// A bot that visitors may play against, like "greedy=bot:python3 greedy.py"; may be given several times
    #[arg(long, value_name = "NAME=SPEC", value_parser = bot)]
    pub bot: Vec<(String, String)>,
    /// Run these bots without the sandbox
    #[arg(long)]
    pub no_sandbox: bool,
    /// Engines and analyses that may think at the same time, beside one short job [default: one a processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub engines: Option<u16>,
    /// The longest time that an engine thinks about one move, like 500ms or 10s; a game that asks for more gets this
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = think_time)]
    pub think_time: Duration,
    /// Connections that one address may have open at the same time; for a trusted proxy there is no such limit
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..))]
    pub connections_per_address: u16,
    /// Let every visitor send as many requests and open as many connections as they like: for tests and among friends
    #[arg(long)]
    pub no_limits: bool,
}

#[derive(Args, Debug)]
pub struct JoinOptions {
    /// An invitation link, the address of a game (with --token), or that of a server, to wait there; with --cosc, tcp://HOST:PORT
    pub url: String,
    /// Who plays: any player, also a program (bot:COMMAND, ugi:COMMAND)
    #[arg(long, value_name = "PLAYER", default_value = "engine:threads=1")]
    pub player: String,
    /// What it is called there [default: the player]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// The token of a seat that is held already
    #[arg(long, value_name = "TOKEN", conflicts_with = "cosc")]
    pub token: Option<String>,
    /// Trust this certificate authority too (PEM), as for a server with a certificate of its own [default: the system's, or
    /// those of $SSL_CERT_FILE]
    #[arg(long, value_name = "FILE", conflicts_with = "cosc")]
    pub ca: Option<PathBuf>,
    /// Take no longer than this for a move
    #[arg(long, value_name = "TIME", value_parser = super::time)]
    pub time: Option<Duration>,
    /// Speak to a league of COSC 322 through its bridge: in which bottom corner its squares begin to count
    #[arg(long, value_enum, value_name = "CORNER")]
    pub cosc: Option<Corner>,
    /// Run a foreign program without the sandbox
    #[arg(long)]
    pub no_sandbox: bool,
    /// A number that fixes all random choices
    #[arg(long, value_name = "N", value_parser = super::seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Tell every move
    #[arg(short, long)]
    pub verbose: bool,
}

/// The bottom corner in which a league's squares begin to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Corner {
    Left,
    Right,
}

fn listen(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| "it is not an address with a port, like 127.0.0.1:4117 or [::1]:4117".to_string())
}

fn think_time(text: &str) -> Result<Duration, String> {
    let fits = |time: &Duration| (Duration::from_millis(10)..=Duration::from_secs(3600)).contains(time);
    super::time(text)
        .ok()
        .filter(fits)
        .ok_or_else(|| "it is not a time from 10ms to 1h, like 10s".to_string())
}

fn public(text: &str) -> Result<String, String> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = host.map(|host| host.trim_end_matches('/'));
    let plain = |host: &str| {
        !host.is_empty() && host.bytes().all(|b| b.is_ascii_alphanumeric() || b".-:[]".contains(&b))
    };
    match host.filter(|host| plain(host)) {
        Some(_) => Ok(text.trim_end_matches('/').to_string()),
        None => Err("it is not an address without a path, like https://games.example.org".to_string()),
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
    both.filter(fits).ok_or_else(|| "it is not like \"greedy=bot:python3 greedy.py\"".to_string())
}
