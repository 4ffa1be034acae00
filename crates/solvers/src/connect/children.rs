//! The moves of a node: their positions are examined side by side, before any is searched, and ordered.
//!
//! ```text
//!   lane                 0     1     2     3     4     5     6     7
//!   column (of 7)        4     3     5     2     6     1     7     -       from the middle outwards
//!   cells                x     x     0     x     x     0     x     0       the moves; a full column has none
//!   open                 1     1     .     .     1     .     1     .       after the move in column 2 nothing is left to ask
//! ```

use super::{
    kernel::Kernel,
    lanes::{Cells, LANES, Lanes, Mask, lanes_of},
    lines::Shape,
    search::{ASKED, ConnectSearch, KEPT, Node, ORDERED},
};
use crate::shared::Slot;

/// A move to search, with the reply if there is only one: the position after it, and its slot in the transposition table.
#[derive(Clone, Copy)]
pub(super) struct Child<W> {
    pub node: Node<W>,
    pub slot: Slot<W>,
    /// Whether the reply is forced, so that the same side is to move again.
    pub forced: bool,
}

/// Moves that are examined, one per lane.
struct Examined<V> {
    /// All stones after the move.
    all: V,
    /// The moves that may still have a value of at least `beta`.
    open: Mask,
    /// The most that the others get.
    most: i32,
}

impl<V> Examined<V> {
    /// Takes these moves out: none of them gets more than `most`.
    #[inline(always)]
    fn refute(&mut self, moves: Mask, most: i32) {
        if self.open & moves != 0 {
            self.open &= !moves;
            self.most = self.most.max(most);
        }
    }
}

impl<W: Cells, S: Shape, K: Kernel> ConnectSearch<'_, W, S, K> {
    /// Examines all moves without a search. `Err` is a value of at least `beta` that one of them proves. Otherwise lists those
    /// that may have such a value, in the order of the search: those that make most threats first, then from the middle
    /// outwards. `Ok` is the most that the others can get.
    ///
    /// The children are stored in the order in which they are found; `order` is sorted and has a number for each: its score in
    /// the high bits, its index in the low bits.
    #[inline(always)]
    pub(super) fn examine(&mut self, node: &Node<W>, moves: W, beta: i32) -> Result<i32, i32> {
        let (first, mut most, mut column) = (self.children.len(), i32::MIN, 0);
        while column < self.lines.shape.columns() as usize {
            let cells = K::Vector::<W>::load(&self.lines.columns[column..]) & Lanes::splat(moves);
            // With a single lane most columns of a wide board are skipped.
            if K::Vector::<W>::COUNT > 1 || cells.nonzero() != 0 {
                most = most.max(self.examine_some(node, cells, beta, first)?);
            }
            column += K::Vector::<W>::COUNT;
        }
        Ok(most)
    }

    #[inline(always)]
    fn examine_some(
        &mut self,
        node: &Node<W>,
        cells: K::Vector<W>,
        beta: i32,
        first: usize,
    ) -> Result<i32, i32> {
        let left = self.lines.shape.cells() - node.plies - 1;
        let (splat, other) = (K::Vector::<W>::splat, node.own ^ node.all);
        let (all, stones) = (cells | splat(node.all), cells | splat(node.own));
        let theirs = self.lines.completing(stones, all);
        let (next, present) = (self.lines.next(all), cells.nonzero());
        let ready = theirs & next;
        let threatening = ready.nonzero();
        // Two threats, or two above each other; or the other side can only move below a threat.
        let twice = ready & ready.difference(splat(W::bit(0))) | theirs & (ready << 1);
        let stuck = !(threatening | (next & !(theirs >> 1)).nonzero());
        if present & (twice.nonzero() | stuck) != 0 {
            return Err(left / 2);
        }
        let mut examined = Examined { all, open: present, most: i32::MIN };
        let vacant = splat(self.lines.board) & !all;
        if beta > 0 {
            examined.refute(!self.lines.rows(stones | vacant).nonzero(), 0);
        } else if present & !self.lines.rows(splat(other) | vacant).nonzero() != 0 {
            return Err(0);
        }
        let quiet = examined.open & !threatening;
        if quiet != 0
            && let Some(found) = self.lines.follow_up(splat(other), all, theirs, -beta, quiet)
        {
            return Err(-found.bound(found.proved.trailing_zeros() as usize));
        }
        let mut lanes = [[W::ZERO; LANES]; 5];
        let forced = examined.open & threatening;
        if forced != 0 {
            let [all, theirs] = self.examine_replies(other, stones, ready, beta, left, &mut examined);
            all.store(&mut lanes[3]);
            theirs.store(&mut lanes[4]);
        }
        all.store(&mut lanes[0]);
        theirs.store(&mut lanes[1]);
        self.move_scores(node, cells, theirs).store(&mut lanes[2]);
        for lane in lanes_of(examined.open) {
            let is_forced = forced >> lane & 1 != 0;
            let child = if is_forced {
                let (own, plies) = (lanes[0][lane] ^ other, node.plies + 2);
                Node { own, all: lanes[3][lane], theirs: lanes[4][lane], plies }
            } else {
                Node { own: other, all: lanes[0][lane], theirs: lanes[1][lane], plies: node.plies + 1 }
            };
            let slot = self.slot(&child);
            if left >= KEPT {
                self.thread.table.prefetch(slot);
            }
            self.insert(first, lanes[2][lane].wide() as u32);
            self.children.push(Child { node: child, slot, forced: is_forced });
        }
        Ok(examined.most)
    }

    /// Examines the positions after the moves of the stones `stones` and the forced replies `ready`, in the lanes that have one.
    /// The stones `other` reply; before that `left` cells are vacant. Returns all stones after the reply, and the vacant cells
    /// that complete a row of the side that replied.
    #[inline(always)]
    fn examine_replies(
        &self,
        other: W,
        stones: K::Vector<W>,
        ready: K::Vector<W>,
        beta: i32,
        left: i32,
        examined: &mut Examined<K::Vector<W>>,
    ) -> [K::Vector<W>; 2] {
        let splat = K::Vector::<W>::splat;
        let (all, forced) = (examined.all | ready, ready.nonzero());
        let theirs = self.lines.completing(splat(other) | ready, all);
        let next = self.lines.next(all);
        let ready = theirs & next;
        let (threatened, safe) = (ready.nonzero(), !(theirs >> 1));
        let twice = (ready & ready.difference(splat(W::bit(0)))).nonzero();
        let can_block = (ready & safe).nonzero() & !twice;
        let can_move = threatened & can_block | !threatened & (next & safe).nonzero();
        examined.refute(forced & !can_move, -((left - 1) / 2));
        if beta > 0 {
            let possible = self.lines.rows(stones | splat(self.lines.board) & !all).nonzero();
            examined.refute(forced & !possible, 0);
        }
        let quiet = examined.open & forced & !threatened;
        if quiet != 0
            && let Some(found) = self.lines.follow_up(stones, all, theirs, beta - 1, quiet)
        {
            for lane in lanes_of(found.proved) {
                examined.refute(1 << lane, found.bound(lane));
            }
        }
        [all, theirs]
    }

    /// The scores of the moves for move ordering. `theirs` are the vacant cells that complete a row of the mover's after the move.
    ///
    /// ```text
    ///   bits 6 …   number of threats, without those above a threat of the other side, which are never played
    ///   bit  5     whether a row of the mover's can still contain the cell
    ///   bits 2, 3  how many of these are true:
    ///              - a row of the other side's can still contain the cell;
    ///              - so can one whose vacant cells are all on levels that the other side is likely to get (see `likely`);
    ///              - a row of the mover's can, with vacant cells only on levels that the mover is likely to get
    /// ```
    ///
    /// Early in the game only; with fewer than [`ORDERED`] vacant cells the threats alone are counted.
    #[inline(always)]
    fn move_scores(&self, node: &Node<W>, cells: K::Vector<W>, theirs: K::Vector<W>) -> K::Vector<W> {
        let opposed = self.lines.upwards(node.theirs) & !node.theirs;
        let threats = (theirs & !K::Vector::<W>::splat(opposed)).ones() << 6;
        let vacant = self.lines.board & !node.all;
        if self.lines.shape.cells() - node.plies < ORDERED {
            return threats;
        }
        let (other, likely) = (node.own ^ node.all, self.likely(node));
        let mut rows = [W::ZERO; LANES];
        rows[..4].copy_from_slice(&[
            node.own | vacant,
            other | vacant,
            node.own | vacant & likely,
            other | vacant & !likely,
        ]);
        for some in (0..4).step_by(K::Vector::<W>::COUNT) {
            let possible = self.lines.completing_any(K::Vector::<W>::load(&rows[some..]));
            possible.store(&mut rows[some..]);
        }
        let bonus = |i: usize, bit: u32| (cells & K::Vector::<W>::splat(rows[i])).where_nonzero(W::bit(bit));
        threats.sum(bonus(0, 5)).sum(bonus(1, 2)).sum(bonus(2, 2)).sum(bonus(3, 2))
    }

    /// The levels that the side to move is likely to get at the end of the game: the odd ones for the side that moved first, for
    /// columns are then filled in pairs.
    #[inline(always)]
    fn likely(&self, node: &Node<W>) -> W {
        if node.plies % 2 == 0 { !self.lines.even_levels } else { self.lines.even_levels }
    }

    /// Insertion sort: moves the new child to its place among those from `first` on. Each move before it in the
    /// order of the columns takes 3 off its score.
    #[inline(always)]
    fn insert(&mut self, first: usize, score: u32) {
        let index = (self.children.len() - first) as u32;
        let rank = (score + 256 - 3 * index) << 8 | (255 - index);
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

    /// A value of at least `beta` of some child, by the transposition table (enhanced transposition cutoff), whose slots are in
    /// the cache by then.
    #[inline(always)]
    pub(super) fn found_among(&self, node: &Node<W>, first: usize, beta: i32) -> Option<i32> {
        if self.lines.shape.cells() - node.plies < ASKED {
            return None;
        }
        let least = |child: &Child<W>| {
            let found = self.thread.table.probe(child.slot)?;
            Some(if child.forced { found.lo } else { -found.hi })
        };
        self.children[first..].iter().filter_map(least).find(|&least| least >= beta)
    }
}
