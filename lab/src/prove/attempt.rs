//! Four in a row on boards that take minutes to days: solves one size after another on all processors, within the
//! given time and memory. If the time runs out, the proved bounds are printed.

use super::{Ended, ended, published, verdict};
use anyhow::Result;
use parlor_core::{Bounds, Game};
use parlor_games::connect::Connect;
use parlor_solvers::connect::ConnectSolver;
use std::{
    fs,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// Interval between readings of the clock.
const TICK: Duration = Duration::from_millis(50);

/// Reads a size such as `7x7`.
pub fn size(word: &str) -> Result<(u32, u32), String> {
    let numbers = word
        .split_once('x')
        .and_then(|(columns, levels)| Some((columns.parse().ok()?, levels.parse().ok()?)));
    numbers
        .filter(|&(columns, levels)| Connect::new(&[columns, levels, 4]).is_ok())
        .ok_or_else(|| "expected a size like 7x6 that four in a row has".to_string())
}

/// Attempts every size, each for at most `minutes`.
pub fn attempt(sizes: &[(u32, u32)], minutes: Option<u64>, mib: usize) -> Result<()> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let published = published()?.unwrap_or_default();
    let limit = minutes.map_or("no limit of time".to_string(), |minutes| format!("{minutes} min each"));
    println!("four in a row from the empty board; {threads} threads, a table of at most {mib} MiB, {limit}");
    println!(
        "{:<6} {:>9} {:>7} {:>9} {:>15} {:>10} {:>9}  as published?",
        "size", "value", "result", "last ply", "nodes", "seconds", "peak MiB"
    );
    let mut wrong = None;
    for &(columns, levels) in sizes {
        let game = Connect::new(&[columns, levels, 4])?;
        let known = published.iter().find(|size| (size.columns, size.levels) == (columns, levels));
        if !one(&game, minutes, mib, threads, known.and_then(|size| size.published)) {
            wrong = wrong.or(Some(format!("{columns}x{levels} differs from what is published")));
        }
    }
    wrong.map_or(Ok(()), |wrong| Err(anyhow::anyhow!(wrong)))
}

/// Solves one size and prints a line; false if the result differs from the published one.
fn one(game: &Connect, minutes: Option<u64>, mib: usize, threads: usize, published: Option<Ended>) -> bool {
    let (columns, levels, _) = game.size();
    reset_peak();
    let began = Instant::now();
    let mut solver = ConnectSolver::new(game, mib, threads);
    let bounds = within(minutes, |stop| {
        solver.solve(&game.start(), stop, &mut |bounds, nodes| {
            let seconds = began.elapsed().as_secs_f64();
            let (lo, hi) = (bounds.lo.0, bounds.hi.0);
            eprintln!("{columns}x{levels}: from {lo} to {hi} after {seconds:.0} s, {nodes} nodes");
        })
    });
    let seconds = began.elapsed().as_secs_f64();
    let peak = peak_mib().map_or("?".to_string(), |mib| mib.to_string());
    let (value, result, last, verdict) = columns_of(bounds, (columns * levels) as i32, published);
    println!(
        "{:<6} {value:>9} {result:>7} {last:>9} {:>15} {seconds:>10.1} {peak:>9}  {verdict}",
        format!("{columns}x{levels}"),
        solver.nodes(),
    );
    verdict != "NO"
}

/// Runs `work` and stops it when the minutes are over.
fn within(minutes: Option<u64>, work: impl FnOnce(&AtomicBool) -> Bounds) -> Bounds {
    let (stop, done) = (AtomicBool::new(false), AtomicBool::new(false));
    let end = minutes.map(|minutes| Instant::now() + Duration::from_secs(60 * minutes));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) && end.is_none_or(|end| Instant::now() < end) {
                thread::sleep(TICK);
            }
            stop.store(true, Ordering::Relaxed);
        });
        let bounds = work(&stop);
        done.store(true, Ordering::Relaxed);
        bounds
    })
}

/// The columns value, result, last ply and comparison with the published result, each only as far as it is proved.
fn columns_of(
    bounds: Bounds,
    cells: i32,
    published: Option<Ended>,
) -> (String, String, String, &'static str) {
    let (lo, hi) = (i32::from(bounds.lo.0), i32::from(bounds.hi.0));
    if bounds.are_exact() {
        let found = ended(lo, cells);
        return (lo.to_string(), found.0.to_string(), found.1.to_string(), verdict(published, found));
    }
    let open = |first: char, second: char| format!("{first} or {second}");
    let result = match (lo, hi) {
        (1.., _) => "w".to_string(),
        (_, ..0) => "l".to_string(),
        (0, _) => open('w', 'd'),
        (_, 0) => open('l', 'd'),
        _ => "?".to_string(),
    };
    let contradicted = published.is_some_and(|(letter, _)| result != "?" && !result.contains(letter));
    (format!("{lo}..{hi}"), result, "?".to_string(), if contradicted { "NO" } else { "" })
}

/// The peak memory since [`reset_peak`] in MiB; `None` if the system does not report it.
fn peak_mib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? / 1024)
}

/// Resets the peak memory, if the system supports it, so that each size has its own.
fn reset_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::Margin;

    #[test]
    fn sizes_are_read() {
        assert_eq!((size("7x7"), size("10x4")), (Ok((7, 7)), Ok((10, 4))));
        assert!(["7", "0x4", "1000x1000", "7x6x5"].into_iter().all(|word| size(word).is_err()));
    }

    #[test]
    fn only_proved_values_are_printed() {
        let of = |lo, hi| columns_of(Bounds { lo: Margin(lo), hi: Margin(hi) }, 49, Some(('d', 49)));
        let (value, result, last, _) = of(-1, 3);
        assert_eq!([value.as_str(), &result, &last], ["-1..3", "?", "?"]);
        assert_eq!((of(0, 3).1, of(-2, 0).1, of(1, 3).1), ("w or d".into(), "l or d".into(), "w".into()));
        assert_eq!((of(0, 3).3, of(1, 3).3, of(0, 0).3, of(-1, -1).3), ("", "NO", "yes", "NO"));
    }
}
