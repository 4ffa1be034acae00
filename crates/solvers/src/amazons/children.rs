//! Lists the children of a position for the Amazons proof searches: those that are not decided statically, with their slots
//! in the transposition table and their ordering scores. A child that is lost for the other side ends the listing: it
//! proves a win.

use super::{
    grid::{Grid, GridBoard},
    key::Keyed,
    numbers::Numbers,
    search::{AmazonsSearch, AmazonsTurn, Child, FILLER},
    state::{State, StaticResult},
};

/// Weights of the ordering score: a lead of one turn elsewhere, a square that only one side reaches in one move, and one that
/// only one side reaches in two. Found by experiments on small boards.
const LEAD: i32 = 4;
const NEAR: i32 = 3;
const FAR: i32 = 4;

impl<W: Keyed> AmazonsSearch<'_, W> {
    /// Lists the undecided children; returns true if the side to move wins by one that is decided.
    pub(super) fn list(&mut self, state: &State<W>) -> bool {
        let first = self.children.len();
        let winner = self.winners[state.board.empty.ones() as usize];
        if self.is_possible(state, winner) && self.try_first(state, winner) {
            return true;
        }
        match self.list_unseen(state, winner).or_else(|| self.probe_children(first)) {
            Some(turn) => {
                self.winners[state.board.empty.ones() as usize] = turn;
                true
            }
            None => false,
        }
    }

    fn is_possible(&self, state: &State<W>, [from, to, arrow]: AmazonsTurn) -> bool {
        let (grid, board) = (self.grid, state.board);
        let [from, to] = [from, to].map(u32::from);
        W::bit(from).meets(board.own)
            && W::bit(to).meets(grid.reach(from, board.empty))
            && W::bit(arrow.into()).meets(grid.reach(to, board.empty | W::bit(from)))
    }

    fn try_first(&mut self, state: &State<W>, turn: AmazonsTurn) -> bool {
        let [from, to, arrow] = turn.map(u32::from);
        let first = self.children.len();
        if self.loses(state.board.after(from, to, arrow), -state.lead, turn) {
            return true;
        }
        if self.children.len() > first {
            let slot = self.slot(&self.children[first].state);
            return self.known(slot) == Some(false);
        }
        false
    }

    /// Static analysis decides most children; the table is probed for the others afterwards.
    fn list_unseen(&mut self, state: &State<W>, but: AmazonsTurn) -> Option<AmazonsTurn> {
        let (grid, board) = (self.grid, state.board);
        for from in board.own.bits() {
            let open = board.empty | W::bit(from);
            for to in grid.reach(from, board.empty).bits() {
                // Large boards have thousands of children: the limits are checked while they are listed.
                if self.thread.is_over() {
                    return None;
                }
                for arrow in grid.reach(to, open).bits() {
                    let turn = [from, to, arrow].map(|bit| bit as u8);
                    if turn != but && self.loses(board.after(from, to, arrow), -state.lead, turn) {
                        return Some(turn);
                    }
                }
            }
        }
        // A turn elsewhere can be the best one if every turn on the board does harm (zugzwang).
        let waited = state.waited();
        (state.lead > 0 && self.loses(waited.board, waited.lead, [0; 3])).then_some([0; 3])
    }

    /// Whether the side to move on this board loses statically; lists the board if it is undecided.
    #[inline]
    fn loses(&mut self, board: GridBoard<W>, lead: i32, turn: AmazonsTurn) -> bool {
        self.thread.nodes += 1;
        match State::analyse(self.grid, &mut self.fillers, board, lead, FILLER) {
            StaticResult::Decided(won) => !won,
            StaticResult::Open(state) => {
                self.children.push(Child {
                    state,
                    slot: None,
                    order_score: 0,
                    numbers: Numbers::UNLIMITED,
                    turn,
                });
                false
            }
        }
    }

    /// Removes children that the table knows to be won for the other side; returns the turn to one that it knows to be lost
    /// (enhanced transposition cutoff). All slots are prefetched before any is read, because the table may be larger than the
    /// cache.
    fn probe_children(&mut self, first: usize) -> Option<AmazonsTurn> {
        for i in first..self.children.len() {
            let slot = self.slot(&self.children[i].state);
            slot.into_iter().for_each(|slot| self.thread.table.prefetch(slot));
            self.children[i].slot = slot;
        }
        let mut kept = first;
        for i in first..self.children.len() {
            match self.known(self.children[i].slot) {
                Some(true) => (),
                Some(false) => return Some(self.children[i].turn),
                None => {
                    self.children[i].order_score = order_score(self.grid, &self.children[i].state);
                    self.children.swap(kept, i);
                    kept += 1;
                }
            }
        }
        self.children.truncate(kept);
        None
    }
}

/// The ordering score of a position for the side to move: the squares that it reaches before the other side, in one or two
/// moves.
fn order_score<W: Keyed>(grid: &Grid<W>, state: &State<W>) -> i32 {
    let GridBoard { own, other, empty } = state.board;
    let near = [own, other].map(|queens| grid.slide(queens, empty));
    let far = near.map(|reached| reached | grid.slide(reached, empty));
    let ahead = |[own, other]: [W; 2]| (own & !other).ones() as i32 - (other & !own).ones() as i32;
    LEAD * state.lead + NEAR * ahead(near) + FAR * ahead(far)
}
