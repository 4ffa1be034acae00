//! Depth-first search of who wins, on one thread: for positions with few empty squares, whose best replies are found quickly.
//! Larger ones are searched by df-pn in `proof.rs`; `children.rs` lists the children.
//!
//! **What an answer proves.** `wins(state)` is true if the side to move wins, false if it loses, and nothing at all once `stopped`
//! is set. A loss is proved by all turns, a win by one.

use super::{
    fillers::Fillers,
    grid::{Grid, GridBoard},
    key::{Keyed, Keys},
    numbers::Numbers,
    state::{State, StaticResult},
};
use crate::shared::{SearchThread, Slot};

/// The turn limit for counting one filler. On small boards no filler reaches it.
pub(super) const FILLER: u64 = 5000;
/// Positions with fewer empty squares are searched faster than they are looked up.
const REMEMBERED: u32 = 3;

/// Origin and target of the queen, and the arrow, as bits of the board. All 0 for a turn elsewhere.
pub(super) type AmazonsTurn = [u8; 3];

/// A position after a turn, seen by the side that moves next.
#[derive(Clone, Copy)]
pub(super) struct Child<W: Keyed> {
    pub state: State<W>,
    pub slot: Option<Slot<W::Key>>,
    /// Ordering score: the larger, the better for the side that moves next.
    pub order_score: i32,
    pub numbers: Numbers,
    pub turn: AmazonsTurn,
}

/// State of one search thread.
pub(super) struct AmazonsSearch<'a, W: Keyed> {
    pub grid: &'a Grid<W>,
    pub keys: &'a Keys<W>,
    pub thread: SearchThread<'a, W::Key>,
    pub fillers: Fillers<W>,
    /// A stack of the children of all positions on the path.
    pub children: Vec<Child<W>>,
    /// Killer moves by the number of empty squares: the turn that won last.
    pub winners: [AmazonsTurn; 128],
}

impl<'a, W: Keyed> AmazonsSearch<'a, W> {
    pub fn new(grid: &'a Grid<W>, keys: &'a Keys<W>, thread: SearchThread<'a, W::Key>) -> Self {
        let winners = [[0; 3]; 128];
        AmazonsSearch { grid, keys, thread, fillers: Fillers::new(), children: Vec::new(), winners }
    }

    /// Whether the side to move wins; `None` if it was stopped.
    pub fn root(&mut self, board: GridBoard<W>) -> Option<bool> {
        self.thread.nodes += 1;
        match State::analyse(self.grid, &mut self.fillers, board, 0, FILLER) {
            StaticResult::Decided(won) => Some(won),
            StaticResult::Open(state) => {
                let slot = self.slot(&state);
                let known = self.known(slot);
                let found = || self.prove(state, slot, Numbers::UNLIMITED).decided();
                known.or_else(found).filter(|_| !self.thread.stopped)
            }
        }
    }

    /// The state's slot in the transposition table.
    #[inline]
    pub fn slot(&self, state: &State<W>) -> Option<Slot<W::Key>> {
        if state.board.empty.ones() < REMEMBERED {
            return None;
        }
        W::key(self.keys, state).map(|key| self.thread.table.slot(key))
    }

    /// Whether the side to move wins, according to the table.
    #[inline]
    pub fn known(&self, slot: Option<Slot<W::Key>>) -> Option<bool> {
        Numbers::unpack(self.thread.table.probe(slot?)?).decided()
    }

    /// Stores a result that took this many nodes.
    pub fn store(&self, slot: Option<Slot<W::Key>>, numbers: Numbers, nodes: u64) {
        if let Some(slot) = slot.filter(|_| !self.thread.stopped) {
            self.thread.table.store(slot, numbers.pack(), nodes);
        }
    }

    /// Whether the side to move wins, by searching the children. The table was probed before.
    pub fn wins(&mut self, state: &State<W>, slot: Option<Slot<W::Key>>) -> bool {
        if self.thread.is_over() {
            return false;
        }
        let (begun, first) = (self.thread.nodes, self.children.len());
        let won = self.list(state) || self.wins_by_child(first, state.board.empty.ones());
        self.children.truncate(first);
        self.store(slot, Numbers::proved(won), self.thread.nodes - begun);
        won
    }

    fn wins_by_child(&mut self, first: usize, empty: u32) -> bool {
        self.children[first..].sort_unstable_by_key(|child| child.order_score);
        for i in first..self.children.len() {
            let Child { state, slot, turn, .. } = self.children[i];
            // It may have been decided while an earlier child was searched.
            let won = self.known(slot).unwrap_or_else(|| self.wins(&state, slot));
            if self.thread.stopped {
                return false;
            }
            if !won {
                self.winners[empty as usize] = turn;
                return true;
            }
        }
        false
    }
}
