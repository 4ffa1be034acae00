//! `parlor perft`: how many move sequences there are of each length.

use crate::{args::PerftOptions, fault::Fault, start};
use serde_json::json;
use std::{io::Write, sync::atomic::Ordering, time::Instant};

pub fn run(options: &PerftOptions, out: &mut dyn Write) -> Result<(), Fault> {
    let (game, board) = start::board(&options.game, &options.start)?;
    let record = board.record();
    let stop = start::interruptible();
    for depth in 1..=options.depth {
        let begun = Instant::now();
        let Some(count) = game.perft(&record, depth, &|| stop.load(Ordering::Relaxed))? else {
            return Err(Fault::Failed(format!("interrupted; depth {} was the last counted", depth - 1)));
        };
        let seconds = begun.elapsed().as_secs_f64();
        if options.json {
            let line = json!({"game": game.spec(), "position": board.position(), "depth": depth, "count": count, "seconds": seconds});
            writeln!(out, "{line}")?;
        } else {
            writeln!(out, "{depth} {count} {seconds:.3}")?;
        }
        out.flush()?;
    }
    Ok(())
}
