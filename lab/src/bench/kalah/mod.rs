//! `cargo lab bench kalah`: measures Kalah's solver, the filler of its tables and table probes in one run. Each is
//! compared with its general counterpart: the general solver, the filler that goes position by position, a move by
//! the rules. The table is built if necessary and kept under the target folder for the next run. It is an error if
//! a value differs from the known one or an entry from the table.

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
    /// Beans per hole at the start; there are six holes.
    beans: u32,
    /// The value of the start position for South, with the usual captures and with `capture=empty`.
    values: [i16; 2],
    /// Holes, beans and value of a start position that the general solver can solve too.
    small: (u32, u32, i16),
    /// The highest layer of the stored table.
    top: u32,
    /// The layer whose filling is measured, and a lower one for the general filler.
    filled: u32,
    by_rules: u32,
    /// Number of positions to probe.
    probes: usize,
    /// Target of the solver in seconds, if there is one: without files, and with the table.
    asked: Option<[f64; 2]>,
}

impl Size {
    /// The complete run, whose figures are in the documentation.
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
    /// A shorter run on smaller sizes.
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
    // Opening a table reads all its layers, so each size has its own folder.
    let dir = workspace::target().join("bench-tables").join(size.top.to_string());
    keep_table(&game, size.top, &dir)?;
    solves::measure(size, &dir, mib)?;
    let table = EndgameTable::open(&game, &dir)?;
    filling::measure(size, &game, &table)?;
    probes::measure(size.probes, &game, &table)
}

/// Builds the missing layers of the table. Existing layers are read and checked, which brings them into the page cache.
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

/// The folder of the table, if the row uses one.
type Kept<'a> = Option<&'a PathBuf>;
