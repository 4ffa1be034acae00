//! A forced path out of a layer with the value k, for tables without measures of progress: it avoids a cycle that pays less.
//!
//! The path covers the reachable positions. For the side that wants k, the moves that preserve k by the table are searched, the
//! most promising first and more only if those do not suffice; for the other side, all moves. Every position gets a rank:
//!
//! ```text
//!   leaves the layer with k, or must                      0
//!   leads to such a one, whatever the other side does     a higher one, in the order in which they are found
//! ```
//!
//! A side that always moves to a lower rank leaves the layer with k.

use super::{
    board::{Node, PITS},
    endings::Endings,
};
use parlor_games::{oware::RuleSet, rows::Rows};
use std::{
    collections::{HashMap, VecDeque},
    hash::{BuildHasherDefault, Hasher},
};

/// The rank of positions that have none (yet).
const NEVER: u32 = u32::MAX;
/// The number of preserving moves to search, and the largest number of positions: first the most promising moves, and more only
/// if those do not suffice.
const ATTEMPTS: [(usize, usize); 3] = [(1, 50_000), (2, 100_000), (PITS, usize::MAX)];

/// The index in the lists, by number and view.
type Places = HashMap<u64, u32, BuildHasherDefault<Scatter>>;

/// The view of a position: the side that wants k is to move, or it is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    Mine = 0,
    Theirs = 1,
}

/// The bound to secure, and the rules.
#[derive(Clone, Copy)]
pub(super) struct Aim<'a> {
    pub k: i8,
    pub rules: RuleSet,
    pub endings: &'a Endings<'a>,
}

/// The history: positions that must not recur, each with the side that was to move.
#[derive(Clone, Copy)]
struct Barred<'a>(&'a [(Node, View)]);

impl Barred<'_> {
    fn has(self, node: &Node, view: View) -> bool {
        self.0.iter().any(|&(before, seen)| seen == view && before == *node)
    }
}

/// The ranks of the reachable positions.
pub(super) struct ProgressPath {
    rows: &'static Rows,
    places: Places,
    ranks: Vec<u32>,
}

impl ProgressPath {
    /// The path from a position whose mover wants k; `None` if none is found within `most` positions.
    pub fn from(start: &Node, aim: Aim<'_>, most: usize) -> Option<ProgressPath> {
        ProgressPath::within((start, View::Mine), Barred(&[]), aim, most)
    }

    /// The path from the last position of a history that begins where its layer was entered, avoiding all other positions of
    /// it; the mover wants k, or else the other side. The table must have k there.
    pub fn past(way: &[Node], movers: bool, aim: Aim<'_>, most: usize) -> Option<ProgressPath> {
        let view = |at: usize| if ((way.len() - at) % 2 == 1) == movers { View::Mine } else { View::Theirs };
        let mut seen: Vec<(Node, View)> =
            way.iter().enumerate().map(|(at, &node)| (node, view(at))).collect();
        let (start, view) = seen.pop()?;
        ProgressPath::within((&start, view), Barred(&seen), aim, most)
    }

    fn within(start: (&Node, View), barred: Barred<'_>, aim: Aim<'_>, most: usize) -> Option<ProgressPath> {
        let rows = Rows::of(PITS)?;
        ATTEMPTS.iter().find_map(|&(width, positions)| {
            let chart = Chart::drawn(rows, start, (aim, barred), width, most.min(positions))?;
            let ranks = chart.ranked();
            (ranks[0] != NEVER).then_some(ProgressPath { rows, places: chart.places, ranks })
        })
    }

    /// Whether a move that captures nothing stays on the path.
    pub fn keeps(&self, node: &Node, after: &Node) -> bool {
        self.rank(after, View::Theirs) < self.rank(node, View::Mine)
    }

    fn rank(&self, node: &Node, view: View) -> u32 {
        self.places.get(&number(self.rows, node, view)).map_or(NEVER, |&at| self.ranks[at as usize])
    }
}

fn number(rows: &Rows, node: &Node, view: View) -> u64 {
    2 * rows.index(node.own, node.other) + view as u64
}

/// The reachable positions, before they have ranks.
struct Chart {
    places: Places,
    spots: Vec<Spot>,
    /// Successors by moves that stay, for each spot in turn.
    ways: Vec<u32>,
}

/// A position of the chart.
struct Spot {
    node: Node,
    view: View,
    /// Whether the side that wants k can leave with it, or the other side must leave.
    leaves: bool,
    /// The end of its successors in the list; they begin where those of the spot before end.
    end: u32,
}

impl Chart {
    /// All reachable positions if `width` preserving moves are followed, and none from a position that can be left with k.
    fn drawn(
        rows: &Rows,
        (start, view): (&Node, View),
        terms: (Aim<'_>, Barred<'_>),
        width: usize,
        most: usize,
    ) -> Option<Chart> {
        let mut chart = Chart { places: Places::default(), spots: Vec::new(), ways: Vec::new() };
        chart.place(rows, start, view);
        let mut at = 0;
        while at < chart.spots.len() {
            if chart.spots.len() > most {
                return None;
            }
            chart.look(rows, at, terms, width);
            at += 1;
        }
        Some(chart)
    }

    fn place(&mut self, rows: &Rows, node: &Node, view: View) -> u32 {
        let spots = &mut self.spots;
        *self.places.entry(number(rows, node, view)).or_insert_with(|| {
            spots.push(Spot { node: *node, view, leaves: false, end: 0 });
            spots.len() as u32 - 1
        })
    }

    fn look(&mut self, rows: &Rows, at: usize, (aim, barred): (Aim<'_>, Barred<'_>), width: usize) {
        let Spot { node, view, .. } = self.spots[at];
        // A recurrence that ends the game with less is a dead end.
        if at > 0 && barred.has(&node, view) {
            self.spots[at].end = self.ways.len() as u32;
            return;
        }
        let (mut leaves, mut stays, mut next) = (false, false, Vec::new());
        node.moves(aim.rules, |after| {
            let known = aim.endings.probe(&after.node).filter(|_| view == View::Mine);
            if after.taken > 0 {
                leaves |= known.is_some_and(|at| after.taken as i8 - at.hi >= aim.k);
            } else if view == View::Theirs {
                next.push((0, after.node));
            } else if let Some(known) = known.filter(|at| -at.hi >= aim.k)
                && !barred.has(&after.node, View::Theirs)
            {
                next.push((known.guess, after.node));
            }
            stays |= after.taken == 0;
        });
        // A side that cannot stay, or has no move at all, must leave; by the table the result is at least k.
        leaves |= !stays;
        next.sort_by_key(|&(worth, _)| worth);
        let (other, followed) = match view {
            View::Mine => (View::Theirs, if leaves { 0 } else { width }),
            View::Theirs => (View::Mine, PITS),
        };
        for (_, node) in next.into_iter().take(followed) {
            let to = self.place(rows, &node, other);
            self.ways.push(to);
        }
        (self.spots[at].leaves, self.spots[at].end) = (leaves, self.ways.len() as u32);
    }

    fn ways(&self, at: usize) -> &[u32] {
        let begin = if at == 0 { 0 } else { self.spots[at - 1].end };
        &self.ways[begin as usize..self.spots[at].end as usize]
    }

    fn ranked(&self) -> Vec<u32> {
        let len = self.spots.len();
        let (mut before, mut left) = (vec![Vec::new(); len], Vec::with_capacity(len));
        for at in 0..len {
            self.ways(at).iter().for_each(|&to| before[to as usize].push(at));
            left.push(self.ways(at).len());
        }
        let mut found: VecDeque<usize> = (0..len).filter(|&at| self.spots[at].leaves).collect();
        let mut ranks = vec![NEVER; len];
        found.iter().for_each(|&at| ranks[at] = 0);
        let mut next = 1;
        while let Some(at) = found.pop_front() {
            for &to in &before[at] {
                left[to] -= 1;
                if ranks[to] == NEVER && (self.spots[to].view == View::Mine || left[to] == 0) {
                    ranks[to] = next;
                    next += 1;
                    found.push_back(to);
                }
            }
        }
        ranks
    }
}

/// A hasher for position numbers: multiplication makes them as good as random.
#[derive(Default)]
pub(super) struct Scatter(u64);

impl Hasher for Scatter {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32);
    }
}
