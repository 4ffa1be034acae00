//! History-aware search: decides whether a side gets k in an open position, one that the bounds of the table leave undecided.
//! It plays the game itself over the open positions of the layer; positions where a side has its bound are the leaves. This
//! solves the graph-history interaction (GHI) problem for one layer: the value depends on the positions before.
//!
//! The table lets the opponent choose where a cycle is paid. But the game ends at the first position that occurs twice, and
//! pays there. Once a position has occurred, its return therefore gives k to one of the two sides, no matter which side
//! returns. So after the moves played so far, each side owns a growing set of positions:
//!
//! ```text
//!   occurred on the path, pays the side enough                                                owned
//!   the side can move to an owned position, or the other side must                            owned
//!   good positions among which it can stay, or is led to owned ones, whatever is played       owned
//! ```
//!
//! *Good* positions pay the side enough: whichever returns first among those in which it can stay is one of them. In an owned
//! position the side has k for certain, because its moves never leave the set, and no position of the path that pays less is
//! in it. Where ownership does not decide the current position, its moves are played, by iterative deepening.

use super::{
    safety::Safety,
    sided_layer::{SidedLayer, SidedPosition},
};
use std::{collections::HashMap, hash::BuildHasherDefault};

type Places = HashMap<u64, u32, BuildHasherDefault<super::progress_path::Scatter>>;

/// The owner of a position that no side owns, or not yet.
const OPEN: u8 = 2;
/// The largest number of open positions.
const MOST_OPEN: usize = 1 << 18;
/// Positions between two checks of the stop flag.
const STRIDE: usize = 256;
/// Successor indices of moves that leave the open positions; the side that gets its bound is added.
const OUT: u32 = u32::MAX - 2;

/// The question: side 0 wants k, side 1 wants it to have less.
pub(super) struct Question<'a> {
    pub layer: SidedLayer<'a>,
    pub k: i8,
    /// The history: the earlier positions in the layer.
    pub before: &'a [SidedPosition],
    /// What the sides have whatever happens.
    pub safe: [Safety<'a>; 2],
}

/// The reachable open positions, and their owners.
pub(super) struct HistorySearch {
    movers: Vec<u8>,
    /// The side that is paid enough at a repetition.
    paid: Vec<u8>,
    ways: Lists,
    earlier: Lists,
    owners: Vec<u8>,
    /// Positions in the order in which they got an owner.
    trail: Vec<u32>,
    tried: Vec<bool>,
    pub nodes: u64,
}

/// A list of indices per position, stored one after the other.
#[derive(Default)]
struct Lists {
    ends: Vec<u32>,
    all: Vec<u32>,
}

impl Lists {
    fn of(&self, at: u32) -> &[u32] {
        let begin = if at == 0 { 0 } else { self.ends[at as usize - 1] };
        &self.all[begin as usize..self.ends[at as usize] as usize]
    }

    /// The reversed graph: the predecessors of each position.
    fn reversed(&self) -> Lists {
        let mut ends = vec![0_u32; self.ends.len()];
        let places = || self.all.iter().filter(|&&to| to < OUT);
        places().for_each(|&to| ends[to as usize] += 1);
        let mut sum = 0;
        for end in &mut ends {
            (*end, sum) = (sum, sum + *end);
        }
        let mut all = vec![0; sum as usize];
        for at in 0..self.ends.len() as u32 {
            for &to in self.of(at).iter().filter(|&&to| to < OUT) {
                all[ends[to as usize] as usize] = at;
                ends[to as usize] += 1;
            }
        }
        Lists { ends, all }
    }
}

impl Question<'_> {
    /// The owner of a move that leads out of the open positions; `None` if it does not.
    fn owner(&self, taken: i8, next: &SidedPosition) -> Option<u8> {
        let enough = |side: u8| if side == 0 { self.k } else { 1 - self.k };
        if taken > 0 {
            // The seeds were captured by the side that does not move now.
            let banked = |side: u8| if side == next.mover { -taken } else { taken };
            let bound =
                |side: u8| self.layer.bound(next, side).is_some_and(|b| b + banked(side) >= enough(side));
            return Some(if bound(0) {
                0
            } else if bound(1) {
                1
            } else {
                OPEN
            });
        }
        if self.before.contains(next) {
            return Some(u8::from(next.paid(0) < self.k));
        }
        (0..2).find(|&side| self.safe[usize::from(side)].has(next))
    }
}

impl HistorySearch {
    /// Collects all reachable open positions, the root first; `None` if it is stopped before the search is complete.
    pub fn of(
        question: &Question<'_>,
        start: SidedPosition,
        stopped: &mut dyn FnMut(u64) -> bool,
    ) -> Option<HistorySearch> {
        let (mut places, mut spots, mut ways) = (Places::default(), vec![start], Lists::default());
        places.insert(question.layer.number(&start), 0);
        let mut at = 0;
        while at < spots.len() {
            if at % STRIDE == 0 && (spots.len() > MOST_OPEN || stopped(spots.len() as u64)) {
                return None;
            }
            let spot = spots[at];
            question.layer.moves(&spot, |taken, next| {
                ways.all.push(match question.owner(taken, &next) {
                    Some(owner) => OUT + u32::from(owner),
                    None => *places.entry(question.layer.number(&next)).or_insert_with(|| {
                        spots.push(next);
                        spots.len() as u32 - 1
                    }),
                });
            });
            ways.ends.push(ways.all.len() as u32);
            at += 1;
        }
        let many = spots.len();
        let mut search = HistorySearch {
            movers: spots.iter().map(|spot| spot.mover).collect(),
            paid: spots.iter().map(|spot| u8::from(spot.paid(0) < question.k)).collect(),
            earlier: ways.reversed(),
            ways,
            owners: vec![OPEN; many],
            trail: Vec::new(),
            tried: vec![false; many],
            nodes: many as u64,
        };
        for side in 0..2 {
            search.settle_leaves(side);
        }
        Some(search)
    }

    pub fn len(&self) -> usize {
        self.movers.len()
    }

    #[inline]
    fn owner(&self, to: u32) -> u8 {
        if to < OUT { self.owners[to as usize] } else { (to - OUT) as u8 }
    }

    /// The owner of a position by its moves.
    fn by_moves(&self, at: u32) -> u8 {
        let mover = self.movers[at as usize];
        let mut all = true;
        for &to in self.ways.of(at) {
            match self.owner(to) {
                owner if owner == mover => return mover,
                OPEN => all = false,
                _ => (),
            }
        }
        if all { 1 - mover } else { OPEN }
    }

    fn take(&mut self, at: u32, side: u8) {
        self.owners[at as usize] = side;
        self.trail.push(at);
    }

    /// Propagates ownership from the leaves.
    fn settle_leaves(&mut self, side: u8) {
        let from = self.trail.len();
        for at in 0..self.len() as u32 {
            if self.owners[at as usize] == OPEN && self.by_moves(at) == side {
                self.take(at, side);
            }
        }
        self.propagate(from, side);
        while self.stay(side) {}
    }

    /// Propagates ownership from the positions taken since `from`.
    fn propagate(&mut self, mut from: usize, side: u8) {
        while let Some(&at) = self.trail.get(from) {
            from += 1;
            for i in 0..self.earlier.of(at).len() {
                let before = self.earlier.of(at)[i];
                self.nodes += 1;
                if self.owners[before as usize] == OPEN && self.by_moves(before) == side {
                    self.take(before, side);
                }
            }
        }
    }

    /// Takes the good positions within which a side can stay, and propagates. Returns whether there were any.
    fn stay(&mut self, side: u8) -> bool {
        let mut left = 0;
        for at in 0..self.len() {
            self.tried[at] = self.owners[at] == OPEN && self.paid[at] == side;
            left += usize::from(self.tried[at]);
        }
        self.nodes += self.len() as u64 / 8;
        let mut doubtful = Vec::new();
        for at in 0..self.len() as u32 {
            doubtful.push(at);
            while let Some(at) = doubtful.pop() {
                if self.tried[at as usize] && !self.can_stay(at, side) {
                    self.tried[at as usize] = false;
                    left -= 1;
                    self.nodes += 1;
                    doubtful.extend(self.earlier.of(at).iter().filter(|&&to| self.tried[to as usize]));
                }
            }
            if left == 0 {
                return false;
            }
        }
        let from = self.trail.len();
        for at in 0..self.len() as u32 {
            if self.tried[at as usize] {
                self.take(at, side);
            }
        }
        self.propagate(from, side);
        true
    }

    fn can_stay(&self, at: u32, side: u8) -> bool {
        let stays = |&to: &u32| to < OUT && self.tried[to as usize] || self.owner(to) == side;
        let mut ways = self.ways.of(at).iter();
        if self.movers[at as usize] == side { ways.any(stays) } else { ways.all(stays) }
    }

    /// The owner of the root, if moves are searched to this depth; `None` if the depth does not decide it, or if it is stopped.
    pub fn run(&mut self, depth: u32, stopped: &mut dyn FnMut(u64) -> bool) -> Option<u8> {
        self.reached(0, depth, stopped)
    }

    /// The owner of a position that has just been reached.
    fn reached(&mut self, at: u32, depth: u32, stopped: &mut dyn FnMut(u64) -> bool) -> Option<u8> {
        if self.owners[at as usize] != OPEN {
            return Some(self.owners[at as usize]);
        }
        if stopped(self.nodes) {
            return None;
        }
        let (from, side) = (self.trail.len(), self.paid[at as usize]);
        // From now on its recurrence ends the game.
        self.take(at, side);
        self.propagate(from, side);
        while self.by_moves(at) == OPEN && self.stay(side) {}
        let found = match self.by_moves(at) {
            OPEN if depth == 0 => None,
            OPEN => self.played(at, depth - 1, stopped),
            owner => Some(owner),
        };
        for taken in self.trail.drain(from..) {
            self.owners[taken as usize] = OPEN;
        }
        found
    }

    /// The owner of a position by searching its moves.
    fn played(&mut self, at: u32, depth: u32, stopped: &mut dyn FnMut(u64) -> bool) -> Option<u8> {
        let mover = self.movers[at as usize];
        let mut all = true;
        for i in 0..self.ways.of(at).len() {
            let to = self.ways.of(at)[i];
            let owner = if to < OUT { self.reached(to, depth, stopped) } else { Some(self.owner(to)) };
            match owner {
                Some(owner) if owner == mover => return Some(mover),
                None | Some(OPEN) => all = false,
                _ => (),
            }
        }
        all.then_some(1 - mover)
    }
}
