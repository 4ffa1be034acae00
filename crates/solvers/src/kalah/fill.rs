//! Fills a layer of a Kalah endgame table in long runs instead of position by position.
//!
//! A layer is blocks by the beans of the side not to move; in a block the other side's row counts more than the mover's:
//!
//! ```text
//!                 mover's row a ->                 For one row a and one of its moves, the positions that follow for all
//!   other's  b    . . . . . . .                    b are neighbours: the other side moves, a' is the row that counts more,
//!   row           . . . . . . .                    and b' runs with b. Only a move that ends in the pot keeps the mover,
//!                                                  and then it is the other way round: for one b all a' are neighbours.
//! ```
//!
//! As b' runs with b, some of the neighbours are skipped, but their order is the same (`steps.rs`): a transfer (`kernel.rs`).
//!
//! Two rounds. In the first each position gets its best move among those that take beans out of play: they lead to lower
//! layers, so the order does not matter, and every block is independent. In the second come the moves that stay in the layer
//! (`stay.rs`).

use super::{
    kernel::{self, Kernel, LANES, NONE, Portable, Transfer},
    stay,
    steps::{Lookup, Step},
};
use parlor_engine::prefetch;
use parlor_games::{kalah::Kalah, rows::Rows};
use parlor_tables::{Filler, Work};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
    thread,
};

/// The most bytes of values that are computed before they are transposed into place: about half of a second-level cache.
const TILE: usize = 1 << 19;
/// The number of transfers before the one whose values are prefetched.
const AHEAD: usize = 4;

/// Fills layers of Kalah with up to eight holes per side. Its lookup tables are reused for the next layer.
///
/// # Examples
///
/// ```
/// use parlor_core::{Game, Oracle};
/// use parlor_games::kalah::Kalah;
/// use parlor_solvers::kalah::KalahFiller;
/// use parlor_tables::{EndgameTable, Work};
/// use std::sync::atomic::{AtomicBool, AtomicU64};
///
/// let game = Kalah::sized(3, 2)?;
/// let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
/// let work = Work { threads: 1, stop: &stop, done: &done };
/// let table = EndgameTable::in_memory(&game, 12, &KalahFiller::default(), &work).expect("not stopped");
/// assert!(table.probe(&game, &game.start()).is_some());
/// # Ok::<(), parlor_core::BadParams>(())
/// ```
#[derive(Clone, Default)]
pub struct KalahFiller {
    lookups: Arc<Mutex<BTreeMap<usize, Arc<Lookup>>>>,
}

impl Filler<Kalah> for KalahFiller {
    fn fill(&self, game: &Kalah, layer: u32, below: &[&[i8]], out: &mut [i8], work: &Work<'_>) -> bool {
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = kernel::Wide::detect() {
            return self.fill_by(kernel, game, layer, below, out, work);
        }
        self.fill_by(Portable, game, layer, below, out, work)
    }
}

impl KalahFiller {
    fn fill_by<K: Kernel>(
        &self,
        kernel: K,
        game: &Kalah,
        layer: u32,
        below: &[&[i8]],
        out: &mut [i8],
        work: &Work<'_>,
    ) -> bool {
        let Some(rows) = game.rows() else { return false };
        let mut lookups = self.lookups.lock().unwrap_or_else(PoisonError::into_inner);
        let lookup = lookups.entry(rows.holes()).or_insert_with(|| Arc::new(Lookup::new(rows))).clone();
        drop(lookups);
        let empty = game.captures_into_empty();
        let layer = Layer { lookup: &lookup, rows, beans: layer as usize, below, empty };
        layer.leave(kernel, out, work) && stay::fill(kernel, &lookup, layer.beans, empty, out, work)
    }
}

/// The positions in which the other side has `other` beans.
struct Block<'a> {
    other: usize,
    out: &'a mut [i8],
}

/// A layer being filled.
struct Layer<'a> {
    lookup: &'a Lookup,
    rows: &'static Rows,
    beans: usize,
    below: &'a [&'a [i8]],
    /// Whether a last bean goes to the pot with nothing opposite.
    empty: bool,
}

/// The values of a tile, a line for each row of the mover, and space for transfers.
#[derive(Default)]
struct Room {
    tile: Vec<i8>,
    transfer: Vec<i8>,
}

impl<'a> Layer<'a> {
    /// First round; returns false if stopped.
    fn leave<K: Kernel>(&self, kernel: K, out: &mut [i8], work: &Work<'_>) -> bool {
        let mut blocks = self.blocks(out);
        blocks.sort_by_key(|block| block.out.len());
        let blocks = Mutex::new(blocks);
        thread::scope(|scope| {
            for _ in 0..work.threads.max(1) {
                scope.spawn(|| {
                    let mut room = Room::default();
                    while let Some(mut block) = take(&blocks).filter(|_| !work.stopped()) {
                        self.leave_again(kernel, &mut block, &mut room);
                        self.leave_block(kernel, &mut block, &mut room, work);
                    }
                });
            }
        });
        !work.stopped()
    }

    /// Splits the layer into independent work items. Finished games are filled in at once: beans belong to the side on which
    /// they lie.
    fn blocks<'o>(&self, mut out: &'o mut [i8]) -> Vec<Block<'o>> {
        let mut blocks = Vec::new();
        for other in 0..=self.beans {
            let size = self.rows.block(self.beans, other + 1) - self.rows.block(self.beans, other);
            let (block, rest) = std::mem::take(&mut out).split_at_mut(size as usize);
            out = rest;
            let mine = self.beans - other;
            if other == 0 || mine == 0 {
                block.fill(mine as i8 - other as i8);
            } else {
                blocks.push(Block { other, out: block });
            }
        }
        blocks
    }

    /// The moves that end in the pot, for each row of the other side.
    fn leave_again<K: Kernel>(&self, kernel: K, block: &mut Block<'_>, room: &mut Room) {
        let (mine, other) = (self.beans - block.other, block.other);
        let wide = self.rows.count(mine) as usize;
        for (row, out) in block.out.chunks_exact_mut(wide).enumerate() {
            out.fill(NONE);
            for again in self.lookup.again(mine) {
                let (pot, given) = (usize::from(again.pot), usize::from(again.given));
                let row = if given == 0 { row } else { self.lookup.rank_given(other, row, given) };
                let values = self.row(self.beans - pot, other + given, row);
                let (from, to) = (&again.to, Some(&again.rows));
                let transfer = Transfer { values, from, to, gain: pot as i8, again: true, next: &[] };
                kernel.transfer(&transfer, out, &mut room.transfer);
            }
        }
    }

    /// The other moves that take beans out of play: a tile of the mover's rows at a time.
    fn leave_block<K: Kernel>(&self, kernel: K, block: &mut Block<'_>, room: &mut Room, work: &Work<'_>) {
        let mine = self.beans - block.other;
        let (wide, steps) = (self.rows.count(mine) as usize, self.lookup.steps(mine));
        let height = self.rows.count(block.other) as usize;
        let line = height.next_multiple_of(LANES);
        let columns = (TILE / line / 8 * 8).clamp(8, LANES);
        // By line of the tile.
        let mut transfers: Vec<(usize, Transfer<'_>)> = Vec::new();
        for tile in (0..wide).step_by(columns) {
            if work.stopped() {
                return;
            }
            let columns = columns.min(wide - tile);
            let Room { tile: best, transfer: room } = &mut *room;
            best.clear();
            best.resize(LANES * line, NONE);
            for column in 0..columns {
                for step in steps.leave(tile + column) {
                    match step.opposite {
                        None => transfers.push((column, self.transfer(step, block.other))),
                        Some(lane) if step.given == 0 => {
                            let captures = self.captures(step, block.other, lane.into());
                            transfers.extend(captures.map(|transfer| (column, transfer)));
                        }
                        Some(lane) => {
                            let best = &mut best[column * line..][..height];
                            self.capture_after_lap(kernel, step, block.other, lane.into(), best, room);
                        }
                    }
                }
            }
            for i in 0..transfers.len() {
                let next = transfers.get(i + AHEAD).map_or(&[][..], |(_, next)| next.values);
                let (column, transfer) = &transfers[i];
                let best = &mut best[column * line..][..height];
                kernel.transfer(&Transfer { next, ..*transfer }, best, room);
            }
            transfers.clear();
            let out = &mut block.out[tile..];
            kernel.run(Transposition { best, line, columns, out, wide, height });
            work.done.fetch_add((columns * height) as u64, Ordering::Relaxed);
        }
    }

    /// A move of one row against all rows of the other side.
    fn transfer(&self, step: &Step, other: usize) -> Transfer<'a> {
        let (pot, given) = (usize::from(step.pot), usize::from(step.given));
        let left = self.beans - other - pot - given;
        let values = self.row(self.beans - pot, left, step.to as usize);
        let from = self.lookup.given(other + given, given);
        Transfer { values, from, to: None, gain: pot as i8, again: false, next: &[] }
    }

    /// The same for a move that captures the beans opposite, whose number differs from row to row: a transfer for each number.
    /// Places are the other side's rows after the sowing.
    ///
    /// With nothing opposite the bean stays, which belongs to the second round, or goes to the pot alone. After a sowing all
    /// the way round there is something opposite.
    fn captures(&self, step: &Step, other: usize, opposite: usize) -> impl Iterator<Item = Transfer<'a>> {
        let (pot, given) = (usize::from(step.pot), usize::from(step.given));
        let (left, most) = (self.beans - other - pot - given - 1, other + given);
        (usize::from(!self.empty)..=most).map(move |taken| {
            let gain = pot + 1 + taken;
            let values = self.row(self.beans - gain, left, step.to as usize);
            let from = &self.lookup.lane(most - taken, opposite)[0];
            let to = Some(&self.lookup.lane(most, opposite)[taken]);
            Transfer { values, from, to, gain: gain as i8, again: false, next: &[] }
        })
    }

    /// Captures after a sowing all the way round: first by the rows after the sowing, then by those before.
    fn capture_after_lap<K: Kernel>(
        &self,
        kernel: K,
        step: &Step,
        other: usize,
        opposite: usize,
        best: &mut [i8],
        room: &mut Vec<i8>,
    ) {
        let (given, most) = (usize::from(step.given), other + usize::from(step.given));
        let mut sown = vec![NONE; self.rows.count(most) as usize];
        for transfer in self.captures(step, other, opposite) {
            kernel.transfer(&transfer, &mut sown, room);
        }
        let from = self.lookup.given(most, given);
        let transfer = Transfer { values: &sown, from, to: None, gain: 0, again: true, next: &[] };
        kernel.transfer(&transfer, best, room);
    }

    /// The values of a lower layer in which the side not to move has this row, by the number of the mover's.
    fn row(&self, beans: usize, other: usize, rank: usize) -> &'a [i8] {
        let wide = self.rows.count(beans - other) as usize;
        &self.below[beans][self.rows.block(beans, other) as usize + rank * wide..][..wide]
    }
}

/// Raises the values of some columns of a block to those of a tile, which has a line for each column.
struct Transposition<'a> {
    best: &'a [i8],
    line: usize,
    columns: usize,
    /// From the first column on.
    out: &'a mut [i8],
    wide: usize,
    height: usize,
}

impl kernel::Work for Transposition<'_> {
    #[inline(always)]
    fn run(self) {
        let Transposition { best, line, columns, out, wide, height } = self;
        for row in (0..height).step_by(8) {
            for ahead in row + 16..row + 24 {
                prefetch(out, ahead * wide);
            }
            let mut values = [[NONE; LANES]; 8];
            for column in (0..columns).step_by(8) {
                let square = transpose8(std::array::from_fn(|i| {
                    let at = (column + i) * line + row;
                    best[at..].first_chunk().map_or(0, word_of)
                }));
                for (values, word) in values.iter_mut().zip(square) {
                    let bytes = word.to_le_bytes().map(|byte| byte as i8);
                    values[column..column + 8].copy_from_slice(&bytes);
                }
            }
            for (i, values) in values.iter().enumerate().take(height - row) {
                improve(&mut out[(row + i) * wide..], values, columns);
            }
        }
    }
}

#[inline(always)]
pub(super) fn word_of(bytes: &[i8; 8]) -> u64 {
    u64::from_le_bytes(bytes.map(|byte| byte as u8))
}

/// Raises places to values, of which those from `len` on are `NONE`.
#[inline(always)]
pub(super) fn improve(places: &mut [i8], values: &[i8; LANES], len: usize) {
    let better = |(place, &value): (&mut i8, &i8)| *place = (*place).max(value);
    if let Some(places) = places.first_chunk_mut::<LANES>() {
        // Always the same number, which a compiler turns into few vectors.
        places.iter_mut().zip(values).for_each(better);
    } else {
        places.iter_mut().zip(&values[..len]).for_each(better);
    }
}

/// Transposes 8 x 8 bytes: in three steps, the bytes of 4 x 4, 2 x 2 and 1 x 1 change sides.
#[inline(always)]
pub(super) fn transpose8(mut words: [u64; 8]) -> [u64; 8] {
    for (distance, mask) in [(4, 0xFFFF_FFFF_u64), (2, 0xFFFF_0000_FFFF), (1, 0x00FF_00FF_00FF_00FF)] {
        for i in (0..8).filter(|i| i & distance == 0) {
            let (low, high) = (words[i], words[i + distance]);
            let swap = (low >> (8 * distance) ^ high) & mask;
            words[i] = low ^ swap << (8 * distance);
            words[i + distance] = high ^ swap;
        }
    }
    words
}

/// Pops the next piece of work.
pub(super) fn take<T>(queue: &Mutex<Vec<T>>) -> Option<T> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).pop()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::{Game, Indexed};
    use parlor_tables::Forward;
    use std::sync::atomic::{AtomicBool, AtomicU64};

    fn layers(game: &Kalah, filler: &dyn Filler<Kalah>, up_to: u32, threads: usize) -> Vec<Vec<i8>> {
        let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
        let work = Work { threads, stop: &stop, done: &done };
        let mut layers: Vec<Vec<i8>> = Vec::new();
        for layer in 0..=up_to {
            let mut out = vec![0; game.len(layer) as usize];
            let below: Vec<&[i8]> = layers.iter().map(Vec::as_slice).collect();
            assert!(filler.fill(game, layer, &below, &mut out, &work));
            layers.push(out);
        }
        layers
    }

    /// The filler of processors without a kernel of their own.
    struct PortableFiller(KalahFiller);

    impl Filler<Kalah> for PortableFiller {
        fn fill(&self, game: &Kalah, layer: u32, below: &[&[i8]], out: &mut [i8], work: &Work<'_>) -> bool {
            self.0.fill_by(Portable, game, layer, below, out, work)
        }
    }

    #[test]
    fn runs_give_the_same_bytes_as_the_rules_position_by_position() {
        for (holes, up_to) in [(1, 20), (2, 24), (3, 14), (4, 11), (5, 9), (6, 9), (8, 6)] {
            for capture in [0, 1] {
                let game = Kalah::new(&[holes, 4, capture]).expect("a game");
                let by_rules = layers(&game, &Forward, up_to, 1);
                assert_eq!(layers(&game, &KalahFiller::default(), up_to, 2), by_rules, "{}", game.spec());
                let portable = PortableFiller(KalahFiller::default());
                assert_eq!(layers(&game, &portable, up_to, 1), by_rules, "{}", game.spec());
            }
        }
    }
}
