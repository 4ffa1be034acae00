//! Alpha-beta on one thread over packed Kalah positions, made for play: principal variation search with null windows,
//! transposition table, killer moves and the history heuristic; without a depth limit also reductions and pruning.
//!
//! **What a value proves.** Of the tree of all lines of at most `depth` moves, with `v` returned and `t` its minimax value,
//! `v <= alpha` means `t <= v`, `v >= beta` means `t >= v`, and between them `t == v`. Finished games are paid as
//! [`finished`], and so are positions that the endgame table knows; all others at the end of a line are evaluated
//! statically. If a value is `exact`, no evaluation is part of it.
//!
//! With [`Selectivity`] the tree is another one: some moves are searched less deep, and some positions are evaluated before the
//! depth is reached. What remains true: an `exact` value is one of the game, and a value beyond [`LARGE`](parlor_core::LARGE)
//! is a proved win or loss of at least its margin. For the value of an evaluated position is smaller, unless more than half of
//! all beans are in one pot; then it is the margin that the winner has at least.
//!
//! **Table entries** have exact keys: both rows, and the difference of the pots, because it decides who wins.

mod ordering;
mod selectivity;

pub(super) use selectivity::Selectivity;

use super::{
    lane_turns::LaneTurns,
    search::{After, Node, Rules},
};
use parlor_core::{Margin, Value, finished, is_finished};
use parlor_engine::{Bound, Deadline, INFINITE, Key, Scored, SearchEntry, TranspositionTable};
use parlor_games::{kalah::learned, network::NeuralNetwork};

/// The depth of an ordinary move. Depths are counted in quarters.
pub(super) const PLY: i32 = 4;
/// A ply later than the end of any game. Table entries shift it by the ply of their position, so it is not the latest that
/// [`finished`] distinguishes.
const LATE: u32 = 2000;
const KILLERS: usize = 512;
/// Results of shallower searches are not stored: repeating them is faster.
const REMEMBERED: i32 = 2 * PLY;
/// No lane.
const NONE: u8 = 15;
/// Added to the difference of the pots to make it positive.
const OFFSET: i32 = 512;
/// Holes with more beans are alike for the move ordering.
const MANY: u64 = 31;

/// A position on the current line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    pub node: Node,
    /// The pot of the side to move minus the other.
    pub banked: i32,
    /// 0 if the side to move is that of the root, otherwise 1.
    pub side: u8,
}

/// Parameters of a search.
#[derive(Clone, Copy)]
pub(super) struct PlayTerms<'a, const H: usize> {
    pub rules: Rules<H>,
    pub evaluation: LaneTurns<H>,
    /// The learned evaluation, used instead.
    pub network: Option<&'a NeuralNetwork>,
    /// All beans, those in the pots included.
    pub all: i32,
    /// Endgame values, indexed by the number of beans in play.
    pub endings: &'a [&'a [i8]],
    pub table: &'a TranspositionTable,
    /// `None` for the value of exactly the depth.
    pub selectivity: Option<Selectivity>,
}

/// State of one search thread.
pub(super) struct PlaySearch<'a, const H: usize> {
    pub terms: PlayTerms<'a, H>,
    pub deadline: Deadline<'a>,
    /// Number of positions visited.
    pub nodes: u64,
    pub most_nodes: u64,
    killers: [[u8; 2]; KILLERS],
    /// By side and move.
    history: Box<[[i32; 256]; 2]>,
    /// The principal variation from each ply on: lanes, with the side in the top bit.
    pub lines: Vec<Vec<u8>>,
}

#[derive(Clone, Copy)]
struct ListedMove {
    lane: u8,
    /// Identifies lane and beans for the move ordering.
    code: u8,
    order: i32,
    after: After,
}

/// A search window, and whether to search with a null window first.
#[derive(Clone, Copy)]
pub(super) struct Scouting {
    pub alpha: Value,
    pub beta: Value,
    pub scout: bool,
    /// The depth by which the null window is searched less deep.
    pub reduction: i32,
}

/// Whether the window is open: then the principal variation is needed too.
#[inline(always)]
fn is_open(alpha: Value, beta: Value) -> bool {
    beta > alpha.saturating_add(1)
}

#[inline(always)]
fn turned(found: Scored, again: bool) -> Scored {
    if again { found } else { Scored { value: -found.value, ..found } }
}

impl Standing {
    /// The position after a move.
    #[inline(always)]
    fn after(&self, after: &After) -> Standing {
        let banked = self.banked + after.gain;
        if after.again {
            Standing { node: after.node, banked, side: self.side }
        } else {
            Standing { node: after.node, banked: -banked, side: self.side ^ 1 }
        }
    }

    /// What a table entry of this position has beside its key.
    #[inline(always)]
    fn tag(&self) -> u16 {
        ((self.banked + OFFSET) as u16) << 4
    }
}

/// Packs lanes of at most 31 beans, five bits each.
#[inline(always)]
fn packed(row: u64) -> u64 {
    let row = row & 0x001F_001F_001F_001F | (row & 0x1F00_1F00_1F00_1F00) >> 3;
    let row = row & 0x0000_03FF_0000_03FF | (row & 0x03FF_0000_03FF_0000) >> 6;
    row & 0x000F_FFFF | (row & 0x000F_FFFF_0000_0000) >> 12
}

impl<'a, const H: usize> PlaySearch<'a, H> {
    pub fn new(terms: PlayTerms<'a, H>, deadline: Deadline<'a>) -> Self {
        PlaySearch {
            terms,
            deadline,
            nodes: 0,
            most_nodes: u64::MAX,
            killers: [[u8::MAX; 2]; KILLERS],
            history: Box::new([[0; 256]; 2]),
            lines: vec![Vec::new(), Vec::new()],
        }
    }

    /// The value of a move for the side that makes it. `depth` is what remains after it.
    #[inline]
    pub fn move_value(
        &mut self,
        at: &Standing,
        after: &After,
        depth: i32,
        ply: usize,
        window: Scouting,
    ) -> Option<Scored> {
        let Scouting { alpha, beta, scout, reduction } = window;
        if is_open(alpha, beta) {
            self.clear_line(ply + 1);
        }
        self.nodes += 1;
        let next = at.after(after);
        if let Some(found) = self.known(&next, ply + 1) {
            return Some(turned(found, after.again));
        }
        if depth <= 0 {
            return Some(turned(self.evaluated(&next), after.again));
        }
        if reduction > 0 {
            let found = self.signed(&next, after.again, depth - reduction, ply + 1, alpha, alpha + 1)?;
            if found.value <= alpha {
                return Some(found);
            }
        }
        if scout && is_open(alpha, beta) {
            let found = self.signed(&next, after.again, depth, ply + 1, alpha, alpha + 1)?;
            if found.value <= alpha || found.value >= beta {
                return Some(found);
            }
        }
        self.signed(&next, after.again, depth, ply + 1, alpha, beta)
    }

    /// The value of the position after a move, for the side that made it.
    fn signed(
        &mut self,
        next: &Standing,
        again: bool,
        depth: i32,
        ply: usize,
        alpha: Value,
        beta: Value,
    ) -> Option<Scored> {
        if depth <= 0 {
            return Some(turned(self.evaluated(next), again));
        }
        let (alpha, beta) = if again { (alpha, beta) } else { (-beta, -alpha) };
        Some(turned(self.searched(next, depth, ply, alpha, beta)?, again))
    }

    /// The exact value if the game is over or the endgame table has the position.
    #[inline(always)]
    fn known(&self, at: &Standing, ply: usize) -> Option<Scored> {
        let paid = |rest: i32| Scored {
            value: finished(Margin((at.banked + rest) as i16), ply as u32),
            exact: true,
        };
        if let Some(rest) = at.node.over() {
            return Some(paid(rest));
        }
        let layer = self.terms.endings.get(at.node.beans as usize)?;
        let number = self.terms.rules.rows.index(at.node.own, at.node.other);
        Some(paid(i32::from(*layer.get(number as usize)?)))
    }

    /// The estimate of an unfinished position.
    #[inline(always)]
    fn static_value(&self, at: &Standing) -> Value {
        let Some(network) = self.terms.network else {
            return self.terms.evaluation.value(&at.node, at.banked);
        };
        let taken = self.terms.all - at.node.beans;
        let pots = [taken + at.banked, taken - at.banked].map(|twice| (twice / 2) as usize);
        learned(network, at.node.own, at.node.other, pots, self.terms.all as usize)
    }

    /// The static evaluation.
    #[inline(always)]
    fn evaluated(&self, at: &Standing) -> Scored {
        let (banked, left) = (at.banked, at.node.beans);
        let value = if self.terms.selectivity.is_some() && banked.abs() > left {
            finished(Margin((banked - banked.signum() * left) as i16), LATE)
        } else {
            self.static_value(at)
        };
        Scored { value, exact: false }
    }

    /// The value if the beans in play cannot move it into the window.
    #[inline(always)]
    fn outside(at: &Standing, ply: usize, alpha: Value, beta: Value) -> Option<Scored> {
        let paid = |margin: i32, good: bool| {
            finished(Margin(margin as i16), if (margin > 0) == good { LATE } else { ply as u32 })
        };
        let (least, most) = (at.banked - at.node.beans, at.banked + at.node.beans);
        if least > 0 && paid(least, true) >= beta {
            return Some(Scored { value: paid(least, true), exact: true });
        }
        if most < 0 && paid(most, false) <= alpha {
            return Some(Scored { value: paid(most, false), exact: true });
        }
        None
    }

    /// The value by the moves of an unfinished position; see the contract above. `None` if a limit is reached.
    fn searched(
        &mut self,
        at: &Standing,
        depth: i32,
        ply: usize,
        alpha: Value,
        beta: Value,
    ) -> Option<Scored> {
        if self.nodes >= self.most_nodes || self.deadline.passed() {
            return None;
        }
        if let Some(selectivity) = self.terms.selectivity
            && let Some(found) = self.pruned(at, &selectivity, depth, ply, alpha, beta)
        {
            return Some(found);
        }
        if depth <= PLY {
            return self.frontier(at, depth, ply, alpha, beta);
        }
        if depth < REMEMBERED {
            return Some(self.best_of(at, NONE, depth, ply, alpha, beta)?.1);
        }
        let Some(key) = Self::key(at) else {
            return Some(self.best_of(at, NONE, depth, ply, alpha, beta)?.1);
        };
        let known = self.terms.table.probe(key).map(|data| SearchEntry::unpack(data, ply));
        let known = known.filter(|entry| entry.mv & !15 == at.tag());
        let plies = (depth / PLY) as u32;
        // With an open window the principal variation is needed, which the table does not store.
        if let Some(entry) = known.filter(|_| !is_open(alpha, beta))
            && (entry.depth <= plies || self.terms.selectivity.is_some())
            && let Some(found) = entry.answers(plies, alpha, beta)
        {
            return Some(found);
        }
        if let Some(selectivity) = self.terms.selectivity
            && depth >= selectivity.probe_depth
            && !(is_open(alpha, beta) || is_finished(alpha) || is_finished(beta))
            && let Some(found) = self.by_shallow_search(at, &selectivity, depth, ply, alpha, beta)?
        {
            return Some(found);
        }
        let first = known.map_or(NONE, |entry| (entry.mv & 15) as u8);
        let (entry, found) = self.best_of(at, first, depth, ply, alpha, beta)?;
        self.terms.table.store(key, entry.pack(ply));
        Some(found)
    }

    /// The key of the position in the transposition table; together with the tag it is exact. `None` for a hole that has too many
    /// beans.
    ///
    /// ```text
    ///   up to six holes    word: [ other row, 6 x 5 ][ own row, 6 x 5 ], mixed with the pots
    ///   more               word: own row, mixed with the other row and the pots; check: other row
    /// ```
    #[inline(always)]
    fn key(at: &Standing) -> Option<Key> {
        let Node { own, other, .. } = at.node;
        let pots = (at.banked as i64 as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        if H > 6 {
            let word = own ^ other.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31) ^ pots;
            return Some(Key { word, check: other });
        }
        let fits = (own | other) & 0xE0E0_E0E0_E0E0_E0E0 == 0;
        fits.then(|| Key { word: (packed(own) | packed(other) << 30) ^ pots, check: 0 })
    }

    /// Whether the table needs the second word of keys.
    pub const CHECKS: bool = H > 6;

    /// The last ply: its moves are evaluated statically.
    fn frontier(
        &mut self,
        at: &Standing,
        depth: i32,
        ply: usize,
        mut alpha: Value,
        beta: Value,
    ) -> Option<Scored> {
        let floor = alpha;
        let mut best = Scored { value: -INFINITE, exact: true };
        let mut all_exact = true;
        let extra_turn = self.terms.selectivity.map_or(PLY, |selectivity| selectivity.extra_turn);
        for lane in (0..H).rev().filter(|lane| at.node.own >> (8 * lane) & 0xFF != 0) {
            let after = self.terms.rules.play(&at.node, lane);
            self.nodes += 1;
            let next = at.after(&after);
            if is_open(alpha, beta) {
                self.clear_line(ply + 1);
            }
            let found = match self.known(&next, ply + 1) {
                Some(found) => turned(found, after.again),
                None if after.again && depth > extra_turn => {
                    self.searched(&next, depth - extra_turn, ply + 1, alpha, beta)?
                }
                None => turned(self.evaluated(&next), after.again),
            };
            all_exact &= found.exact;
            if found.value > best.value {
                best = found;
                if best.value >= beta {
                    return Some(best);
                }
                if best.value > alpha {
                    alpha = best.value;
                    if is_open(floor, beta) {
                        self.keep_line(ply, at.side, lane as u8);
                    }
                }
            }
        }
        Some(Scored { exact: all_exact, ..best })
    }

    fn best_of(
        &mut self,
        at: &Standing,
        first: u8,
        depth: i32,
        ply: usize,
        mut alpha: Value,
        beta: Value,
    ) -> Option<(SearchEntry, Scored)> {
        let floor = alpha;
        let mut listed = [ListedMove::NONE; H];
        let len = self.list(at, first, ply, &mut listed);
        if depth >= REMEMBERED + PLY {
            self.prefetch(at, &listed[..len]);
        }
        let mut best = Scored { value: -INFINITE, exact: true };
        let (mut lane, mut all_exact) = (listed[0].lane, true);
        let entry = |found: Scored, lane: u8, bound: Bound| SearchEntry {
            found,
            mv: at.tag() | u16::from(lane),
            bound,
            depth: (depth / PLY) as u32,
        };
        for (i, mv) in listed[..len].iter().enumerate() {
            let (cost, reduction) = self.costs(&mv.after, i, depth);
            let window = Scouting { alpha, beta, scout: i > 0, reduction };
            let found = self.move_value(at, &mv.after, depth - cost, ply, window)?;
            all_exact &= found.exact;
            if found.value > best.value {
                (best, lane) = (found, mv.lane);
                if found.value > alpha {
                    if is_open(alpha, beta) {
                        self.keep_line(ply, at.side, mv.lane);
                    }
                    alpha = found.value;
                }
            }
            if found.value >= beta {
                self.remember_cutoff(at.side, mv.code, ply, depth);
                return Some((entry(found, mv.lane, Bound::AtLeast), found));
            }
        }
        // The best of all values depends on all of them.
        best.exact = all_exact;
        let bound = if best.value > floor { Bound::Exact } else { Bound::AtMost };
        Some((entry(best, lane, bound), best))
    }

    /// The lanes that can be sown, the most promising first.
    pub fn root_moves(&self, at: &Standing) -> Vec<u8> {
        let mut listed = [ListedMove::NONE; H];
        let len = self.list(at, NONE, 0, &mut listed);
        listed[..len].iter().map(|mv| mv.lane).collect()
    }

    fn clear_line(&mut self, ply: usize) {
        if self.lines.len() <= ply {
            self.lines.resize(ply + 1, Vec::new());
        }
        self.lines[ply].clear();
    }

    fn keep_line(&mut self, ply: usize, side: u8, lane: u8) {
        let (before, after) = self.lines.split_at_mut(ply + 1);
        before[ply].clear();
        before[ply].push(lane | side << 7);
        before[ply].extend_from_slice(&after[0]);
    }
}

impl ListedMove {
    const NONE: ListedMove = ListedMove {
        lane: 0,
        code: 0,
        order: 0,
        after: After { node: Node { own: 0, other: 0, beans: 0 }, gain: 0, again: false },
    };
}
