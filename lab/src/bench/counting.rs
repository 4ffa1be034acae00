//! Perft: how long counting takes, and that the counts are the known ones.

use super::{grouped, yes_no};
use anyhow::{Result, ensure};
use std::time::{Duration, Instant};

struct Row {
    game: &'static str,
    depth: u32,
    count: u64,
    below: Option<Duration>,
}

const ROWS: [Row; 7] = [
    Row { game: "amazons:10,10", depth: 2, count: 4_307_152, below: Some(Duration::from_millis(50)) },
    Row { game: "oware", depth: 9, count: 3_592_872, below: Some(Duration::from_millis(300)) },
    Row { game: "kalah:6,4", depth: 5, count: 4_690, below: None },
    Row { game: "connect:7,6,4", depth: 8, count: 5_673_234, below: None },
    Row { game: "amazons:6,6", depth: 3, count: 91_074_224, below: None },
    Row { game: "amazons:8,8", depth: 3, count: 1_358_441_750, below: None },
    Row { game: "amazons:10,10", depth: 3, count: 8_350_439_170, below: Some(Duration::from_secs(6)) },
];
const ROUNDS: u32 = 5;

/// The games of this name, or all.
pub fn measure(only: Option<&str>) -> Result<()> {
    println!(
        "\nMove sequences counted, one core, the best of {ROUNDS} rounds (of one where it takes over a second)"
    );
    println!("{:<15} {:>5} {:>14} {:>10}  {:>9}", "game", "depth", "count", "ms", "target");
    for Row { game, depth, count, below } in ROWS {
        if only.is_some_and(|only| !game.starts_with(only)) {
            continue;
        }
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
