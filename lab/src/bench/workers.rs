//! `cargo lab bench workers`: measures games per second from a shared queue with one, two and four workers, and the
//! overhead of the queue per game compared with one process. With `--trial`, plays a thousand games while four
//! workers are killed at random and PostgreSQL has outages: every game must be stored once, and the result must
//! equal that of one process.

use super::{grouped, yes_no};
use crate::{
    command::{self, cargo},
    postgres::{Fsync, PostgresServer},
    workspace::target,
};
use anyhow::{Context, Result, ensure};
use parlor_core::{Record, mix};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Target: overhead of the queue per game, in milliseconds.
const TARGET: f64 = 5.0;
const WORKERS: [usize; 3] = [1, 2, 4];
const TRIAL_GAMES: u64 = 1000;
/// Largest number of outages of PostgreSQL in a trial, and their duration.
const OUTAGES: u64 = 3;
const OUTAGE: Duration = Duration::from_secs(3);
/// Time limit of the trial.
const TRIAL_TIMEOUT: Duration = Duration::from_secs(1800);

/// A kind of game to measure.
struct Row {
    name: &'static str,
    game: &'static str,
    time: &'static str,
    players: [&'static str; 2],
    games: u64,
}

/// The environment of a measurement.
struct Place {
    parlor: PathBuf,
    dir: PathBuf,
    server: PostgresServer,
}

/// A worker process, which is killed with SIGKILL when the value is dropped.
struct Worker(Child);

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub fn measure(quick: bool, trial: bool) -> Result<()> {
    command::run(cargo().args(["build", "--release", "--package", "parlor-app"]))?;
    let dir = target().join("bench-workers");
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir)?;
    let mut place =
        Place { parlor: target().join("release/parlor"), dir, server: PostgresServer::start(Fsync::On)? };
    if trial {
        return place.trial(if quick { TRIAL_GAMES / 10 } else { TRIAL_GAMES });
    }
    let games = if quick { 1_000 } else { 5_000 };
    let engines = ["engine:threads=1,memory=16", "engine:threads=1,memory=8"];
    place.rates(&Row {
        name: "players that answer at once",
        game: "connect:4,4,3",
        time: "move=1s",
        players: ["random", "bad"],
        games,
    })?;
    place.rates(&Row {
        name: "engines",
        game: "kalah:6,4",
        time: "nodes=5000",
        players: engines,
        games: games / 10,
    })?;
    // The time of these games does not depend on the load of the processors, so the speed-up shows how well they
    // are shared.
    place.rates(&Row {
        name: "engines on the clock",
        game: "kalah:6,4",
        time: "move=10ms",
        players: engines,
        games: games / 50,
    })
}

impl Place {
    fn rates(&self, row: &Row) -> Result<()> {
        println!(
            "{}: {} games of {}, {}, one at a time each",
            row.name,
            grouped(row.games),
            row.game,
            row.time
        );
        let each = |seconds: f64| 1e3 * seconds / row.games as f64;
        let line = |what: &str, seconds: f64, first: f64| {
            let (rate, ratio) = (row.games as f64 / seconds, first / seconds);
            println!("{what:<36} {rate:>9.1} games/s {:>8.3} ms a game {ratio:>6.2}", each(seconds));
        };
        let file = self.file("alone", row, 1)?;
        let alone = self.tournament(&file, &["--fresh"])?;
        line("one process, its own file", alone, alone);
        let file = self.file("through", row, 1)?;
        let url = self.server.url();
        let through = self.tournament(&file, &["--fresh", "--database", &url])?;
        line("one process, through the queue", through, alone);
        for count in WORKERS {
            let _workers: Vec<Worker> = (0..count).map(|_| self.worker()).collect::<Result<_>>()?;
            // Until the workers listen for notifications.
            thread::sleep(Duration::from_secs(2));
            let file = self.file(&format!("by-{count}"), row, 1)?;
            let seconds = self.tournament(&file, &["--fresh", "--workers-only", "--database", &url])?;
            line(&format!("{count} of them at work"), seconds, alone);
        }
        let cost = each(through - alone);
        println!("the queue costs {cost:.3} ms a game; at most {TARGET} ms: {}\n", yes_no(cost <= TARGET));
        Ok(())
    }

    fn file(&self, name: &str, row: &Row, concurrency: usize) -> Result<PathBuf> {
        let file = self.dir.join(format!("{name}.toml"));
        let [one, other] = row.players;
        let text = format!(
            "name = \"{name} {}\"\ngames = [\"{}\"]\nrounds = {}\ntime = \"{}\"\nconcurrency = {concurrency}\n\
             [[player]]\nname = \"one\"\nspec = \"{one}\"\n[[player]]\nname = \"other\"\nspec = \"{other}\"\n",
            row.name,
            row.game,
            row.games / 2,
            row.time
        );
        fs::write(&file, text)?;
        Ok(file)
    }

    fn command(&self, file: &Path, more: &[&str]) -> Command {
        let mut command = Command::new(&self.parlor);
        command.arg("tournament").arg(file).args(more).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Runs a whole tournament and returns the seconds.
    fn tournament(&self, file: &Path, more: &[&str]) -> Result<f64> {
        let began = Instant::now();
        let status = self.command(file, more).status()?;
        ensure!(status.success(), "the tournament {} failed", file.display());
        Ok(began.elapsed().as_secs_f64())
    }

    fn worker(&self) -> Result<Worker> {
        let mut command = Command::new(&self.parlor);
        command.args(["worker", "--games", "1", "--database", &self.server.url(), "--dir"]).arg(&self.dir);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Ok(Worker(child.context("a worker cannot be started")?))
    }

    /// Compares four workers that are killed at random with one undisturbed process.
    fn trial(&mut self, games: u64) -> Result<()> {
        let row = Row {
            name: "trial",
            game: "kalah:6,4",
            time: "nodes=20000",
            players: ["engine:threads=1,memory=16", "engine:threads=1,memory=8"],
            games,
        };
        let file = self.file("trial", &row, 2)?;
        let began = Instant::now();
        let url = self.server.url();
        let mut conductor = self.command(&file, &["--workers-only", "--database", &url]).spawn()?;
        let mut workers: Vec<Worker> = (0..4).map(|_| self.worker()).collect::<Result<_>>()?;
        let (mut kills, mut outages) = (0, 0);
        let status = loop {
            if let Some(status) = conductor.try_wait()? {
                break status;
            }
            if began.elapsed() > TRIAL_TIMEOUT {
                let _ = conductor.kill();
            }
            thread::sleep(Duration::from_millis(400 + mix([kills, 1]) % 1600));
            workers[(mix([kills, 2]) % 4) as usize] = self.worker()?;
            kills += 1;
            if kills % 8 == 5 && outages < OUTAGES {
                outages += 1;
                self.server.stop()?;
                thread::sleep(OUTAGE);
                self.server.restart()?;
            }
        };
        ensure!(status.success(), "the tournament with workers failed");
        let seconds = began.elapsed().as_secs_f64();
        drop(workers);
        let (records, standings) = outcome(&self.dir.join("trial"))?;
        println!(
            "{} games with four workers, {kills} times one was killed, PostgreSQL gone {outages} times, in {seconds:.1} s",
            grouped(games)
        );
        let alone =
            self.tournament(&file, &["--out", &self.dir.join("trial-alone").display().to_string()])?;
        println!("the same in one process, two at a time, in {alone:.1} s");
        let (own_records, own_standings) = outcome(&self.dir.join("trial-alone"))?;
        ensure!(records.len() as u64 == games, "{} games instead of {games}", records.len());
        ensure!(records == own_records, "the games are others");
        ensure!(standings == own_standings, "the standings are others");
        println!("every game once, the same games, the same standings: yes");
        Ok(())
    }
}

/// The games and the standings without everything that depends on the clock.
fn outcome(folder: &Path) -> Result<(Vec<String>, Value)> {
    let text = fs::read_to_string(folder.join("games.parlor"))?;
    let records = Record::parse_many(&text).map_err(|bad| anyhow::anyhow!(bad.0))?;
    let plain = |record: Record| Record { comments: Default::default(), ..record }.to_string();
    let mut results: Value = serde_json::from_str(&fs::read_to_string(folder.join("results.json"))?)?;
    let mut standings = results["standings"].take();
    for line in standings.as_array_mut().context("no standings")? {
        line.as_object_mut().context("no line")?.remove("seconds");
    }
    Ok((records.into_iter().map(plain).collect(), standings))
}
