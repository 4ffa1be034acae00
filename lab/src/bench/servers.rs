//! `cargo lab bench servers`: two servers on one PostgreSQL. Measures the delay until a spectator on one server
//! sees a move made on the other, and how long games wait when a server is killed. Checks that no move is lost then
//! or in an outage of PostgreSQL.

use crate::{
    command::{self, cargo, program},
    postgres::{Fsync, PostgresServer},
    workspace::target,
};
use anyhow::{Context, Result, ensure};
use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

/// Durations of the outages of PostgreSQL.
const OUTAGES: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(3), Duration::from_secs(6)];
/// Time between two outages.
const BETWEEN: Duration = Duration::from_secs(2);

struct Bench {
    parlor: PathBuf,
    load: PathBuf,
    postgres: PostgresServer,
}

pub fn measure(quick: bool) -> Result<()> {
    build()?;
    let mut bench = Bench {
        parlor: target().join("release/parlor"),
        load: target().join("release/examples/load"),
        postgres: PostgresServer::start(Fsync::On)?,
    };
    let seconds = if quick { "5" } else { "20" };
    bench.watched("here", seconds, false)?;
    bench.watched("elsewhere", seconds, true)?;
    let (moves, kills) = if quick { ("2000", "5") } else { ("10000", "20") };
    println!("\nOne of two servers killed, again and again:");
    let database = bench.postgres.url();
    let load = bench.crash(&database, moves, kills).status()?;
    ensure!(load.success(), "servers that were killed lost something");
    bench.outages(if quick { "15000" } else { "30000" })
}

impl Bench {
    /// Runs many games on one server, with spectators on the same or on another one.
    fn watched(&self, name: &str, seconds: &str, elsewhere: bool) -> Result<()> {
        println!("\nPlayed on one server, watched {name}:");
        let database = self.postgres.url();
        let (mut a, at) = serve(&self.parlor, &database)?;
        let (mut b, other) = serve(&self.parlor, &database)?;
        let mut load = Command::new(&self.load);
        load.args(["live", &at, &a.id().to_string(), "1000", "2000", "500", seconds]);
        let ran = if elsewhere { load.arg(&other).status() } else { load.status() };
        for server in [&mut a, &mut b] {
            server.kill()?;
            server.wait()?;
        }
        ensure!(ran?.success(), "the load failed");
        Ok(())
    }

    fn crash(&self, database: &str, moves: &str, kills: &str) -> Command {
        let mut load = Command::new(&self.load);
        load.arg("crash").arg(&self.parlor).args([database, moves, kills, "2"]);
        load
    }

    /// Stops and starts PostgreSQL while clients play.
    fn outages(&mut self, moves: &str) -> Result<()> {
        println!("\nPostgreSQL stopped {} times, as by a power failure:", OUTAGES.len());
        let database = self.postgres.url();
        let mut load = self.crash(&database, moves, "0").spawn()?;
        for outage in OUTAGES {
            thread::sleep(BETWEEN);
            self.postgres.stop()?;
            thread::sleep(outage);
            self.postgres.restart()?;
        }
        ensure!(load.wait()?.success(), "something was lost while PostgreSQL was away");
        Ok(())
    }
}

/// Builds the server and the load test with one command, because separate builds would use different features of
/// dependencies.
pub fn build() -> Result<()> {
    let both =
        ["--package", "parlor-app", "--package", "parlor-server", "--bin", "parlor", "--example", "load"];
    command::run(cargo().args(["build", "--release"]).args(both))
}

/// Starts a server without limits. Returns the process and its address.
pub fn serve(parlor: &Path, database: &str) -> Result<(Child, String)> {
    start(parlor, database, &["--no-limits"])
}

/// Starts a server with these options. Returns the process and its address.
pub fn start(parlor: &Path, database: &str, options: &[&str]) -> Result<(Child, String)> {
    let mut server = program(parlor)
        .args(["serve", "--listen", "127.0.0.1:0", "--database", database])
        .args(options)
        .stdout(Stdio::piped())
        .spawn()
        .context("the server cannot be started")?;
    let mut line = String::new();
    BufReader::new(server.stdout.take().context("no output")?).read_line(&mut line)?;
    let address = line.trim().rsplit("http://").next().unwrap_or_default().trim_end_matches('/').to_string();
    Ok((server, address))
}
