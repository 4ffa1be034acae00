//! Move ordering of a node, and bounds of its children before any is searched.

use super::{
    kernel::Kernel,
    lines::Shape,
    search::{ASKED, ConnectSearch, KEPT, Node},
};
use crate::shared::{Key, Slot, Word};

/// A move to search: the position after it, and its slot in the transposition table. The stones of its side to move are the
/// same for all children of a node, so they are not repeated.
#[derive(Clone, Copy)]
pub(super) struct Child<W> {
    all: W,
    theirs: W,
    pub slot: Slot<W>,
    /// Whether the follow-up bound was computed already.
    pub seen: bool,
}

impl<W: Word> Child<W> {
    /// The position after the move in `parent`.
    #[inline(always)]
    pub fn node(&self, parent: &Node<W>) -> Node<W> {
        Node { own: parent.own ^ parent.all, all: self.all, theirs: self.theirs, plies: parent.plies + 1 }
    }
}

impl<W: Word + Key, S: Shape, K: Kernel> ConnectSearch<'_, W, S, K> {
    /// Lists the moves in the order of the search: those that make most threats first, then from the middle outwards. Returns
    /// the value if a move wins by two threats at once.
    ///
    /// The children are stored in the order in which they are found; `order` is sorted and has a number for each: its score in
    /// the high bits, its index in the low bits.
    #[inline(always)]
    pub(super) fn list(&mut self, node: &Node<W>, moves: W, first: usize) -> Option<i32> {
        let left = self.lines.shape.cells() - node.plies - 1;
        for i in 0..self.lines.shape.columns() {
            let cell = moves & self.lines.middle_first(i);
            if cell.is_zero() {
                continue;
            }
            let child = self.after(node, cell);
            let ready = child.theirs & self.lines.next(child.all);
            if !ready.is_zero() && (ready.several() || !(child.theirs & ready << 1).is_zero()) {
                return Some(left / 2);
            }
            let slot = self.slot(&child);
            if left >= KEPT {
                self.thread.table.prefetch(slot);
            }
            self.insert(first, child.theirs.ones());
            self.children.push(Child { all: child.all, theirs: child.theirs, slot, seen: false });
        }
        None
    }

    /// Insertion sort: moves the new child to its place among those from `first` on.
    #[inline(always)]
    fn insert(&mut self, first: usize, promise: u32) {
        let rank = promise << 8 | (255 - (self.children.len() - first) as u32);
        let mut at = self.order.len();
        self.order.push(rank);
        while at > first && self.order[at - 1] < rank {
            self.order[at] = self.order[at - 1];
            at -= 1;
        }
        self.order[at] = rank;
    }

    /// The index of the child that is the `i`th to search.
    #[inline(always)]
    pub(super) fn child(&self, first: usize, i: usize) -> usize {
        first + (255 - self.order[first + i] % 256) as usize
    }

    /// A value of at least `beta` of some child, without a search: by the follow-up bound, or by the transposition table
    /// (enhanced transposition cutoff), whose slots are in the cache by then.
    #[inline(always)]
    pub(super) fn found_among(&mut self, node: &Node<W>, first: usize, beta: i32) -> Option<i32> {
        for i in first..self.children.len() {
            let child = self.children[i].node(node);
            if self.threatened(&child) {
                continue;
            }
            self.children[i].seen = true;
            let hi = self.lines.follow_up_bound(child.own, child.all, child.theirs, -beta);
            if hi <= -beta {
                return Some(-hi);
            }
        }
        if self.lines.shape.cells() - node.plies >= ASKED {
            for child in &self.children[first..] {
                if let Some(found) = self.thread.table.probe(child.slot)
                    && found.hi <= -beta
                {
                    return Some(-found.hi);
                }
            }
        }
        None
    }
}
