//! `parlor join`: a player of ours takes a seat on a server, by an invitation, by a token, or by waiting for whoever asks. A
//! connection that is lost is opened again, and the game goes on.

mod connection;
mod cosc;
mod engine_thread;
mod relay;
mod target;
mod tls;

use crate::{
    args::JoinOptions,
    date,
    environment::{self, usual_dir},
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

/// How long to wait before a lost connection is opened again: at first, and at most.
const SOON: Duration = Duration::from_millis(250);
const LATE: Duration = Duration::from_secs(30);

pub fn run(options: &JoinOptions, out: &mut dyn Write) -> Result<(), CommandError> {
    let clock: Arc<dyn Clock> = Arc::new(Monotonic::start());
    let seed = options.seed.unwrap_or_else(date::fresh_seed);
    let resources = Resources { tables: usual_dir(), ..Resources::with_clock(seed, clock.clone()) };
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
        // Whichever game, the player cannot be made; the first one says why.
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
    // A player that still thinks is not waited for.
    runtime.shutdown_background();
    match joined {
        Err(CommandError::Failed(nothing)) if nothing.is_empty() => client.left(),
        joined => joined,
    }
}

/// A player on its way to a seat, or at it.
struct JoinClient<'a> {
    options: &'a JoinOptions,
    target: JoinTarget,
    tls: Option<Tls>,
    make: MakeForGame,
    clock: Arc<dyn Clock>,
    games: Vec<&'static str>,
    /// The seat that is held, while its game goes on.
    seat: Option<HeldSeat>,
    out: &'a mut dyn Write,
}

impl JoinClient<'_> {
    async fn run(&mut self) -> Result<(), CommandError> {
        let (mut pause, mut been_there) = (SOON, false);
        loop {
            match self.open().await {
                Ok(mut connection) => {
                    (pause, been_there) = (SOON, true);
                    if self.play(&mut connection).await? {
                        return Ok(());
                    }
                }
                Err(ConnectError::Unreachable(why)) if !been_there => {
                    let host = &self.target.host;
                    return Err(CommandError::Failed(format!("cannot connect to {host}: {why}")));
                }
                // A name may still be held by the connection that was lost.
                Err(ConnectError::Refused(409 | 429 | 503, _)) if been_there => {}
                Err(ConnectError::Refused(_, sentence)) => return Err(CommandError::Failed(sentence)),
                Err(ConnectError::Untrusted(sentence)) => return Err(CommandError::Failed(sentence)),
                Err(ConnectError::Unreachable(_)) => {}
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LATE);
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

    /// Sits at the relay until the connection ends. Whether that was all.
    async fn run(&mut self, connection: &mut Connection) -> Result<bool, CommandError> {
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
