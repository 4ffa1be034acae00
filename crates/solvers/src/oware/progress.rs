//! Progress measures: how to obtain a proved bound move by move, although positions may return (cf. M. Jurdziński, "Small
//! progress measures for solving parity games", 2000).
//!
//! A proof that k can be forced does not tell how: a side that only stays where k can be forced may cycle until the game is
//! stopped where it pays less. So every position gets two measures, one for the mover and its lower bound (A), one for the
//! other side and its bound, the negated upper bound (B). Among positions with the same bound k:
//!
//! ```text
//!   A leaves the layer with k; B: all moves leave, or lead to a better A              0
//!   A can move to a B of measure m                                                    m + 1
//!   B: all moves that lead to no better A lead to measures of at most m               m
//!   those that can stay among themselves for ever where a cycle pays k                all the same, above all before
//! ```
//!
//! The side preserves k by moves that leave with k, or that lead to a better bound, to a lower measure, or to an equal one if a
//! cycle pays k in both positions. The other side can raise neither. So only positions where the cycle pays k can recur; and
//! all this can be verified position by position, one move ahead.

use super::board::{Node, PITS};
use parlor_games::{oware::RuleSet, rows::Rows};
use parlor_tables::Work;
use std::{
    collections::VecDeque,
    panic::resume_unwind,
    sync::atomic::{AtomicI8, AtomicI32, AtomicU16, Ordering::Relaxed},
    thread,
};

/// No measure yet.
const NONE: u16 = u16::MAX;
/// No measure yet, and a candidate for staying.
const TRIED: u16 = u16::MAX - 1;
/// Measures from here on do not fit a byte.
const HIGH: u16 = u8::MAX as u16;

#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    A,
    B,
}

/// A position and the side from whose view it is seen: twice the number, plus one for B.
#[derive(Clone, Copy)]
struct Spot(u32);

impl Spot {
    #[inline(always)]
    fn at(self) -> usize {
        (self.0 / 2) as usize
    }

    #[inline(always)]
    fn view(self) -> View {
        if self.0.is_multiple_of(2) { View::A } else { View::B }
    }
}

struct Layer<'a> {
    rows: &'static Rows,
    rules: RuleSet,
    seeds: usize,
    bounds: [&'a [i8]; 2],
    measures: [Vec<AtomicU16>; 2],
    /// Moves of B that lead to an A of the same bound that has no measure.
    open: Vec<AtomicI8>,
}

/// Fills in the measures of a layer whose bounds are known. False if it was stopped.
pub(super) fn fill(
    rules: RuleSet,
    seeds: usize,
    below: &[[&[i8]; 2]],
    bounds: [&[i8]; 2],
    out: [&mut [i8]; 2],
    work: &Work<'_>,
) -> bool {
    let len = bounds[0].len();
    let Some(rows) = Rows::of(PITS).filter(|_| len < 1 << 31) else { return false };
    let measures = [View::A, View::B].map(|_| (0..len).map(|_| AtomicU16::new(NONE)).collect());
    let open = (0..len).map(|_| AtomicI8::new(0)).collect();
    let layer = Layer { rows, rules, seeds, bounds, measures, open };
    layer.begin(below, work);
    // Positions of different bounds are independent: each thread takes the next bound.
    let next = AtomicI32::new(-(seeds as i32));
    let labour = || {
        while !work.stopped() {
            let k = next.fetch_add(1, Relaxed);
            if k > seeds as i32 {
                return;
            }
            layer.measure(k as i8, work);
        }
    };
    thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, labour).ok();
        let started: Vec<_> = (1..work.threads.max(1)).map_while(start).collect();
        labour();
        // Joined explicitly: glibc can crash when a detached thread exits.
        for thread in started {
            if let Err(panic) = thread.join() {
                resume_unwind(panic);
            }
        }
    });
    for (out, measures) in out.into_iter().zip(&layer.measures) {
        for (out, measure) in out.iter_mut().zip(measures) {
            *out = measure.load(Relaxed).min(HIGH) as u8 as i8;
        }
    }
    !work.stopped()
}

impl Layer<'_> {
    fn node(&self, at: usize) -> Node {
        let [own, other] = self.rows.pair(self.seeds, at as u64).unwrap_or_default();
        Node { own, other }
    }

    #[inline(always)]
    fn number(&self, node: &Node) -> usize {
        self.rows.index(node.own, node.other) as usize
    }

    #[inline(always)]
    fn measure_of(&self, at: usize, view: View) -> &AtomicU16 {
        &self.measures[view as usize][at]
    }

    /// The bound of the side of this view.
    #[inline(always)]
    fn bound(&self, at: usize, view: View) -> i8 {
        if view == View::A { self.bounds[0][at] } else { -self.bounds[1][at] }
    }

    /// Finds the lowest measures, and counts the open moves of the others.
    fn begin(&self, below: &[[&[i8]; 2]], work: &Work<'_>) {
        let done = std::sync::atomic::AtomicU64::new(0);
        let work = Work { done: &done, ..*work };
        work.share_out(self.open.len() as u64, |numbers, (): &mut ()| {
            for at in numbers.map(|at| at as usize) {
                let node = self.node(at);
                let (mut leaves, mut open) = (node.movable() == 0, 0);
                node.moves(self.rules, |after| {
                    let next = self.number(&after.node);
                    if after.taken > 0 {
                        let [_, his] = below[self.seeds - usize::from(after.taken)];
                        leaves |= after.taken as i8 - his[next] >= self.bound(at, View::A);
                    } else {
                        open += i8::from(self.bound(next, View::A) == self.bound(at, View::B));
                    }
                });
                self.open[at].store(open, Relaxed);
                for (view, lowest) in [(View::A, leaves), (View::B, open == 0)] {
                    if lowest {
                        self.measure_of(at, view).store(0, Relaxed);
                    }
                }
            }
        });
    }

    /// All measures of positions with this bound.
    fn measure(&self, k: i8, work: &Work<'_>) {
        let lowest = self.all(k).filter(|&spot| self.get(spot) == 0).collect();
        let mut highest = self.propagate(lowest, k, 0);
        while !work.stopped() {
            let staying = self.staying(k);
            if staying.is_empty() {
                return;
            }
            staying.iter().for_each(|&spot| self.set(spot, highest + 1));
            highest = self.propagate(staying, k, highest + 1);
        }
    }

    /// All positions with this bound, in either view. They are searched each time, because a list would take more memory than
    /// the measures.
    fn all(&self, k: i8) -> impl Iterator<Item = Spot> {
        let both = (0..self.open.len() as u32).flat_map(|at| [Spot(2 * at), Spot(2 * at + 1)]);
        both.filter(move |&spot| self.bound(spot.at(), spot.view()) == k)
    }

    #[inline(always)]
    fn get(&self, spot: Spot) -> u16 {
        self.measure_of(spot.at(), spot.view()).load(Relaxed)
    }

    #[inline(always)]
    fn set(&self, spot: Spot, measure: u16) {
        self.measure_of(spot.at(), spot.view()).store(measure, Relaxed);
    }

    /// The predecessors by moves that stay in the layer, seen by the same side; only those with this bound.
    fn before(&self, spot: Spot, k: i8, mut each: impl FnMut(Spot)) {
        self.node(spot.at()).unmoves(self.rules, |node| {
            let before = Spot(2 * self.number(&node) as u32 + 1 - spot.0 % 2);
            if self.bound(before.at(), before.view()) == k {
                each(before);
            }
        });
    }

    /// Propagates backwards from positions of one measure; returns the highest measure that was assigned.
    fn propagate(&self, mut found: VecDeque<Spot>, k: i8, lowest: u16) -> u16 {
        let mut highest = lowest;
        while let Some(spot) = found.pop_front() {
            let measure = self.get(spot);
            highest = highest.max(measure);
            self.before(spot, k, |before| {
                let given = match before.view() {
                    View::A => measure + 1,
                    View::B if self.open[before.at()].fetch_sub(1, Relaxed) > 1 => return,
                    View::B => measure,
                };
                if self.get(before) == NONE {
                    self.set(before, given.min(TRIED - 1));
                    found.push_back(before);
                }
            });
        }
        highest
    }

    /// The positions without a measure that can stay among themselves where a cycle pays k.
    fn staying(&self, k: i8) -> VecDeque<Spot> {
        for spot in self.all(k).filter(|&spot| self.get(spot) == NONE) {
            let difference = self.node(spot.at()).difference();
            let pays = if spot.view() == View::A { difference >= k } else { -difference >= k };
            if pays {
                self.set(spot, TRIED);
            }
        }
        let mut doubtful = Vec::new();
        for spot in self.all(k) {
            doubtful.push(spot);
            while let Some(spot) = doubtful.pop() {
                if self.get(spot) == TRIED && !self.can_stay(spot) {
                    self.set(spot, NONE);
                    self.before(spot, k, |before| {
                        if self.get(before) == TRIED {
                            doubtful.push(before);
                        }
                    });
                }
            }
        }
        self.all(k).filter(|&spot| self.get(spot) == TRIED).collect()
    }

    fn can_stay(&self, spot: Spot) -> bool {
        let (mut some, mut all, k) = (false, true, self.bound(spot.at(), spot.view()));
        self.node(spot.at()).moves(self.rules, |after| {
            if after.taken == 0 {
                let next = self.number(&after.node);
                some |=
                    self.bound(next, View::B) == k && self.measure_of(next, View::B).load(Relaxed) == TRIED;
                all &= self.bound(next, View::A) != k || self.measure_of(next, View::A).load(Relaxed) != NONE;
            }
        });
        if spot.view() == View::A { some } else { all }
    }
}
