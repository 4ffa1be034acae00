//! Retrograde analysis (K. Thompson, "Retrograde analysis of certain endgames", 1986): the exact values of a layer in which
//! play can cycle and endless play pays nothing to either side, by propagating settled values backwards, the largest values
//! first.
//!
//! A move that captures leaves the layer, and its value is known. So each position first gets its best value by leaving, and a
//! count of the moves that stay (`leaving.rs`). Then, for k from the number of seeds down to 1:
//!
//! ```text
//!   settled at -k  <-  a position before it: its mover can have +k, and more is settled already    =>  settled at +k
//!   settled at +k  <-  a position before it: one way to stay is spent; with none left, and nothing
//!                      better than -k by leaving                                                   =>  settled at -k
//! ```
//!
//! Positions that are never settled can be played for ever, and neither side can do better: 0. Every move is visited once in
//! each direction. Within one k the order does not matter. So it is chosen for the memory: positions that were settled are
//! marked by the row of the side that has just moved, and one such row and one of its moves backwards lead to one row of states.
//!
//! ```text
//!   marks:   the row of the other side counts more     y: x x x …     the positions (x to move, y has just moved)
//!                                                      |
//!   states:  the row of the mover counts more          a: b b b …     those before them, with a table from x to b
//! ```

use super::{
    board::PITS,
    leaving::{Leaving, NEVER_LOST, on_threads},
    marks::{Marked, Marks, Place},
    row_tables::{GIFTS, NONE, RowTables, Unmove, Unmoves},
};
use parlor_engine::{ZeroedMemory, prefetch};
use parlor_games::oware::RuleSet;
use parlor_tables::{Work, shared};
use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicI8, AtomicU64, AtomicUsize, Ordering::Relaxed},
};

/// The most seeds with which a state fits a byte.
const NARROW: usize = 31;
/// 1 in every byte.
const ONES: u64 = 0x0101_0101_0101_0101;
/// Rows of the mover, by depth, that one thread writes together: their marks are whole words.
const CHUNK: usize = 512;
/// Fewer settled positions than this are propagated by one thread.
const FEW: u64 = if cfg!(test) { 1 } else { 20_000 };
/// Threads that share the blocks of a layer without a division of the blocks.
const THREADS_PER_SHARE: usize = 4;
/// Positions that are visited together, or somewhat more.
const BATCH: usize = 256;
/// Length of the tiles in which states are transposed to values.
const TILE: usize = 64;

/// Fills in the values of a layer; false if it was stopped.
pub(super) fn fill(rules: RuleSet, seeds: usize, below: &[&[i8]], out: &mut [i8], work: &Work<'_>) -> bool {
    match seeds {
        0..=NARROW => fill_with::<1>(rules, seeds, below, out, work),
        _ => fill_with::<2>(rules, seeds, below, out, work),
    }
}

/// Bytes per position while a layer is filled: the state, the marks, and half a byte for lists.
pub(super) fn room(seeds: usize) -> u64 {
    if seeds <= NARROW { 2 } else { 3 }
}

/// As above, with this many bytes per state.
fn fill_with<const BYTES: usize>(
    rules: RuleSet,
    seeds: usize,
    below: &[&[i8]],
    out: &mut [i8],
    work: &Work<'_>,
) -> bool {
    let Some(tables) = RowTables::of(rules) else { return false };
    let [won, lost] = [(); 2].map(|()| Marks::new(tables.rows, seeds));
    let (mut states, mut most) = (ZeroedMemory::zeroed_bytes(BYTES * out.len()), vec![0; won.rows()]);
    if !(Leaving { tables, rules, seeds, below }).fill::<BYTES>(&mut states, &mut most, work) {
        return false;
    }
    let unmoves = (0..=seeds).map(|left| tables.unmoves(left, seeds)).collect();
    let marked = (0..=seeds).map(|_| Marked::default()).collect();
    let mut layer = Layer::<BYTES> { tables, seeds, unmoves, states, most, won, lost, marked };
    for value in (1..=seeds as u16).rev() {
        layer.settle(value, work);
        if work.stopped() {
            return false;
        }
    }
    layer.write_values(out, work);
    !work.stopped()
}

/// A layer in progress.
struct Layer<const BYTES: usize> {
    tables: &'static RowTables,
    seeds: usize,
    /// By the seeds of the side that has moved.
    unmoves: Vec<[Option<Unmoves>; GIFTS]>,
    /// See `leaving.rs`. The row of the mover counts more.
    states: ZeroedMemory<i8>,
    /// By row of the mover: no value by leaving is larger, or smaller than minus this.
    most: Vec<u8>,
    /// The positions settled at +k and at -k whose moves backwards are to be visited.
    won: Marks,
    lost: Marks,
    /// Those whose moves are being visited, by the seeds of the side not to move.
    marked: Vec<Marked>,
}

impl<const BYTES: usize> Layer<BYTES> {
    /// Settles all positions of this value for both sides.
    fn settle(&mut self, value: u16, work: &Work<'_>) {
        let settled = [AtomicU64::new(0), AtomicU64::new(0)];
        share_out(self.seeds, work.threads, |mine, share| {
            let [won, lost] = self.find(value, mine, share);
            settled[0].fetch_add(won, Relaxed);
            settled[1].fetch_add(lost, Relaxed);
        });
        let [mut won, mut lost] = settled.map(AtomicU64::into_inner);
        while (won > 0 || lost > 0) && !work.stopped() {
            if lost > 0 {
                won += self.step::<true>(value, lost, work);
            }
            lost = if won > 0 { self.step::<false>(value, won, work) } else { 0 };
            won = 0;
        }
    }

    /// Marks the positions in which the mover has `mine` seeds and that are settled at this value by leaving; returns the numbers
    /// of those won and lost. No position settled before has such a state, for it is settled at a larger value.
    fn find(&self, value: u16, mine: usize, share: Share) -> [u64; 2] {
        let (rows, theirs) = (self.tables.rows, self.seeds - mine);
        let (first, width) = (rows.block(self.seeds, mine) as usize, rows.count(theirs) as usize);
        let (block, most) = (&self.won.blocks[theirs], &self.most[self.won.blocks[mine].row..]);
        let mut found = [0; 2];
        for (own, &number) in self.tables.depths(mine).numbers.iter().enumerate() {
            let number = number as usize;
            if value > most[own].into() || !share.has(number) {
                continue;
            }
            let row = &self.states[BYTES * (first + own * width)..][..BYTES * width];
            find_settled::<BYTES>(row, value, |other, won| {
                let marks = if won { &self.won } else { &self.lost };
                marks.mark(&Marks::place(block, other, number));
                found[usize::from(!won)] += 1;
            });
        }
        found
    }

    /// Visits the positions before all that are marked as lost, or as won. Returns the number of those newly settled.
    fn step<const LOST: bool>(&mut self, value: u16, marked: u64, work: &Work<'_>) -> u64 {
        let threads = if marked < FEW { 1 } else { work.threads };
        let (from, to) = if LOST { (&self.lost, &self.won) } else { (&self.won, &self.lost) };
        let lists = Mutex::new((0..).zip(&mut self.marked));
        on_threads(threads, |_| {
            loop {
                let next = lists.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((other, list)) = next else { return };
                from.take(other, list);
            }
        });
        let (tables, seeds, unmoves) = (self.tables, self.seeds, &self.unmoves[..]);
        let states = shared(&mut self.states);
        let step = Step::<BYTES> { tables, seeds, unmoves, states, marked: &self.marked, to, value };
        let settled = AtomicU64::new(0);
        share_out(seeds, threads, |mine, share| {
            if !work.stopped() {
                settled.fetch_add(step.visit_before::<LOST>(mine, share), Relaxed);
            }
        });
        settled.into_inner()
    }

    /// The values of the final states, in the order of a table.
    fn write_values(&self, out: &mut [i8], work: &Work<'_>) {
        let rows = self.tables.rows;
        let mut parts = Vec::new();
        let mut rest = out;
        for theirs in 0..=self.seeds {
            let wide = rows.count(self.seeds - theirs) as usize;
            let (block, after) = std::mem::take(&mut rest).split_at_mut(wide * rows.count(theirs) as usize);
            rest = after;
            parts.extend(block.chunks_mut(TILE * wide).enumerate().map(|(i, out)| (theirs, TILE * i, out)));
        }
        let parts = Mutex::new(parts);
        on_threads(work.threads, |_| {
            loop {
                let part = parts.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let Some((theirs, from, out)) = part else { return };
                self.transpose(theirs, from, out);
            }
        });
    }

    /// Writes the values of positions in which the other side has `theirs` seeds, from row `from` of it on.
    fn transpose(&self, theirs: usize, from: usize, out: &mut [i8]) {
        let rows = self.tables.rows;
        let mine = self.seeds - theirs;
        let (wide, width) = (rows.count(mine) as usize, rows.count(theirs) as usize);
        let first = rows.block(self.seeds, mine) as usize;
        let height = out.len() / wide;
        for tile in (0..wide).step_by(TILE) {
            for own in tile..wide.min(tile + TILE) {
                let row = &self.states[BYTES * (first + own * width)..][..BYTES * width];
                for at in 0..height {
                    out[at * wide + own] = value_of(state_of::<BYTES>(row, from + at));
                }
            }
        }
    }
}

/// Calls `each` for all states that are settled at this value by leaving, with their numbers and whether they are won.
#[inline(always)]
fn find_settled<const BYTES: usize>(row: &[i8], value: u16, mut each: impl FnMut(usize, bool)) {
    if BYTES == 2 {
        for at in 0..row.len() / BYTES {
            match state_of::<BYTES>(row, at) {
                state if state == 8 * value => each(at, false),
                state if state == 8 * value + NEVER_LOST => each(at, true),
                _ => (),
            }
        }
        return;
    }
    // The top bits of the bytes that are 0.
    let low = 0x7F * ONES;
    let zeros = |word: u64| !(((word & low) + low) | word | low);
    for (number, bytes) in row.chunks(8).enumerate() {
        // A missing byte is the state 0, which is not settled at any value.
        let mut eight = [0; 8];
        match <[i8; 8]>::try_from(bytes) {
            Ok(bytes) => eight = bytes.map(|byte| byte as u8),
            Err(_) => eight.iter_mut().zip(bytes).for_each(|(eight, &byte)| *eight = byte as u8),
        }
        let word = u64::from_le_bytes(eight) ^ (8 * u64::from(value) * ONES);
        let (lost, won) = (zeros(word), zeros(word ^ (u64::from(NEVER_LOST) * ONES)));
        let mut settled = lost | won;
        while settled != 0 {
            let at = settled.trailing_zeros();
            each(8 * number + at as usize / 8, won >> at & 1 == 1);
            settled &= settled - 1;
        }
    }
}

#[inline(always)]
fn state_of<const BYTES: usize>(row: &[i8], at: usize) -> u16 {
    let byte = |at: usize| u16::from(row[at] as u8);
    if BYTES == 1 { byte(at) } else { byte(2 * at) | byte(2 * at + 1) << 8 }
}

/// Some positions before marked ones.
#[derive(Default)]
struct Before {
    /// The numbers of their states, `len` of them.
    states: Vec<usize>,
    len: usize,
    /// By row of the mover: the number of the row by depth, its first state, and where its positions end in the list.
    rows: Vec<(usize, usize, usize)>,
}

/// A visit of all positions before those that are marked.
struct Step<'a, const BYTES: usize> {
    tables: &'static RowTables,
    seeds: usize,
    unmoves: &'a [[Option<Unmoves>; GIFTS]],
    states: &'a [AtomicI8],
    marked: &'a [Marked],
    /// Those that are newly settled.
    to: &'a Marks,
    value: u16,
}

impl<const BYTES: usize> Step<'_, BYTES> {
    #[inline(always)]
    fn read(&self, at: usize) -> u16 {
        let byte = |at: usize| u16::from(self.states[at].load(Relaxed) as u8);
        if BYTES == 1 { byte(at) } else { byte(2 * at) | byte(2 * at + 1) << 8 }
    }

    #[inline(always)]
    fn write(&self, at: usize, state: u16) {
        self.states[BYTES * at].store(state as i8, Relaxed);
        if BYTES == 2 {
            self.states[BYTES * at + 1].store((state >> 8) as i8, Relaxed);
        }
    }

    /// Visits those positions in which the mover has `mine` seeds; returns the number of newly settled ones.
    fn visit_before<const LOST: bool>(&self, mine: usize, share: Share) -> u64 {
        let rows = self.tables.rows;
        let (first, width) = (rows.block(self.seeds, mine) as usize, rows.count(self.seeds - mine) as usize);
        // While the states of some positions are fetched from memory, the next ones are listed.
        let (mut listed, mut next, mut places) = (Before::default(), Before::default(), Vec::new());
        let mut found = 0;
        // A side without seeds is never to move after a legal move: the last block is omitted.
        for (left, marked) in self.marked.iter().enumerate().take(self.seeds.min(mine + 1)) {
            let (given, held) = (mine - left, self.seeds - left);
            for gift in [2 * given, 2 * given + 1] {
                let unmoves = self.unmoves[left].get(gift).and_then(Option::as_ref);
                let Some(unmoves) = unmoves.filter(|_| !marked.rows.is_empty()) else { continue };
                let before = self.tables.before(held, gift);
                // Only rows with seeds in all pits that get some may have got this gift.
                let end = self.tables.depths(held).ends[given.min(PITS)];
                let mut begin = 0;
                for &(row, after) in &marked.rows {
                    let positions = &marked.positions[begin..after];
                    begin = after;
                    for unmove in unmoves.of(row as usize) {
                        if !share.has(unmove.by_depth as usize) {
                            continue;
                        }
                        let first = first + unmove.before as usize * width;
                        self.list(positions, end, before, first, unmove, &mut next);
                        if next.len >= BATCH {
                            found += self.visit::<LOST>(mine, &mut listed, &mut places);
                            std::mem::swap(&mut listed, &mut next);
                        }
                    }
                }
            }
        }
        for mut batch in [listed, next] {
            found += self.visit::<LOST>(mine, &mut batch, &mut places);
        }
        places.iter().for_each(|place| self.to.mark(place));
        found
    }

    /// Lists the positions before some others with one row of the mover, and prefetches their states.
    #[inline(always)]
    fn list(
        &self,
        positions: &[u32],
        end: u32,
        before: &[u32],
        first: usize,
        unmove: &Unmove,
        out: &mut Before,
    ) {
        let begin = out.len;
        if out.states.len() < begin + positions.len() {
            out.states.resize(begin + positions.len() + BATCH, 0);
        }
        let room = &mut out.states[begin..begin + positions.len()];
        let mut many = 0;
        for &at in positions {
            if at >= end {
                break;
            }
            let other = before[at as usize];
            room[many] = first + other as usize;
            many += usize::from(other != NONE);
        }
        room[..many].iter().for_each(|&at| prefetch(self.states, BYTES * at));
        out.len += many;
        if many > 0 {
            out.rows.push((unmove.by_depth as usize, first, out.len));
        }
    }

    /// Visits the listed positions and empties the list; returns the number of those newly settled. They are marked at the next
    /// visit, when their words have been fetched.
    #[inline(always)]
    fn visit<const LOST: bool>(&self, mine: usize, before: &mut Before, places: &mut Vec<Place>) -> u64 {
        places.drain(..).for_each(|place| self.to.mark(&place));
        let block = &self.to.blocks[self.seeds - mine];
        let mut begin = 0;
        for &(own, first, end) in &before.rows {
            for &at in &before.states[begin..end] {
                let state = self.read(at);
                let next = if LOST { won_by(state, self.value) } else { spend(state, self.value) };
                let Some((next, settled)) = next else { continue };
                self.write(at, next);
                if settled {
                    let place = Marks::place(block, at - first, own);
                    prefetch(&self.to.words, place.word);
                    places.push(place);
                }
            }
            begin = end;
        }
        before.len = 0;
        before.rows.clear();
        places.len() as u64
    }
}

/// A part of the rows of the mover with one number of seeds.
#[derive(Clone, Copy)]
struct Share {
    part: usize,
    parts: usize,
}

impl Share {
    /// Whether a row, numbered by depth, belongs to it.
    #[inline(always)]
    fn has(self, row: usize) -> bool {
        self.parts == 1 || row / CHUNK % self.parts == self.part
    }
}

/// Calls `each` on several threads for every number of seeds of the mover, from 0 to `seeds`, and each share of these rows. Only
/// this call writes their states, and marks positions with these rows.
fn share_out(seeds: usize, threads: usize, each: impl Fn(usize, Share) + Sync) {
    let parts = threads.max(1).div_ceil(THREADS_PER_SHARE);
    let next = AtomicUsize::new(0);
    on_threads(threads, |_| {
        loop {
            let at = next.fetch_add(1, Relaxed);
            // The largest blocks first: those in the middle.
            let (number, part) = (at / parts, at % parts);
            if number > seeds {
                return;
            }
            let mine = if number % 2 == 0 { seeds / 2 - number / 2 } else { seeds / 2 + number / 2 + 1 };
            each(mine, Share { part, parts });
        }
    });
}

/// The state after a move to a position that is lost by `value`, and whether it is newly settled; `None` if it stays.
#[inline(always)]
fn won_by(state: u16, value: u16) -> Option<(u16, bool)> {
    // A position that is lost has no move to a lost one: this one is won already, or not settled.
    let won = 8 * value + NEVER_LOST;
    (state % 8 != NEVER_LOST || state < won).then_some((won, true))
}

/// The state after a move to a position that is won by `value`, and whether it is newly settled; `None` if it stays.
#[inline(always)]
fn spend(state: u16, value: u16) -> Option<(u16, bool)> {
    if state % 8 == NEVER_LOST {
        return None;
    }
    // A position is settled once, so each move is spent once, and one is left.
    let (left, magnitude) = (state % 8 - 1, state / 8);
    let lost = left == 0 && (magnitude == 0 || magnitude >= value);
    Some(if lost { (8 * value, true) } else { (state - 1, false) })
}

/// The value of a final state: 0 if it was not settled.
#[inline(always)]
fn value_of(state: u16) -> i8 {
    // A product: branches on the state would be mispredicted.
    let sign = i8::from(state % 8 == NEVER_LOST) - i8::from(state.is_multiple_of(8));
    sign * (state / 8) as i8
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::Indexed;
    use parlor_games::oware::Oware;
    use std::sync::atomic::AtomicBool;

    fn layers<const BYTES: usize>(rules: RuleSet, up_to: u32, threads: usize) -> Vec<Vec<i8>> {
        let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
        let work = Work { threads, stop: &stop, done: &done };
        let mut layers: Vec<Vec<i8>> = Vec::new();
        for layer in 0..=up_to {
            let mut out = vec![0; Oware::by(rules).len(layer) as usize];
            let below: Vec<&[i8]> = layers.iter().map(Vec::as_slice).collect();
            assert!(fill_with::<BYTES>(rules, layer as usize, &below, &mut out, &work));
            layers.push(out);
        }
        layers
    }

    #[test]
    fn values_depend_neither_on_the_threads_nor_on_the_size_of_a_state() {
        for rules in [RuleSet::Awari, RuleSet::Abapa] {
            let narrow = layers::<1>(rules, 9, 1);
            assert_eq!(layers::<1>(rules, 9, 3), narrow);
            assert_eq!(layers::<2>(rules, 9, 2), narrow);
        }
    }
}
