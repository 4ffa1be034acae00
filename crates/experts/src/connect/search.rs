//! The search: is a position worth at least so much? Fail-soft null windows over the table.
//!
//! The contract: `search(node, beta)` returns a value v and has proved of the true value t, seen by the side to move, that
//! - v >= beta means t >= v;
//! - v < beta means t <= v.
//!
//! It is only asked about positions in which the side to move cannot complete a row at once. When it was stopped, the
//! answer means nothing and nothing of it is kept.

use super::{
    follow::NOTHING,
    lines::Lines,
    shape::{Shape, Word},
    table::{Place, Proved, Table},
};
use std::sync::atomic::{AtomicBool, Ordering};

/// The widest board has 64 columns.
const MOST_COLUMNS: usize = 64;
/// How often, in nodes, it looks whether it was stopped.
const STRIDE: u64 = 1024;
/// With more stones than this a board is hardly ever its own mirror image's cousin: its key is not mirrored.
const MIRRORED_PLIES: i32 = 18;

/// One thread's part of a search.
pub(super) struct Search<'a, W, S> {
    pub lines: Lines<W, S>,
    pub table: &'a Table,
    pub stop: &'a AtomicBool,
    pub nodes: u64,
    /// Set once the stop was seen.
    pub stopped: bool,
    /// Which of several threads this is: they look at equal moves in different orders.
    pub thread: usize,
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

#[derive(Clone, Copy)]
struct Child<W> {
    node: Node<W>,
    place: Place,
    promise: i32,
}

impl<W: Word, S: Shape> Search<'_, W, S> {
    /// Where a node belongs in the table: a board and its mirror image share a place.
    #[inline(always)]
    fn place(&self, node: &Node<W>) -> Place {
        let key = node.own.plus(node.all).plus(self.lines.bottom);
        let key = if node.plies <= MIRRORED_PLIES { key.min(self.lines.mirror(key)) } else { key };
        self.table.place(key)
    }

    /// See the contract above.
    pub fn search(&mut self, mut node: Node<W>, mut beta: i32) -> i32 {
        let cells = self.lines.shape.cells();
        let mut sign = 1;
        let (mut moves, mut known);
        loop {
            self.nodes += 1;
            if self.nodes % STRIDE == 0 && self.stop.load(Ordering::Relaxed) {
                self.stopped = true;
            }
            if self.stopped {
                return 0;
            }
            moves = self.safe_moves(&node);
            if moves.is_zero() {
                return sign * -((cells - node.plies) / 2);
            }
            if node.plies >= cells - 2 {
                return 0;
            }
            known = Proved { lo: -((cells - 2 - node.plies) / 2), hi: (cells - 1 - node.plies) / 2 };
            self.narrow(&node, beta, &mut known);
            if known.lo >= beta {
                return sign * known.lo;
            }
            if known.hi < beta {
                return sign * known.hi;
            }
            if moves.several() {
                break;
            }
            node = self.after(&node, moves);
            sign = -sign;
            beta = 1 - beta;
        }
        sign * self.branch(&node, moves, beta, known)
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
    fn narrow(&self, node: &Node<W>, beta: i32, known: &mut Proved) {
        let vacant = self.lines.board & !node.all;
        if beta > 0 && !self.lines.has_row(node.own | vacant) {
            known.hi = known.hi.min(0);
        }
        if beta <= 0 && !self.lines.has_row(node.own ^ node.all | vacant) {
            known.lo = known.lo.max(0);
        }
        if (self.lines.next(node.all) & node.theirs).is_zero() {
            let most = self.lines.follow(node.own, node.all, node.theirs);
            if most != NOTHING {
                known.hi = known.hi.min(most);
            }
        }
    }

    #[inline(always)]
    fn after(&self, node: &Node<W>, cell: W) -> Node<W> {
        let (all, stones) = (node.all | cell, node.own | cell);
        let theirs = self.lines.completing(stones, all);
        Node { own: node.own ^ node.all, all, theirs, plies: node.plies + 1 }
    }

    /// A node with several moves. The value is seen by its side to move.
    fn branch(&mut self, node: &Node<W>, moves: W, beta: i32, mut known: Proved) -> i32 {
        let place = self.place(node);
        if let Some(found) = self.table.find(place) {
            known = Proved { lo: known.lo.max(found.lo), hi: known.hi.min(found.hi) };
            if known.lo >= beta {
                return known.lo;
            }
            if known.hi < beta {
                return known.hi;
            }
        }
        let mut room = [None; MOST_COLUMNS];
        let count = match self.children(node, moves, &mut room) {
            Ok(count) => count,
            Err(won) => {
                self.table.keep(place, Proved { lo: won, hi: known.hi.max(won) });
                return won;
            }
        };
        let children = &room[..count];
        if let Some(found) = self.found_among(children, beta) {
            self.table.keep(place, Proved { lo: known.lo.max(found), hi: known.hi });
            return found;
        }
        let mut best = i32::MIN;
        for child in children.iter().flatten() {
            best = best.max(-self.search(child.node, 1 - beta));
            if self.stopped {
                return 0;
            }
            if best >= beta {
                self.table.keep(place, Proved { lo: known.lo.max(best), hi: known.hi });
                return best;
            }
        }
        known.hi = known.hi.min(best.max(known.lo));
        self.table.keep(place, known);
        known.hi
    }

    /// The moves in the order to look at them: those that make most threats first, then from the middle outwards. Or the
    /// value of a move that wins by two threats at once.
    #[inline(always)]
    fn children(&self, node: &Node<W>, moves: W, room: &mut [Option<Child<W>>]) -> Result<usize, i32> {
        let cells = self.lines.shape.cells();
        let mut count = 0;
        for i in 0..self.lines.shape.columns() {
            let cell = moves & self.lines.from_the_middle(i);
            if cell.is_zero() {
                continue;
            }
            let child = self.after(node, cell);
            let ready = child.theirs & self.lines.next(child.all);
            if !ready.is_zero() && (ready.several() || !(child.theirs & ready << 1).is_zero()) {
                return Err((cells - 1 - node.plies) / 2);
            }
            let place = self.place(&child);
            self.table.expect(place);
            let mut promise = child.theirs.ones() as i32 * 2;
            if self.thread % 2 == 1 && count > 0 {
                // Another thread starts at the other end of what looks equally good.
                promise += 1;
            }
            let mut at = count;
            while at > 0 && room[at - 1].is_some_and(|before: Child<W>| before.promise < promise) {
                room[at] = room[at - 1];
                at -= 1;
            }
            room[at] = Some(Child { node: child, place, promise });
            count += 1;
        }
        Ok(count)
    }

    /// A value of at least `beta` that some child gives without being searched: by the table, or at sight.
    #[inline(always)]
    fn found_among(&self, children: &[Option<Child<W>>], beta: i32) -> Option<i32> {
        for child in children.iter().flatten() {
            let hi = match self.table.find(child.place) {
                Some(found) => found.hi,
                None if (self.lines.next(child.node.all) & child.node.theirs).is_zero() => {
                    self.lines.follow(child.node.own, child.node.all, child.node.theirs)
                }
                None => continue,
            };
            if hi <= -beta {
                return Some(-hi);
            }
        }
        None
    }
}
