//! The search: is the rest of a game worth at least so much to the side to move? Fail-soft null windows over tables of
//! endings and a table of proved bounds. The pots are left out: values are of what is still in the holes.
//!
//! The contract: `search(node, beta)` returns a value v and has proved of the true value t, seen by the side to move, that
//! - v >= beta means t >= v;
//! - v < beta means t <= v.
//!
//! All values of a position are as odd or even as its beans, so that windows are two wide. When it was stopped, the answer
//! means nothing and nothing of it is kept.

use super::board::{After, Beans, Node, Rules};
use crate::{
    crew::{Asked, Crew},
    proved::{Place, Proved, Table},
};
use parlor_engine::prefetch;
use std::sync::atomic::{AtomicBool, Ordering};

/// How often, in nodes, it looks whether it was stopped.
const STRIDE: u64 = 1024;
/// The most holes that a search can handle.
const HOLES: usize = 8;
/// So many beans above the tables of endings, threads look after each other.
const SHARED: i32 = 6;

/// One thread's part of a search.
pub(super) struct Search<'a> {
    pub rules: Rules,
    /// Endings by the number of beans in play.
    pub endings: &'a [&'a [i8]],
    pub table: &'a Table,
    pub stop: &'a AtomicBool,
    pub nodes: u64,
    pub stopped: bool,
    /// After so many nodes it stops by itself.
    pub most_nodes: u64,
    /// The other threads, if there are any.
    pub crew: Option<&'a Crew>,
    pub path: Vec<Asked<Beans>>,
    pub overtaken: usize,
}

/// A move to be searched.
#[derive(Clone, Copy)]
struct Child {
    after: After,
    place: Option<Place<Beans>>,
    promise: i32,
}

impl After {
    /// The value of the move, from that of the position it leads to.
    #[inline(always)]
    fn value(&self, next: i32) -> i32 {
        self.gain + if self.again { next } else { -next }
    }

    /// What to ask of the position it leads to, to know whether the move is worth `beta`, and back again.
    #[inline(always)]
    fn beta(&self, beta: i32) -> i32 {
        if self.again { beta - self.gain } else { self.gain - beta + 2 }
    }
}

impl<'a> Search<'a> {
    pub fn new(rules: Rules, endings: &'a [&'a [i8]], table: &'a Table, stop: &'a AtomicBool) -> Self {
        Search {
            rules,
            endings,
            table,
            stop,
            nodes: 0,
            stopped: false,
            most_nodes: u64::MAX,
            crew: None,
            path: Vec::new(),
            overtaken: 0,
        }
    }

    /// See the contract above.
    pub fn search(&mut self, node: &Node, beta: i32) -> i32 {
        if let Some(value) = node.over().or_else(|| self.ending(node).map(|at| self.read(node, at))) {
            return value;
        }
        let place = self.place(node);
        self.descend(node, place, beta)
    }

    fn place(&self, node: &Node) -> Option<Place<Beans>> {
        self.rules.key(node).map(|key| self.table.place(key))
    }

    /// Where an ending stands, if there is a table for so many beans.
    #[inline(always)]
    fn ending(&self, node: &Node) -> Option<usize> {
        ((node.beans as usize) < self.endings.len())
            .then(|| self.rules.rows.index(node.own, node.other) as usize)
    }

    #[inline(always)]
    fn read(&self, node: &Node, at: usize) -> i32 {
        i32::from(self.endings[node.beans as usize][at])
    }

    /// A node that is neither over nor in the tables of endings.
    fn descend(&mut self, node: &Node, place: Option<Place<Beans>>, beta: i32) -> i32 {
        self.nodes += 1;
        if self.nodes.is_multiple_of(STRIDE) {
            self.look_around();
        }
        if self.stopped {
            return 0;
        }
        let mut known = Proved { lo: -node.beans, hi: node.beans };
        if let Some(found) = place.and_then(|place| self.table.find(place)) {
            known = Proved { lo: known.lo.max(found.lo), hi: known.hi.min(found.hi) };
        }
        if known.lo >= beta {
            return known.lo;
        }
        if known.hi < beta {
            return known.hi;
        }
        let before = self.nodes;
        let best = self.best(node, place, beta);
        if self.stopped {
            return 0;
        }
        if best >= beta {
            known.lo = known.lo.max(best);
        } else {
            known.hi = known.hi.min(best.max(known.lo));
        }
        if let Some(place) = place {
            self.table.keep(place, known, self.nodes - before);
        }
        if best >= beta { known.lo } else { known.hi }
    }

    /// The best of the moves: first those whose values can be looked up, then the others.
    fn best(&mut self, node: &Node, place: Option<Place<Beans>>, beta: i32) -> i32 {
        let mut best = i32::MIN;
        let mut children = [None; HOLES];
        let mut endings = [None; HOLES];
        // From the pot outwards.
        for lane in (0..self.rules.holes).rev() {
            if node.own >> (8 * lane) & 0xFF == 0 {
                continue;
            }
            let after = self.rules.play(node, lane);
            if let Some(value) = after.node.over() {
                best = best.max(after.value(value));
            } else if let Some(at) = self.ending(&after.node) {
                prefetch(self.endings[after.node.beans as usize], at);
                endings[lane] = Some((after, at));
            } else {
                let place = self.place(&after.node);
                if let Some(place) = place {
                    self.table.expect(place);
                }
                let promise = if after.again { 64 } else { 0 } + 2 * after.gain;
                children[lane] = Some(Child { after, place, promise });
            }
        }
        for (after, at) in endings.into_iter().flatten() {
            best = best.max(after.value(self.read(&after.node, at)));
        }
        if best >= beta {
            return best;
        }
        best.max(self.look(place, children, beta))
    }

    /// The best of the moves that must be searched.
    fn look(&mut self, place: Option<Place<Beans>>, children: [Option<Child>; HOLES], beta: i32) -> i32 {
        let mut sorted = [0_usize; HOLES];
        let mut count = 0;
        for lane in (0..HOLES).rev() {
            let Some(child) = &children[lane] else { continue };
            // What the table knows of it may be enough.
            if let Some(found) = child.place.and_then(|place| self.table.find(place)) {
                let least = child.after.value(if child.after.again { found.lo } else { found.hi });
                if least >= beta {
                    return least;
                }
            }
            let mut at = count;
            while at > 0 && children[sorted[at - 1]].is_some_and(|other| other.promise < child.promise) {
                sorted[at] = sorted[at - 1];
                at -= 1;
            }
            sorted[at] = lane;
            count += 1;
        }
        let order = sorted.into_iter().take(count).filter_map(|lane| children[lane]);
        match (self.crew, place) {
            (Some(crew), Some(place)) if self.is_worth_sharing(&children) => {
                let mut list = [None; HOLES];
                list.iter_mut().zip(order).for_each(|(at, child)| *at = Some(child));
                self.look_together(crew, place, &list, beta)
            }
            _ => self.look_alone(order, beta),
        }
    }

    fn is_worth_sharing(&self, children: &[Option<Child>; HOLES]) -> bool {
        children.iter().flatten().any(|child| child.after.node.beans >= self.endings.len() as i32 + SHARED)
    }

    #[inline]
    fn look_alone(&mut self, children: impl Iterator<Item = Child>, beta: i32) -> i32 {
        let mut best = i32::MIN;
        for Child { after, place, .. } in children {
            best = best.max(after.value(self.descend(&after.node, place, after.beta(beta))));
            if best >= beta || self.stopped {
                break;
            }
        }
        best
    }

    fn look_together(
        &mut self,
        crew: &Crew,
        place: Place<Beans>,
        children: &[Option<Child>; HOLES],
        beta: i32,
    ) -> i32 {
        self.path.push(Asked { place, beta });
        let (mut best, mut looked) = (i32::MIN, [false; HOLES]);
        'rounds: for put_off in [false, true] {
            for (i, child) in children.iter().enumerate() {
                let Some(Child { after, place: there, .. }) = child else { continue };
                if looked[i] || !put_off && i > 0 && there.is_some_and(|there| crew.is_at(there)) {
                    continue;
                }
                there.inspect(|&there| crew.enter(there));
                let value = after.value(self.descend(&after.node, *there, after.beta(beta)));
                there.inspect(|&there| crew.leave(there));
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
                if let Some(answer) = (Asked { place, beta }).answered(self.table) {
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
            let answered = self.path.iter().position(|asked| asked.answered(self.table).is_some());
            if let Some(depth) = answered {
                (self.stopped, self.overtaken) = (true, depth + 1);
            }
        }
    }
}
