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
    fill::take,
    steps::{End, Lookup},
};
use parlor_tables::Work;
use std::{
    ops::Range,
    sync::{Mutex, atomic::Ordering},
    thread,
};

/// Two blocks that depend only on each other: the one in which the side not to move has `other` beans, and the one in which it
/// has the rest. They may be the same.
struct Pair<'a> {
    other: usize,
    one: &'a mut [i8],
    two: Option<&'a mut [i8]>,
}

/// Moves of rows with `mine` beans, against rows with `other` beans.
struct Against<'a> {
    lookup: &'a Lookup,
    mine: usize,
    other: usize,
    /// Whether a last bean goes to the pot with nothing opposite: then the move does not stay in the layer.
    empty: bool,
}

/// Improves the values of a layer by the moves that stay in it. False if it was stopped.
pub(super) fn fill(lookup: &Lookup, beans: usize, empty: bool, out: &mut [i8], work: &Work<'_>) -> bool {
    let mut pairs = pairs(lookup, beans, out);
    pairs.sort_by_key(|pair| pair.one.len());
    let pairs = Mutex::new(pairs);
    thread::scope(|scope| {
        for _ in 0..work.threads.max(1) {
            scope.spawn(|| {
                while let Some(pair) = take(&pairs).filter(|_| !work.stop.load(Ordering::Relaxed)) {
                    fill_pair(lookup, beans, empty, pair);
                }
            });
        }
    });
    !work.stop.load(Ordering::Relaxed)
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

fn fill_pair(lookup: &Lookup, beans: usize, empty: bool, mut pair: Pair<'_>) {
    let (rows, holes) = (lookup.rows, lookup.rows.holes());
    let (few, many) = (pair.other, beans - pair.other);
    let many_move = Against { lookup, mine: many, other: few, empty };
    let few_move = Against { lookup, mine: few, other: many, empty };
    for effort in beans..=beans * holes {
        for part in few..=(few * holes).min(effort - many) {
            let (few, many) = (rows.of_effort(few, part), rows.of_effort(many, effort - part));
            if let Some(two) = &mut pair.two {
                many_move.improve(many.clone(), few.clone(), pair.one, Some(two));
                few_move.improve(few, many, two, Some(pair.one));
            } else {
                many_move.improve(many, few, pair.one, None);
            }
        }
    }
}

impl Against<'_> {
    /// Improves values by the moves that stay in the layer, of these rows against these. `values` is their block; the
    /// successors are in `next`, or in the same block if there is none.
    fn improve(&self, mine: Range<usize>, others: Range<usize>, values: &mut [i8], next: Option<&[i8]>) {
        if mine.is_empty() || others.is_empty() {
            return;
        }
        let wide = self.lookup.rows.count(self.mine) as usize;
        let next_wide = self.lookup.rows.count(self.other) as usize;
        let steps = self.lookup.steps(self.mine);
        for row in mine {
            for step in steps.of(row).iter().filter(|step| step.pot == 0) {
                let opposite = match step.end {
                    End::Elsewhere => None,
                    End::Empty { opposite } if !self.empty => Some(usize::from(opposite)),
                    End::Empty { .. } | End::Pot => continue,
                };
                let first = step.to as usize * next_wide;
                let Some(next) = next else {
                    // Both rows have the same number of beans: the successors are in the same block.
                    for other in others.clone().filter(|&other| self.stays(opposite, other)) {
                        let value = -values[first + other];
                        let place = &mut values[other * wide + row];
                        *place = (*place).max(value);
                    }
                    continue;
                };
                let next = &next[first + others.start..first + others.end];
                let places = values[others.start * wide + row..].iter_mut().step_by(wide);
                if let Some(lane) = opposite {
                    let before = &self.lookup.without(self.other, 0, lane)[others.clone()];
                    for ((place, &next), before) in places.zip(next).zip(before) {
                        if before.beans == 0 {
                            *place = (*place).max(-next);
                        }
                    }
                } else {
                    for (place, &next) in places.zip(next) {
                        *place = (*place).max(-next);
                    }
                }
            }
        }
    }
    /// With beans opposite a move is a capture, and belongs to the first pass.
    fn stays(&self, opposite: Option<usize>, other: usize) -> bool {
        opposite.is_none_or(|lane| self.lookup.without(self.other, 0, lane)[other].beans == 0)
    }
}
