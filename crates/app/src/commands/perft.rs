//! `parlor perft`: counts the move sequences of each length.

use crate::{args::PerftOptions, error::CommandError, interrupt, starting_board, stdio};
use serde_json::json;
use std::{io::Write, sync::atomic::Ordering, time::Instant};

pub fn run(options: &PerftOptions, out: &mut dyn Write) -> Result<(), CommandError> {
    let (game, board) = starting_board::board(&options.game, &options.start)?;
    let stop = interrupt::stop_flag();
    // Depth 0 is counted only if it is the whole request; by definition it has one sequence.
    for depth in options.depth.min(1)..=options.depth {
        let begun = Instant::now();
        let Some(count) = game.perft(board.as_ref(), depth, &|| stop.load(Ordering::Relaxed))? else {
            stdio::end_progress();
            return Err(CommandError::Failed(interrupted(depth)));
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

fn interrupted(depth: u32) -> String {
    let counted = match depth {
        0 | 1 => "no depth was finished".to_string(),
        2 => "depth 1 was finished".to_string(),
        _ => format!("depths 1 to {} were finished", depth - 1),
    };
    format!("interrupted at depth {depth}: {counted}; counts are not saved, so a new run starts at depth 1")
}
