//! Solves Connect-Four positions with the crate connect-four-ai, one per line, for the comparison with our solver in
//! `cargo lab bench connect`.
//!
//! In: `clear MOVES` or `keep MOVES` (MOVES are columns from 1, or `-` for the empty board); `clear` empties the
//! table first, untimed. Out: `value nodes seconds`, timed around the solver's call alone.

use connect_four_ai::{Position, Solver};
use std::{
    io::{BufRead, Write},
    time::Instant,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Without the embedded opening book of the crate.
    let mut solver = Solver::empty();
    let mut out = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (table, moves) = line.split_once(' ').ok_or("two words a line")?;
        let position = Position::from_moves(moves.trim_matches('-')).map_err(|e| format!("{moves}: {e}"))?;
        if table == "clear" {
            solver.reset();
        }
        let began = Instant::now();
        let value = solver.solve(&position);
        let seconds = began.elapsed().as_secs_f64();
        // The count is reset for each position.
        writeln!(out, "{value} {} {seconds:.9}", solver.explored_positions)?;
        out.flush()?;
    }
    Ok(())
}
