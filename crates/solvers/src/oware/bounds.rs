//! Retrograde analysis of bounds, for a layer in which endless play pays each side its own row, so that a value can depend on
//! where a cycle is stopped: the lower bound is what the mover can force if the other side chooses where it is stopped, the
//! upper bound if the mover does.
//!
//! For one k, call a position *good* if the rows, seen by the side in question, differ by at least k. That side can force k if
//! it can leave the layer with k, or stay for ever where every position that keeps returning is good (a co-Büchi objective on
//! the graph of the layer). Each position is analysed twice, once for the mover (A) and once for the other side (B):
//!
//! ```text
//!   A(p)  the mover of p can force k           a way to leave with k, or a move to some B(c)
//!   B(p)  the other side can force k           no way to leave with more than -k, and all moves lead to A(c)
//! ```
//!
//! 1. Retrograde propagation of values by leaving the layer, and of proofs for larger k.
//! 2. Among the rest, the good positions within which the side can stay (a greatest fixed point): positions without a move that
//!    stays are removed, then those that depended on them, until none is removed. The remaining ones are proved.
//! 3. Retrograde propagation of these proofs; then 2 again, until nothing is added.
//!
//! A proved A(p) makes k the lower bound of p, a proved B(p) makes -k the upper one, for the largest k of each. They hold
//! for an empty history in the layer: for a position that play has entered by a capture, or a start.

use super::board::{Node, PITS};
use parlor_engine::{ZeroedMemory, prefetch};
use parlor_games::{oware::RuleSet, rows::Rows};
use parlor_tables::{Work, shared};
use std::sync::atomic::{AtomicBool, AtomicI8, AtomicU64, Ordering::Relaxed};

/// States of a position: not proved, proved, candidate, or to be removed.
const OUT: i8 = 0;
const IN: i8 = 1;
const TRIED: i8 = 2;
const DOOMED: i8 = 3;
/// Worse than any value.
const NONE: i8 = -100;
/// Number of positions processed at the same time, to hide memory latency.
const ABREAST: usize = 16;
/// What is known of a position: eight bytes next to each other.
///
/// ```text
///   0, 1  proved bounds       2, 3  the best by leaving, for lo and for hi
///   4     moves that stay and are not yet in A       5, 6  A and B: out, in, tried or doomed       7  moves to tried B
/// ```
const BYTES: usize = 8;

/// The side from whose view a position is analysed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    A,
    B,
}

pub(super) struct Layer<'a> {
    rows: &'static Rows,
    rules: RuleSet,
    seeds: usize,
    state: &'a [AtomicI8],
}

/// A work list of positions to propagate backwards, and their predecessors.
#[derive(Default)]
struct Trail {
    found: Vec<(u64, View)>,
    before: Vec<(u64, View)>,
}

/// Fills in lower and upper bounds of a layer from those of the layers below: first all lower ones, then all upper ones.
/// False if it was stopped.
pub(super) fn fill(
    rules: RuleSet,
    seeds: usize,
    below: &[[&[i8]; 2]],
    [lo, hi]: [&mut [i8]; 2],
    work: &Work<'_>,
) -> bool {
    let Some(rows) = Rows::of(PITS) else { return false };
    let mut state = ZeroedMemory::zeroed_bytes(BYTES * lo.len());
    let layer = Layer { rows, rules, seeds, state: shared(&mut state) };
    layer.begin(below, work);
    let most = seeds as i8;
    for k in (-most + 1..=most).rev().step_by(2) {
        layer.leave(k, work);
        while layer.stay(k, work) && !work.stopped() {}
        if work.stopped() {
            return false;
        }
    }
    for (at, (lo, hi)) in (0..).zip(lo.iter_mut().zip(hi)) {
        *lo = if layer.get(at, 5) == IN { layer.get(at, 0) } else { -most };
        *hi = if layer.get(at, 6) == IN { layer.get(at, 1) } else { most };
    }
    true
}

impl Layer<'_> {
    #[inline(always)]
    fn byte(&self, at: u64, byte: usize) -> &AtomicI8 {
        &self.state[BYTES * at as usize + byte]
    }

    #[inline(always)]
    fn get(&self, at: u64, byte: usize) -> i8 {
        self.byte(at, byte).load(Relaxed)
    }

    #[inline(always)]
    fn set(&self, at: u64, byte: usize, value: i8) {
        self.byte(at, byte).store(value, Relaxed);
    }

    fn node(&self, at: u64) -> Node {
        let [own, other] = self.rows.pair(self.seeds, at).unwrap_or_default();
        Node { own, other }
    }

    #[inline(always)]
    fn number(&self, node: &Node) -> u64 {
        self.rows.index(node.own, node.other)
    }

    /// Calls `each` for every position, with one work list per thread. These rounds do not count as progress.
    fn round(
        &self,
        work: &Work<'_>,
        each: impl Fn(u64, &mut Trail) + Sync,
        after: impl Fn(&mut Trail) + Sync,
    ) {
        let done = AtomicU64::new(0);
        let work = Work { done: &done, ..*work };
        work.share_out((self.state.len() / BYTES) as u64, |numbers, trail: &mut Trail| {
            numbers.for_each(|at| each(at, trail));
            after(trail);
        });
    }

    /// Computes the value of leaving, and the number of moves that stay.
    fn begin(&self, below: &[[&[i8]; 2]], work: &Work<'_>) {
        work.share_out((self.state.len() / BYTES) as u64, |numbers, (): &mut ()| {
            for at in numbers {
                let node = self.node(at);
                let (mut lo, mut hi, mut staying) = (NONE, NONE, 0);
                if node.movable() == 0 {
                    (lo, hi) = (node.difference(), node.difference());
                }
                node.moves(self.rules, |after| {
                    if after.taken == 0 {
                        staying += 1;
                    } else {
                        let [los, his] = below[self.seeds - usize::from(after.taken)];
                        let next = self.number(&after.node) as usize;
                        lo = lo.max(after.taken as i8 - his[next]);
                        hi = hi.max(after.taken as i8 - los[next]);
                    }
                });
                self.set(at, 2, lo);
                self.set(at, 3, hi);
                self.set(at, 4, staying);
            }
        });
    }

    /// Marks a position as proved; returns whether this thread was the first.
    fn join(&self, at: u64, view: View, k: i8) -> bool {
        let (state, bound, value) = match view {
            View::A => (5, 0, k),
            View::B => (6, 1, -k),
        };
        let joined =
            self.byte(at, state).try_update(Relaxed, Relaxed, |now| (now != IN).then_some(IN)).is_ok();
        if joined {
            self.set(at, bound, value);
        }
        joined
    }

    /// Step 1: values by leaving the layer.
    fn leave(&self, k: i8, work: &Work<'_>) {
        let each = |at, trail: &mut Trail| {
            if self.get(at, 5) != IN && self.get(at, 2) >= k && self.join(at, View::A, k) {
                trail.found.push((at, View::A));
            }
            let given = self.get(at, 4) == 0 && self.get(at, 3) <= -k;
            if self.get(at, 6) != IN && given && self.join(at, View::B, k) {
                trail.found.push((at, View::B));
            }
        };
        self.round(work, each, |trail| self.follow(trail, k));
    }

    /// Propagates proofs backwards until the work list is empty.
    fn follow(&self, trail: &mut Trail, k: i8) {
        self.visit_predecessors(trail, |at, view| match view {
            // One less move that is not in A.
            View::B => {
                let left = self.byte(at, 4).fetch_sub(1, Relaxed) - 1;
                left == 0 && self.get(at, 3) <= -k && self.join(at, View::B, k)
            }
            View::A => self.join(at, View::A, k),
        });
    }

    /// Visits all predecessors of the work list, in the other view, and propagates those for which `each` returns true.
    fn visit_predecessors(&self, trail: &mut Trail, each: impl Fn(u64, View) -> bool) {
        while !trail.found.is_empty() {
            let some = trail.found.len().saturating_sub(ABREAST);
            trail.before.clear();
            for (at, view) in trail.found.drain(some..) {
                let view = if view == View::A { View::B } else { View::A };
                self.node(at).unmoves(self.rules, |node| {
                    let at = self.number(&node);
                    prefetch(self.state, BYTES * at as usize);
                    trail.before.push((at, view));
                });
            }
            for &(at, view) in &trail.before {
                if each(at, view) {
                    trail.found.push((at, view));
                }
            }
        }
    }

    /// Steps 2 and 3. Returns whether a position was added.
    fn stay(&self, k: i8, work: &Work<'_>) -> bool {
        self.round(work, |at, _| self.try_good(at, k), |_| ());
        self.round(work, |at, _| self.count(at), |_| ());
        let strike = |at, trail: &mut Trail| {
            for (view, state) in [(View::A, 5), (View::B, 6)] {
                if self.get(at, state) == DOOMED {
                    self.set(at, state, OUT);
                    trail.found.push((at, view));
                }
            }
        };
        self.round(work, strike, |trail| self.remove_dependants(trail));
        let added = AtomicBool::new(false);
        let take_in = |at, trail: &mut Trail| {
            for (view, state) in [(View::A, 5), (View::B, 6)] {
                if self.get(at, state) == TRIED && self.join(at, view, k) {
                    added.store(true, Relaxed);
                    trail.found.push((at, view));
                }
            }
        };
        self.round(work, take_in, |trail| self.follow(trail, k));
        added.into_inner()
    }

    /// Marks good positions that are not proved as candidates.
    fn try_good(&self, at: u64, k: i8) {
        let (a, b) = (self.get(at, 5) == OUT, self.get(at, 6) == OUT && self.get(at, 3) <= -k);
        if !a && !b {
            return;
        }
        let difference = self.node(at).difference();
        if a && difference >= k {
            self.set(at, 5, TRIED);
        }
        if b && difference <= -k {
            self.set(at, 6, TRIED);
        }
    }

    /// Counts the moves that lead to candidates; a position with none, or with one that leads out, is to be removed.
    fn count(&self, at: u64) {
        let (a, b) = (self.get(at, 5) == TRIED, self.get(at, 6) == TRIED);
        if !a && !b {
            return;
        }
        let (mut tried, mut outside) = (0, false);
        self.node(at).moves(self.rules, |after| {
            if after.taken == 0 {
                let next = self.number(&after.node);
                tried += i8::from(matches!(self.get(next, 6), TRIED | DOOMED));
                outside |= self.get(next, 5) == OUT;
            }
        });
        self.set(at, 7, tried);
        if a && tried == 0 {
            self.set(at, 5, DOOMED);
        }
        if b && outside {
            self.set(at, 6, DOOMED);
        }
    }

    /// Removes candidates that depended on removed ones.
    fn remove_dependants(&self, trail: &mut Trail) {
        let out = |at, state| self.byte(at, state).compare_exchange(TRIED, OUT, Relaxed, Relaxed).is_ok();
        self.visit_predecessors(trail, |at, view| match view {
            View::B => out(at, 6),
            View::A => {
                let tried = matches!(self.get(at, 5), TRIED | DOOMED);
                tried && self.byte(at, 7).fetch_sub(1, Relaxed) == 1 && out(at, 5)
            }
        });
    }
}
