//! Verifies a table: its bytes by their checksums, its entries by the rules alone. This code is independent of the fillers:
//! each entry must follow from the entries of its successors.

use crate::{BadTable, EndgameTable, Work, endless};
use parlor_core::{Indexed, Margin, Notation, Oracle, mix};
use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU64, Ordering::Relaxed},
};

/// A random sample of entries.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Number of entries, drawn with replacement.
    pub count: u64,
    /// Seed of the sample.
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Number of blocks whose checksums match.
    pub blocks: u64,
    /// Number of entries that follow from their successors.
    pub entries: u64,
    /// Whether verification was completed; false if it was stopped.
    pub whole: bool,
}

/// Checks all blocks, then all entries or a sample of them. The error returned is the first in the order of the files. If all
/// entries are checked, packed layers are unpacked into memory, a byte per entry.
///
/// # Examples
///
/// ```
/// use parlor_games::kalah::Kalah;
/// use parlor_tables::{BuildPlan, EndgameTable, Forward, Work, build, verify};
/// use std::sync::atomic::{AtomicBool, AtomicU64};
///
/// # let folder = parlor_testkit::temp_folder();
/// # let dir: &std::path::Path = &folder;
/// let game = Kalah::sized(3, 2)?;
/// let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
/// let work = Work { threads: 1, stop: &stop, done: &done };
/// build(&game, &BuildPlan { dir, up_to: 5, memory: 64 << 20 }, &Forward, &work, &mut |_| ())?;
///
/// let verified = verify(&EndgameTable::open(&game, dir)?, None, &work)?;
/// assert!(verified.whole && verified.entries > 400);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify<G: Indexed + Notation>(
    table: &EndgameTable<G>,
    sample: Option<Sample>,
    work: &Work<'_>,
) -> Result<Verified, BadTable> {
    let blocks = check_blocks(table, work)?;
    let before = work.done.load(Relaxed);
    match sample {
        Some(sample) => check_sample(table, sample, work)?,
        None => {
            for (layer, len) in (0..).zip(table.lens()) {
                // All entries of a packed layer, and many below it, are needed more than once.
                table.entries(layer)?;
                all_right(work, len, |index| check(table, layer, index))?;
                endless::check(table, layer, work)?;
            }
        }
    }
    Ok(Verified { blocks, entries: work.done.load(Relaxed) - before, whole: !work.stopped() })
}

fn check_blocks<G: Indexed>(table: &EndgameTable<G>, work: &Work<'_>) -> Result<u64, BadTable> {
    // Blocks are not entries, and progress is counted in entries.
    let work = Work { done: &AtomicU64::new(0), ..*work };
    table.files().try_for_each(|file| all_right(&work, file.blocks(), |block| file.check(block)))?;
    Ok(work.done.load(Relaxed))
}

fn check_sample<G: Indexed + Notation>(
    table: &EndgameTable<G>,
    sample: Sample,
    work: &Work<'_>,
) -> Result<(), BadTable> {
    let lens = table.lens();
    let total: u64 = lens.iter().sum();
    all_right(work, sample.count, |draw| {
        let mut index = ((u128::from(mix([sample.seed, draw])) * u128::from(total)) >> 64) as u64;
        for (layer, &len) in (0..).zip(&lens) {
            if index < len {
                return check(table, layer, index);
            }
            index -= len;
        }
        Ok(())
    })
}

/// Checks all numbers below `len`; of several errors it returns the one with the lowest number.
pub(crate) fn all_right(
    work: &Work<'_>,
    len: u64,
    check: impl Fn(u64) -> Result<(), BadTable> + Sync,
) -> Result<(), BadTable> {
    let first = AtomicU64::new(u64::MAX);
    let fault = Mutex::new(None);
    work.share_out(len, |numbers, (): &mut ()| {
        for number in numbers.take_while(|&number| number < first.load(Relaxed)) {
            if let Err(bad) = check(number) {
                let mut fault = fault.lock().unwrap_or_else(PoisonError::into_inner);
                if first.fetch_min(number, Relaxed) > number {
                    *fault = Some(bad);
                }
            }
        }
    });
    fault.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Whether an entry follows from its successors.
fn check<G: Indexed + Notation>(table: &EndgameTable<G>, layer: u32, index: u64) -> Result<(), BadTable> {
    let game = table.family();
    let (entry, len) = (|at| Ok(table.entry(layer, at)?.unwrap_or(0)), game.len(layer));
    let held = entry(index)?;
    let (plane, index) = (index / len, index % len);
    let pos = game.position(layer, index);
    let derived = match &pos {
        None => Some(0),
        // An estimate must only lie between the bounds.
        Some(_) if plane == 2 => Some(i16::from(held.max(entry(index)?).min(entry(len + index)?))),
        // Progress measures are verified together with the bounds that they certify.
        Some(_) if plane > 2 => Some(i16::from(held)),
        Some(pos) => derive(table, layer, index, pos).map(|[lo, hi]| if plane == 0 { lo.0 } else { hi.0 }),
    };
    if derived == Some(i16::from(held)) {
        return Ok(());
    }
    let position = pos.map_or("which is not a position".to_string(), |pos| game.write_position(&pos));
    Err(BadTable::WrongEntry { layer, index, position, held, derived })
}

/// The bounds of a numbered position, derived from the entries of its successors; `None` if the numbering is wrong.
fn derive<G: Indexed>(
    table: &EndgameTable<G>,
    layer: u32,
    index: u64,
    pos: &G::Position,
) -> Option<[Margin; 2]> {
    let game = table.family();
    if let Some(margin) = game.result(pos) {
        return Some([margin; 2]);
    }
    if (game.layer(pos), game.index(pos), game.banked(pos)) != (layer, index, Margin(0)) {
        return None;
    }
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let mut best = None;
    for mv in moves {
        let mut next = pos.clone();
        game.play(&mut next, mv);
        if game.result(&next).is_none() && game.layer(&next) > layer {
            return None;
        }
        let found = table.probe(game, &next)?;
        let same = game.turn(&next) == game.turn(pos);
        let [lo, hi] = if same { [found.lo, found.hi] } else { [-found.hi, -found.lo] };
        let [least, most] = best.unwrap_or([lo, hi]);
        best = Some([lo.max(least), hi.max(most)]);
    }
    best
}
