//! Compares our solver of four in a row with the values of the reference sets, with BitBully on random positions,
//! and with the published values of the seven first moves. Two threads share the work, each with its own solver and
//! BitBully process. Speed is measured by `bench connect`.

use crate::{peers::Peer, positions};
use anyhow::{Result, anyhow, bail};
use parlor_core::Game;
use parlor_games::connect::Connect;
use parlor_solvers::connect::ConnectSolver;
use positions::{ReferencePosition, SETS};
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Instant,
};

const WORKERS: usize = 2;
/// Largest size of a solver's table, in MiB.
const MIB: usize = 512;
/// Number of checkers in the early and the late positions.
const EARLY: std::ops::Range<usize> = 8..16;
const LATE: std::ops::Range<usize> = 16..42;
/// The value of the first move in each column, for the side that makes it.
const FIRST_MOVES: [i32; 7] = [-2, -1, 0, 1, 0, -1, -2];

pub struct PositionChecks {
    /// Number of random positions of each kind.
    pub late: usize,
    pub early: usize,
    pub seed: u64,
    /// Most positions of each reference set.
    pub of_each_set: usize,
    pub first_moves: bool,
}

impl PositionChecks {
    /// A sample that is solved quickly, for every run of the tests.
    pub const QUICK: PositionChecks =
        PositionChecks { late: 500, early: 0, seed: 1, of_each_set: 50, first_moves: false };
}

#[derive(Default)]
struct Tally {
    positions: usize,
    /// A sentence for each difference.
    differences: Vec<String>,
    our_seconds: f64,
    their_seconds: f64,
}

impl Tally {
    fn add(mut self, other: Tally) -> Tally {
        self.differences.extend(other.differences);
        Tally {
            positions: self.positions + other.positions,
            differences: self.differences,
            our_seconds: self.our_seconds + other.our_seconds,
            their_seconds: self.their_seconds + other.their_seconds,
        }
    }
}

/// Runs all comparisons; an error if anything differs.
pub fn check(plan: &PositionChecks) -> Result<()> {
    let game = Connect::new(&[7, 6, 4])?;
    println!("7x6, four in a row, no book; seed {}", plan.seed);
    println!(
        "{:<26} {:>9} {:>11} {:>10} {:>12} {:>9}",
        "positions", "solved", "differences", "ours, s", "BitBully, s", "seconds"
    );
    let mut differences = Vec::new();
    for name in SETS {
        match positions::reference_set(name)? {
            None => println!("{name}: PARLOR_REFERENCE is not set, nothing to compare with"),
            Some(mut set) => {
                set.truncate(plan.of_each_set);
                differences.extend(row(&game, name, &set)?);
            }
        }
    }
    for (name, plies, count) in
        [("random, 16 to 41 plies", LATE, plan.late), ("random, 8 to 15 plies", EARLY, plan.early)]
    {
        let made = positions::random(&game, plies.cycle().take(count), plan.seed);
        differences.extend(row(&game, name, &made)?);
    }
    if plan.first_moves {
        differences.extend(first_moves(&game)?);
    }
    match differences.first() {
        None => Ok(()),
        Some(first) => bail!("{first}"),
    }
}

/// Compares these positions, prints the totals and returns the differences.
fn row(game: &Connect, name: &str, set: &[ReferencePosition]) -> Result<Vec<String>> {
    if set.is_empty() {
        return Ok(Vec::new());
    }
    let (began, next) = (Instant::now(), AtomicUsize::new(0));
    let tallies: Vec<Result<Tally>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(|| compare(game, set, &next))).collect();
        let dead = |_| Err(anyhow!("a thread died"));
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(dead)).collect()
    });
    let mut all = Tally::default();
    for tally in tallies {
        all = all.add(tally?);
    }
    tell(name, &all, began);
    Ok(all.differences)
}

fn tell(name: &str, tally: &Tally, began: Instant) {
    let theirs =
        if tally.their_seconds > 0.0 { format!("{:.1}", tally.their_seconds) } else { "-".to_string() };
    println!(
        "{name:<26} {:>9} {:>11} {:>10.1} {theirs:>12} {:>9.1}",
        tally.positions,
        tally.differences.len(),
        tally.our_seconds,
        began.elapsed().as_secs_f64()
    );
}

/// The work of one thread. BitBully solves the positions without a known value.
fn compare(game: &Connect, set: &[ReferencePosition], next: &AtomicUsize) -> Result<Tally> {
    let mut solver = ConnectSolver::new(game, MIB, 1);
    let mut peer = None;
    let mut tally = Tally::default();
    while let Some((moves, known)) = set.get(next.fetch_add(1, Ordering::Relaxed)) {
        let began = Instant::now();
        let found = positions::value(&mut solver, &positions::after(game, moves)?);
        tally.our_seconds += began.elapsed().as_secs_f64();
        let (who, want) = match known {
            Some(value) => ("the reference", *value),
            None => {
                if peer.is_none() {
                    peer = Some(Peer::bitbully()?);
                }
                let Some(peer) = &mut peer else { bail!("no BitBully") };
                let solved = peer.solve(moves, false)?;
                tally.their_seconds += solved.seconds;
                ("BitBully", solved.value)
            }
        };
        tally.positions += 1;
        if found != want {
            tally.differences.push(format!("after {moves} the value is {found}, but {who} says {want}"));
        }
    }
    Ok(tally)
}

/// Compares the seven first moves, solved on all threads, with the published values.
fn first_moves(game: &Connect) -> Result<Vec<String>> {
    let (began, mut solver, mut tally) =
        (Instant::now(), ConnectSolver::new(game, 2 * MIB, WORKERS), Tally::default());
    let mut found = Vec::new();
    for (column, want) in (1..).zip(FIRST_MOVES) {
        let value = -positions::value(&mut solver, &positions::after(game, &format!("{column}"))?);
        tally.positions += 1;
        if value != want {
            tally
                .differences
                .push(format!("the first move {column} has the value {value}, but {want} is published"));
        }
        found.push(value.to_string());
    }
    tally.our_seconds = began.elapsed().as_secs_f64();
    tell("first moves", &tally, began);
    println!("values of the first moves: {}", found.join(" "));
    Ok(tally.differences)
}
