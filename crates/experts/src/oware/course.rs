//! How to have a proved value for certain, move by move, although positions may return: a course through one layer.
//!
//! That k can be forced does not say how: whoever only stays where k can be forced may go round until the game is stopped
//! where it pays less. So every position in which a side can have k, with either side to move, gets a rank:
//!
//! ```text
//!   leaves the layer with k, or must                      a rank of its own, in the order in which they are found
//!   leads to such a one, whatever the other side does     a higher one
//!   can stay for ever where a cycle pays k                all of those one rank together, above all before; and so on
//! ```
//!
//! Whoever never moves to a higher rank has k: the other side cannot raise the rank, so what returns is a position where the
//! cycle pays k. The rules for finding the positions are those of [`super::bounds`]; a layer of ten seeds is the largest that
//! is quick enough to be done while somebody waits.

use super::{
    board::{Node, PITS},
    endings::Endings,
};
use parlor_games::{oware::RuleSet, rows::Rows};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// The largest layer with courses.
pub(super) const LARGEST: usize = 10;
/// The rank of positions where k cannot be had for certain.
const NEVER: u32 = u32::MAX;
/// Worse than any value.
const NONE: i8 = -100;

/// The ranks of a layer for one k.
pub(super) struct Course {
    rows: &'static Rows,
    /// By number: the side that wants k is to move, or the other one.
    ranks: [Vec<u32>; 2],
}

/// Which course: rules, seeds, k.
type Which = (bool, usize, i8);

impl Course {
    /// The course to k in a layer, worked out once for everybody. It follows from the rules alone, whatever table is asked.
    pub fn to(k: i8, seeds: usize, rules: RuleSet, endings: &Endings<'_>) -> Option<Arc<Course>> {
        static COURSES: Mutex<Option<HashMap<Which, Arc<Course>>>> = Mutex::new(None);
        let rows = Rows::of(PITS).filter(|_| seeds <= LARGEST)?;
        let mut courses = COURSES.lock().unwrap_or_else(PoisonError::into_inner);
        let known = courses.get_or_insert_default().entry((rules == RuleSet::Awari, seeds, k));
        Some(known.or_insert_with(|| Arc::new(Chart::new(k, seeds, rules, rows, endings).course())).clone())
    }

    /// Whether the side to move can have k for certain.
    pub fn leads_from(&self, node: &Node) -> bool {
        self.rank(node, 0) != NEVER
    }

    /// Whether a move of that side, which captures nothing, stays on the course.
    pub fn keeps(&self, node: &Node, after: &Node) -> bool {
        self.rank(after, 1) <= self.rank(node, 0)
    }

    fn rank(&self, node: &Node, view: usize) -> u32 {
        let number = self.rows.index(node.own, node.other) as usize;
        self.ranks[view].get(number).copied().unwrap_or(NEVER)
    }
}

/// A course being worked out.
struct Chart {
    rules: RuleSet,
    k: i8,
    rows: &'static Rows,
    nodes: Vec<Node>,
    /// By number: the most that the other side can have by leaving, if it is to move.
    leaving: Vec<i8>,
    /// By number: moves that stay and do not lead to a rank yet.
    staying: Vec<i8>,
    ranks: [Vec<u32>; 2],
    next: u32,
    /// Positions with a rank that are still to be followed backwards, and the view they are ranked in.
    found: Vec<(usize, usize)>,
}

impl Chart {
    fn new(k: i8, seeds: usize, rules: RuleSet, rows: &'static Rows, endings: &Endings<'_>) -> Chart {
        let len = rows.block(seeds, seeds + 1);
        let nodes: Vec<Node> = (0..len)
            .map(|at| rows.pair(seeds, at).unwrap_or_default())
            .map(|[own, other]| Node { own, other })
            .collect();
        let len = nodes.len();
        let ranks = [vec![NEVER; len], vec![NEVER; len]];
        let (leaving, staying) = (vec![NONE; len], vec![0; len]);
        let mut chart = Chart { rules, k, rows, nodes, leaving, staying, ranks, next: 0, found: Vec::new() };
        (0..len).for_each(|at| chart.begin(at, endings));
        chart
    }

    /// What leaving is worth.
    fn begin(&mut self, at: usize, endings: &Endings<'_>) {
        let (node, mut best) = (self.nodes[at], NONE);
        if node.movable() == 0 {
            (best, self.leaving[at]) = (node.difference(), node.difference());
        }
        node.moves(self.rules, |after| {
            if after.taken == 0 {
                self.staying[at] += 1;
            } else if let Some(known) = endings.probe(&after.node) {
                best = best.max(after.taken as i8 - known.hi);
                self.leaving[at] = self.leaving[at].max(after.taken as i8 - known.lo);
            }
        });
        if best >= self.k {
            self.join(at, 0);
        }
        if self.staying[at] == 0 && self.leaving[at] <= -self.k {
            self.join(at, 1);
        }
    }

    fn join(&mut self, at: usize, view: usize) {
        if self.ranks[view][at] == NEVER {
            self.ranks[view][at] = self.next;
            self.next += 1;
            self.found.push((at, view));
        }
    }

    fn course(mut self) -> Course {
        loop {
            self.go_back();
            if !self.stay() {
                return Course { rows: self.rows, ranks: self.ranks };
            }
        }
    }

    /// What leads to a rank has a higher one.
    fn go_back(&mut self) {
        while let Some((at, view)) = self.found.pop() {
            let node = self.nodes[at];
            let (rows, mut before) = (self.rows, Vec::new());
            node.unmoves(self.rules, |node| before.push(rows.index(node.own, node.other) as usize));
            for at in before {
                if view == 1 {
                    self.join(at, 0);
                    continue;
                }
                self.staying[at] -= 1;
                if self.staying[at] == 0 && self.leaving[at] <= -self.k {
                    self.join(at, 1);
                }
            }
        }
    }

    /// What a cycle that is stopped here pays its mover.
    fn paid(&self, at: usize) -> i8 {
        if self.rules == RuleSet::Abapa { self.nodes[at].difference() } else { 0 }
    }

    /// Gives one rank to all that can stay among themselves where a cycle pays k; whether there are any.
    fn stay(&mut self) -> bool {
        let len = self.nodes.len();
        let unranked = |view: usize, at: usize| self.ranks[view][at] == NEVER;
        let mut tried: [Vec<bool>; 2] = [
            (0..len).map(|at| unranked(0, at) && self.paid(at) >= self.k).collect(),
            (0..len)
                .map(|at| unranked(1, at) && self.paid(at) <= -self.k && self.leaving[at] <= -self.k)
                .collect(),
        ];
        let mut struck = true;
        while struck {
            struck = false;
            for at in 0..len {
                for view in 0..2 {
                    if tried[view][at] && !self.can_stay(at, view, &tried) {
                        (tried[view][at], struck) = (false, true);
                    }
                }
            }
        }
        for (view, tried) in tried.iter().enumerate() {
            for at in (0..len).filter(|&at| tried[at]) {
                self.ranks[view][at] = self.next;
                self.found.push((at, view));
            }
        }
        self.next += 1;
        !self.found.is_empty()
    }

    fn can_stay(&self, at: usize, view: usize, tried: &[Vec<bool>; 2]) -> bool {
        let (mut some, mut all) = (false, true);
        self.nodes[at].moves(self.rules, |after| {
            if after.taken == 0 {
                let next = self.rows.index(after.node.own, after.node.other) as usize;
                some |= tried[1][next];
                all &= self.ranks[0][next] != NEVER || tried[0][next];
            }
        });
        if view == 0 { some } else { all }
    }
}
