//! The search: is the rest of a game worth at least a given margin to the side to move? Fail-soft null windows over tables of
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
use crate::shared::{OpenQuestion, ProvedBounds, SearchThread, Slot, best_child};

/// A proof is stored if the position has at least this many beans more than the endings.
pub(super) const NEAR: i32 = 4;
/// From this many beans above the tables of endings on, threads cooperate.
const SHARED: i32 = 6;

/// One thread's part of a search.
pub(super) struct Search<'a, const H: usize> {
    pub rules: Rules<H>,
    /// Endings by the number of beans in play.
    pub endings: &'a [&'a [i8]],
    pub thread: SearchThread<'a, Beans>,
}

impl<'a, const H: usize> AsMut<SearchThread<'a, Beans>> for Search<'a, H> {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut SearchThread<'a, Beans> {
        &mut self.thread
    }
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

impl<const H: usize> Search<'_, H> {
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
        if self.is_near(node) { None } else { self.rules.key(node).map(|key| self.thread.table.slot(key)) }
    }

    /// A node that is neither over nor in the tables of endings.
    fn descend(&mut self, node: &Node, slot: Option<Slot<Beans>>, beta: i32) -> i32 {
        if self.is_near(node) {
            return self.near(node, beta);
        }
        if !self.thread.count_node() {
            return 0;
        }
        let mut known = ProvedBounds { lo: -node.beans, hi: node.beans };
        if let Some(found) = slot.and_then(|slot| self.thread.table.probe(slot)) {
            known = known.and(found);
        }
        if let Some(value) = known.answer(beta) {
            return value;
        }
        let before = self.thread.nodes;
        let mut children = Children::default();
        let mut best = self.endings_after(node, &mut children);
        if best < beta {
            best = best.max(self.look(slot, &children, beta));
        }
        if self.thread.stopped {
            return 0;
        }
        known = known.after(best, beta);
        if let Some(slot) = slot {
            self.thread.table.store(slot, known, self.thread.nodes - before);
        }
        if best >= beta { known.lo } else { known.hi }
    }

    /// The same near the endings.
    fn near(&mut self, node: &Node, beta: i32) -> i32 {
        if !self.thread.count_node() {
            return 0;
        }
        let mut children = Children::default();
        let mut best = self.endings_after(node, &mut children);
        for after in children.all() {
            if best >= beta || self.thread.stopped {
                break;
            }
            let (next, beta) = (&after.node, after.beta(beta));
            // No side can win more than all beans.
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
            slot.inspect(|&slot| self.thread.table.prefetch(slot));
        }
        // What the table knows of one may be enough.
        for (slot, after) in slots.iter().zip(children.all()) {
            if let Some(found) = slot.and_then(|slot| self.thread.table.probe(slot)) {
                let least = after.value(if after.again { found.lo } else { found.hi });
                if least >= beta {
                    return least;
                }
            }
        }
        let (after, shared) = (children.all(), self.endings.len() as i32 + SHARED);
        let is_large =
            |_: &Slot<Beans>| self.thread.has_others() && after.iter().any(|at| at.node.beans >= shared);
        let question = slot.filter(is_large).map(|slot| OpenQuestion { slot, beta });
        let value = |search: &mut Self, i: usize| {
            after[i].value(search.descend(&after[i].node, slots[i], after[i].beta(beta)))
        };
        best_child(self, question, after.len(), beta, |_, i| slots[i], value)
    }
}
