//! Second pass of filling a Kalah layer: moves that take no bean out of play. They stay in the own row, reduce its effort
//! (`games/src/rows.rs`), and do not change the other row. So positions are processed in the order of the total effort of both
//! rows, and those of equal effort are independent:
//!
//! ```text
//!   a to move, b          needs          b to move, a'           with less effort in a' than in a
//! ```
//!
//! If the mover has j beans and the other side l, what follows has l and j. So two blocks of a layer, j and l, depend only on
//! each other, and every thread takes such a pair.

use super::{
    fill::{improve, take, transpose8, word_of},
    kernel::{self, Kernel, LANES, NONE},
    steps::{Lookup, Stay},
};
use parlor_engine::prefetch;
use parlor_tables::Work;
use std::{ops::Range, sync::Mutex, thread};

/// Two blocks that depend only on each other: the one in which the side not to move has `other` beans, and the one in which it
/// has the rest. They may be the same.
struct Pair<'a> {
    other: usize,
    one: &'a mut [i8],
    two: Option<&'a mut [i8]>,
}

/// Improves the values of a layer by the moves that stay in it. False if it was stopped.
pub(super) fn fill<K: Kernel>(
    kernel: K,
    lookup: &Lookup,
    beans: usize,
    empty: bool,
    out: &mut [i8],
    work: &Work<'_>,
) -> bool {
    let mut pairs = pairs(lookup, beans, out);
    pairs.sort_by_key(|pair| pair.one.len());
    let pairs = Mutex::new(pairs);
    thread::scope(|scope| {
        for _ in 0..work.threads.max(1) {
            scope.spawn(|| {
                while let Some(pair) = take(&pairs).filter(|_| !work.stopped()) {
                    let (few, many) = (pair.other, beans - pair.other);
                    let moves = Moves { lookup, few, many, empty };
                    kernel.run(PairImprovement { moves, pair, work });
                }
            });
        }
    });
    !work.stopped()
}

fn pairs<'a>(lookup: &Lookup, beans: usize, mut out: &'a mut [i8]) -> Vec<Pair<'a>> {
    let mut blocks = Vec::new();
    for other in 0..=beans {
        let size = lookup.rows.block(beans, other + 1) - lookup.rows.block(beans, other);
        let (block, rest) = std::mem::take(&mut out).split_at_mut(size as usize);
        out = rest;
        blocks.push(Some(block));
    }
    let mut pairs = Vec::new();
    for other in 1..=beans / 2 {
        if let Some(one) = blocks[other].take() {
            pairs.push(Pair { other, one, two: blocks[beans - other].take() });
        }
    }
    pairs
}

/// The rows of both sides in a pair of blocks, and their moves.
struct Moves<'a> {
    lookup: &'a Lookup,
    few: usize,
    many: usize,
    /// Whether a last bean goes to the pot with nothing opposite: then the move does not stay in the layer.
    empty: bool,
}

struct PairImprovement<'a, 'w> {
    moves: Moves<'a>,
    pair: Pair<'a>,
    work: &'a Work<'w>,
}

impl kernel::Work for PairImprovement<'_, '_> {
    #[inline(always)]
    fn run(self) {
        self.moves.improve(self.pair.one, self.pair.two, self.work);
    }
}

/// Values of a line for each of some rows.
type Square = [[i8; LANES]; LANES];

impl Moves<'_> {
    /// Improves both blocks, of which `one` has the positions in which the side not to move has `few` beans. A tile is some rows
    /// of `many` beans with equal effort, and all rows of `few` beans, of which 64 are processed at a time.
    #[inline(always)]
    fn improve(&self, one: &mut [i8], mut two: Option<&mut [i8]>, work: &Work<'_>) {
        let (rows, count) = (self.lookup.rows, |beans| self.lookup.rows.count(beans) as usize);
        let (wide, high) = (count(self.many), count(self.few));
        let mut values = vec![[NONE; LANES]; high.next_multiple_of(LANES)];
        for effort in self.many..=self.many * rows.holes() {
            let class = rows.of_effort(self.many, effort);
            if work.stopped() {
                return;
            }
            for first in class.clone().step_by(LANES) {
                let columns = first..class.end.min(first + LANES);
                for row in (0..high).step_by(LANES) {
                    let lines = row..high.min(row + LANES);
                    let best = self.many_move(columns.clone(), row, two.as_deref().unwrap_or(one));
                    for (line, best) in lines.clone().zip(&transposed(&best)) {
                        let at = line * wide + first;
                        prefetch(one, at + LANES * wide);
                        improve(&mut one[at..], best, columns.len());
                        let len = LANES.min(one.len() - at);
                        values[line][..len].copy_from_slice(&one[at..at + len]);
                    }
                    let best = self.few_move(lines.clone(), first, &values);
                    let two = two.as_deref_mut().unwrap_or(one);
                    for (column, best) in columns.clone().zip(&transposed(&best)) {
                        prefetch(two, column * high + row + LANES);
                        improve(&mut two[column * high + row..], best, lines.len());
                    }
                }
            }
        }
    }

    /// The best of the moves of these rows of `many` beans against 64 rows of `few` beans: a line for each of them. `next` has the
    /// positions in which the other side moves.
    #[inline(always)]
    fn many_move(&self, moving: Range<usize>, first: usize, next: &[i8]) -> Square {
        let (steps, empty) = (self.lookup.steps(self.many), self.lookup.empty(self.few));
        let high = self.lookup.rows.count(self.few) as usize;
        let mut best = [[NONE; LANES]; LANES];
        for (best, row) in best.iter_mut().zip(moving) {
            for stay in steps.stay(row) {
                let at = stay.to as usize * high + first;
                let values = line_at(next, at);
                prefetch(next, at + LANES);
                self.answer(stay, best, &values, empty, first);
            }
        }
        best
    }

    /// The best of the moves of these rows of `few` beans against 64 rows of `many` beans. `next` has a line for each row of
    /// `few` beans.
    #[inline(always)]
    fn few_move(&self, moving: Range<usize>, first: usize, next: &[[i8; LANES]]) -> Square {
        let (steps, empty) = (self.lookup.steps(self.few), self.lookup.empty(self.many));
        let mut best = [[NONE; LANES]; LANES];
        for (best, row) in best.iter_mut().zip(moving) {
            for stay in steps.stay(row) {
                self.answer(stay, best, &next[stay.to as usize], empty, first);
            }
        }
        best
    }

    /// Raises values to those of a move after which the other side gets `values`. With beans opposite the move is a capture, and
    /// belongs to the first round.
    #[inline(always)]
    fn answer(
        &self,
        stay: &Stay,
        best: &mut [i8; LANES],
        values: &[i8; LANES],
        empty: &[Vec<i8>],
        first: usize,
    ) {
        match stay.opposite {
            None => best.iter_mut().zip(values).for_each(|(best, &value)| *best = (*best).max(-value)),
            Some(lane) if !self.empty => {
                let empty = line_at(&empty[usize::from(lane)], first);
                for ((best, &value), empty) in best.iter_mut().zip(values).zip(empty) {
                    *best = (*best).max(-value & empty | NONE & !empty);
                }
            }
            Some(_) => (),
        }
    }
}

/// 64 values, of which those beyond the last are undefined.
#[inline(always)]
fn line_at(values: &[i8], at: usize) -> [i8; LANES] {
    values[at..].first_chunk().copied().unwrap_or_else(|| {
        let mut line = [NONE; LANES];
        line[..values.len() - at].copy_from_slice(&values[at..]);
        line
    })
}

#[inline(always)]
fn transposed(square: &Square) -> Square {
    let mut out = [[NONE; LANES]; LANES];
    for row in (0..LANES).step_by(8) {
        for column in (0..LANES).step_by(8) {
            let word = |i: usize| square[row + i][column..].first_chunk().map_or(0, word_of);
            let turned = transpose8(std::array::from_fn(word));
            for (i, word) in turned.into_iter().enumerate() {
                let bytes = word.to_le_bytes().map(|byte| byte as i8);
                out[column + i][row..row + 8].copy_from_slice(&bytes);
            }
        }
    }
    out
}
