//! `parlor join`: lets one of our players play on a server: by invitation, by the token of a seat, or as a waiting bot. A lost
//! connection is opened again, and the game continues.

mod connection;
mod cosc;
mod engine_thread;
mod relay;
mod target;
mod tls;

use crate::{
    args::JoinOptions,
    date,
    environment::{self, default_tables_dir},
    error::CommandError,
    stdio,
};
use connection::{ConnectError, Connection};
use engine_thread::{EngineThread, MakeForGame};
use parlor_catalog::{Clock, Monotonic, Resources};
use parlor_protocol::Program;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use relay::{Disconnect, HeldSeat, Relay};
use std::{io::Write, sync::Arc, time::Duration};
use target::{JoinMode, JoinTarget};
use tls::Tls;

/// Delay before the first attempt to reconnect; it doubles with each attempt (exponential backoff).
const MIN_BACKOFF: Duration = Duration::from_millis(250);
const MAX_BACKOFF: Duration = Duration::from_secs(30);

pub fn run(options: &JoinOptions, out: &mut dyn Write) -> Result<(), CommandError> {
    let clock: Arc<dyn Clock> = Arc::new(Monotonic::start());
    let seed = options.seed.unwrap_or_else(date::fresh_seed);
    let resources = Resources { tables: default_tables_dir(), ..Resources::with_clock(seed, clock.clone()) };
    let players = environment::players(".".as_ref(), true, !options.no_sandbox, resources)?;
    if Program::is_program_spec(&options.player) {
        stdio::remark(&players.remark());
    }
    let make = engine_thread::maker(players, &options.player, seed, options.time);
    if let Some(origin) = options.cosc {
        return cosc::run(options, origin, &make, out);
    }
    let target = JoinTarget::read(&options.url, options.token.as_deref())?;
    let tls = target.tls.then(|| Tls::new(options.ca.as_deref())).transpose()?;
    let games = engine_thread::games(&make);
    if games.is_empty() {
        // The player cannot be made for any game, so the first game gives the reason.
        let first = parlor_catalog::entries().first().map_or("", |entry| entry.name);
        make(first).map_err(|error| error.for_option("--player"))?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let seat = match &target.mode {
        JoinMode::Resume { id, token } => Some(HeldSeat { id: id.clone(), token: token.clone() }),
        _ => None,
    };
    let mut client = JoinClient { options, target, tls, make, clock, games, seat, out };
    let joined = runtime.block_on(async {
        tokio::select! {
            joined = client.run() => joined,
            _ = tokio::signal::ctrl_c() => Err(CommandError::Failed(String::new())),
        }
    });
    // Does not wait for a running search.
    runtime.shutdown_background();
    match joined {
        Err(CommandError::Failed(nothing)) if nothing.is_empty() => client.left(),
        joined => joined,
    }
}

/// State of `parlor join` across connections.
struct JoinClient<'a> {
    options: &'a JoinOptions,
    target: JoinTarget,
    tls: Option<Tls>,
    make: MakeForGame,
    clock: Arc<dyn Clock>,
    games: Vec<&'static str>,
    /// The seat of the game in progress.
    seat: Option<HeldSeat>,
    out: &'a mut dyn Write,
}

impl JoinClient<'_> {
    async fn run(&mut self) -> Result<(), CommandError> {
        let (mut pause, mut was_connected) = (MIN_BACKOFF, false);
        loop {
            match self.open().await {
                Ok(mut connection) => {
                    (pause, was_connected) = (MIN_BACKOFF, true);
                    if self.play(&mut connection).await? {
                        return Ok(());
                    }
                }
                Err(ConnectError::Unreachable(why)) if !was_connected => {
                    let host = &self.target.host;
                    return Err(CommandError::Failed(format!("cannot connect to {host}: {why}")));
                }
                // The server may still count the lost connection under this name.
                Err(ConnectError::Refused(409 | 429 | 503, _)) if was_connected => {}
                Err(ConnectError::Refused(_, sentence)) => return Err(CommandError::Failed(sentence)),
                Err(ConnectError::Untrusted(sentence)) => return Err(CommandError::Failed(sentence)),
                Err(ConnectError::Unreachable(_)) => {}
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(MAX_BACKOFF);
        }
    }

    async fn open(&self) -> Result<Connection, ConnectError> {
        let name = escaped(&self.name());
        let (host, tls) = (&self.target.host, self.tls.as_ref());
        let seat = |id: &str| format!("/api/v1/games/{id}/bot?dialect=ugi&name={name}");
        match (&self.seat, &self.target.mode) {
            (Some(HeldSeat { id, token }), _) | (None, JoinMode::Resume { id, token }) => {
                Connection::open(host, tls, &seat(id), Some(token)).await
            }
            (None, JoinMode::Invitation { id, invitation }) => {
                Connection::open(host, tls, &format!("{}&invitation={invitation}", seat(id)), None).await
            }
            (None, JoinMode::Wait) => {
                let games = self.games.join(",");
                let path = format!("/api/v1/bots?dialect=ugi&name={name}&games={games}");
                Connection::open(host, tls, &path, None).await
            }
        }
    }

    /// Plays until the connection ends. Returns whether the command is finished.
    async fn play(&mut self, connection: &mut Connection) -> Result<bool, CommandError> {
        let engine = EngineThread::start(self.make.clone(), self.clock.clone())?;
        let waits = self.target.mode == JoinMode::Wait;
        if waits && self.seat.is_none() {
            let games = self.games.join(", ");
            writeln!(
                self.out,
                "{} is waiting at {} for games of {games}",
                self.name(),
                self.target.server()
            )?;
            self.out.flush()?;
        }
        let mut relay = Relay {
            connection,
            engine,
            out: self.out,
            verbose: self.options.verbose,
            seat: &mut self.seat,
            shown: 0,
            over: false,
        };
        match relay.run().await? {
            Disconnect::Done => Ok(!waits),
            Disconnect::Refused(why) => {
                Err(CommandError::Failed(format!("the server closed the connection: {why}")))
            }
            Disconnect::Lost => {
                writeln!(self.out, "connection lost; reconnecting")?;
                self.out.flush()?;
                Ok(false)
            }
        }
    }

    fn name(&self) -> String {
        self.options.name.clone().unwrap_or_else(|| self.options.player.clone())
    }

    /// Prints the command that resumes the seat.
    fn left(&mut self) -> Result<(), CommandError> {
        if let Some(HeldSeat { id, token }) = &self.seat {
            writeln!(
                self.out,
                "disconnected; resume with: parlor join {} --token {token}",
                self.target.game(id)
            )?;
        }
        Ok(())
    }
}

/// Percent-encodes a text for a URL.
fn escaped(text: &str) -> String {
    const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    let cut: String = text.chars().take(40).collect();
    utf8_percent_encode(&cut, RESERVED).to_string()
}
