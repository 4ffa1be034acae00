//! Measures how long it takes to solve start positions of Kalah, from creating the solver to the last move of the
//! line, and the nodes per second of the search without endgame tables.

use super::{Kept, Rounds, Size};
use crate::bench::{grouped, yes_no};
use anyhow::{Result, ensure};
use parlor_catalog::{Monotonic, Resources};
use parlor_core::{Game, Limits, Match, Solve};
use parlor_engine::NullWindowSolver;
use parlor_games::kalah::{Kalah, Pots};
use std::{
    path::Path,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

/// Number of measurements without files, and with the table.
const COLD: usize = 3;
const WARM: usize = 5;
/// Time limit of the search without endgame layers.
const WATCHED: Duration = Duration::from_secs(2);

/// A start position and a way to solve it.
struct Row<'a> {
    name: &'static str,
    game: Kalah,
    value: i16,
    threads: usize,
    kept: Kept<'a>,
    rounds: usize,
    /// The target in seconds, if there is one.
    asked: Option<f64>,
}

/// The result of a solve.
struct Solved {
    seconds: f64,
    nodes: u64,
}

pub fn measure(size: &Size, dir: &Path, mib: usize) -> Result<()> {
    let dir = dir.to_path_buf();
    println!(
        "\nKalah(6,{}) from the start, the solver made anew each time, about {mib} MiB; {COLD} rounds cold and {WARM} warm, in turns",
        size.beans
    );
    println!(
        "{:<34} {:>5} {:>8} {:>8} {:>13} {:>9} {:>6}  asked",
        "solve", "value", "best s", "median s", "nodes", "M nodes/s", "ratio"
    );
    let rows = rows(size, Some(&dir))?;
    let mut measured: Vec<(Rounds, u64)> = rows.iter().map(|_| Default::default()).collect();
    // The rows take turns, so that a slow phase of the machine affects all of them.
    for round in 0..COLD.max(WARM) {
        for (row, (rounds, nodes)) in rows.iter().zip(&mut measured).filter(|(row, _)| round < row.rounds) {
            let solved = ours(row, mib)?;
            if solved.seconds < rounds.best() {
                *nodes = solved.nodes;
            }
            rounds.0.push(solved.seconds);
        }
    }
    let yardstick = measured[0].0.best();
    for (row, (rounds, nodes)) in rows.iter().zip(&measured) {
        tell(row, rounds, *nodes, yardstick);
    }
    beside_the_general_solver(size, mib)?;
    without_endings(size, mib)
}

fn rows<'a>(size: &Size, kept: Kept<'a>) -> Result<[Row<'a>; 5]> {
    let [cold, warm] = size.asked.map_or([None; 2], |asked| asked.map(Some));
    let row = |name, capture: u32, threads, kept: Kept<'a>, asked| {
        let rounds = if kept.is_some() { WARM } else { COLD };
        let game = Kalah::new(&[6, size.beans, capture])?;
        anyhow::Ok(Row { name, game, value: size.values[capture as usize], threads, kept, rounds, asked })
    };
    Ok([
        row("nothing on disk, 1 thread", 0, 1, None, None)?,
        row("nothing on disk, 2 threads", 0, 2, None, cold)?,
        row("the same with capture=empty", 1, 2, None, cold)?,
        row("the table in memory, 1 thread", 0, 1, kept, warm)?,
        row("the table in memory, 2 threads", 0, 2, kept, warm)?,
    ])
}

fn tell(row: &Row<'_>, rounds: &Rounds, nodes: u64, yardstick: f64) {
    let best = rounds.best();
    let asked = row
        .asked
        .map_or(String::new(), |most| format!("at most {most} s: {}", yes_no(rounds.median() <= most)));
    println!(
        "{:<34} {:>5} {best:>8.3} {:>8.3} {:>13} {:>9.2} {:>6.2}  {asked}",
        row.name,
        format!("{:+}", row.value),
        rounds.median(),
        grouped(nodes),
        nodes as f64 / best / 1e6,
        best / yardstick
    );
}

/// Solves a start position with the solver of the catalogue.
fn ours(row: &Row<'_>, mib: usize) -> Result<Solved> {
    let clock = Arc::new(Monotonic::start());
    let resources = Resources {
        memory: Some(mib << 20),
        threads: row.threads,
        tables: row.kept.cloned(),
        ..Resources::with_clock(0, clock)
    };
    let played = Match::new(row.game.clone());
    let (mut nodes, began) = (0, Instant::now());
    let mut solver = parlor_catalog::game(&row.game.spec())?.solver(&resources)?;
    let bounds = solver
        .solve(&played, &Limits::default(), &AtomicBool::new(false), &mut |report| nodes = report.nodes)?;
    let seconds = began.elapsed().as_secs_f64();
    let right = bounds.are_exact() && bounds.lo.0 == row.value;
    ensure!(right, "{} was solved as {bounds:?}, but its value is {:+}", row.game.spec(), row.value);
    Ok(Solved { seconds, nodes })
}

/// Compares both solvers on a small start position. The general one solves it only once, because it takes long.
fn beside_the_general_solver(size: &Size, mib: usize) -> Result<()> {
    let (holes, beans, value) = size.small;
    let game = Kalah::new(&[holes, beans, 0])?;
    let row = Row { name: "", game: game.clone(), value, threads: 1, kept: None, rounds: COLD, asked: None };
    let mut own = Rounds::default();
    for _ in 0..COLD {
        own.0.push(ours(&row, mib)?.seconds);
    }
    let (mut solver, played, began) = (general_solver(mib), Match::new(game), Instant::now());
    let bounds = solver.solve(&played, &Limits::default(), &AtomicBool::new(false), &mut |_| ());
    let general = began.elapsed().as_secs_f64();
    ensure!(bounds.are_exact() && bounds.lo.0 == value, "the general solver says {bounds:?}");
    println!(
        "Kalah({holes},{beans}), 1 thread: {:.3} s (best of {COLD}), the general solver {general:.3} s (once), ratio {:.1}",
        own.best(),
        general / own.best()
    );
    Ok(())
}

fn general_solver(mib: usize) -> NullWindowSolver<Kalah, Pots> {
    NullWindowSolver::new(Pots, mib << 20, Arc::new(Monotonic::start()))
}

/// Measures the nodes per second of the search without endgame tables, on one thread and for a limited time.
fn without_endings(size: &Size, mib: usize) -> Result<()> {
    let game = Kalah::new(&[6, size.beans, 0])?;
    let played = Match::new(game.clone());
    let limits = Limits { time: Some(WATCHED), ..Limits::default() };
    // With so little memory the solver builds no endgame tables.
    let clock = Arc::new(Monotonic::start());
    let resources = Resources { memory: Some(0), ..Resources::with_clock(0, clock) };
    let (mut own, mut general) = (0.0_f64, 0.0_f64);
    for _ in 0..COLD {
        let (mut nodes, began) = (0, Instant::now());
        let mut solver = parlor_catalog::game(&game.spec())?.solver(&resources)?;
        solver.solve(&played, &limits, &AtomicBool::new(false), &mut |report| nodes = report.nodes)?;
        own = own.max(nodes as f64 / began.elapsed().as_secs_f64());
        let (mut nodes, began) = (0, Instant::now());
        let mut solver = general_solver(mib);
        solver.solve(&played, &limits, &AtomicBool::new(false), &mut |report| nodes = report.nodes);
        general = general.max(nodes as f64 / began.elapsed().as_secs_f64());
    }
    println!(
        "no endings at all, 1 thread, best of {COLD} times {} s: {:.2} M nodes/s, the general solver {:.2}, ratio {:.1}",
        WATCHED.as_secs(),
        own / 1e6,
        general / 1e6,
        own / general
    );
    Ok(())
}
