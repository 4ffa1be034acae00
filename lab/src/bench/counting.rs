//! Measures perft, and checks the counts against the known ones.

use super::{grouped, yes_no};
use anyhow::{Context, Result, ensure};
use parlor_catalog::entries;
use parlor_core::Samples;
use std::time::{Duration, Instant};

/// Target times of some counts. All counts are from the games' `perft.txt`.
const TARGETS: [(&str, u32, Duration); 3] = [
    ("amazons:10,10", 2, Duration::from_millis(50)),
    ("oware", 9, Duration::from_millis(300)),
    ("amazons:10,10", 3, Duration::from_secs(6)),
];
const ROUNDS: u32 = 5;

/// Game spec, depth, count and target.
type Row = (&'static str, u32, u64, Option<Duration>);

/// The deepest count of every size, and every count that has a target.
fn rows(only: Option<&str>) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for entry in entries().iter().filter(|entry| only.is_none_or(|only| entry.name == only)) {
        for line in Samples::lines(entry.samples.perft) {
            let (game, counts) =
                line.rsplit_once(": ").with_context(|| format!("not 'SPEC: counts': {line}"))?;
            let counts: Vec<u64> = counts.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
            for (depth, &count) in (1..).zip(&counts) {
                let below = TARGETS.iter().find(|target| (target.0, target.1) == (game, depth));
                if depth as usize == counts.len() || below.is_some() {
                    rows.push((game, depth, count, below.map(|target| target.2)));
                }
            }
        }
    }
    Ok(rows)
}

/// Measures the game of this name, or all games.
pub fn measure(only: Option<&str>) -> Result<()> {
    println!(
        "\nMove sequences counted, one core, the best of {ROUNDS} rounds (of one where it takes over a second)"
    );
    println!("{:<15} {:>5} {:>14} {:>10}  {:>9}", "game", "depth", "count", "ms", "target");
    for (game, depth, count, below) in rows(only)? {
        let hosted = parlor_catalog::game(game)?;
        let start = hosted.board();
        let mut best = Duration::MAX;
        for _ in 0..ROUNDS {
            let began = Instant::now();
            let counted = hosted.perft(start.as_ref(), depth, &|| false)?;
            best = best.min(began.elapsed());
            ensure!(counted == Some(count), "{game}: perft {depth} is {counted:?}, not {count}");
            if best > Duration::from_secs(1) {
                break;
            }
        }
        let target =
            below.map_or(String::new(), |most| format!("< {} ms: {}", most.as_millis(), yes_no(best < most)));
        let millis = best.as_secs_f64() * 1000.0;
        println!("{game:<15} {depth:>5} {:>14} {millis:>10.2}  {target}", grouped(count));
    }
    Ok(())
}
