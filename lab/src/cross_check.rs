//! `cargo lab cross-check`: replays random games of our rules in OpenSpiel. At every step the player to move, the
//! legal actions and whether the game is over must agree; at the end also the winner and the scores, if the game
//! has them. Two processes share the work.

use crate::{python::OPEN_SPIEL, random_games};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::{
    io::{self, BufWriter, IsTerminal, Write},
    process::Command,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

struct CrossCheckPlan {
    /// Number of games of each kind except Amazons.
    games: u64,
    amazons: u64,
    seed: u64,
}

impl CrossCheckPlan {
    fn games_of(&self, name: &str) -> u64 {
        if name == "amazons" { self.amazons } else { self.games }
    }

    fn all(&self) -> u64 {
        random_games::NAMES.iter().map(|name| self.games_of(name)).sum()
    }
}

const WORKERS: u64 = 2;

#[derive(clap::Args)]
pub struct CrossCheckArgs {
    /// Number of random games of each game
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    games: u64,
    /// Number of random games of Amazons [default: as many as of the others]
    #[arg(long, value_name = "N")]
    amazons: Option<u64>,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub fn run(options: &CrossCheckArgs) -> Result<()> {
    let &CrossCheckArgs { games, amazons, seed } = options;
    check(&CrossCheckPlan { games, amazons: amazons.unwrap_or(games), seed })
}

/// Plays and compares all games; an error if anything differs.
fn check(plan: &CrossCheckPlan) -> Result<()> {
    let mut scripts = Vec::new();
    for _ in 0..WORKERS {
        scripts.push(OPEN_SPIEL.script("cross_check.py")?);
    }
    println!("seed {}", plan.seed);
    println!("{:<14} {:>8} {:>10} {:>12} {:>9}", "game", "games", "actions", "differences", "seconds");
    let (began, mut found) = (Instant::now(), None);
    for name in random_games::NAMES {
        found = check_game(name, plan, &mut scripts)?.or(found);
    }
    println!("{:<14} {:>8} {:>33.1}", "all", plan.all(), began.elapsed().as_secs_f64());
    match found {
        None => Ok(()),
        Some(first) => bail!("the rules differ from OpenSpiel's. {first}"),
    }
}

/// Compares all games of one name, prints the totals and returns the first difference.
fn check_game(name: &str, plan: &CrossCheckPlan, scripts: &mut [Command]) -> Result<Option<String>> {
    let (began, played) = (Instant::now(), AtomicU64::new(0));
    let answers: Vec<Result<Value>> = thread::scope(|scope| {
        let played = &played;
        let start = |(worker, script)| scope.spawn(move || compare(name, plan, worker, script, played));
        let workers: Vec<_> = (0..).zip(scripts).map(start).collect();
        while !workers.iter().all(thread::ScopedJoinHandle::is_finished) {
            thread::sleep(Duration::from_millis(50));
            progress(name, played, plan);
        }
        let dead = |_| Err(anyhow::anyhow!("a thread died"));
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(dead)).collect()
    });
    wipe();
    let (mut totals, mut first) = ([0; 3], None);
    for answer in answers {
        let answer = answer?;
        for (i, total) in totals.iter_mut().enumerate() {
            *total += answer["totals"][name][i].as_u64().unwrap_or(0);
        }
        first = first.or(answer["first"].as_str().map(String::from));
    }
    let [games, actions, differences] = totals;
    let seconds = began.elapsed().as_secs_f64();
    println!("{name:<14} {games:>8} {actions:>10} {differences:>12} {seconds:>9.1}");
    if games != plan.games_of(name) {
        bail!("OpenSpiel answered for {games} games of {name}, not for {}", plan.games_of(name));
    }
    Ok(first)
}

/// Sends every other game to each of two processes. Returns their final answers.
fn compare(
    name: &str,
    plan: &CrossCheckPlan,
    worker: u64,
    script: &mut Command,
    played: &AtomicU64,
) -> Result<Value> {
    let mut child = script.spawn().context("Python cannot be started")?;
    let mut pipe = BufWriter::new(child.stdin.take().context("no pipe to Python")?);
    let mut sent = Ok(());
    for number in (worker..plan.games_of(name)).step_by(WORKERS as usize) {
        let mut game = random_games::play(name, number, plan.seed);
        game["name"] = name.into();
        sent = writeln!(pipe, "{game}");
        if sent.is_err() {
            break;
        }
        played.fetch_add(1, Ordering::Relaxed);
    }
    sent = sent.and_then(|()| pipe.flush());
    drop(pipe);
    let output = child.wait_with_output()?;
    if !output.status.success() {
        bail!("OpenSpiel ended with {} in a game of {name}: see what it says above", output.status);
    }
    sent.context("Python stopped listening")?;
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Prints the progress, on a terminal only.
fn progress(name: &str, played: &AtomicU64, plan: &CrossCheckPlan) {
    let (now, all) = (played.load(Ordering::Relaxed), plan.games_of(name));
    if io::stderr().is_terminal() {
        eprint!("\r{name}: {now} of {all} games");
    }
}

fn wipe() {
    if io::stderr().is_terminal() {
        eprint!("\r{:60}\r", "");
    }
}
