//! Measures how many table positions a filler computes per second, and compares its results with the table byte by
//! byte.

use super::{Rounds, Size};
use crate::bench::{grouped, yes_no};
use anyhow::{Result, ensure};
use parlor_core::Indexed;
use parlor_games::kalah::Kalah;
use parlor_solvers::kalah::KalahFiller;
use parlor_tables::{EndgameTable, Filler, Forward, Work};
use std::{
    sync::atomic::{AtomicBool, AtomicU64},
    time::Instant,
};

const ROUNDS: usize = 3;
/// Target: million positions per second on two threads.
const TARGET: f64 = 15.0;

/// A filler and the layer that it fills.
struct Row<'a> {
    name: &'static str,
    filler: &'a dyn Filler<Kalah>,
    layer: u32,
    threads: usize,
    asked: Option<f64>,
}

pub fn measure(size: &Size, game: &Kalah, table: &EndgameTable<Kalah>) -> Result<()> {
    println!(
        "\nlayers filled in memory, the best of {ROUNDS}; the ratio is to the filler that every game has"
    );
    println!(
        "{:<36} {:>5} {:>13} {:>9} {:>10} {:>6}  asked",
        "filler", "beans", "positions", "best M/s", "median M/s", "ratio"
    );
    let mut yardstick = None;
    for row in rows(size, &KalahFiller::default()) {
        let (positions, rounds) = (game.len(row.layer), fill(&row, game, table)?);
        let [best, median] = [rounds.best(), rounds.median()].map(|seconds| positions as f64 / seconds / 1e6);
        let asked = row
            .asked
            .map_or(String::new(), |least| format!("at least {least} M/s: {}", yes_no(median >= least)));
        println!(
            "{:<36} {:>5} {:>13} {best:>9.2} {median:>10.2} {:>6.1}  {asked}",
            row.name,
            row.layer,
            grouped(positions),
            best / *yardstick.get_or_insert(best)
        );
    }
    Ok(())
}

fn rows<'a>(size: &Size, runs: &'a KalahFiller) -> [Row<'a>; 5] {
    let row = |name, filler: &'a dyn Filler<Kalah>, layer, threads, asked| Row {
        name,
        filler,
        layer,
        threads,
        asked,
    };
    [
        row("position by position, 1 thread", &Forward, size.by_rules, 1, None),
        row("position by position, 2 threads", &Forward, size.by_rules, 2, None),
        row("in long runs, 1 thread", runs, size.by_rules, 1, None),
        row("in long runs, 1 thread", runs, size.filled, 1, None),
        row("in long runs, 2 threads", runs, size.filled, 2, size.asked.map(|_| TARGET)),
    ]
}

/// Measures the seconds of each round. The first round includes the allocation of memory.
fn fill(row: &Row<'_>, game: &Kalah, table: &EndgameTable<Kalah>) -> Result<Rounds> {
    let (layers, family) = (table.layers(), game.family());
    let (below, due) = (&layers[..row.layer as usize], layers[row.layer as usize]);
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let work = Work { threads: row.threads, stop: &stop, done: &done };
    let (mut out, mut rounds) = (vec![0; due.len()], Rounds::default());
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let whole = row.filler.fill(&family, row.layer, below, &mut out, &work);
        rounds.0.push(began.elapsed().as_secs_f64());
        ensure!(whole && out == due, "{}: layer {} is not the table's", row.name, row.layer);
    }
    Ok(rounds)
}
