//! `cargo lab bench kalah`: Kalah's solver, the filler of its tables and probes of them, measured in one run. Each stands
//! beside what every game has: the general solver, the filler that goes position by position, a move by the rules. The table
//! that is asked is built on the way and kept under the target folder for the next run. A value that is not the known one, and
//! an entry that differs from the table's, are errors.

mod filling;
mod solves;

use super::{Rounds, grouped, probes};
use crate::workspace;
use anyhow::{Context, Result};
use parlor_core::{Game, Indexed};
use parlor_games::kalah::Kalah;
use parlor_solvers::kalah::KalahFiller;
use parlor_tables::{BuildPlan, BuildStage, EndgameTable, Work, build};
use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU64},
    time::Instant,
};

pub struct Size {
    /// Beans a hole at the start; there are six holes.
    beans: u32,
    /// The value of the start for South, with the usual captures and with `capture=empty`.
    values: [i16; 2],
    /// Holes, beans and value of a start that the general solver can do as well.
    small: (u32, u32, i16),
    /// The highest layer of the table that is kept.
    top: u32,
    /// The layer whose filling is measured, and a lower one for the general filler.
    filled: u32,
    by_rules: u32,
    /// Number of positions to probe.
    probes: usize,
    /// What is asked of the solver, if anything: seconds with nothing on disk, and with the table.
    asked: Option<[f64; 2]>,
}

impl Size {
    /// The run whose figures are in the documentation.
    pub const WHOLE: Size = Size {
        beans: 4,
        values: [8, 10],
        small: (6, 3, 2),
        top: 24,
        filled: 20,
        by_rules: 12,
        probes: 1 << 21,
        asked: Some([10.0, 1.0]),
    };
    /// A run for a first impression.
    pub const QUICK: Size = Size {
        beans: 3,
        values: [2, 2],
        small: (5, 3, 6),
        top: 18,
        filled: 16,
        by_rules: 10,
        probes: 1 << 18,
        asked: None,
    };
}

/// Measures everything; solvers use about `mib` mebibytes.
pub fn measure(size: &Size, mib: usize) -> Result<()> {
    let game = Kalah::new(&[6, size.beans, 0])?;
    // A table is opened as far as it reaches: each size has a folder of its own.
    let dir = workspace::target().join("bench-tables").join(size.top.to_string());
    keep_table(&game, size.top, &dir)?;
    solves::measure(size, &dir, mib)?;
    let table = EndgameTable::open(&game, &dir)?;
    filling::measure(size, &game, &table)?;
    probes::measure(size.probes, &game, &table)
}

/// Builds the table, or what is missing of it. Whatever was there is read and checked, so that the system has it at hand.
fn keep_table(game: &Kalah, top: u32, dir: &Path) -> Result<()> {
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let work = Work { threads: 2, stop: &stop, done: &done };
    let plan = BuildPlan { dir, up_to: top, memory: 8 << 30 };
    let (began, mut written) = (Instant::now(), 0);
    build(game, &plan, &KalahFiller::default(), &work, &mut |news| {
        written += if news.stage == BuildStage::Kept { news.total } else { 0 };
    })
    .with_context(|| format!("no table in {}", dir.display()))?;
    let (seconds, all) = (began.elapsed().as_secs_f64(), (0..=top).map(|layer| game.len(layer)).sum());
    let what = match written {
        0 => "found and its checksums looked at".to_string(),
        _ => format!("{} of them filled and written, 2 threads,", grouped(written)),
    };
    println!("the table up to {top} beans in play, {} positions: {what} in {seconds:.1} s", grouped(all));
    Ok(())
}

/// Where the table lies, if the row is about one.
type Kept<'a> = Option<&'a PathBuf>;
