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
    row_tables::{GIFTS, NONE, RowTables, Unmove, Unmoves},
};
use parlor_engine::{ZeroedMemory, prefetch};
use parlor_games::{oware::RuleSet, rows::Rows};
use parlor_tables::{Work, shared};
use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, AtomicI8, AtomicU64, Ordering::Relaxed},
};

/// The most seeds with which a state fits a byte.
const NARROW: usize = 31;
/// 1 in every byte.
const ONES: u64 = 0x0101_0101_0101_0101;
/// Rows of the mover, by depth, that one thread writes together: their marks are whole words.
const CHUNK: usize = 512;
/// Fewer settled positions than this are propagated by one thread.
const FEW: u64 = if cfg!(test) { 1 } else { 20_000 };
/// Length of the tiles in which states are transposed to values.
const TILE: usize = 64;

/// Fills in the values of a layer; false if it was stopped.
pub(super) fn fill(rules: RuleSet, seeds: usize, below: &[&[i8]], out: &mut [i8], work: &Work<'_>) -> bool {
    match seeds {
        0..=NARROW => fill_with::<1>(rules, seeds, below, out, work),
        _ => fill_with::<2>(rules, seeds, below, out, work),
    }
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
    let (mut states, mut most) = (ZeroedMemory::zeroed_bytes(BYTES * out.len()), vec![0; won.marked.len()]);
    if !(Leaving { tables, rules, seeds, below }).fill::<BYTES>(&mut states, &mut most, work) {
        return false;
    }
    let unmoves = (0..=seeds).map(|left| tables.unmoves(left, seeds)).collect();
    let mut layer = Layer::<BYTES> { tables, seeds, unmoves, states, most, won, lost };
    for value in (1..=seeds as u16).rev() {
        layer.settle(value, work);
        if work.stopped() {
            return false;
        }
    }
    layer.write_values(out, work);
    !work.stopped()
}

/// A bit for each position. The row of the side not to move counts more; each of its rows begins with a word. The rows of the
/// mover are numbered by depth.
struct Marks {
    /// By the seeds of the side not to move.
    blocks: Vec<Block>,
    words: ZeroedMemory<AtomicU64>,
    /// Which rows have marks.
    marked: Vec<AtomicBool>,
}

/// The rows with one number of seeds of the side not to move.
#[derive(Clone, Copy)]
struct Block {
    /// The first of its rows.
    row: usize,
    /// The first of its words.
    word: usize,
    /// Words per row.
    width: usize,
}

/// Where a mark is.
struct Place {
    word: usize,
    row: u32,
    bit: u32,
}

impl Marks {
    fn new(rows: &Rows, seeds: usize) -> Marks {
        let (mut row, mut word) = (0, 0);
        let block = |other| {
            let width = rows.count(seeds - other).div_ceil(64) as usize;
            let block = Block { row, word, width };
            row += rows.count(other) as usize;
            word += rows.count(other) as usize * width;
            block
        };
        let blocks = (0..=seeds).map(block).collect();
        let marked = (0..row).map(|_| AtomicBool::new(false)).collect();
        Marks { blocks, words: ZeroedMemory::zeroed(word), marked }
    }

    /// Where the mark of a position is.
    #[inline(always)]
    fn place(block: &Block, other: usize, own: usize) -> Place {
        let word = block.word + other * block.width + own / 64;
        Place { word, row: (block.row + other) as u32, bit: (own % 64) as u32 }
    }

    /// Marks a position. No other thread marks one in the same word.
    #[inline(always)]
    fn mark(&self, place: &Place) {
        let word = &self.words[place.word];
        word.store(word.load(Relaxed) | 1 << place.bit, Relaxed);
        self.marked[place.row as usize].store(true, Relaxed);
    }

    /// The words of a row.
    fn row(&self, block: &Block, other: usize) -> &[AtomicU64] {
        &self.words[block.word + other * block.width..][..block.width]
    }

    fn clear(&self) {
        for (other, block) in self.blocks.iter().enumerate() {
            let rows = self.blocks.get(other + 1).map_or(self.marked.len(), |next| next.row) - block.row;
            for row in (0..rows).filter(|row| self.marked[block.row + row].load(Relaxed)) {
                self.marked[block.row + row].store(false, Relaxed);
                self.row(block, row).iter().for_each(|word| word.store(0, Relaxed));
            }
        }
    }
}

/// A layer in progress.
struct Layer<const BYTES: usize> {
    tables: &'static RowTables,
    seeds: usize,
    /// By the seeds of the side that has moved.
    unmoves: Vec<Unmoves>,
    /// See `leaving.rs`. The row of the mover counts more.
    states: ZeroedMemory<i8>,
    /// By row of the mover: no value by leaving is larger, or smaller than minus this.
    most: Vec<u8>,
    /// The positions settled at +k and at -k whose moves backwards are to be visited.
    won: Marks,
    lost: Marks,
}

impl<const BYTES: usize> Layer<BYTES> {
    /// Settles all positions of this value for both sides.
    fn settle(&mut self, value: u16, work: &Work<'_>) {
        let settled = [AtomicU64::new(0), AtomicU64::new(0)];
        on_threads(work.threads, |me| {
            let [won, lost] = self.find(value, Owner { me, threads: work.threads });
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

    /// Marks all positions that are settled at this value by leaving; returns the numbers of those won and lost.
    fn find(&self, value: u16, owner: Owner) -> [u64; 2] {
        let rows = self.tables.rows;
        let mut found = [0; 2];
        for mine in 0..=self.seeds {
            let theirs = self.seeds - mine;
            let (first, width) = (rows.block(self.seeds, mine) as usize, rows.count(theirs) as usize);
            let (block, most) = (&self.won.blocks[theirs], &self.most[self.won.blocks[mine].row..]);
            for (own, &number) in self.tables.depths(mine).numbers.iter().enumerate() {
                let number = number as usize;
                if value > most[own].into() || !owner.owns(mine, number) {
                    continue;
                }
                let row = &self.states[BYTES * (first + own * width)..][..BYTES * width];
                find_settled::<BYTES>(row, value, |other, won| {
                    let marks = if won { &self.won } else { &self.lost };
                    marks.mark(&Marks::place(block, other, number));
                    found[usize::from(!won)] += 1;
                });
            }
        }
        found
    }

    /// Visits the positions before all that are marked as lost, or as won. Returns the number of those newly settled.
    fn step<const LOST: bool>(&mut self, value: u16, marked: u64, work: &Work<'_>) -> u64 {
        let (from, to) = if LOST { (&self.lost, &self.won) } else { (&self.won, &self.lost) };
        let (tables, seeds, unmoves) = (self.tables, self.seeds, &self.unmoves[..]);
        let states = shared(&mut self.states);
        let step = Step::<BYTES> { tables, seeds, unmoves, states, from, to, value };
        let threads = if marked < FEW { 1 } else { work.threads };
        let settled = AtomicU64::new(0);
        on_threads(threads, |me| {
            let found = step.propagate::<LOST>(Owner { me, threads }, work);
            settled.fetch_add(found, Relaxed);
        });
        if threads > 1 {
            from.clear();
        }
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

    /// Writes the values of positions whose other rows have so many seeds, from a row on.
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
    let zeros = |word: u64| !((word & !(0x80 * ONES)) + 0x7F * ONES | word | 0x7F * ONES);
    for (number, bytes) in row.chunks(8).enumerate() {
        // A missing byte is the state 0, which is not settled at any value.
        let mut eight = [0; 8];
        match <[i8; 8]>::try_from(bytes) {
            Ok(bytes) => eight = bytes.map(|byte| byte as u8),
            Err(_) => eight.iter_mut().zip(bytes).for_each(|(eight, &byte)| *eight = byte as u8),
        }
        let word = u64::from_le_bytes(eight) ^ (8 * u64::from(value)) * ONES;
        let (lost, won) = (zeros(word), zeros(word ^ u64::from(NEVER_LOST) * ONES));
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

/// What a gift does to the rows of one number of seeds.
#[derive(Clone, Copy)]
struct Giving<'a> {
    /// How many rows of the receiver by depth have seeds in all pits that get some.
    end: u32,
    /// Seeds of the giver before it.
    own: usize,
    /// By row of the receiver after it, by depth: the row before.
    before: &'a [u32],
    /// The first state of the giver's rows, and the length of a row.
    states: usize,
    width: usize,
    marks: Block,
}

/// The positions before some others: the numbers of their states, by rows.
#[derive(Default)]
struct Before {
    states: Vec<usize>,
    visits: Vec<Visit>,
}

/// Positions with one row of the mover.
struct Visit {
    marks: Block,
    /// The number of the row by depth.
    own: usize,
    /// The first state of the row.
    first: usize,
    /// Where these positions end in the list.
    end: usize,
}

/// A visit of all positions before those that are marked.
struct Step<'a, const BYTES: usize> {
    tables: &'static RowTables,
    seeds: usize,
    unmoves: &'a [Unmoves],
    states: &'a [AtomicI8],
    /// What is visited, and what follows.
    from: &'a Marks,
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

    /// Visits those of the positions that a thread writes; returns the number of newly settled ones.
    fn propagate<const LOST: bool>(&self, owner: Owner, work: &Work<'_>) -> u64 {
        // While the states before one row are fetched from memory, those before the next one are listed.
        let (mut settled, mut listed, mut next) = (Vec::new(), Before::default(), Before::default());
        let (mut found, mut places) = (0, Vec::new());
        for (other, block) in self.from.blocks.iter().enumerate() {
            let end = self.from.blocks.get(other + 1).map_or(self.from.marked.len(), |next| next.row);
            let marked = &self.from.marked[block.row..end];
            let (mut known, unmoves) = (None, &self.unmoves[other]);
            for rank in (0..marked.len()).filter(|&rank| marked[rank].load(Relaxed)) {
                if work.stopped() {
                    return found;
                }
                let giving = known.get_or_insert_with(|| self.giving(other));
                let words = self.from.row(block, rank);
                collect(words, &mut settled);
                if owner.threads == 1 {
                    marked[rank].store(false, Relaxed);
                    words.iter().for_each(|word| word.store(0, Relaxed));
                }
                self.list_before(&settled, unmoves.of(rank), giving, owner, &mut next);
                found += self.visit::<LOST>(&listed, &mut places);
                std::mem::swap(&mut listed, &mut next);
            }
        }
        found += self.visit::<LOST>(&listed, &mut places);
        places.iter().for_each(|place| self.to.mark(place));
        found
    }

    /// What gifts do if the side that has given has so many seeds afterwards.
    fn giving(&self, left: usize) -> [Option<Giving<'_>>; GIFTS] {
        let (rows, held) = (self.tables.rows, self.seeds - left);
        std::array::from_fn(|gift| {
            let given = gift / 2;
            // A side without seeds is never to move.
            (given <= held && held > 0 && (gift % 2 == 1 || given % PITS == 0)).then(|| Giving {
                end: self.tables.depths(held).ends[given.min(PITS)],
                own: left + given,
                before: self.tables.before(held, gift),
                states: rows.block(self.seeds, left + given) as usize,
                width: rows.count(held - given) as usize,
                marks: self.to.blocks[held - given],
            })
        })
    }

    /// Lists the positions before some positions with one row of the side that has moved, and prefetches their states.
    #[inline(always)]
    fn list_before(
        &self,
        settled: &[u32],
        unmoves: &[Unmove],
        giving: &[Option<Giving<'_>>; GIFTS],
        owner: Owner,
        before: &mut Before,
    ) {
        before.visits.clear();
        let room = unmoves.len() * settled.len();
        if before.states.len() < room {
            before.states.resize(room, 0);
        }
        let mut many = 0;
        for unmove in unmoves {
            let Some(giving) = &giving[unmove.gift as usize] else { continue };
            let own = unmove.by_depth as usize;
            if !owner.owns(giving.own, own) {
                continue;
            }
            let first = giving.states + unmove.before as usize * giving.width;
            let begin = many;
            for &at in settled {
                if at >= giving.end {
                    break;
                }
                let other = giving.before[at as usize];
                before.states[many] = first + other as usize;
                many += usize::from(other != NONE);
            }
            if many > begin {
                before.visits.push(Visit { marks: giving.marks, own, first, end: many });
            }
        }
        before.states[..many].iter().for_each(|&at| prefetch(self.states, BYTES * at));
    }

    /// Visits the listed positions; returns the number of those newly settled. They are marked at the next visit, when their
    /// words have been fetched.
    #[inline(always)]
    fn visit<const LOST: bool>(&self, before: &Before, places: &mut Vec<Place>) -> u64 {
        places.drain(..).for_each(|place| self.to.mark(&place));
        let mut begin = 0;
        for visit in &before.visits {
            for &at in &before.states[begin..visit.end] {
                let state = self.read(at);
                let next = if LOST { won_by(state, self.value) } else { spend(state, self.value) };
                let Some((next, settled)) = next else { continue };
                self.write(at, next);
                if settled {
                    let place = Marks::place(&visit.marks, at - visit.first, visit.own);
                    prefetch(&self.to.words, place.word);
                    places.push(place);
                }
            }
            begin = visit.end;
        }
        places.len() as u64
    }
}

/// The rows of movers whose states a thread writes.
#[derive(Clone, Copy)]
struct Owner {
    me: usize,
    threads: usize,
}

impl Owner {
    #[inline(always)]
    fn owns(self, seeds: usize, row: usize) -> bool {
        self.threads == 1 || (seeds + row / CHUNK) % self.threads == self.me
    }
}

/// Collects the numbers of the bits that are set.
#[inline(always)]
fn collect(words: &[AtomicU64], out: &mut Vec<u32>) {
    out.clear();
    for (number, word) in (0..).zip(words) {
        let mut word = word.load(Relaxed);
        while word != 0 {
            out.push(64 * number + word.trailing_zeros());
            word &= word - 1;
        }
    }
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
    let (left, magnitude) = (state % 8 - 1, state / 8);
    let lost = left == 0 && (magnitude == 0 || magnitude >= value);
    Some(if lost { (8 * value, true) } else { (state - 1, false) })
}

/// The value of a final state: 0 if it was not settled.
#[inline(always)]
fn value_of(state: u16) -> i8 {
    match (state % 8, (state / 8) as i8) {
        (NEVER_LOST, magnitude) => magnitude,
        (0, magnitude) => -magnitude,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::Indexed;
    use parlor_games::oware::Oware;

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
