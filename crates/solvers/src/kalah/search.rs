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
use crate::{
    crew::{Asked, Crew},
    proved::{Place, Proved, Table},
};
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
    pub fn new(rules: Rules<H>, endings: &'a [&'a [i8]], table: &'a Table, stop: &'a AtomicBool) -> Self {
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
        if let Some(value) = node.over() {
            return value;
        }
        if let Some(layer) = self.endings.get(node.beans as usize) {
            return i32::from(layer[self.rules.rows.index(node.own, node.other) as usize]);
        }
        let place = self.place(node);
        self.descend(node, place, beta)
    }

    /// Whether what is proved of a position is kept.
    #[inline(always)]
    fn is_near(&self, node: &Node) -> bool {
        node.beans < self.endings.len() as i32 + NEAR
    }

    #[inline(always)]
    fn place(&self, node: &Node) -> Option<Place<Beans>> {
        if self.is_near(node) { None } else { self.rules.key(node).map(|key| self.table.place(key)) }
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
    fn descend(&mut self, node: &Node, place: Option<Place<Beans>>, beta: i32) -> i32 {
        if self.is_near(node) {
            return self.near(node, beta);
        }
        if !self.goes_on() {
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
        let mut children = Children::default();
        let mut best = self.endings_after(node, &mut children);
        if best < beta {
            best = best.max(self.look(place, &children, beta));
        }
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
    fn look(&mut self, place: Option<Place<Beans>>, children: &Children<H>, beta: i32) -> i32 {
        let mut places = [None; H];
        for (place, after) in places.iter_mut().zip(children.all()) {
            *place = self.place(&after.node);
            place.inspect(|&place| self.table.expect(place));
        }
        // What the table knows of one may be enough.
        for (place, after) in places.iter().zip(children.all()) {
            if let Some(found) = place.and_then(|place| self.table.find(place)) {
                let least = after.value(if after.again { found.lo } else { found.hi });
                if least >= beta {
                    return least;
                }
            }
        }
        let shared = self.endings.len() as i32 + SHARED;
        match (self.crew, place) {
            (Some(crew), Some(place)) if children.all().iter().any(|after| after.node.beans >= shared) => {
                self.look_together(crew, place, children.all(), &places, beta)
            }
            _ => self.look_alone(children.all(), &places, beta),
        }
    }

    #[inline]
    fn look_alone(&mut self, children: &[After], places: &[Option<Place<Beans>>], beta: i32) -> i32 {
        let mut best = i32::MIN;
        for (after, place) in children.iter().zip(places) {
            best = best.max(after.value(self.descend(&after.node, *place, after.beta(beta))));
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
        children: &[After],
        places: &[Option<Place<Beans>>],
        beta: i32,
    ) -> i32 {
        self.path.push(Asked { place, beta });
        let (mut best, mut looked) = (i32::MIN, [false; H]);
        'rounds: for put_off in [false, true] {
            for (i, (after, there)) in children.iter().zip(places).enumerate() {
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
