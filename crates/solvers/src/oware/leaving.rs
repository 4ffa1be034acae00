//! The first part of the retrograde analysis of a layer: for each position the best value by leaving the layer, and the number
//! of moves that stay.
//!
//! A state is a number of one byte, or two with more than 31 seeds:
//!
//! ```text
//!     …  7 6 5 4 3   2 1 0
//!       [magnitude] [count]     count 7: the value is the magnitude, and how many moves stay does not matter, for the
//!                                        position cannot be lost
//!                               else: minus the magnitude, or nothing known if that is 0; the count is the number
//!                                     of moves left that stay
//! ```
//!
//! The rows of the mover count more than those of the other side, unlike in a table: for one row of the mover and one of its
//! moves, the captures are a list by the other side's row, and the values after them are in one short piece of a lower layer.

use super::{
    board::{Node, seeds},
    row_tables::RowTables,
};
use parlor_games::oware::RuleSet;
use parlor_tables::Work;
use std::{
    panic::resume_unwind,
    sync::{Mutex, PoisonError, atomic::Ordering::Relaxed},
    thread::{self, ScopedJoinHandle},
};

/// The count of a position that cannot be lost.
pub(super) const NEVER_LOST: u16 = 7;
/// Worse than any value.
const NONE: i8 = -100;
/// Entries that a thread takes at a time, at least.
const PART: usize = 1 << 18;

/// The state of a position with this value by leaving and this number of moves that stay: the low byte and the high one.
#[inline(always)]
fn state(leaving: i8, staying: u8) -> [u8; 2] {
    let count = if leaving >= 0 { NEVER_LOST as u8 } else { staying };
    [magnitude(leaving) << 3 | count, magnitude(leaving) >> 5]
}

#[inline(always)]
fn magnitude(leaving: i8) -> u8 {
    if leaving == NONE { 0 } else { leaving.unsigned_abs() }
}

/// A layer and the complete layers below it.
pub(super) struct Leaving<'a> {
    pub tables: &'static RowTables,
    pub rules: RuleSet,
    pub seeds: usize,
    pub below: &'a [&'a [i8]],
}

/// Positions in which the mover has `mine` seeds, from row `first` of the mover on.
struct Part<'a> {
    mine: usize,
    first: u32,
    states: &'a mut [i8],
    most: &'a mut [u8],
}

/// The positions of one row of the mover: best value by leaving, and number of moves that stay.
#[derive(Default)]
struct Best {
    leaving: Vec<i8>,
    staying: Vec<u8>,
}

impl<'a> Leaving<'a> {
    /// Computes the states of a layer, `BYTES` for each, and the largest magnitude of each row of the mover. False if it was
    /// stopped.
    pub fn fill<const BYTES: usize>(&self, states: &mut [i8], most: &mut [u8], work: &Work<'_>) -> bool {
        let parts = Mutex::new(self.parts(states, most, BYTES));
        on_threads(work.threads, |_| {
            let mut best = Best::default();
            while !work.stopped() {
                let Some(mut part) = parts.lock().unwrap_or_else(PoisonError::into_inner).pop() else {
                    return;
                };
                let positions = part.states.len() / BYTES;
                self.fill_part::<BYTES>(&mut part, &mut best);
                work.done.fetch_add(positions as u64, Relaxed);
            }
        });
        !work.stopped()
    }

    fn parts<'o>(&self, mut states: &'o mut [i8], mut most: &'o mut [u8], bytes: usize) -> Vec<Part<'o>> {
        let mut parts = Vec::new();
        for mine in 0..=self.seeds {
            let (high, wide) = (self.tables.rows.count(mine), self.tables.rows.count(self.seeds - mine));
            let (high, width) = (high as usize, bytes * wide as usize);
            let (block, rest) = std::mem::take(&mut states).split_at_mut(high * width);
            let (largest, others) = std::mem::take(&mut most).split_at_mut(high);
            (states, most) = (rest, others);
            let rows = (PART / width).max(1);
            let pieces = block.chunks_mut(rows * width).zip(largest.chunks_mut(rows));
            let firsts = (0..).step_by(rows);
            parts.extend(firsts.zip(pieces).map(|(first, (states, most))| Part {
                mine,
                first,
                states,
                most,
            }));
        }
        parts
    }

    fn fill_part<const BYTES: usize>(&self, part: &mut Part<'_>, best: &mut Best) {
        let rows = self.tables.rows;
        let theirs = self.seeds - part.mine;
        let width = rows.count(theirs) as usize;
        let all = part.states.chunks_mut(BYTES * width).zip(&mut *part.most);
        for (rank, (states, most)) in (part.first..).zip(all) {
            let own = rows.row(part.mine, rank);
            let movable = RowTables::moves(own).count() as u8;
            best.leaving.clear();
            best.leaving.resize(width, NONE);
            best.staying.clear();
            best.staying.resize(width, movable);
            if part.mine == 0 || theirs == 0 {
                (0..width).for_each(|other| self.search(own, theirs, other, best));
            } else {
                self.capture(own, theirs, best);
            }
            write::<BYTES>(best, states);
            *most = best.leaving.iter().map(|&value| magnitude(value)).max().unwrap_or(0);
        }
    }

    /// Applies all captures of one row of the mover.
    fn capture(&self, own: u64, theirs: usize, best: &mut Best) {
        let moves = || RowTables::moves(own).filter(|(_, gift)| gift.last);
        for (after, gift) in moves() {
            let captures = self.tables.captures(theirs, gift.given);
            for (taken, list) in &captures.by_taken {
                let values = self.values(*taken, after, theirs + gift.given - taken);
                for capture in list {
                    let value = *taken as i8 - values[capture.after as usize];
                    let leaving = &mut best.leaving[capture.before as usize];
                    *leaving = value.max(*leaving);
                    best.staying[capture.before as usize] -= 1;
                }
            }
            // A grand slam is legal only if all moves are.
            captures.slams.iter().for_each(|&other| best.staying[other as usize] -= 1);
        }
        for (_, gift) in moves() {
            for &other in &self.tables.captures(theirs, gift.given).slams {
                let other = other as usize;
                if best.staying[other] == 0 && best.leaving[other] == NONE {
                    self.search(own, theirs, other, best);
                }
            }
        }
    }

    /// The values after a capture of this many seeds by the mover, whose row is then `own`, by the number of the other row.
    fn values(&self, taken: usize, own: u64, left: usize) -> &'a [i8] {
        let (rows, layer) = (self.tables.rows, self.seeds - taken);
        let width = rows.count(left) as usize;
        let first = rows.block(layer, layer - left) as usize + rows.rank(own) as usize * width;
        &self.below[layer][first..first + width]
    }

    /// Tries all moves of one position.
    fn search(&self, own: u64, theirs: usize, other: usize, best: &mut Best) {
        let rows = self.tables.rows;
        let node = Node { own, other: rows.row(theirs, other as u32) };
        let (mut leaving, mut staying) = (NONE, 0);
        if node.movable() == 0 {
            leaving = node.difference();
        }
        node.moves(self.rules, |after| match after.taken {
            0 => staying += 1,
            taken => {
                let left = seeds(after.node.own);
                let values = self.values(taken.into(), after.node.other, left);
                leaving = leaving.max(taken as i8 - values[rows.rank(after.node.own) as usize]);
            }
        });
        (best.leaving[other], best.staying[other]) = (leaving, staying);
    }
}

fn write<const BYTES: usize>(best: &Best, states: &mut [i8]) {
    let all = best.leaving.iter().zip(&best.staying);
    for ((&leaving, &staying), out) in all.zip(states.as_chunks_mut::<BYTES>().0) {
        let [low, high] = state(leaving, staying);
        out[0] = low as i8;
        if BYTES == 2 {
            out[1] = high as i8;
        }
    }
}

/// Runs a job on several threads, which it receives the numbers of. If the system refuses one, this thread does its job, too.
pub(super) fn on_threads(threads: usize, job: impl Fn(usize) + Sync) {
    let job = &job;
    thread::scope(|scope| {
        let start = |me| thread::Builder::new().spawn_scoped(scope, move || job(me)).map_err(|_| me);
        let others: Vec<_> = (1..threads).map(start).collect();
        job(0);
        // Joined explicitly: glibc can crash when a detached thread exits.
        for thread in others {
            match thread.map(ScopedJoinHandle::join) {
                Ok(Ok(())) => (),
                Ok(Err(panic)) => resume_unwind(panic),
                Err(me) => job(me),
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oware::board::PITS;
    use parlor_games::rows::Rows;
    use std::sync::atomic::{AtomicBool, AtomicU64};

    #[test]
    fn captures_by_rows_are_those_position_by_position() {
        let rows = Rows::of(PITS).expect("a numbering");
        let len = |layer: usize| rows.block(layer, layer + 1);
        // Any values will do, within what a layer allows.
        let value = |layer: usize, at: u64| {
            (parlor_core::mix([layer as u64, at]) % (2 * layer as u64 + 1)) as i8 - layer as i8
        };
        let below: Vec<Vec<i8>> =
            (0..9).map(|layer| (0..len(layer)).map(|at| value(layer, at)).collect()).collect();
        let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
        let work = Work { threads: 2, stop: &stop, done: &done };
        for rules in [RuleSet::Abapa, RuleSet::Awari] {
            let tables = RowTables::of(rules).expect("tables");
            for layer in 0..=9 {
                let lower: Vec<&[i8]> = below[..layer].iter().map(Vec::as_slice).collect();
                let leaving = Leaving { tables, rules, seeds: layer, below: &lower };
                let mut states = vec![0; len(layer) as usize];
                let mut most = vec![0; (0..=layer).map(|mine| rows.count(mine) as usize).sum()];
                assert!(leaving.fill::<1>(&mut states, &mut most, &work));
                let (mut at, mut row) = (0, 0);
                for mine in 0..=layer {
                    for &own in rows.rows(mine) {
                        let mut best = Best::default();
                        best.leaving.resize(rows.count(layer - mine) as usize, NONE);
                        best.staying.resize(best.leaving.len(), 0);
                        for other in 0..best.leaving.len() {
                            leaving.search(own, layer - mine, other, &mut best);
                            let [low, _] = state(best.leaving[other], best.staying[other]);
                            // How many moves stay does not matter where the position cannot be lost.
                            assert_eq!(states[at] as u8, low, "{own:x} {other}");
                            at += 1;
                        }
                        let largest = best.leaving.iter().map(|&value| magnitude(value)).max();
                        assert_eq!(Some(most[row]), largest);
                        row += 1;
                    }
                }
            }
        }
    }
}
