//! Proof search on one thread: alpha-beta that returns proved bounds of the margin. It uses enhanced transposition cutoff
//! (Schaeffer and Plaat 1996) in games without cycles, iterative deepening in games with cycles, and the history heuristic.
//!
//! **What an answer proves.** `bounds(pos, alpha, beta, depth)` returns bounds that contain the true margin of the position as
//! it is reached, always, whatever the depth. With respect to the window:
//! - `hi <= alpha`: the margin is at most `hi`, so it does not reach the window from below.
//! - `lo >= beta`: the margin is at least `lo`; the rest was not searched.
//! - `lo == hi` between them: it is exact.
//! - anything else: lines longer than `depth` matter, and the question is open. With unlimited depth this cannot happen.
//!
//! The table stores such bounds without the banked part, under exact keys, or under two independent hashes if there are none.
//! In games with repetition a key also covers the history of the position (see [`crate::path`]), unless no cycle can close.

use crate::{
    Deadline, Key, Random, TranspositionTable,
    entry::ProofEntry,
    path::{Path, fingerprint},
};
use parlor_core::{Bounds, Evaluator, Game, Margin, Oracle, Value};
use std::cmp::Reverse;

const UNLIMITED: u32 = u32::MAX;
/// Iterative deepening stops at this depth, for instance in games with cycles.
const DEEPEST_HORIZON: u32 = 250;
/// The longest line that is searched: the stack is limited.
const LONGEST_LINE: u32 = 50_000;

struct Child<G: Game> {
    score: Value,
    place: u16,
    mv: G::Move,
    pos: G::Position,
    /// Bounds of the child before it is searched, seen by the side that moves to it.
    known: Bounds,
}

/// State of one search thread.
pub(crate) struct Prover<'a, G: Game, E> {
    game: &'a G,
    evaluator: &'a E,
    oracle: Option<&'a dyn Oracle<G>>,
    table: &'a TranspositionTable,
    deadline: Deadline<'a>,
    pub nodes: u64,
    pub most_nodes: u64,
    /// Whether it uses iterative deepening instead of searching to the end of the game at once.
    pub deepens: bool,
    path: Path<G>,
    room: Vec<G::Move>,
    /// Unused lists, for reuse.
    lists: Vec<Vec<Child<G>>>,
    history: Vec<i32>,
    chance: Option<Random>,
}

const MOVE_SLOTS: usize = 4096;

/// Known bounds of a position, and its key.
#[derive(Clone, Copy)]
struct KnownPosition {
    key: Option<Key>,
    bounds: Bounds,
    place: Option<u16>,
}

impl<'a, G: Game, E: Evaluator<G>> Prover<'a, G, E> {
    pub fn new(
        game: &'a G,
        positions: &[G::Position],
        evaluator: &'a E,
        oracle: Option<&'a dyn Oracle<G>>,
        table: &'a TranspositionTable,
        deadline: Deadline<'a>,
    ) -> Self {
        let path = Path::of(game, positions);
        Prover {
            game,
            evaluator,
            oracle,
            table,
            deadline,
            nodes: 0,
            most_nodes: u64::MAX,
            deepens: path.is_cyclic(),
            path,
            room: Vec::new(),
            lists: Vec::new(),
            history: vec![0; 2 * MOVE_SLOTS],
            chance: None,
        }
    }

    /// Randomises the order of equally promising moves, so that helper threads search different ones.
    pub fn shuffle(&mut self, seed: u64) {
        self.chance = Some(Random::new(seed));
    }

    /// Decides whether the root's margin is at least `asked`: returns bounds that decide it, or `None` if a limit came first.
    /// Iterative deepening begins at the horizon.
    pub fn ask(&mut self, root: &G::Position, asked: Margin, horizon: &mut u32) -> Option<Bounds> {
        let (alpha, beta) = (asked.0 - 1, asked.0);
        if !self.deepens {
            return self.root(root, alpha, beta, UNLIMITED);
        }
        while *horizon <= DEEPEST_HORIZON {
            let found = self.root(root, alpha, beta, *horizon)?;
            if found.lo.0 >= beta || found.hi.0 <= alpha {
                return Some(found);
            }
            *horizon += 1;
        }
        None
    }

    /// Like a search of a child, except that the path already contains the position.
    fn root(&mut self, pos: &G::Position, alpha: i16, beta: i16, depth: u32) -> Option<Bounds> {
        self.nodes += 1;
        let known = self.known(pos, depth);
        self.expand(pos, known, alpha, beta, depth, 0)
    }

    fn bounds(&mut self, pos: &G::Position, alpha: i16, beta: i16, depth: u32, ply: u32) -> Option<Bounds> {
        self.nodes += 1;
        if self.deadline.passed() || self.nodes > self.most_nodes || ply > LONGEST_LINE {
            return None;
        }
        if let Some(margin) = self.game.result(pos) {
            return Some(Bounds::exactly(margin));
        }
        self.path.push(self.game, pos);
        let found = if self.path.repeats() {
            Some(Bounds::exactly(self.game.repetition_payoff(pos).unwrap_or_default()))
        } else {
            let known = self.known(pos, depth);
            let decided = known.bounds.lo.0 >= beta || known.bounds.hi.0 <= alpha || known.bounds.are_exact();
            if decided || depth == 0 {
                Some(known.bounds)
            } else {
                self.expand(pos, known, alpha, beta, depth, ply)
            }
        };
        self.path.pop();
        found
    }

    /// Bounds by rules, oracle and table of the position that was reached last on the path.
    fn known(&self, pos: &G::Position, depth: u32) -> KnownPosition {
        let mut bounds = self.game.bounds(pos);
        // An oracle does not know the history, so it is probed only if no earlier position can return.
        if let Some(oracle) = self.oracle.filter(|_| self.path.is_fresh())
            && let Some(looked_up) = oracle.probe(self.game, pos)
        {
            bounds = bounds.and(looked_up);
        }
        let Some(key) = self.key(pos) else { return KnownPosition { key: None, bounds, place: None } };
        let salted = |salt: u64| Key { word: key.word ^ salt, check: key.check ^ salt };
        let banked = self.game.banked(pos).0;
        let mut place = None;
        let mut learn = |data: u64| {
            let entry = ProofEntry::unpack(data);
            let learnt = Bounds { lo: Margin(entry.lo + banked), hi: Margin(entry.hi + banked) };
            bounds = bounds.and(learnt);
            place = Some(entry.mv);
        };
        if !self.path.is_cyclic() {
            self.table.probe(key).into_iter().for_each(&mut learn);
            return KnownPosition { key: Some(key), bounds, place };
        }
        // Without its path a position may use only proofs that end before any cycle closes. No proof deeper than the search is
        // used, because the entry of this position must not depend on more than its own depth.
        let shallow = |data: &u64| (*data & 0xFF) as u32 <= depth;
        let free = |data: &u64| self.path.free_of_cycles((*data & 0xFF) as u32);
        self.table.probe(key).filter(shallow).filter(free).into_iter().for_each(&mut learn);
        let by_path = salted(self.path.salt(UNLIMITED));
        self.table.probe(by_path).filter(shallow).into_iter().for_each(&mut learn);
        KnownPosition { key: Some(salted(self.path.salt(depth))), bounds, place }
    }

    /// `None` if the position's key is a hash and the table stores only exact ones.
    fn key(&self, pos: &G::Position) -> Option<Key> {
        let word = self.game.key(pos);
        match self.table.checks() {
            true => Some(Key { word, check: fingerprint(pos) }),
            false => self.game.exact_key(pos).then_some(Key { word, check: 0 }),
        }
    }

    fn expand(
        &mut self,
        pos: &G::Position,
        known: KnownPosition,
        alpha: i16,
        beta: i16,
        depth: u32,
        ply: u32,
    ) -> Option<Bounds> {
        let begun = self.nodes;
        let mut list = self.lists.pop().unwrap_or_default();
        let cut = self.list(pos, &known, beta, depth, &mut list);
        let searched = match cut {
            Some(place) => Some((Bounds { lo: list[0].known.lo, hi: known.bounds.hi }, place)),
            None => self.best_of(pos, &mut list, known.bounds, [alpha, beta], depth, ply),
        };
        list.clear();
        self.lists.push(list);
        let (found, place) = searched?;
        // Rules and table may prove more than the moves do within the depth.
        let found = found.and(known.bounds);
        if let Some(key) = known.key.filter(|_| found != self.game.bounds(pos)) {
            let banked = self.game.banked(pos).0;
            let rank =
                if self.path.is_cyclic() { depth.min(255) } else { (self.nodes - begun + 1).ilog2() + 1 };
            let entry = ProofEntry { lo: found.lo.0 - banked, hi: found.hi.0 - banked, mv: place };
            self.table.store(key, entry.pack(rank as u8));
        }
        Some(found)
    }

    /// Searches the children. After a cutoff, the unsearched ones keep their known bounds.
    fn best_of(
        &mut self,
        pos: &G::Position,
        list: &mut [Child<G>],
        known: Bounds,
        [mut alpha, beta]: [i16; 2],
        depth: u32,
        ply: u32,
    ) -> Option<(Bounds, u16)> {
        let turn = self.game.turn(pos);
        let deeper = if depth == UNLIMITED { depth } else { depth - 1 };
        let mut best = Bounds { lo: Margin(i16::MIN), hi: Margin(i16::MIN) };
        let mut place = list[0].place;
        for child in list {
            let found = if child.known.hi.0 <= alpha || child.known.are_exact() {
                child.known
            } else if self.game.turn(&child.pos) == turn {
                self.bounds(&child.pos, alpha, beta, deeper, ply + 1)?
            } else {
                -self.bounds(&child.pos, -beta, -alpha, deeper, ply + 1)?
            };
            if found.lo > best.lo {
                place = child.place;
            }
            best = Bounds { lo: best.lo.max(found.lo), hi: best.hi.max(found.hi) };
            alpha = alpha.max(found.lo.0);
            if found.lo.0 >= beta {
                let slot = slot::<G>(self.game, pos, child.mv);
                self.history[slot] = (self.history[slot] + 1).min(1 << 20);
                return Some((Bounds { lo: best.lo, hi: known.hi }, child.place));
            }
        }
        Some((best, place))
    }

    /// Lists the children in the order in which they are searched. If one is known to reach `beta`, it comes first and its
    /// index is returned: nothing needs to be searched (enhanced transposition cutoff).
    fn list(
        &mut self,
        pos: &G::Position,
        above: &KnownPosition,
        beta: i16,
        depth: u32,
        list: &mut Vec<Child<G>>,
    ) -> Option<u16> {
        let mut room = std::mem::take(&mut self.room);
        room.clear();
        self.game.moves(pos, &mut room);
        let turn = self.game.turn(pos);
        let mut cut = None;
        for (place, &mv) in (0..).zip(&room) {
            // Listing hundreds of children takes time, so the clock is checked meanwhile.
            self.deadline.passed();
            let mut next = pos.clone();
            self.game.play(&mut next, mv);
            let seen = self.glimpse(&next, depth);
            let known = if self.game.turn(&next) == turn { seen } else { -seen };
            let score = if above.place == Some(place) {
                Value::MAX
            } else {
                let opinion = self.evaluator.order(self.game, pos, &next).clamp(-1_000_000, 1_000_000);
                let chance = self.chance.as_mut().map_or(0, |random| random.below(64) as Value);
                opinion * 1024 + self.history[slot::<G>(self.game, pos, mv)].min(960) + chance
            };
            let child = Child { score, place, mv, pos: next, known };
            if known.lo.0 >= beta {
                list.insert(0, child);
                cut = Some(place);
                break;
            }
            list.push(child);
        }
        self.room = room;
        if cut.is_none() {
            list.sort_unstable_by_key(|child| (Reverse(child.score), child.place));
        }
        cut
    }

    /// Bounds of a child that are known without a search. In games with repetition the table is not probed before the child is
    /// reached.
    fn glimpse(&self, pos: &G::Position, depth: u32) -> Bounds {
        match self.game.result(pos) {
            Some(margin) => Bounds::exactly(margin),
            None if self.path.is_cyclic() => self.game.bounds(pos),
            None => self.known(pos, depth).bounds,
        }
    }

    /// The moves that preserve the margin, as far as the table has them.
    pub fn line(&mut self, root: &G::Position, margin: Margin) -> Vec<G::Move> {
        let (mut pos, mut margin, mut line) = (root.clone(), margin, Vec::new());
        let mut moves = Vec::new();
        while self.game.result(&pos).is_none() && line.len() < 1000 {
            moves.clear();
            self.game.moves(&pos, &mut moves);
            let turn = self.game.turn(&pos);
            let keeps = moves.iter().find_map(|&mv| {
                let mut next = pos.clone();
                self.game.play(&mut next, mv);
                let wanted = if self.game.turn(&next) == turn { margin } else { -margin };
                self.path.push(self.game, &next);
                let known = match self.game.result(&next) {
                    Some(margin) => Bounds::exactly(margin),
                    None if self.path.repeats() => {
                        Bounds::exactly(self.game.repetition_payoff(&next).unwrap_or_default())
                    }
                    None => self.known(&next, UNLIMITED).bounds,
                };
                // The mover gets at least the margin, and cannot get more.
                let again = self.game.turn(&next) == turn;
                let kept = if again { known.lo >= wanted } else { known.hi <= wanted };
                if !kept {
                    self.path.pop();
                }
                kept.then_some((mv, next, wanted))
            });
            let Some((mv, next, wanted)) = keeps else { break };
            line.push(mv);
            (pos, margin) = (next, wanted);
        }
        line
    }
}

#[inline]
fn slot<G: Game>(game: &G, pos: &G::Position, mv: G::Move) -> usize {
    game.turn(pos).index() * MOVE_SLOTS + fingerprint(&mv) as usize % MOVE_SLOTS
}
