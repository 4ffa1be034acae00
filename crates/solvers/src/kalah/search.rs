//! The search: is the rest of a game worth at least so much to the side to move? Fail-soft null windows over tables of
//! endings and a table of proved bounds. The pots are left out: values are of what is still in the holes.
//!
//! The contract: `search(node, beta)` returns a value v and has proved of the true value t, seen by the side to move, that
//! - v >= beta means t >= v;
//! - v < beta means t <= v.
//!
//! All values of a position are as odd or even as its beans, so that windows are two wide. When it was stopped, the answer
//! means nothing and nothing of it is kept.
//!
//! Few positions of Kalah are reached twice (one in fifteen, in the search of Kalah(6,4)). So those near the endings, which
//! are most, are searched again sooner than looked up: a look at a large table takes longer.

use super::{
    board::{After, Beans, Node, Rules},
    children::Children,
};
use crate::shared::{CurrentlySearching, OpenQuestion, ProvedBounds, Slot, TranspositionTable};
use std::sync::atomic::{AtomicBool, Ordering};

/// How often, in nodes, it looks whether it was stopped.
const STRIDE: u64 = 1024;
/// From so many beans above the endings on, what is proved is kept.
pub(super) const NEAR: i32 = 4;
/// So many beans above the tables of endings, threads look after each other.
const SHARED: i32 = 6;

/// One thread's part of a search.
pub(super) struct Search<'a, const H: usize> {
    pub rules: Rules<H>,
    /// Endings by the number of beans in play.
    pub endings: &'a [&'a [i8]],
    pub table: &'a TranspositionTable,
    pub stop: &'a AtomicBool,
    pub nodes: u64,
    pub stopped: bool,
    /// After so many nodes it stops by itself.
    pub most_nodes: u64,
    /// The other threads, if there are any.
    pub searching: Option<&'a CurrentlySearching>,
    pub path: Vec<OpenQuestion<Beans>>,
    pub overtaken: usize,
}

impl After {
    /// The value of the move, from that of the position it leads to.
    #[inline(always)]
    pub fn value(&self, next: i32) -> i32 {
        self.gain + if self.again { next } else { -next }
    }

    /// What to ask of the position it leads to, to know whether the move is worth `beta`, and back again.
    #[inline(always)]
    pub fn beta(&self, beta: i32) -> i32 {
        if self.again { beta - self.gain } else { self.gain - beta + 2 }
    }
}

impl<'a, const H: usize> Search<'a, H> {
    pub fn new(
        rules: Rules<H>,
        endings: &'a [&'a [i8]],
        table: &'a TranspositionTable,
        stop: &'a AtomicBool,
    ) -> Self {
        Search {
            rules,
            endings,
            table,
            stop,
            nodes: 0,
            stopped: false,
            most_nodes: u64::MAX,
            searching: None,
            path: Vec::new(),
            overtaken: 0,
        }
    }

    /// See the contract above.
    pub fn search(&mut self, node: &Node, beta: i32) -> i32 {
        if let Some(value) = node.over() {
            return value;
        }
        if let Some(layer) = self.endings.get(node.beans as usize) {
            return i32::from(layer[self.rules.rows.index(node.own, node.other) as usize]);
        }
        let slot = self.slot(node);
        self.descend(node, slot, beta)
    }

    /// Whether what is proved of a position is kept.
    #[inline(always)]
    fn is_near(&self, node: &Node) -> bool {
        node.beans < self.endings.len() as i32 + NEAR
    }

    #[inline(always)]
    fn slot(&self, node: &Node) -> Option<Slot<Beans>> {
        if self.is_near(node) { None } else { self.rules.key(node).map(|key| self.table.slot(key)) }
    }

    /// Counts a node, and now and then looks around. Whether to go on.
    #[inline(always)]
    fn goes_on(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes.is_multiple_of(STRIDE) {
            self.look_around();
        }
        !self.stopped
    }

    /// A node that is neither over nor in the tables of endings.
    fn descend(&mut self, node: &Node, slot: Option<Slot<Beans>>, beta: i32) -> i32 {
        if self.is_near(node) {
            return self.near(node, beta);
        }
        if !self.goes_on() {
            return 0;
        }
        let mut known = ProvedBounds { lo: -node.beans, hi: node.beans };
        if let Some(found) = slot.and_then(|slot| self.table.probe(slot)) {
            known = ProvedBounds { lo: known.lo.max(found.lo), hi: known.hi.min(found.hi) };
        }
        if known.lo >= beta {
            return known.lo;
        }
        if known.hi < beta {
            return known.hi;
        }
        let before = self.nodes;
        let mut children = Children::default();
        let mut best = self.endings_after(node, &mut children);
        if best < beta {
            best = best.max(self.look(slot, &children, beta));
        }
        if self.stopped {
            return 0;
        }
        if best >= beta {
            known.lo = known.lo.max(best);
        } else {
            known.hi = known.hi.min(best.max(known.lo));
        }
        if let Some(slot) = slot {
            self.table.store(slot, known, self.nodes - before);
        }
        if best >= beta { known.lo } else { known.hi }
    }

    /// The same near the endings.
    fn near(&mut self, node: &Node, beta: i32) -> i32 {
        if !self.goes_on() {
            return 0;
        }
        let mut children = Children::default();
        let mut best = self.endings_after(node, &mut children);
        for after in children.all() {
            if best >= beta || self.stopped {
                break;
            }
            let (next, beta) = (&after.node, after.beta(beta));
            // Nobody can win more than all beans.
            let value = if next.beans < beta {
                next.beans
            } else if -next.beans >= beta {
                -next.beans
            } else {
                self.near(next, beta)
            };
            best = best.max(after.value(value));
        }
        best
    }

    /// The best of the moves that must be searched.
    fn look(&mut self, slot: Option<Slot<Beans>>, children: &Children<H>, beta: i32) -> i32 {
        let mut slots = [None; H];
        for (slot, after) in slots.iter_mut().zip(children.all()) {
            *slot = self.slot(&after.node);
            slot.inspect(|&slot| self.table.prefetch(slot));
        }
        // What the table knows of one may be enough.
        for (slot, after) in slots.iter().zip(children.all()) {
            if let Some(found) = slot.and_then(|slot| self.table.probe(slot)) {
                let least = after.value(if after.again { found.lo } else { found.hi });
                if least >= beta {
                    return least;
                }
            }
        }
        let shared = self.endings.len() as i32 + SHARED;
        match (self.searching, slot) {
            (Some(searching), Some(slot))
                if children.all().iter().any(|after| after.node.beans >= shared) =>
            {
                self.look_together(searching, slot, children.all(), &slots, beta)
            }
            _ => self.look_alone(children.all(), &slots, beta),
        }
    }

    #[inline]
    fn look_alone(&mut self, children: &[After], slots: &[Option<Slot<Beans>>], beta: i32) -> i32 {
        let mut best = i32::MIN;
        for (after, slot) in children.iter().zip(slots) {
            best = best.max(after.value(self.descend(&after.node, *slot, after.beta(beta))));
            if best >= beta || self.stopped {
                break;
            }
        }
        best
    }

    fn look_together(
        &mut self,
        searching: &CurrentlySearching,
        slot: Slot<Beans>,
        children: &[After],
        slots: &[Option<Slot<Beans>>],
        beta: i32,
    ) -> i32 {
        self.path.push(OpenQuestion { slot, beta });
        let (mut best, mut looked) = (i32::MIN, [false; H]);
        'rounds: for put_off in [false, true] {
            for (i, (after, there)) in children.iter().zip(slots).enumerate() {
                if looked[i] || !put_off && i > 0 && there.is_some_and(|there| searching.contains(there)) {
                    continue;
                }
                there.inspect(|&there| searching.insert(there));
                let value = after.value(self.descend(&after.node, *there, after.beta(beta)));
                there.inspect(|&there| searching.remove(there));
                if self.stopped && self.overtaken == self.path.len() {
                    (self.stopped, self.overtaken) = (false, 0);
                } else if self.stopped {
                    break 'rounds;
                } else {
                    (best, looked[i]) = (best.max(value), true);
                }
                if best >= beta {
                    break 'rounds;
                }
                if let Some(answer) = (OpenQuestion { slot, beta }).answer(self.table) {
                    best = answer;
                    break 'rounds;
                }
            }
        }
        self.path.pop();
        best
    }

    /// Whether to go on at all, or to go back to a question that somebody else has answered.
    #[cold]
    fn look_around(&mut self) {
        if self.stop.load(Ordering::Relaxed) || self.nodes >= self.most_nodes {
            (self.stopped, self.overtaken) = (true, 0);
        } else if !self.stopped {
            let answered = self.path.iter().position(|asked| asked.answer(self.table).is_some());
            if let Some(depth) = answered {
                (self.stopped, self.overtaken) = (true, depth + 1);
            }
        }
    }
}
