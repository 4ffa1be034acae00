//! Alpha-beta on one thread: principal variation search with null windows, transposition table, killer moves and the
//! history heuristic.
//!
//! **What a value proves.** `value(pos, depth, alpha, beta)` is about the tree of all lines of at most `depth` moves. In
//! it, finished games are paid as [`finished`]; other leaves have the value of the evaluator; a position that occurred
//! before, on the line or in the match, is paid by [`Game::repetition_payoff`]; a position that the oracle knows has the
//! oracle's value. With `v` returned and `t` the minimax value of that tree:
//! - `v <= alpha`: `t <= v`. It is an upper bound.
//! - `alpha < v < beta`: `t == v`.
//! - `v >= beta`: `t >= v`. It is a lower bound; the rest was not searched.
//!
//! If it is also `exact`, no line on which the statement depends ends at a static evaluation: then it holds for every greater
//! depth, and so for the game itself (up to hash collisions: the table identifies positions by 64-bit hashes).

use crate::{
    Bound, Deadline, INFINITE, Key, RootSearch, Scored, SearchEntry, TranspositionTable, Window,
    path::{Path, fingerprint},
};
use parlor_core::{Bounds, Evaluator, Game, Match, Oracle, Value, finished};
use std::cmp::Reverse;

#[derive(Clone, Copy)]
struct Listed<M> {
    score: Value,
    /// The index in listing order: it identifies the move in the table, and decides between equal values.
    place: u16,
    mv: M,
}

const MOVE_SLOTS: usize = 4096;
/// A ply later than any other: [`finished`] does not distinguish later ones.
const LATEST: u32 = 4000;
/// Above every score of the move ordering.
const FIRST: Value = Value::MAX;

/// State of one search thread.
pub(crate) struct Worker<'a, G: Game, E> {
    game: &'a G,
    pos: &'a G::Position,
    evaluator: &'a E,
    oracle: Option<&'a dyn Oracle<G>>,
    table: &'a TranspositionTable,
    deadline: Deadline<'a>,
    pub nodes: u64,
    pub most_nodes: u64,
    path: Path<G>,
    /// The moves of all positions on the line, one list behind the other.
    listed: Vec<Listed<G::Move>>,
    room: Vec<G::Move>,
    /// Killer moves by ply.
    killers: Vec<[Option<G::Move>; 2]>,
    /// The history heuristic by side and move: the number of cutoffs, with deep ones weighted more.
    history: Vec<i32>,
    /// The principal variation from each ply on.
    lines: Vec<Vec<G::Move>>,
}

impl<'a, G: Game, E: Evaluator<G>> Worker<'a, G, E> {
    pub fn new(
        played: &'a Match<G>,
        evaluator: &'a E,
        oracle: Option<&'a dyn Oracle<G>>,
        table: &'a TranspositionTable,
        deadline: Deadline<'a>,
    ) -> Self {
        Worker {
            game: played.game(),
            pos: played.position(),
            evaluator,
            oracle,
            table,
            deadline,
            nodes: 0,
            most_nodes: u64::MAX,
            path: Path::of(played.game(), played.positions()),
            listed: Vec::new(),
            room: Vec::new(),
            killers: Vec::new(),
            history: vec![0; 2 * MOVE_SLOTS],
            lines: vec![Vec::new()],
        }
    }

    /// The value of a move for the side that makes it: with a null window first if `scout`.
    #[expect(clippy::too_many_arguments, reason = "a window, a depth and a place are what a search is about")]
    #[inline]
    fn move_value(
        &mut self,
        pos: &G::Position,
        next: &G::Position,
        depth: u32,
        ply: usize,
        alpha: Value,
        beta: Value,
        scout: bool,
    ) -> Option<Scored> {
        let same = self.game.turn(next) == self.game.turn(pos);
        let mut seen = |alpha: Value, beta: Value| {
            if same {
                self.value(next, depth, ply + 1, alpha, beta)
            } else {
                let found = self.value(next, depth, ply + 1, -beta, -alpha)?;
                Some(Scored { value: -found.value, ..found })
            }
        };
        if scout && beta > alpha.saturating_add(1) {
            let found = seen(alpha, alpha + 1)?;
            if found.value <= alpha || found.value >= beta {
                return Some(found);
            }
        }
        seen(alpha, beta)
    }

    /// The value for the side to move; see the contract above. `None` if a limit is reached.
    fn value(
        &mut self,
        pos: &G::Position,
        depth: u32,
        ply: usize,
        alpha: Value,
        beta: Value,
    ) -> Option<Scored> {
        self.nodes += 1;
        if self.deadline.passed() || self.nodes > self.most_nodes {
            return None;
        }
        if self.lines.len() <= ply + 1 {
            self.lines.resize(ply + 2, Vec::new());
        }
        self.lines[ply].clear();
        if let Some(margin) = self.game.result(pos) {
            return Some(Scored { value: finished(margin, ply as u32), exact: true });
        }
        self.path.push(self.game, pos);
        let found = self.unfinished(pos, depth, ply, alpha, beta);
        self.path.pop();
        found
    }

    fn unfinished(
        &mut self,
        pos: &G::Position,
        depth: u32,
        ply: usize,
        alpha: Value,
        beta: Value,
    ) -> Option<Scored> {
        if self.path.repeats() {
            let margin = self.game.repetition_payoff(pos).unwrap_or_default();
            return Some(Scored { value: finished(margin, ply as u32), exact: true });
        }
        let Some(bounds) =
            self.oracle.filter(|_| self.path.is_fresh()).and_then(|oracle| oracle.probe(self.game, pos))
        else {
            return self.searched(pos, depth, ply, alpha, beta);
        };
        if bounds.are_exact() {
            return Some(Scored { value: finished(bounds.lo, ply as u32), exact: true });
        }
        let [least, most] = value_between(bounds, ply);
        if least >= beta || most <= alpha {
            return Some(Scored { value: if least >= beta { least } else { most }, exact: true });
        }
        let found = self.searched(pos, depth, ply, alpha.max(least - 1), beta.min(most + 1))?;
        Some(Scored { value: found.value.clamp(least, most), ..found })
    }

    /// The value by the moves, or by the evaluator at depth 0.
    fn searched(
        &mut self,
        pos: &G::Position,
        depth: u32,
        ply: usize,
        mut alpha: Value,
        beta: Value,
    ) -> Option<Scored> {
        if depth == 0 {
            return Some(Scored { value: self.evaluator.evaluate(self.game, pos), exact: false });
        }
        let key = Key { word: fingerprint(pos) ^ self.path.salt(depth), check: 0 };
        let known = self.table.probe(key).map(|data| SearchEntry::unpack(data, ply));
        // With an open window the principal variation is needed, which the table does not store. Deeper values are other
        // values.
        if let Some(entry) = known.filter(|entry| beta - 1 <= alpha && entry.depth <= depth)
            && let Some(found) = entry.answers(depth, alpha, beta)
        {
            return Some(found);
        }
        let base = self.list(pos, ply, depth, known.map(|entry| entry.mv));
        let searched = self.best_of(pos, base, depth, ply, &mut alpha, beta);
        self.listed.truncate(base);
        let (found, mv, bound) = searched?;
        self.table.store(key, SearchEntry { found, mv, bound, depth }.pack(ply));
        Some(found)
    }

    /// Searches the moves listed from `base` on.
    fn best_of(
        &mut self,
        pos: &G::Position,
        base: usize,
        depth: u32,
        ply: usize,
        alpha: &mut Value,
        beta: Value,
    ) -> Option<(Scored, u16, Bound)> {
        let floor = *alpha;
        let mut best = Scored { value: -INFINITE, exact: true };
        let (mut place, mut all_exact) = (self.listed[base].place, true);
        for i in base..self.listed.len() {
            let at = self.listed[i];
            let mut next = pos.clone();
            self.game.play(&mut next, at.mv);
            let found = self.move_value(pos, &next, depth - 1, ply, *alpha, beta, i > base)?;
            all_exact &= found.exact;
            if found.value > best.value {
                (best, place) = (found, at.place);
                if found.value > *alpha {
                    *alpha = found.value;
                    self.keep_line(ply, at.mv);
                }
            }
            if found.value >= beta {
                self.remember_cutoff(pos, at.mv, ply, depth);
                return Some((found, place, Bound::AtLeast));
            }
        }
        // The best of all values depends on all of them.
        best.exact = all_exact;
        Some((best, place, if best.value > floor { Bound::Exact } else { Bound::AtMost }))
    }

    fn keep_line(&mut self, ply: usize, mv: G::Move) {
        let (before, after) = self.lines.split_at_mut(ply + 1);
        before[ply].clear();
        before[ply].push(mv);
        before[ply].extend_from_slice(&after[0]);
    }

    /// Lists the moves in the order in which they are searched; returns where the list begins.
    fn list(&mut self, pos: &G::Position, ply: usize, depth: u32, first: Option<u16>) -> usize {
        let base = self.listed.len();
        self.room.clear();
        self.game.moves(pos, &mut self.room);
        let killers = self.killers.get(ply).copied().unwrap_or_default();
        let side = self.game.turn(pos).index();
        for (place, &mv) in (0..).zip(&self.room) {
            let score = if first == Some(place) {
                FIRST
            } else {
                // Just above the leaves, evaluating a move for the ordering costs as much as searching it.
                let opinion = if depth < 2 || self.deadline.passed() {
                    0
                } else {
                    let mut next = pos.clone();
                    self.game.play(&mut next, mv);
                    self.evaluator.order(self.game, pos, &next).clamp(-30_000_000, 30_000_000)
                };
                let killer = killers.iter().position(|&killer| killer == Some(mv));
                let killer = killer.map_or(0, |n| 3 - n as Value);
                opinion * 64 + killer * 16 + self.history[side * MOVE_SLOTS + slot(&mv)].min(31)
            };
            self.listed.push(Listed { score, place, mv });
        }
        self.listed[base..].sort_unstable_by_key(|at| (Reverse(at.score), at.place));
        base
    }

    fn remember_cutoff(&mut self, pos: &G::Position, mv: G::Move, ply: usize, depth: u32) {
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, [None; 2]);
        }
        let killers = &mut self.killers[ply];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        let side = self.game.turn(pos).index();
        let count = &mut self.history[side * MOVE_SLOTS + slot(&mv)];
        *count = (*count + depth as i32).min(1 << 20);
    }
}

impl<G: Game, E: Evaluator<G>> RootSearch<G::Move> for Worker<'_, G, E> {
    fn moves(&mut self) -> Vec<G::Move> {
        let base = self.list(self.pos, 0, 2, None);
        self.listed.drain(base..).map(|at| at.mv).collect()
    }

    fn search_move(&mut self, mv: G::Move, window: Window) -> Option<Scored> {
        let Window { depth, alpha, beta, scout } = window;
        let mut next = self.pos.clone();
        self.game.play(&mut next, mv);
        self.move_value(self.pos, &next, depth - 1, 0, alpha, beta, scout)
    }

    fn line(&self) -> &[G::Move] {
        self.lines.get(1).map_or(&[], Vec::as_slice)
    }

    fn stopped(&mut self) -> bool {
        self.deadline.passed() || self.nodes >= self.most_nodes
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }
}

/// The least and the largest value of a game whose margin lies between the bounds. The bounds do not determine the length of
/// the game.
fn value_between(Bounds { lo, hi }: Bounds, ply: usize) -> [Value; 2] {
    let (soon, late) = (ply as u32, LATEST);
    [finished(lo, if lo.0 > 0 { late } else { soon }), finished(hi, if hi.0 > 0 { soon } else { late })]
}

#[inline]
fn slot<M: std::hash::Hash>(mv: &M) -> usize {
    fingerprint(mv) as usize % MOVE_SLOTS
}
