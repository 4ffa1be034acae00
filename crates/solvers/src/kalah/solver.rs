//! The solver as others use it: null windows from both ends, several threads, and tables of endings that grow along.
//!
//! Endings are bought when renting has become as dear: as soon as the search has taken about as long as the next layer takes
//! to fill, that layer is filled. So easy positions cost nothing, hard ones soon have large tables, and no guess about which
//! is which costs more than twice what knowing it would have.

use super::{
    board::{Beans, Node, Rules},
    endings::Endings,
    search::Search,
};
use crate::shared::{ProvedBounds, SearchThread, TranspositionTable, race};
use parlor_games::{
    kalah::{Kalah, Swift},
    rows::Rows,
};
use std::sync::atomic::{AtomicBool, Ordering};

/// A node of the search takes about as long as so many entries of a layer.
const ENTRIES_A_NODE: u64 = 25;
/// The table of proved bounds has one part of the memory in so many: it keeps what was hard to prove, so that a small one needs
/// hardly more nodes than a large one. The rest is for endings.
const PROVED_PART: usize = 16;

/// After so many nodes for one question, and then twice as many, easier ones are asked in between: a solve that is stopped
/// after a long time has narrow bounds.
const PATIENCE: u64 = 1 << 27;
/// One part in so many of them goes into each easier question.
const ASIDE: u64 = 16;

/// A window that was decided: what is proved now, without the pots, and how many nodes it took in all.
pub(super) type Progress<'a> = &'a mut dyn FnMut(ProvedBounds, u64);

/// Solves positions of one family of games; keeps what it has proved from one position to the next.
pub(super) struct Solver {
    game: Kalah,
    rows: &'static Rows,
    table: TranspositionTable,
    pub endings: Endings,
    threads: usize,
    pub nodes: u64,
    /// Nodes since the last layer was filled.
    since_filled: u64,
    /// Nodes spent on the question in hand, and how many there may be before easier ones are asked.
    on_this: u64,
    patience: u64,
    /// What was proved before of a position.
    root: Option<(Node, ProvedBounds)>,
    /// How many layers of endings there were when it was.
    layers: usize,
    /// The node at which the question in hand is given up.
    last: u64,
}

impl Solver {
    /// A solver that takes about so many bytes; none for boards that do not fit its words.
    pub fn new(game: &Kalah, memory: usize, threads: usize, mut endings: Endings) -> Option<Solver> {
        endings.most_bytes = memory - memory / PROVED_PART;
        Some(Solver {
            game: game.clone(),
            rows: game.rows()?,
            table: TranspositionTable::new::<Beans>((memory / PROVED_PART) >> 20),
            endings,
            threads: threads.max(1),
            nodes: 0,
            since_filled: 0,
            on_this: 0,
            patience: PATIENCE,
            root: None,
            layers: 0,
            last: u64::MAX,
        })
    }

    /// The value of a position, or bounds that contain it if it was stopped.
    /// Or after so many nodes: a layer of endings is begun only if there are some left.
    pub fn solve(
        &mut self,
        node: &Node,
        most: u64,
        stop: &AtomicBool,
        progress: Progress<'_>,
    ) -> ProvedBounds {
        self.last = self.nodes.saturating_add(most);
        let known = self.narrow(node, None, stop, progress);
        self.last = u64::MAX;
        known
    }

    /// Whether the side to move gets at least this much; none if it was stopped, or if `most` nodes do not tell.
    pub fn reaches(&mut self, margin: i32, node: &Node, most: u64, stop: &AtomicBool) -> Option<bool> {
        if most == u64::MAX {
            self.narrow(node, Some(margin), stop, &mut |_, _| ()).reach(margin)
        } else {
            self.decide(node, margin, most, stop).map(|value| value >= margin)
        }
    }

    fn narrow(
        &mut self,
        node: &Node,
        asked: Option<i32>,
        stop: &AtomicBool,
        progress: Progress<'_>,
    ) -> ProvedBounds {
        let mut known = ProvedBounds { lo: -node.beans, hi: node.beans };
        if let Some((_, before)) = self.root.filter(|(root, _)| root == node) {
            known = known.and(before);
        }
        let before = self.nodes;
        if asked.is_none() && known.lo < known.hi {
            self.fill_again(stop);
        }
        // As odd or even as all its values.
        let mut beta = asked.unwrap_or((node.beans % 2).clamp(known.lo + 2, known.hi.max(known.lo + 2)));
        while known.lo < known.hi && asked.is_none_or(|asked| known.reach(asked).is_none()) {
            let (begun, most) = (self.nodes, self.patience.saturating_sub(self.on_this));
            let most =
                if asked.is_some() { u64::MAX } else { most }.min(self.last.saturating_sub(self.nodes));
            if most == 0 {
                break;
            }
            let decided = self.decide(node, beta, most, stop);
            self.on_this += self.nodes - begun;
            match decided {
                Some(value) => known = known.after(value, beta),
                None if stop.load(Ordering::Relaxed) || self.nodes >= self.last => break,
                None if asked.is_none() && self.on_this >= self.patience => {
                    (self.patience, self.on_this) = (2 * self.patience, 0);
                    self.ask_aside(node, &mut known, beta, stop);
                    progress(known, self.nodes - before);
                    beta = beta.clamp(known.lo + 2, known.hi.max(known.lo + 2));
                    continue;
                }
                None => {
                    self.endings.fill_next(self.threads, stop);
                    self.since_filled = 0;
                    continue;
                }
            }
            self.on_this = 0;
            progress(known, self.nodes - before);
            beta = asked.unwrap_or(if known.lo >= beta { known.lo + 2 } else { known.hi });
        }
        known
    }

    /// Easier questions than the one in hand, on both sides of it: half way to what is known, then nearer to that.
    fn ask_aside(&mut self, node: &Node, known: &mut ProvedBounds, beta: i32, stop: &AtomicBool) {
        let most = (self.patience / ASIDE).min(self.last.saturating_sub(self.nodes));
        let even = |distance: i32| distance / 2 * 2;
        let mut distance = even((beta - known.lo) / 2);
        while distance >= 2 {
            let easier = known.lo + distance;
            if let Some(value) = self.decide(node, easier, most, stop) {
                *known = known.after(value, easier);
            }
            distance = even((easier - known.lo) / 2);
        }
        let mut distance = even((known.hi - beta) / 2);
        while distance >= 2 {
            let easier = known.hi + 2 - distance;
            if let Some(value) = self.decide(node, easier, most, stop) {
                *known = known.after(value, easier);
            }
            distance = even((known.hi + 2 - easier) / 2);
        }
    }

    /// Layers that there were before, when this work was begun, are worth while at once.
    fn fill_again(&mut self, stop: &AtomicBool) {
        while self.endings.layers().len() < self.layers
            && self.endings.next_len().is_some()
            && !stop.load(Ordering::Relaxed)
        {
            self.endings.fill_next(self.threads, stop);
        }
    }

    /// What was hard to prove, and how many layers of endings it took.
    pub fn remembered(&self) -> Vec<u64> {
        let mut words = vec![self.endings.layers().len() as u64];
        words.extend(self.table.hard());
        words
    }

    /// Takes up what was proved before of a position, and what a solver remembered.
    pub fn recall(&mut self, node: &Node, known: ProvedBounds, words: &[u64]) {
        self.root = Some((*node, known));
        if let [layers, hard @ ..] = words {
            self.layers = usize::try_from(*layers).unwrap_or(0);
            self.table.learn::<Beans>(hard);
        }
    }

    /// One window by all threads: the first that has decided it stops the others. None if it was stopped, or if it is time
    /// for another layer of endings.
    fn decide(&mut self, node: &Node, beta: i32, most: u64, stop: &AtomicBool) -> Option<i32> {
        let affordable = self.endings.next_len().map_or(u64::MAX, |len| len / ENTRIES_A_NODE);
        let most_nodes = affordable.saturating_sub(self.since_filled).min(most);
        let layers = self.endings.layers();
        let ask = |thread: SearchThread<'_, Beans>| self.ask(thread, node, beta, &layers);
        let (decided, nodes) = race(self.threads, &self.table, most_nodes, stop, ask);
        self.nodes += nodes;
        self.since_filled += nodes;
        decided
    }

    /// One thread's answer, if it was not stopped, and how many nodes it took.
    fn ask(
        &self,
        thread: SearchThread<'_, Beans>,
        node: &Node,
        beta: i32,
        layers: &[&[i8]],
    ) -> (Option<i32>, u64) {
        match self.rows.holes() {
            1 => self.ask_sized::<1>(thread, node, beta, layers),
            2 => self.ask_sized::<2>(thread, node, beta, layers),
            3 => self.ask_sized::<3>(thread, node, beta, layers),
            4 => self.ask_sized::<4>(thread, node, beta, layers),
            5 => self.ask_sized::<5>(thread, node, beta, layers),
            6 => self.ask_sized::<6>(thread, node, beta, layers),
            7 => self.ask_sized::<7>(thread, node, beta, layers),
            _ => self.ask_sized::<8>(thread, node, beta, layers),
        }
    }

    fn ask_sized<const H: usize>(
        &self,
        thread: SearchThread<'_, Beans>,
        node: &Node,
        beta: i32,
        endings: &[&[i8]],
    ) -> (Option<i32>, u64) {
        let captures_into_empty = self.game.captures_into_empty();
        let rules = Rules::<H> { rows: self.rows, swift: Swift::of(H), captures_into_empty };
        let mut search = Search { rules, endings, thread };
        let value = search.search(node, beta);
        search.thread.outcome(value)
    }
}
