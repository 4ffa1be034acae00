//! `cargo lab prove`: computes exact values of starting positions on two cores and compares them with published
//! ones, if the reference folder is set. A result that differs is an error. This file has four in a row by size;
//! `rows.rs` has other rows on small boards, `attempt.rs` large boards with limits.

mod amazons;
mod attempt;
mod kalah;
mod oware;
mod rows;

use crate::positions;
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use parlor_core::Game;
use parlor_games::connect::Connect;
use parlor_solvers::connect::ConnectSolver;
use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Instant,
};

/// Number of solvers at the same time, each with a table of at most `MIB` mebibytes.
const SOLVERS: usize = 2;
const MIB: usize = 2048;
/// Default limit of the sum of columns and levels.
const LARGEST: u32 = 13;
/// Default limit of the total number of beans in Kalah.
const KALAH: u32 = 48;

/// A size with its published result for the first player and the last ply of a perfect game.
struct Size {
    columns: u32,
    levels: u32,
    published: Option<Ended>,
}

/// The end of a perfect game: w, l or d for the first player, and the last ply.
type Ended = (char, i32);

/// The proofs of `cargo lab prove`.
#[derive(Clone, Copy, ValueEnum)]
enum Proof {
    /// Connect-N from the empty board: four in a row by size, other rows, or large boards
    Connect,
    /// Kalah from every start, with both capture rules
    Kalah,
    /// All positions of Oware by the rules of the literature's Awari, seed by seed
    Awari,
    /// All positions of Oware by the Abapa rules, seed by seed
    Abapa,
    /// The winner of Amazons from the usual start, board by board
    Amazons,
}

#[derive(clap::Args)]
pub struct ProveArgs {
    /// What to prove [default: all]
    #[arg(value_name = "PROOF", value_enum)]
    proofs: Vec<Proof>,
    /// connect: largest sum of columns and levels [default: 13]; kalah: largest total number of beans [default: 48]
    #[arg(long, value_name = "N")]
    largest: Option<u32>,
    /// connect: tables for rows of these lengths, such as 3,5, on boards up to 6x6
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',')]
    rows: Option<Vec<u32>>,
    /// connect: write the tables of --rows into the data of the solver's tests
    #[arg(long)]
    keep: bool,
    /// connect: only boards of these sizes, such as 7x7,8x6, on all processors
    #[arg(long, value_delimiter = ',', value_parser = attempt::size)]
    sizes: Option<Vec<(u32, u32)>>,
    /// amazons: boards of these sizes, such as 5x6,4x7 [default: those whose winner is known]
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = amazons::size)]
    boards: Option<Vec<(u32, u32)>>,
    /// connect --sizes, amazons: time limit per board in minutes [default: no limit]
    #[arg(long)]
    minutes: Option<u64>,
    /// connect --sizes, kalah, amazons: memory for tables, such as 8G or 512M
    #[arg(long, value_parser = crate::mebibytes, default_value = "2G")]
    memory: usize,
    /// awari, abapa: largest number of seeds in the pits
    #[arg(long, value_name = "SEEDS", default_value_t = 12)]
    up_to: u32,
}

pub fn run(options: &ProveArgs) -> Result<()> {
    crate::ensure_optimised()?;
    for proof in crate::named_or_all(&options.proofs) {
        match proof {
            Proof::Connect => connect(options)?,
            Proof::Kalah => kalah::prove(options.largest.unwrap_or(KALAH), options.memory)?,
            Proof::Awari => oware::awari(options.up_to)?,
            Proof::Abapa => oware::abapa(options.up_to)?,
            Proof::Amazons => amazons::prove(options.boards.clone(), options.minutes, options.memory)?,
        }
    }
    Ok(())
}

fn connect(options: &ProveArgs) -> Result<()> {
    match (&options.rows, &options.sizes) {
        (Some(rows), _) => rows::tables(rows, options.keep),
        (None, Some(sizes)) => attempt::attempt(sizes, options.minutes, options.memory),
        (None, None) => connect_by_size(options.largest.unwrap_or(LARGEST)),
    }
}

fn connect_by_size(largest: u32) -> Result<()> {
    let mut sizes = sizes(largest)?;
    // Threads take sizes from the end of the list, so the small ones are solved first.
    sizes.sort_by_key(|size| std::cmp::Reverse(size.columns * size.levels));
    println!(
        "{:<6} {:>5} {:>9} {:>9} {:>14} {:>9}  as published?",
        "size", "value", "result", "last ply", "nodes", "seconds"
    );
    let (queue, wrong, began) = (Mutex::new(sizes), AtomicBool::new(false), Instant::now());
    thread::scope(|scope| {
        for _ in 0..SOLVERS {
            scope.spawn(|| {
                while let Some(size) = { queue.lock().unwrap_or_else(PoisonError::into_inner).pop() } {
                    if !prove(&size) {
                        wrong.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    println!("all in {:.1} s", began.elapsed().as_secs_f64());
    if wrong.into_inner() {
        bail!("a result differs from what is published");
    }
    Ok(())
}

/// Solves one size and prints a line; false if the result differs from the published one.
fn prove(size: &Size) -> bool {
    let Ok(game) = Connect::new(&[size.columns, size.levels, 4]) else { return true };
    let mut solver = ConnectSolver::new(&game, MIB, 1);
    let began = Instant::now();
    let value = positions::value(&mut solver, &game.start());
    let found = ended(value, (size.columns * size.levels) as i32);
    let verdict = verdict(size.published, found);
    println!(
        "{:<6} {value:>5} {:>9} {:>9} {:>14} {:>9.2}  {verdict}",
        format!("{}x{}", size.columns, size.levels),
        found.0,
        found.1,
        solver.nodes(),
        began.elapsed().as_secs_f64()
    );
    verdict != "NO"
}

fn verdict(published: Option<Ended>, found: Ended) -> &'static str {
    match published {
        None => "",
        Some(published) if published == found => "yes",
        Some(_) => "NO",
    }
}

/// The end of a perfect game from the empty board, according to its margin.
fn ended(value: i32, cells: i32) -> Ended {
    (['l', 'd', 'w'][(value.signum() + 1) as usize], last_ply(value, cells))
}

/// The last ply according to the margin, which is the winner's number of checkers in hand plus one.
fn last_ply(value: i32, cells: i32) -> i32 {
    let left = 2 * value.abs();
    match value {
        0 => cells,
        // The first player moves at odd plies.
        1.. => cells + 1 - left + cells % 2,
        _ => cells + 2 - left - cells % 2,
    }
}

/// The published sizes within the limit; without the reference folder, all sizes from 4x4 on.
fn sizes(largest: u32) -> Result<Vec<Size>> {
    let sizes = match published()? {
        Some(sizes) => sizes,
        None => {
            println!("PARLOR_REFERENCE is not set: nothing to compare with");
            let every = (4..largest).flat_map(|columns| (4..largest).map(move |levels| (columns, levels)));
            every.map(|(columns, levels)| Size { columns, levels, published: None }).collect()
        }
    };
    Ok(sizes.into_iter().filter(|size| size.columns + size.levels <= largest).collect())
}

/// The sizes of the reference folder; `None` if there is no folder.
fn published() -> Result<Option<Vec<Size>>> {
    let Some(folder) = positions::reference() else { return Ok(None) };
    let text = std::fs::read_to_string(folder.join("connect-sizes.tsv")).context("connect-sizes.tsv")?;
    let mut sizes = Vec::new();
    for line in text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())) {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[columns, levels, result, last] = fields.as_slice() else {
            bail!("connect-sizes.tsv: '{line}' has not four fields")
        };
        let published = result.chars().next().zip(last.trim().parse().ok());
        sizes.push(Size { columns: columns.parse()?, levels: levels.parse()?, published });
    }
    Ok(Some(sizes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ply_follows_from_the_margin() {
        // 7x6 is won with the last red checker at ply 41, 6x6 with the last black one at ply 36.
        assert_eq!(last_ply(1, 42), 41);
        assert_eq!(last_ply(18, 42), 7);
        assert_eq!(last_ply(-1, 36), 36);
        assert_eq!(last_ply(0, 25), 25);
        assert_eq!(last_ply(1, 25), 25);
        assert_eq!(last_ply(-1, 25), 24);
    }
}
