//! `parlor join`: a player of ours takes a seat on a server, by an invitation, by a token, or by waiting for whoever asks. A
//! connection that is lost is opened again, and the game goes on.

mod address;
mod cosc;
mod pipe;
mod table;
mod tls;
mod wire;

use crate::{
    args::JoinOptions,
    environment::{self, usual_dir},
    fault::Fault,
    start, stdio,
};
use address::{Errand, Target};
use parlor_catalog::{Clock, Monotonic, Resources};
use parlor_protocol::Program;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use pipe::{Engine, MakeForGame};
use std::{io::Write, sync::Arc, time::Duration};
use table::{Left, Seat, Table};
use tls::Tls;
use wire::{NoWire, Wire};

/// How long to wait before a lost connection is opened again: at first, and at most.
const SOON: Duration = Duration::from_millis(250);
const LATE: Duration = Duration::from_secs(30);

pub fn run(options: &JoinOptions, out: &mut dyn Write) -> Result<(), Fault> {
    let clock: Arc<dyn Clock> = Arc::new(Monotonic::start());
    let seed = options.seed.unwrap_or_else(start::fresh_seed);
    let resources = Resources { tables: usual_dir(), ..Resources::with_clock(seed, clock.clone()) };
    let players = environment::players(".".as_ref(), true, !options.no_sandbox, resources)?;
    if Program::is_program_spec(&options.player) {
        stdio::remark(&players.remark());
    }
    let make = pipe::maker(players, &options.player, seed, options.time);
    if let Some(origin) = options.cosc {
        return cosc::run(options, origin, &make, out);
    }
    let target = Target::read(&options.url, options.token.as_deref())?;
    let tls = target.tls.then(|| Tls::new(options.ca.as_deref())).transpose()?;
    let games = pipe::games(&make);
    if games.is_empty() {
        // Whichever game, the player cannot be made; the first one says why.
        let first = parlor_catalog::entries().first().map_or("", |entry| entry.name);
        make(first).map_err(|fault| fault.of("--player"))?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let seat = match &target.errand {
        Errand::Held { id, token } => Some(Seat { id: id.clone(), token: token.clone() }),
        _ => None,
    };
    let mut joining = Joining { options, target, tls, make, clock, games, seat, out };
    let joined = runtime.block_on(async {
        tokio::select! {
            joined = joining.run() => joined,
            _ = tokio::signal::ctrl_c() => Err(Fault::Failed(String::new())),
        }
    });
    // A player that still thinks is not waited for.
    runtime.shutdown_background();
    match joined {
        Err(Fault::Failed(nothing)) if nothing.is_empty() => joining.left(),
        joined => joined,
    }
}

/// A player on its way to a seat, or at it.
struct Joining<'a> {
    options: &'a JoinOptions,
    target: Target,
    tls: Option<Tls>,
    make: MakeForGame,
    clock: Arc<dyn Clock>,
    games: Vec<&'static str>,
    /// The seat that is held, while its game goes on.
    seat: Option<Seat>,
    out: &'a mut dyn Write,
}

impl Joining<'_> {
    async fn run(&mut self) -> Result<(), Fault> {
        let (mut pause, mut been_there) = (SOON, false);
        loop {
            match self.open().await {
                Ok(mut wire) => {
                    (pause, been_there) = (SOON, true);
                    if self.sit(&mut wire).await? {
                        return Ok(());
                    }
                }
                Err(NoWire::Unreachable(why)) if !been_there => {
                    let host = &self.target.host;
                    return Err(Fault::Failed(format!("cannot connect to {host}: {why}")));
                }
                // A name may still be held by the connection that was lost.
                Err(NoWire::Refused(409 | 429 | 503, _)) if been_there => {}
                Err(NoWire::Refused(_, sentence)) => return Err(Fault::Failed(sentence)),
                Err(NoWire::Untrusted(sentence)) => return Err(Fault::Failed(sentence)),
                Err(NoWire::Unreachable(_)) => {}
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LATE);
        }
    }

    async fn open(&self) -> Result<Wire, NoWire> {
        let name = escaped(&self.name());
        let (host, tls) = (&self.target.host, self.tls.as_ref());
        let seat = |id: &str| format!("/api/v1/games/{id}/bot?dialect=ugi&name={name}");
        match (&self.seat, &self.target.errand) {
            (Some(Seat { id, token }), _) | (None, Errand::Held { id, token }) => {
                Wire::open(host, tls, &seat(id), Some(token)).await
            }
            (None, Errand::Invited { id, invitation }) => {
                Wire::open(host, tls, &format!("{}&invitation={invitation}", seat(id)), None).await
            }
            (None, Errand::Wait) => {
                let games = self.games.join(",");
                let path = format!("/api/v1/bots?dialect=ugi&name={name}&games={games}");
                Wire::open(host, tls, &path, None).await
            }
        }
    }

    /// Sits at the table until the connection ends. Whether that was all.
    async fn sit(&mut self, wire: &mut Wire) -> Result<bool, Fault> {
        let engine = Engine::start(self.make.clone(), self.clock.clone())?;
        let waits = self.target.errand == Errand::Wait;
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
        let mut table = Table {
            wire,
            engine,
            out: self.out,
            verbose: self.options.verbose,
            seat: &mut self.seat,
            shown: 0,
            over: false,
        };
        match table.sit().await? {
            Left::Done => Ok(!waits),
            Left::Refused(why) => Err(Fault::Failed(format!("the server closed the connection: {why}"))),
            Left::Lost => {
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
    fn left(&mut self) -> Result<(), Fault> {
        if let Some(Seat { id, token }) = &self.seat {
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
