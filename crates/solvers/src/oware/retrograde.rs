//! Retrograde analysis (K. Thompson, "Retrograde analysis of certain endgames", 1986): the exact values of a layer in which
//! play can cycle and endless play pays nothing to either side, by propagating settled values backwards, the largest values
//! first.
//!
//! A move that captures leaves the layer, and its value is known. So each position first gets its best value by leaving, and a
//! count of the moves that stay. Then, for k from the number of seeds down to 1:
//!
//! ```text
//!   settled at -k  <-  a position before it: its mover can have +k, and more is settled already    =>  settled at +k
//!   settled at +k  <-  a position before it: one way to stay is spent; with none left, and nothing
//!                      better than -k by leaving                                                   =>  settled at -k
//! ```
//!
//! Positions that are never settled can be played for ever, and neither side can do better: 0. Every move is visited once in
//! each direction. Within one k the order does not matter, so every thread propagates the positions that it has settled itself.

use super::board::{Node, PITS};
use parlor_engine::{ZeroedMemory, prefetch};
use parlor_games::{oware::RuleSet, rows::Rows};
use parlor_tables::{Work, shared};
use std::sync::atomic::{AtomicI8, Ordering::Relaxed};

/// The count of a settled position.
const SETTLED: i8 = -1;
/// Worse than any value.
const NONE: i8 = -100;
/// Number of positions processed at the same time: while one waits for memory, the others are computed.
const ABREAST: usize = 16;

/// A layer in progress. Two adjacent bytes per position: the best value so far, and the remaining number of moves that stay.
pub(super) struct Layer<'a> {
    rows: &'static Rows,
    rules: RuleSet,
    seeds: usize,
    state: &'a [AtomicI8],
}

/// The value of leaving a position, and the number of moves that do not.
struct Ways {
    leaving: i8,
    staying: i8,
}

/// A thread's work list of positions to propagate backwards, and their predecessors.
#[derive(Default)]
struct Trail {
    settled: Vec<u64>,
    before: Vec<(u64, i8)>,
}

/// Fills in the values of a layer; false if it was stopped.
pub(super) fn fill(rules: RuleSet, seeds: usize, below: &[&[i8]], out: &mut [i8], work: &Work<'_>) -> bool {
    let Some(rows) = Rows::of(PITS) else { return false };
    let mut state = ZeroedMemory::zeroed_bytes(2 * out.len());
    let layer = Layer { rows, rules, seeds, state: shared(&mut state) };
    layer.begin(below, work);
    for value in (1..=seeds as i8).rev() {
        layer.settle(value, work);
        if work.stopped() {
            return false;
        }
    }
    for (out, state) in out.iter_mut().zip(layer.state.as_chunks::<2>().0) {
        *out = if state[1].load(Relaxed) == SETTLED { state[0].load(Relaxed) } else { 0 };
    }
    !work.stopped()
}

impl Layer<'_> {
    /// Visits every move forwards.
    fn begin(&self, below: &[&[i8]], work: &Work<'_>) {
        let len = self.state.len() as u64 / 2;
        work.share_out(len, |numbers, (): &mut ()| {
            let mut at = numbers.start;
            self.walk(numbers, |node| {
                let ways = self.ways(&node, below);
                self.state[2 * at as usize].store(ways.leaving, Relaxed);
                self.state[2 * at as usize + 1].store(ways.staying, Relaxed);
                at += 1;
            });
        });
    }

    /// All positions with these numbers, in order.
    fn walk(&self, numbers: std::ops::Range<u64>, mut each: impl FnMut(Node)) {
        let mut left = numbers.end - numbers.start;
        let Some([own, other]) = self.rows.pair(self.seeds, numbers.start) else { return };
        let (mut theirs, mut first) = (super::board::seeds(other), self.rows.rank(other) as usize);
        let mut skip = self.rows.rank(own) as usize;
        while left > 0 {
            for &other in &self.rows.rows(theirs)[first..] {
                for &own in &self.rows.rows(self.seeds - theirs)[skip..] {
                    if left == 0 {
                        return;
                    }
                    each(Node { own, other });
                    left -= 1;
                }
                skip = 0;
            }
            (theirs, first) = (theirs + 1, 0);
        }
    }

    fn ways(&self, node: &Node, below: &[&[i8]]) -> Ways {
        if node.movable() == 0 {
            return Ways { leaving: node.difference(), staying: 0 };
        }
        let mut ways = Ways { leaving: NONE, staying: 0 };
        node.moves(self.rules, |after| {
            if after.taken == 0 {
                ways.staying += 1;
            } else {
                let next = below[self.seeds - usize::from(after.taken)];
                let value = next[self.rows.index(after.node.own, after.node.other) as usize];
                ways.leaving = ways.leaving.max(after.taken as i8 - value);
            }
        });
        ways
    }

    /// Settles all positions of this value for both sides.
    fn settle(&self, value: i8, work: &Work<'_>) {
        let (done, len) = (std::sync::atomic::AtomicU64::new(0), self.state.len() as u64 / 2);
        // Progress counts each position once.
        let work = Work { done: &done, ..*work };
        work.share_out(len, |numbers, trail: &mut Trail| {
            for at in numbers {
                let (best, left) = self.read(at);
                let lost = left == 0 && best == -value;
                if left != SETTLED && (best == value || lost) && self.claim(at, left) {
                    trail.settled.push(at);
                }
            }
            self.follow(trail, value);
        });
    }

    /// The best value so far of a position, and the remaining number of moves that stay.
    #[inline(always)]
    fn read(&self, at: u64) -> (i8, i8) {
        (self.state[2 * at as usize].load(Relaxed), self.state[2 * at as usize + 1].load(Relaxed))
    }

    /// Settles a position that had `left` moves left; returns whether this thread was the first.
    #[inline(always)]
    fn claim(&self, at: u64, left: i8) -> bool {
        self.state[2 * at as usize + 1].compare_exchange(left, SETTLED, Relaxed, Relaxed).is_ok()
    }

    /// Propagates settled positions backwards until the work list is empty.
    fn follow(&self, trail: &mut Trail, value: i8) {
        while !trail.settled.is_empty() {
            let some = trail.settled.len().saturating_sub(ABREAST);
            trail.before.clear();
            for at in trail.settled.drain(some..) {
                let best = self.state[2 * at as usize].load(Relaxed);
                let Some([own, other]) = self.rows.pair(self.seeds, at) else { continue };
                Node { own, other }.unmoves(self.rules, |node| {
                    let at = self.rows.index(node.own, node.other);
                    prefetch(self.state, 2 * at as usize);
                    trail.before.push((at, best));
                });
            }
            for &(at, best) in &trail.before {
                if if best < 0 { self.win(at, value) } else { self.spend(at, value) } {
                    trail.settled.push(at);
                }
            }
        }
    }

    /// Handles a move to a position that is lost by `value`.
    #[inline(always)]
    fn win(&self, at: u64, value: i8) -> bool {
        loop {
            let left = self.read(at).1;
            if left == SETTLED {
                return false;
            }
            if self.claim(at, left) {
                self.state[2 * at as usize].store(value, Relaxed);
                return true;
            }
        }
    }

    /// Handles a move to a position that is won by `value`: one less way to stay. Returns whether that settles the position.
    #[inline(always)]
    fn spend(&self, at: u64, value: i8) -> bool {
        loop {
            let (best, left) = self.read(at);
            if left == SETTLED {
                return false;
            }
            let lost = left == 1 && best <= -value;
            let now = if lost { SETTLED } else { left - 1 };
            let count = &self.state[2 * at as usize + 1];
            if count.compare_exchange(left, now, Relaxed, Relaxed).is_ok() {
                if lost {
                    self.state[2 * at as usize].store(-value, Relaxed);
                }
                return lost;
            }
        }
    }
}
