//! Measures random games per second on one core, compared with OpenSpiel in C++. Both take turns, so that other
//! load of the machine affects both; the best round of each counts.

use super::{grouped, yes_no};
use crate::python::OPEN_SPIEL;
use anyhow::{Context, Result};
use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout},
    time::Instant,
};

/// Our spec and the name in OpenSpiel.
const GAMES: [[&str; 2]; 6] = [
    ["kalah:6,4", "mancala"],
    ["connect:7,6,4", "connect_four"],
    ["oware", "oware"],
    ["amazons:6", "amazons(board_size=6)"],
    ["amazons:8", "amazons(board_size=8)"],
    ["amazons:10", "amazons(board_size=10)"],
];
const ROUNDS: u64 = 7;
const TARGET: f64 = 5.0;
/// Target duration of a round in seconds.
const ROUND: f64 = 0.3;

/// Measures the game of this name, or all games.
pub fn measure(only: Option<&str>) -> Result<()> {
    let mut theirs = OpenSpiel::start()?;
    println!("Random games a second, one core, the best of {ROUNDS} rounds in turns of about {ROUND} s each");
    println!("{:<15} {:>12} {:>12} {:>7}  at least {TARGET} times?", "game", "ours", "OpenSpiel", "ratio");
    for [spec, name] in GAMES {
        if only.is_some_and(|only| !spec.starts_with(only)) {
            continue;
        }
        let game = parlor_catalog::game(spec)?;
        let mut ours = |games: u64, seed: u64| {
            let began = Instant::now();
            std::hint::black_box(game.playouts(games, seed));
            Ok(began.elapsed().as_secs_f64())
        };
        let mut theirs = |games: u64, seed: u64| theirs.play(name, games, seed);
        let counts = [enough(&mut ours)?, enough(&mut theirs)?];
        let mut best = [0.0_f64; 2];
        for round in 0..ROUNDS {
            best[0] = best[0].max(counts[0] as f64 / ours(counts[0], round)?);
            best[1] = best[1].max(counts[1] as f64 / theirs(counts[1], round)?);
        }
        let ratio = best[0] / best[1];
        let [own, other] = best.map(|rate| grouped(rate as u64));
        println!("{spec:<15} {own:>12} {other:>12} {ratio:>7.1}  {}", yes_no(ratio >= TARGET));
    }
    Ok(())
}

/// Determines the number of games per round.
fn enough(play: &mut dyn FnMut(u64, u64) -> Result<f64>) -> Result<u64> {
    let mut games = 16;
    loop {
        let seconds = play(games, 99)?;
        if seconds > ROUND / 4.0 {
            return Ok(((games as f64 * ROUND / seconds) as u64).max(1));
        }
        games *= 4;
    }
}

/// The script that plays games of OpenSpiel.
struct OpenSpiel {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl OpenSpiel {
    fn start() -> Result<OpenSpiel> {
        let mut child = OPEN_SPIEL.script("rollouts.py")?.spawn().context("Python cannot be started")?;
        let questions = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().context("no pipe from Python")?);
        Ok(OpenSpiel { child, questions, answers })
    }

    /// Plays games and returns the seconds that they took.
    fn play(&mut self, name: &str, games: u64, seed: u64) -> Result<f64> {
        let questions = self.questions.as_mut().context("no pipe to Python")?;
        writeln!(questions, "{name} {games} {seed}")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        line.trim().parse().context("OpenSpiel gave no time: see what Python says above")
    }
}

impl Drop for OpenSpiel {
    fn drop(&mut self) {
        drop(self.questions.take());
        let _ = self.child.wait();
    }
}
