//! `cargo lab bench amazons`: measures random games (compared with OpenSpiel), perft, evaluations per second,
//! search nodes per second, the time to decide races, the delay of answers, and a ladder of matches.

use super::{Rounds, counting, duel, grouped, rollouts, yes_no};
use anyhow::{Context, Result};
use parlor_core::{Evaluator, Game, Limits, Match};
use parlor_engine::{Monotonic, Random, Searcher};
use parlor_games::amazons::{Amazons, Mobility, Position, Territory};
use parlor_solvers::amazons::{Racer, Strategist};
use std::{
    hint::black_box,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

/// Number of rounds, of which the best counts.
const ROUNDS: usize = 5;
/// Target: evaluations per second on one core.
const TARGET: f64 = 1.5e6;
/// The engine's time limit per move, and the largest acceptable delay.
const LIMIT: Duration = Duration::from_millis(20);
const LATE: Duration = Duration::from_millis(50);
/// Players from weak to strong. Each plays a match against the one before it.
const LADDER: [&str; 8] = [
    "random",
    "engine:level=3",
    "minimax:depth=1",
    "beam:width=100,depth=2,time=30s",
    "engine:level=5",
    "engine:level=7",
    "selective:time=100ms",
    "engine:time=100ms",
];

pub fn measure(quick: bool) -> Result<()> {
    rollouts::measure(Some(Amazons::NAME))?;
    counting::measure(Some(Amazons::NAME))?;
    let game = Amazons::sized(10, 10).context("the usual board")?;
    let places = positions(&game);
    measure_evaluation(&game, &places);
    measure_search(&game);
    lateness(if quick { &[4, 10] } else { &[4, 5, 6, 7, 8, 9, 10] })?;
    let rounds = if quick { 1 } else { 10 };
    println!("\na ladder at amazons:10,10, random openings of 4 plies, sides swapped, one game at a time");
    for pair in LADDER.windows(2) {
        duel::play("amazons", pair[1], pair[0], rounds)?;
    }
    Ok(())
}

/// Collects all positions of a few random games.
fn positions(game: &Amazons) -> Vec<Position> {
    let (mut random, mut places) = (Random::new(1), Vec::new());
    for _ in 0..100 {
        let mut pos = game.start();
        while let Some(mv) = game.pick(&pos, &mut |n| random.below(n), &mut Vec::new()) {
            places.push(pos);
            game.play(&mut pos, mv);
        }
    }
    places
}

/// Measures the time of an evaluation, compared with counting the turns of both sides.
fn measure_evaluation(game: &Amazons, places: &[Position]) {
    println!(
        "\n{} positions of random games at amazons:10,10, one core, the best of {ROUNDS}",
        grouped(places.len() as u64)
    );
    println!("{:<44} {:>8} {:>8} {:>6}", "what", "ns", "M/s", "ratio");
    let mut racer = Racer::new(game);
    let mut unit = None;
    let row = |name: &str, ask: &mut dyn FnMut(&Position), unit: &mut Option<f64>| {
        let mut rounds = Rounds::default();
        for _ in 0..ROUNDS {
            let began = Instant::now();
            places.iter().for_each(&mut *ask);
            rounds.0.push(began.elapsed().as_secs_f64() / places.len() as f64);
        }
        let best = rounds.best();
        let ratio = best / *unit.get_or_insert(best);
        println!("{name:<44} {:>8.1} {:>8.2} {ratio:>6.2}", best * 1e9, 1e-6 / best);
        1.0 / best
    };
    row(
        "the classic evaluation: turns of both sides",
        &mut |pos| {
            black_box(Mobility.evaluate(game, pos));
        },
        &mut unit,
    );
    let rate = row(
        "the strong one: territory, reach, queens shut in",
        &mut |pos| {
            black_box(Territory::USUAL.evaluate(game, pos));
        },
        &mut unit,
    );
    row(
        "who wins the race, as far as it shows",
        &mut |pos| {
            black_box(racer.race(pos, 200));
        },
        &mut unit,
    );
    println!("the strong one at least {} M/s: {}", TARGET / 1e6, yes_no(rate >= TARGET));
}

/// Measures the positions per second of the engine, including move generation and tree.
fn measure_search(game: &Amazons) {
    println!("\nthe engine from the start for 1 s");
    println!("{:<12} {:>14} {:>8} {:>6}", "threads", "positions", "M/s", "ratio");
    let mut unit = None;
    for threads in [1, 2] {
        let mut search = Strategist::new(Territory::USUAL, Arc::new(Monotonic::start()));
        search.threads = threads;
        let limits = Limits { time: Some(Duration::from_secs(1)), ..Limits::default() };
        let began = Instant::now();
        let found = search.run(&Match::new(*game), &limits, &AtomicBool::new(false), &mut |_| ());
        let rate = found.nodes as f64 / began.elapsed().as_secs_f64();
        let ratio = rate / *unit.get_or_insert(rate);
        println!("{threads:<12} {:>14} {:>8.2} {ratio:>6.2}", grouped(found.nodes), rate / 1e6);
    }
}

/// Plays whole games of the engine against itself with the real clock and prints the longest delay of an answer.
fn lateness(sides: &[u32]) -> Result<()> {
    println!("\nanswers later than a limit of {} ms, the worst of a whole game, in ms", LIMIT.as_millis());
    let across = sides.iter().map(|columns| format!("{columns:>6}")).collect::<String>();
    println!("{:<16}{across}", "rows \\ columns");
    let mut worst = Duration::ZERO;
    for &rows in sides {
        let mut line = format!("{rows:<16}");
        for &columns in sides {
            let late = latest(&Amazons::sized(columns, rows).context("a size")?)?;
            worst = worst.max(late);
            line += &format!("{:>6.1}", late.as_secs_f64() * 1000.0);
        }
        println!("{line}");
    }
    println!("never more than {} ms: {}", LATE.as_millis(), yes_no(worst <= LATE));
    Ok(())
}

fn latest(game: &Amazons) -> Result<Duration> {
    let mut search = Strategist::new(Territory::USUAL, Arc::new(Monotonic::start()));
    let limits = Limits { time: Some(LIMIT), ..Limits::default() };
    let (mut played, mut worst) = (Match::new(*game), Duration::ZERO);
    while game.result(played.position()).is_none() {
        let began = Instant::now();
        let found = search.run(&played, &limits, &AtomicBool::new(false), &mut |_| ());
        worst = worst.max(began.elapsed().saturating_sub(LIMIT));
        played.make(found.moves.first().context("no move")?.mv);
    }
    Ok(worst)
}
