//! The search: is a position worth at least so much? Fail-soft null windows over the table.
//!
//! The contract: `search(node, beta)` returns a value v and has proved of the true value t, seen by the side to move, that
//! - v >= beta means t >= v;
//! - v < beta means t <= v.
//!
//! It is only asked about positions in which the side to move cannot complete a row at once. When it was stopped, the
//! answer means nothing and nothing of it is kept.

use super::{
    lines::Lines,
    shape::{Shape, Word},
    table::{Place, Proved, Table},
};
use std::sync::atomic::{AtomicBool, Ordering};

/// How often, in nodes, it looks whether it was stopped.
const STRIDE: u64 = 1024;
/// With more stones than this a board is hardly ever its own mirror image's cousin: its key is not mirrored.
const MIRRORED_PLIES: i32 = 18;

/// With fewer vacant cells than this a position is searched again sooner than it is found in memory: it is not kept.
const KEPT: i32 = 11;
/// With fewer vacant cells than this the children are not looked up before they are searched.
const ASKED: i32 = 19;

/// One thread's part of a search.
pub(super) struct Search<'a, W, S> {
    pub lines: Lines<W, S>,
    pub table: &'a Table,
    pub stop: &'a AtomicBool,
    pub nodes: u64,
    /// Set once the stop was seen.
    pub stopped: bool,
    /// After so many nodes it stops by itself: the table is too small for more.
    pub most_nodes: u64,
    /// Which of several threads this is: they look at equal moves in different orders.
    pub thread: usize,
    /// The children of all nodes on the way down, one node's after another's.
    pub children: Vec<Child<W>>,
}

/// A position as the search passes it on.
#[derive(Clone, Copy)]
pub(super) struct Node<W> {
    /// Stones of the side to move.
    pub own: W,
    pub all: W,
    /// Vacant cells that complete a row of the other side's.
    pub theirs: W,
    pub plies: i32,
}

/// A move to look at, with where its position belongs in the table.
#[derive(Clone, Copy)]
pub(super) struct Child<W> {
    node: Node<W>,
    place: Place,
    promise: i32,
    /// Whether the follower's theorem was asked already.
    seen: bool,
}

impl<'a, W: Word, S: Shape> Search<'a, W, S> {
    pub fn new(lines: Lines<W, S>, table: &'a Table, stop: &'a AtomicBool, thread: usize) -> Self {
        Search {
            lines,
            table,
            stop,
            nodes: 0,
            stopped: false,
            most_nodes: u64::MAX,
            thread,
            children: Vec::with_capacity(1024),
        }
    }

    /// Where a node belongs in the table: a board and its mirror image share a place.
    #[inline(always)]
    fn place(&self, node: &Node<W>) -> Place {
        let key = node.own.plus(node.all).plus(self.lines.bottom);
        let key = if node.plies <= MIRRORED_PLIES { key.min(self.lines.mirror(key)) } else { key };
        self.table.place(key)
    }

    /// See the contract above.
    pub fn search(&mut self, node: Node<W>, beta: i32) -> i32 {
        let place = self.place(&node);
        self.descend(node, place, beta, false)
    }

    /// The search of a node that belongs at `place`; `seen` tells whether the theorem was asked about it already.
    fn descend(&mut self, mut node: Node<W>, mut place: Place, mut beta: i32, mut seen: bool) -> i32 {
        let cells = self.lines.shape.cells();
        let mut sign = 1;
        loop {
            self.nodes += 1;
            if self.nodes.is_multiple_of(STRIDE)
                && (self.stop.load(Ordering::Relaxed) || self.nodes >= self.most_nodes)
            {
                self.stopped = true;
            }
            if self.stopped {
                return 0;
            }
            let moves = self.safe_moves(&node);
            if moves.is_zero() {
                return sign * -((cells - node.plies) / 2);
            }
            if node.plies >= cells - 2 {
                return 0;
            }
            let mut known = Proved { lo: -((cells - 2 - node.plies) / 2), hi: (cells - 1 - node.plies) / 2 };
            self.narrow(&node, beta, seen, &mut known);
            if known.lo >= beta {
                return sign * known.lo;
            }
            if known.hi < beta {
                return sign * known.hi;
            }
            if moves.several() {
                return sign * self.branch(&node, place, moves, beta, known);
            }
            // A forced reply is no node of its own: nothing is kept for it.
            node = self.after(&node, moves);
            place = self.place(&node);
            self.table.expect(place);
            (sign, beta, seen) = (-sign, 1 - beta, false);
        }
    }

    /// Moves that do not lose at once: a block if there is one thing to block, and never below a cell of the other side's.
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

    /// What can be told at sight.
    #[inline(always)]
    fn narrow(&self, node: &Node<W>, beta: i32, seen: bool, known: &mut Proved) {
        let vacant = self.lines.board & !node.all;
        if beta > 0 && !self.lines.has_row(node.own | vacant) {
            known.hi = known.hi.min(0);
        }
        if beta <= 0 && !self.lines.has_row(node.own ^ node.all | vacant) {
            known.lo = known.lo.max(0);
        }
        if !seen && !self.threatened(node) {
            // "Nothing" is larger than everything.
            known.hi = known.hi.min(self.lines.follow(node.own, node.all, node.theirs, beta - 1));
        }
    }

    #[inline(always)]
    fn after(&self, node: &Node<W>, cell: W) -> Node<W> {
        let (all, stones) = (node.all | cell, node.own | cell);
        let theirs = self.lines.completing(stones, all);
        Node { own: node.own ^ node.all, all, theirs, plies: node.plies + 1 }
    }

    /// Whether the other side could complete a row with its next move.
    #[inline(always)]
    fn threatened(&self, node: &Node<W>) -> bool {
        !(self.lines.next(node.all) & node.theirs).is_zero()
    }

    /// A node with several moves. The value is seen by its side to move.
    fn branch(&mut self, node: &Node<W>, place: Place, moves: W, beta: i32, mut known: Proved) -> i32 {
        let left = self.lines.shape.cells() - node.plies;
        if let Some(found) = self.kept(place, left) {
            known = Proved { lo: known.lo.max(found.lo), hi: known.hi.min(found.hi) };
            if known.lo >= beta {
                return known.lo;
            }
            if known.hi < beta {
                return known.hi;
            }
        }
        let first = self.children.len();
        let found = match self.list(node, moves, first) {
            Some(won) => Some(won),
            None => self.found_among(first, beta),
        };
        if let Some(found) = found {
            self.children.truncate(first);
            self.keep(place, left, Proved { lo: known.lo.max(found), hi: known.hi.max(found) });
            return found;
        }
        let mut best = i32::MIN;
        for i in first..self.children.len() {
            let Child { node, place, seen, .. } = self.children[i];
            best = best.max(-self.descend(node, place, 1 - beta, seen));
            if best >= beta || self.stopped {
                break;
            }
        }
        self.children.truncate(first);
        if self.stopped {
            return 0;
        }
        if best >= beta {
            known.lo = known.lo.max(best);
        } else {
            known.hi = known.hi.min(best.max(known.lo));
        }
        self.keep(place, left, known);
        if best >= beta { known.lo } else { known.hi }
    }

    /// What is known of a position with so many vacant cells.
    #[inline(always)]
    fn kept(&self, place: Place, left: i32) -> Option<Proved> {
        if left >= KEPT { self.table.find(place) } else { None }
    }

    #[inline(always)]
    fn keep(&self, place: Place, left: i32, proved: Proved) {
        if left >= KEPT {
            self.table.keep(place, proved);
        }
    }

    /// Lists the moves in the order to look at them: those that make most threats first, then from the middle outwards. Or
    /// gives the value of a move that wins by two threats at once.
    #[inline(always)]
    fn list(&mut self, node: &Node<W>, moves: W, first: usize) -> Option<i32> {
        for i in 0..self.lines.shape.columns() {
            let cell = moves & self.lines.middle_first(i);
            if cell.is_zero() {
                continue;
            }
            let child = self.after(node, cell);
            let ready = child.theirs & self.lines.next(child.all);
            if !ready.is_zero() && (ready.several() || !(child.theirs & ready << 1).is_zero()) {
                return Some((self.lines.shape.cells() - 1 - node.plies) / 2);
            }
            let place = self.place(&child);
            if self.lines.shape.cells() - child.plies >= KEPT {
                self.table.expect(place);
            }
            // Every other thread starts at the other end of what looks equally good.
            let promise = 2 * child.theirs.ones() as i32 + (self.thread % 2) as i32;
            let mut at = self.children.len();
            let listed = Child { node: child, place, promise: promise & !1, seen: false };
            self.children.push(listed);
            while at > first && self.children[at - 1].promise < promise {
                self.children[at] = self.children[at - 1];
                at -= 1;
            }
            self.children[at] = listed;
        }
        None
    }

    /// A value of at least `beta` that some child gives without being searched: by the table, or at sight.
    #[inline(always)]
    fn found_among(&mut self, first: usize, beta: i32) -> Option<i32> {
        for i in first..self.children.len() {
            let Child { node, place, .. } = self.children[i];
            let left = self.lines.shape.cells() - node.plies;
            let hi = match if left + 1 >= ASKED { self.kept(place, left) } else { None } {
                Some(found) => found.hi,
                None if self.threatened(&node) => continue,
                None => {
                    self.children[i].seen = true;
                    self.lines.follow(node.own, node.all, node.theirs, -beta)
                }
            };
            if hi <= -beta {
                return Some(-hi);
            }
        }
        None
    }
}
