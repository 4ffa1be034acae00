//! Alpha-beta on one thread over packed Oware boards: principal variation search with null windows, transposition table,
//! killer moves and the history heuristic.
//!
//! **What a value proves.** As in the general search: of the tree of all lines of at most `depth` moves, with `v` returned
//! and `t` its minimax value, `v <= alpha` means `t <= v`, `v >= beta` means `t >= v`, and between them `t == v`. Finished
//! games are paid as [`finished`]; so is a position that occurred before, on the line or in the match since the last
//! capture, by what a cycle pays. A position entered by a capture is paid by the endgame table where the table knows it
//! exactly, and evaluated by its guess between the bounds where not: nothing is searched below. All others at the end of a
//! line are evaluated statically. If a value is `exact`, no evaluation is part of it.
//!
//! **Validity of table entries.** A value depends on the history only if some of its positions can return (the graph-history
//! interaction problem). Every cycle sows every pit, so a position can recur within the remaining depth only if the depth
//! suffices to sow the pits that have not been sown since the first position of the layer on the line. If it does, the key
//! covers the set of positions on the line; otherwise the position alone is the key. The history before the root is the same
//! for all of one search.

use super::{
    board::{After, Node, pits, seeds},
    endings::{Endings, TableBounds},
    key::key,
    reductions::Scout,
};
use parlor_core::{Bounds, Margin, Value, finished};
use parlor_engine::{Bound, Deadline, INFINITE, Key, Scored, SearchEntry, TranspositionTable};
use parlor_games::{
    network::NeuralNetwork,
    oware::{RuleSet, SEED, learned, prospects},
};

/// The length of the shortest cycle, in plies.
const SHORTEST: usize = 12;
/// A ply later than any other: [`finished`] does not distinguish later ones.
const LATEST: u32 = 4000;
/// The value of a seed that the table proves, slightly less than that of a banked one, so that play makes progress.
const PROMISED: Value = SEED - 4;
const KILLERS: usize = 256;
/// Results of shallower searches are not stored: repeating them is faster.
const REMEMBERED: u32 = 3;

/// A position on the current line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub node: Node,
    /// Score of the side to move minus the opponent's.
    pub banked: i16,
    /// Index of the position at which the layer was entered.
    pub entered: usize,
    /// Pits sown since then, or since the root: those of the root's mover in the low six bits.
    sown: u16,
    /// Number of those moves.
    moves: u32,
    /// The positions since then, or since the root: a sum of hashes.
    set: u64,
}

impl Place {
    /// The root: the last position of a way that entered its layer here.
    pub fn root(node: Node, banked: i16, entered: usize) -> Place {
        Place { node, banked, entered, sown: 0, moves: 0, set: print(&node) }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Listed {
    pit: u8,
    order: i32,
    pub after: After,
}

/// Parameters of a search.
#[derive(Clone, Copy)]
pub(super) struct Terms<'a> {
    pub rules: RuleSet,
    /// Whether 25 seeds end the game with the current scores.
    pub stops: bool,
    pub endings: &'a Endings<'a>,
    pub table: &'a TranspositionTable,
    /// The learned evaluation; without it, the evaluation is `prospects`.
    pub network: Option<&'a NeuralNetwork>,
    /// Whether entries of deeper searches may be used and late moves are reduced: better for play, but not the value of exactly
    /// this depth.
    pub selective: bool,
}

/// State of one search thread.
pub(super) struct Worker<'a> {
    pub terms: Terms<'a>,
    pub deadline: Deadline<'a>,
    /// Number of positions created.
    pub nodes: u64,
    pub most_nodes: u64,
    /// All positions since the last capture before the root, and those of the line.
    pub way: Vec<Node>,
    /// Hash of the history before the root in its layer; 0 where it is empty.
    past: u64,
    root: usize,
    killers: [[u8; 2]; KILLERS],
    history: [[i32; 6]; 2],
    /// The principal variation from each ply on.
    pub lines: Vec<Vec<u8>>,
}

/// A hash of a position for sets of them.
#[inline(always)]
fn print(node: &Node) -> u64 {
    let mixed = (node.own.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ node.other.rotate_left(32))
        .wrapping_mul(0xD6E8_FEB8_6659_FD93);
    mixed ^ mixed >> 29
}

impl<'a> Worker<'a> {
    /// Starts at the last position of `way`.
    pub fn new(terms: Terms<'a>, way: &[Node], deadline: Deadline<'a>) -> Self {
        let before = &way[..way.len() - 1];
        let hashed = (0..).zip(before).map(|(at, node): (u64, _)| print(node).wrapping_add(at & 1));
        let past = if before.is_empty() { 0 } else { hashed.fold(0, u64::wrapping_add) | 1 << 63 };
        Worker {
            terms,
            deadline,
            nodes: 0,
            most_nodes: u64::MAX,
            way: way.to_vec(),
            past,
            root: way.len() - 1,
            killers: [[9; 2]; KILLERS],
            history: [[0; 6]; 2],
            lines: vec![Vec::new(), Vec::new()],
        }
    }

    /// The value of a move for the side that makes it: with a null window first if `scout`.
    #[inline]
    #[expect(clippy::too_many_arguments, reason = "a window, a depth and a place are what a search is about")]
    pub fn move_value(
        &mut self,
        place: &Place,
        pit: u8,
        after: &After,
        depth: u32,
        ply: usize,
        alpha: Value,
        beta: Value,
        scout: Scout,
    ) -> Option<Scored> {
        let banked = -(place.banked + i16::from(after.taken));
        if is_open(alpha, beta) {
            self.clear_line(ply + 1);
        }
        if let Some(value) = self.at_once(place, after, banked, depth, ply, -beta, -alpha) {
            return Some(Scored { value: -value.value, ..value });
        }
        let next = self.next(place, pit, after, banked, ply);
        self.way.push(after.node);
        let found = if depth == 1 && !is_open(alpha, beta) {
            let found = self.frontier(&next, ply + 1, -beta, -alpha);
            (self.nodes <= self.most_nodes).then_some(Scored { value: -found.value, ..found })
        } else {
            self.both_ways(&next, depth, ply, alpha, beta, scout)
        };
        self.way.pop();
        found
    }

    fn both_ways(
        &mut self,
        next: &Place,
        depth: u32,
        ply: usize,
        alpha: Value,
        beta: Value,
        scout: Scout,
    ) -> Option<Scored> {
        if let Scout::Reduced(plies) = scout {
            let depth = depth.saturating_sub(plies).max(1);
            let found = self.searched(next, depth, ply + 1, -alpha - 1, -alpha)?;
            if -found.value <= alpha {
                return Some(Scored { value: -found.value, ..found });
            }
        }
        if scout != Scout::No && is_open(alpha, beta) {
            let found = self.searched(next, depth, ply + 1, -alpha - 1, -alpha)?;
            if -found.value <= alpha || -found.value >= beta {
                return Some(Scored { value: -found.value, ..found });
            }
        }
        let found = self.searched(next, depth, ply + 1, -beta, -alpha)?;
        Some(Scored { value: -found.value, ..found })
    }

    #[inline(always)]
    fn next(&self, place: &Place, pit: u8, after: &After, banked: i16, ply: usize) -> Place {
        let hash = print(&after.node);
        let bit = 1 << (usize::from(pit) + 6 * (ply & 1));
        if after.taken > 0 {
            Place { node: after.node, banked, entered: self.way.len(), sown: 0, moves: 0, set: hash }
        } else {
            let (sown, set) = (place.sown | bit, place.set.wrapping_add(hash));
            let (entered, moves) = (place.entered, place.moves + 1);
            Place { node: after.node, banked, entered, sown, moves, set }
        }
    }

    /// The value of the position after a move, for the side to move there, if it needs no search: the game is over, the
    /// position occurred before, the table has it, or the depth is 0.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "a window, a depth and a place are what a search is about")]
    fn at_once(
        &self,
        place: &Place,
        after: &After,
        banked: i16,
        depth: u32,
        ply: usize,
        alpha: Value,
        beta: Value,
    ) -> Option<Scored> {
        let (node, ply) = (&after.node, ply as u32 + 1);
        let paid = |margin: i16| Some(Scored { value: finished(Margin(margin), ply), exact: true });
        let left = || seeds(node.own) + seeds(node.other);
        // Twice the score of the side that has just moved: at 25 the game ends with the current scores.
        let has_won = |left: usize| self.terms.stops && 48 - left as i16 - banked >= 50;
        if node.movable() == 0 {
            let row = if has_won(left()) { 0 } else { i16::from(node.difference()) };
            return paid(banked + row);
        }
        if after.taken > 0 {
            let left = left();
            if has_won(left) {
                return paid(banked);
            }
            if self.terms.endings.reach(left)
                && let Some(known) = self.terms.endings.probe(node)
            {
                return Some(evaluated_by_table(known, node, banked, ply, alpha, beta));
            }
        } else if self.way.len() - place.entered >= SHORTEST && self.has_occurred(node, place.entered) {
            let row = if self.terms.rules == RuleSet::Abapa { i16::from(node.difference()) } else { 0 };
            return paid(banked + row);
        }
        (depth == 0).then(|| Scored { value: self.evaluate_statically(node, banked), exact: false })
    }

    /// Whether a position is one of those since the layer was entered, with the same side to move.
    fn has_occurred(&self, node: &Node, entered: usize) -> bool {
        let latest = self.way.len() - SHORTEST;
        (entered..=latest).rev().step_by(2).any(|at| self.way[at] == *node)
    }

    #[inline(always)]
    fn evaluate_statically(&self, node: &Node, banked: i16) -> Value {
        if self.terms.endings.reach(seeds(node.own) + seeds(node.other))
            && let Some(known) = self.terms.endings.probe(node)
        {
            let standing = prospects(node.own, node.other);
            return SEED * Value::from(banked) + PROMISED * Value::from(known.guess) + standing / 16;
        }
        match self.terms.network {
            Some(network) => {
                let taken = 48 - (seeds(node.own) + seeds(node.other)) as i16;
                let scores = [taken + banked, taken - banked].map(|twice| (twice / 2) as u8);
                learned(network, node.own, node.other, scores)
            }
            None => SEED * Value::from(banked) + prospects(node.own, node.other),
        }
    }

    /// The value by the moves of an unfinished position; see the contract above. `None` if a limit is reached.
    fn searched(
        &mut self,
        place: &Place,
        depth: u32,
        ply: usize,
        alpha: Value,
        beta: Value,
    ) -> Option<Scored> {
        if self.nodes >= self.most_nodes {
            return None;
        }
        if depth == 1 {
            return Some(self.frontier(place, ply, alpha, beta));
        }
        if self.deadline.passed() {
            return None;
        }
        if depth < REMEMBERED {
            return Some(self.best_of(place, 9, depth, ply, alpha, beta)?.1);
        }
        let key = Key { word: self.key_of(place, depth, ply), check: 0 };
        let known = self.terms.table.probe(key).map(|data| SearchEntry::unpack(data, ply));
        // With an open window the principal variation is needed, which the table does not store.
        if let Some(entry) = known.filter(|_| !is_open(alpha, beta))
            && (entry.depth <= depth
                || self.terms.selective && !may_return(place, entry.depth, ply) && key.word >> 63 == 0)
            && let Some(found) = entry.answers(depth, alpha, beta)
        {
            return Some(found);
        }
        let first = known.map_or(9, |entry| entry.mv as u8);
        let (entry, found) = self.best_of(place, first, depth, ply, alpha, beta)?;
        self.terms.table.store(key, entry.pack(ply));
        Some(found)
    }

    /// Key of the position in the transposition table.
    #[inline(always)]
    fn key_of(&self, place: &Place, depth: u32, ply: usize) -> u64 {
        let mut word = word(&place.node, place.banked);
        if place.entered < self.root {
            word ^= self.past;
        }
        if may_return(place, depth, ply) {
            word = (word ^ place.set.rotate_left(17)).wrapping_mul(0xA24B_AED4_963E_E407) | 1 << 63;
        }
        word
    }

    /// The last ply: its moves are evaluated statically.
    fn frontier(&mut self, place: &Place, ply: usize, mut alpha: Value, beta: Value) -> Scored {
        let floor = alpha;
        let mut best = Scored { value: -INFINITE, exact: true };
        let (mut pit_of_best, mut all_exact) = (0, true);
        let legal = place.node.legal(self.terms.rules);
        // From the last pit: it is the one that captures most often.
        for pit in (0..6).rev().filter(|pit| legal >> (8 * pit + 7) & 1 == 1) {
            let after = place.node.play(pit, self.terms.rules);
            self.nodes += 1;
            let banked = -(place.banked + i16::from(after.taken));
            let Some(found) = self.at_once(place, &after, banked, 0, ply, -beta, -alpha) else { continue };
            all_exact &= found.exact;
            if -found.value > best.value {
                best = Scored { value: -found.value, ..found };
                pit_of_best = pit;
                if best.value >= beta {
                    return best;
                }
                alpha = alpha.max(best.value);
            }
        }
        if is_open(floor, beta) {
            self.clear_line(ply);
            self.lines[ply].push(pit_of_best as u8);
        }
        Scored { exact: all_exact, ..best }
    }

    fn best_of(
        &mut self,
        place: &Place,
        first: u8,
        depth: u32,
        ply: usize,
        mut alpha: Value,
        beta: Value,
    ) -> Option<(SearchEntry, Scored)> {
        let floor = alpha;
        let nothing = After { node: place.node, taken: 0 };
        let mut listed = [Listed { pit: 0, order: 0, after: nothing }; 6];
        let len = self.list(place, first, ply, &mut listed);
        self.nodes += len as u64;
        if depth > REMEMBERED {
            self.prefetch(place, &listed[..len]);
        }
        let mut best = Scored { value: -INFINITE, exact: true };
        let (mut pit, mut all_exact) = (listed[0].pit, true);
        for (i, at) in listed[..len].iter().enumerate() {
            let scout = if i == 0 { Scout::No } else { self.scout(at, i, depth) };
            let found = self.move_value(place, at.pit, &at.after, depth - 1, ply, alpha, beta, scout)?;
            all_exact &= found.exact;
            if found.value > best.value {
                (best, pit) = (found, at.pit);
                if found.value > alpha {
                    if is_open(alpha, beta) {
                        self.keep_line(ply, at.pit);
                    }
                    alpha = found.value;
                }
            }
            if found.value >= beta {
                self.remember_cutoff(at, ply, depth);
                return Some((SearchEntry { found, mv: pit.into(), bound: Bound::AtLeast, depth }, found));
            }
        }
        // The best of all values depends on all of them.
        best.exact = all_exact;
        let bound = if best.value > floor { Bound::Exact } else { Bound::AtMost };
        Some((SearchEntry { found: best, mv: pit.into(), bound, depth }, best))
    }

    fn clear_line(&mut self, ply: usize) {
        if self.lines.len() <= ply {
            self.lines.resize(ply + 1, Vec::new());
        }
        self.lines[ply].clear();
    }

    fn keep_line(&mut self, ply: usize, pit: u8) {
        let (before, after) = self.lines.split_at_mut(ply + 1);
        before[ply].clear();
        before[ply].push(pit);
        before[ply].extend_from_slice(&after[0]);
    }

    /// The moves in the order in which they are searched: the table move, captures, killer moves, then by history.
    #[inline(always)]
    fn list(&self, place: &Place, first: u8, ply: usize, listed: &mut [Listed; 6]) -> usize {
        let mut len = 0;
        let killers = self.killers[ply % KILLERS];
        for pit in pits(place.node.legal(self.terms.rules)) {
            let (after, pit) = (place.node.play(pit, self.terms.rules), pit as u8);
            let order = if pit == first {
                i32::MAX
            } else {
                let killer = if killers[0] == pit { 2 } else { i32::from(killers[1] == pit) };
                i32::from(after.taken) << 24 | killer << 21 | self.history[ply & 1][usize::from(pit)]
            };
            // Among equal moves the last pit comes first.
            let mut at = len;
            while at > 0 && listed[at - 1].order <= order {
                listed[at] = listed[at - 1];
                at -= 1;
            }
            listed[at] = Listed { pit, order, after };
            len += 1;
        }
        len
    }

    /// Prefetches the slots of the children, as far as their keys do not cover the set of positions.
    #[inline(always)]
    fn prefetch(&self, place: &Place, listed: &[Listed]) {
        for Listed { after, .. } in listed {
            let banked = -(place.banked + i16::from(after.taken));
            let past = if place.entered < self.root && after.taken == 0 { self.past } else { 0 };
            self.terms.table.prefetch(Key { word: word(&after.node, banked) ^ past, check: 0 });
        }
    }

    fn remember_cutoff(&mut self, at: &Listed, ply: usize, depth: u32) {
        let killers = &mut self.killers[ply % KILLERS];
        if killers[0] != at.pit {
            *killers = [at.pit, killers[0]];
        }
        let history = &mut self.history[ply & 1];
        history[usize::from(at.pit)] += (depth * depth) as i32;
        if history[usize::from(at.pit)] >= 1 << 20 {
            history.iter_mut().for_each(|count| *count /= 2);
        }
    }
}

/// Whether the window is open: then the principal variation is needed too.
#[inline(always)]
fn is_open(alpha: Value, beta: Value) -> bool {
    beta > alpha.saturating_add(1)
}

/// An exact key.
#[inline(always)]
fn word(node: &Node, banked: i16) -> u64 {
    let left = seeds(node.own) + seeds(node.other);
    key(node, (48 - left as i64 + i64::from(banked)) as u64 / 2)
}

/// Whether `depth` moves suffice to sow all pits that were not sown since the first position that may recur.
#[inline(always)]
fn may_return(place: &Place, depth: u32, ply: usize) -> bool {
    // Few searches are deep enough at all.
    if depth < 12 - place.moves.min(12) {
        return false;
    }
    let missing = |set: u16| 6 - (set & 0x3F).count_ones();
    let by_side = [missing(place.sown), missing(place.sown >> 6)];
    by_side[ply & 1] <= depth.div_ceil(2) && by_side[1 - (ply & 1)] <= depth / 2
}

/// The value of a position just entered that the table covers: exact, or within its bounds.
fn evaluated_by_table(
    known: TableBounds,
    node: &Node,
    banked: i16,
    ply: u32,
    alpha: Value,
    beta: Value,
) -> Scored {
    let margin = |value: i8| Margin(banked + i16::from(value));
    if known.lo == known.hi {
        return Scored { value: finished(margin(known.lo), ply), exact: true };
    }
    let bounds = Bounds { lo: margin(known.lo), hi: margin(known.hi) };
    let late =
        |margin: Margin, good: bool| finished(margin, if (margin.0 > 0) == good { LATEST } else { ply });
    let (least, most) = (late(bounds.lo, true), late(bounds.hi, false));
    if least >= beta || most <= alpha {
        return Scored { value: if least >= beta { least } else { most }, exact: true };
    }
    let guess = SEED * Value::from(banked) + PROMISED * Value::from(known.guess);
    let standing = prospects(node.own, node.other) / 16;
    Scored { value: (guess + standing).clamp(least, most), exact: false }
}
