//! `cargo lab prove amazons`: computes the winner of Amazons from the usual start, board by board, and compares it
//! with the known one. `--boards 5x6,4x7` attempts other boards within the given minutes and memory. A result that
//! differs is an error. Published results for other start positions are not compared.

use anyhow::{Result, bail};
use parlor_core::{Limits, Match, Report, Side, Solve};
use parlor_engine::Monotonic;
use parlor_games::amazons::Amazons;
use parlor_solvers::amazons::AmazonsExpert;
use std::{
    sync::{Arc, atomic::AtomicBool},
    thread,
    time::{Duration, Instant},
};

/// Columns, rows, and who wins: by the general solver, and for 5x5 by Müller (2001) too.
const KNOWN: [((u32, u32), Side); 5] = [
    ((4, 4), Side::Second),
    ((5, 4), Side::First),
    ((4, 5), Side::Second),
    ((4, 6), Side::First),
    ((5, 5), Side::First),
];

/// Reads a size such as `5x6`.
pub fn size(word: &str) -> Result<(u32, u32), String> {
    let numbers =
        word.split_once('x').and_then(|(columns, rows)| Some((columns.parse().ok()?, rows.parse().ok()?)));
    numbers
        .filter(|&(columns, rows)| Amazons::sized(columns, rows).is_ok())
        .ok_or_else(|| "expected a size like 5x6 that Amazons has".to_string())
}

/// Solves these boards, or those whose winner is known, each for at most `minutes`.
pub fn prove(boards: Option<Vec<(u32, u32)>>, minutes: Option<u64>, mib: usize) -> Result<()> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let boards = boards.unwrap_or_else(|| KNOWN.iter().map(|(size, _)| *size).collect());
    println!("Amazons from the usual start; {threads} threads, a table of at most {mib} MiB");
    println!(
        "{:<6} {:>7} {:>14} {:>9} {:>7}  as known?  best play",
        "board", "winner", "nodes", "seconds", "keys"
    );
    let mut wrong = Vec::new();
    for (columns, rows) in boards {
        let known = KNOWN.iter().find(|(size, _)| *size == (columns, rows)).map(|(_, side)| *side);
        if !one(&Amazons::sized(columns, rows)?, minutes, mib, threads, known) {
            wrong.push(format!("{columns}x{rows}"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { bail!("{} differ from what is known", wrong.join(", ")) }
}

/// Solves one board and prints a line; false if the result differs from the known one.
fn one(game: &Amazons, minutes: Option<u64>, mib: usize, threads: usize, known: Option<Side>) -> bool {
    let mut expert = AmazonsExpert::new(mib << 20, threads, Arc::new(Monotonic::start()));
    let limits =
        Limits { time: minutes.map(|minutes| Duration::from_secs(60 * minutes)), ..Limits::default() };
    let (began, mut first, mut last) = (Instant::now(), None, Report::default());
    let stop = AtomicBool::new(false);
    let bounds = expert.solve(&Match::new(*game), &limits, &stop, &mut |report| {
        // The first report has the answer, the last one the line.
        first.get_or_insert((began.elapsed(), report.nodes));
        last = report.clone();
    });
    let (took, nodes) = first.unwrap_or_default();
    let winner = bounds.are_exact().then_some(if bounds.lo.0 > 0 { Side::First } else { Side::Second });
    let verdict = match (winner, known) {
        (Some(winner), Some(known)) => {
            if winner == known {
                "yes"
            } else {
                "NO"
            }
        }
        _ => "",
    };
    println!(
        "{:<6} {:>7} {nodes:>14} {:>9.2} {:>7}  {verdict:<9}  {}",
        format!("{}x{}", game.columns(), game.rows()),
        winner.map_or("?".to_string(), |winner| winner.to_string()),
        took.as_secs_f64(),
        if last.by_hash { "hashed" } else { "exact" },
        last.line.join(" ")
    );
    verdict != "NO"
}
