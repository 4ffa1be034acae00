//! Fail-soft null-window search (alpha-beta) of Connect-N over the transposition table: is the value at least `beta`?
//!
//! The contract: `search(node, beta)` returns a value v and has proved of the true value t, seen by the side to move, that
//! - v >= beta means t >= v;
//! - v < beta means t <= v.
//!
//! It is called only for positions in which the side to move cannot complete a row at once. If it was stopped, the value is
//! undefined and not stored.

use super::{
    children::Child,
    kernel::Kernel,
    lanes::{Cells, Mask},
    lines::{Lines, Shape},
};
use crate::shared::{OpenQuestion, ProvedBounds, SearchThread, Slot, best_child};

/// With more stones than this, mirror images hardly ever occur in the table: the key is not mirrored.
const MIRRORED_PLIES: i32 = 18;

/// With fewer vacant cells than this a position is searched faster than it is looked up: it is not stored.
pub(super) const KEPT: i32 = 8;
/// With fewer vacant cells than this the children are not looked up before they are searched.
pub(super) const ASKED: i32 = 17;
/// With fewer vacant cells than this the moves are ordered by their threats only.
pub(super) const ORDERED: i32 = 18;
/// With fewer vacant cells than this threads do not cooperate: it would cost more than it saves.
const SHARED: i32 = 20;

/// State of one search thread.
pub(super) struct ConnectSearch<'a, W, S, K> {
    pub lines: Lines<W, S>,
    pub thread: SearchThread<'a, W>,
    /// A stack of the children of all nodes on the path, and the order in which they are searched.
    pub children: Vec<Child<W>>,
    pub order: Vec<u32>,
    /// The processor that the search is compiled for.
    pub kernel: K,
}

/// A position of the search.
#[derive(Clone, Copy)]
pub(super) struct Node<W> {
    /// Stones of the side to move.
    pub own: W,
    pub all: W,
    /// Vacant cells that complete a row of the other side.
    pub theirs: W,
    pub plies: i32,
}

impl<'a, W: Cells, S: Shape, K: Kernel> AsMut<SearchThread<'a, W>> for ConnectSearch<'a, W, S, K> {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut SearchThread<'a, W> {
        &mut self.thread
    }
}

impl<'a, W: Cells, S: Shape, K: Kernel> ConnectSearch<'a, W, S, K> {
    pub fn new(lines: Lines<W, S>, thread: SearchThread<'a, W>, kernel: K) -> Self {
        let (children, order) = (Vec::with_capacity(1024), Vec::with_capacity(1024));
        ConnectSearch { lines, thread, children, order, kernel }
    }

    /// The slot of a node in the table: a board and its mirror image share one.
    #[inline(always)]
    pub fn slot(&self, node: &Node<W>) -> Slot<W> {
        let key = node.own.plus(node.all).plus(self.lines.bottom);
        let key = if node.plies <= MIRRORED_PLIES { key.min(self.lines.mirror(key)) } else { key };
        self.thread.table.slot(key)
    }

    /// See the contract above.
    pub fn search(&mut self, node: Node<W>, beta: i32) -> i32 {
        let slot = self.slot(&node);
        self.kernel.descend(self, node, slot, beta, false)
    }

    /// Searches a node whose slot is `slot`; `seen` says whether it was examined already, with its siblings.
    #[inline(always)]
    pub fn descend_here(
        &mut self,
        mut node: Node<W>,
        mut slot: Slot<W>,
        mut beta: i32,
        mut seen: bool,
    ) -> i32 {
        let cells = self.lines.shape.cells();
        let mut sign = 1;
        loop {
            if !self.thread.count_node() {
                return 0;
            }
            let moves = self.safe_moves(&node);
            if moves.is_zero() {
                return sign * -((cells - node.plies) / 2);
            }
            if node.plies >= cells - 2 {
                return 0;
            }
            let mut known =
                ProvedBounds { lo: -((cells - 2 - node.plies) / 2), hi: (cells - 1 - node.plies) / 2 };
            if !seen {
                self.narrow(&node, beta, &mut known);
            }
            if let Some(value) = known.answer(beta) {
                return sign * value;
            }
            if moves.several() {
                return sign * self.branch(&node, slot, moves, beta, known);
            }
            // A forced reply is not a node: nothing is stored for it.
            node = self.after(&node, moves);
            slot = self.slot(&node);
            self.thread.table.prefetch(slot);
            (sign, beta, seen) = (-sign, 1 - beta, false);
        }
    }

    /// Moves that do not lose at once: a block if there is one thing to block, and never below a winning cell of the other
    /// side.
    #[inline(always)]
    fn safe_moves(&self, node: &Node<W>) -> W {
        let next = self.lines.next(node.all);
        let threats = next & node.theirs;
        let moves = if threats.is_zero() {
            next
        } else if threats.several() {
            return W::ZERO;
        } else {
            threats
        };
        moves & !(node.theirs >> 1)
    }

    /// Narrows the bounds without a search.
    #[inline(always)]
    fn narrow(&self, node: &Node<W>, beta: i32, known: &mut ProvedBounds) {
        let vacant = self.lines.board & !node.all;
        if beta > 0 && self.lines.rows(node.own | vacant).is_zero() {
            known.hi = known.hi.min(0);
        }
        if beta <= 0 && self.lines.rows(node.own ^ node.all | vacant).is_zero() {
            known.lo = known.lo.max(0);
        }
        let asked = Mask::from(!self.threatened(node));
        if let Some(found) = self.lines.follow_up(node.own, node.all, node.theirs, beta - 1, asked) {
            known.hi = known.hi.min(found.bound(0));
        }
    }

    #[inline(always)]
    pub fn after(&self, node: &Node<W>, cell: W) -> Node<W> {
        let (all, stones) = (node.all | cell, node.own | cell);
        let theirs = self.lines.completing(stones, all);
        Node { own: node.own ^ node.all, all, theirs, plies: node.plies + 1 }
    }

    /// Whether the other side could complete a row with its next move.
    #[inline(always)]
    pub fn threatened(&self, node: &Node<W>) -> bool {
        !(self.lines.next(node.all) & node.theirs).is_zero()
    }

    /// A node with several moves. The value is seen by its side to move.
    #[inline(always)]
    fn branch(&mut self, node: &Node<W>, slot: Slot<W>, moves: W, beta: i32, mut known: ProvedBounds) -> i32 {
        let (left, before) = (self.lines.shape.cells() - node.plies, self.thread.nodes);
        if let Some(found) = self.probe(slot, left) {
            known = known.and(found);
            if let Some(value) = known.answer(beta) {
                return value;
            }
        }
        let first = self.children.len();
        let examined = self.examine(node, moves, beta);
        let found = match examined {
            Ok(_) => self.found_among(node, first, beta),
            Err(proved) => Some(proved),
        };
        if let Some(found) = found {
            self.forget(first);
            self.store(slot, left, ProvedBounds { lo: known.lo.max(found), hi: known.hi.max(found) }, 0);
            return found;
        }
        let is_shared = self.thread.has_others() && left >= SHARED;
        let question = is_shared.then_some(OpenQuestion { slot, beta });
        let count = self.children.len() - first;
        let slot_of = move |search: &Self, i: usize| Some(search.children[search.child(first, i)].slot);
        let best = best_child(self, question, count, beta, slot_of, move |search, i| {
            let child = search.children[search.child(first, i)];
            if child.forced {
                search.kernel.descend(search, child.node, child.slot, beta, true)
            } else {
                -search.kernel.descend(search, child.node, child.slot, 1 - beta, true)
            }
        });
        let best = best.max(examined.unwrap_or(i32::MIN));
        self.forget(first);
        if self.thread.stopped {
            return 0;
        }
        known = known.after(best, beta);
        self.store(slot, left, known, self.thread.nodes - before);
        if best >= beta { known.lo } else { known.hi }
    }

    #[inline(always)]
    fn forget(&mut self, first: usize) {
        self.children.truncate(first);
        self.order.truncate(first);
    }

    /// The stored bounds of a position with `left` vacant cells.
    #[inline(always)]
    fn probe(&self, slot: Slot<W>, left: i32) -> Option<ProvedBounds> {
        if left >= KEPT { self.thread.table.probe(slot) } else { None }
    }

    #[inline(always)]
    fn store(&self, slot: Slot<W>, left: i32, proved: ProvedBounds, work: u64) {
        if left >= KEPT {
            self.thread.table.store(slot, proved, work);
        }
    }
}
