//! The driver of the Amazons proof search: a board of any size, one thread or several, a transposition table that grows
//! with the work, stopped at any time.

use super::{
    fillers::Fillers,
    grid::Grid,
    key::{Keyed, Keys},
    numbers::Numbers,
    search::{AmazonsSearch, FILLER},
    state::{State, StaticResult},
};
use crate::shared::{GrowingTable, Growth, race};
use parlor_games::amazons::{Amazons, Position};
use std::sync::atomic::{AtomicBool, Ordering};

const GROWTH: Growth = Growth { first_mib: 4, factor: 16, nodes_an_entry: 8 };
/// One thread searches this many nodes first, because several threads do not pay off for easy positions.
const ALONE: u64 = 20_000;

/// Proves the winner, on boards of one size; keeps its table between positions.
pub(super) trait Prove: Send {
    /// Whether the side to move wins; `None` if it was stopped, or if `most_nodes` nodes do not suffice.
    fn wins(&mut self, pos: &Position, most_nodes: u64, stop: &AtomicBool) -> Option<bool>;
    /// Whether the side to move wins, if that is decided statically or by the table.
    fn knows(&mut self, pos: &Position) -> Option<bool>;
    fn nodes(&self) -> u64;
    /// Whether its keys are exact and not hashes.
    fn is_exact(&self) -> bool;
    /// Results that were hard to prove.
    fn remembered(&self) -> Vec<u64>;
    /// Restores what `remembered` returned.
    fn recall(&mut self, words: &[u64]);
}

/// A solver with the smallest word for boards of this size, with a table of about `memory` bytes at most.
pub(super) fn prover(game: &Amazons, memory: usize, threads: usize) -> Box<dyn Prove> {
    let most_mib = memory >> 20;
    // The lowest bit is never a square, and an exact key has 30 squares.
    match game.columns() * game.rows() {
        ..=30 => Box::new(AmazonsSolver::<u32>::new(game, most_mib, threads)),
        31..=63 => Box::new(AmazonsSolver::<u64>::new(game, most_mib, threads)),
        _ => Box::new(AmazonsSolver::<u128>::new(game, most_mib, threads)),
    }
}

struct AmazonsSolver<W: Keyed> {
    grid: Grid<W>,
    keys: Keys<W>,
    fillers: Fillers<W>,
    table: GrowingTable,
    threads: usize,
    nodes: u64,
}

impl<W: Keyed> AmazonsSolver<W> {
    fn new(game: &Amazons, most_mib: usize, threads: usize) -> AmazonsSolver<W> {
        let grid = Grid::new(game);
        AmazonsSolver {
            keys: Keys::new(game, &grid),
            grid,
            fillers: Fillers::new(),
            table: GrowingTable::new::<W::Key>(GROWTH, most_mib),
            threads: threads.max(1),
            nodes: 0,
        }
    }

    /// Searches with this many threads and at most this many nodes.
    fn ask(&mut self, pos: &Position, most_nodes: u64, threads: usize, stop: &AtomicBool) -> Option<bool> {
        let board = self.grid.board(pos, pos.turn);
        // One node more, because a search that has just reached its limit has stopped.
        let most_nodes = most_nodes.saturating_add(1);
        let (won, nodes) = race(threads, &self.table, most_nodes, stop, |thread| {
            let mut search = AmazonsSearch::new(&self.grid, &self.keys, thread);
            (search.root(board), search.thread.nodes)
        });
        self.nodes += nodes;
        self.table.count(nodes);
        won
    }
}

impl<W: Keyed> Prove for AmazonsSolver<W> {
    fn wins(&mut self, pos: &Position, most_nodes: u64, stop: &AtomicBool) -> Option<bool> {
        let last = self.nodes.saturating_add(most_nodes);
        let mut found = self.ask(pos, most_nodes.min(ALONE), 1, stop);
        while found.is_none() && self.nodes < last && !stop.load(Ordering::Relaxed) {
            if self.table.room() < ALONE {
                self.table.grow::<W::Key>();
            }
            let most_nodes = (last - self.nodes).min(self.table.room());
            found = self.ask(pos, most_nodes, self.threads, stop);
        }
        found
    }

    fn knows(&mut self, pos: &Position) -> Option<bool> {
        let board = self.grid.board(pos, pos.turn);
        match State::analyse(&self.grid, &mut self.fillers, board, 0, FILLER) {
            StaticResult::Decided(won) => Some(won),
            StaticResult::Open(state) => {
                let key = W::key(&self.keys, &state)?;
                Numbers::unpack(self.table.probe(self.table.slot(key))?).decided()
            }
        }
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }

    fn is_exact(&self) -> bool {
        W::EXACT
    }

    fn remembered(&self) -> Vec<u64> {
        self.table.hard()
    }

    fn recall(&mut self, words: &[u64]) {
        self.table.learn::<W::Key>(words);
    }
}
