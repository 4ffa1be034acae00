//! Search state of Amazons: the contested regions, and the lead in turns of the side to move in all other regions.
//!
//! In combinatorial game theory a region of one side alone is an integer, the size of its filler, and a dead region is 0; so
//! they are removed from the board, and their turns are counted. Only the difference matters: one more turn for each side
//! changes nothing (the sum of a number and its negative is 0). The remaining board is smaller, and many positions become
//! equal.

use super::{
    fillers::Fillers,
    grid::{Grid, GridBoard},
    race::verdict,
    regions::{RegionKind, range, regions},
};
use crate::shared::Word;

/// The contested regions and the lead, both seen by the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State<W> {
    pub board: GridBoard<W>,
    pub lead: i32,
}

/// The result of a static analysis.
pub(super) enum StaticResult<W> {
    /// Whether the side to move wins.
    Decided(bool),
    Open(State<W>),
}

impl<W: Word> State<W> {
    /// Analyses a board with a lead statically: the winner, if that can be decided, else the board without its decided regions,
    /// which are counted. A region whose filler is not known exactly within the budget stays on the board.
    #[inline]
    pub fn analyse(
        grid: &Grid<W>,
        fillers: &mut Fillers<W>,
        board: GridBoard<W>,
        lead: i32,
        budget: u64,
    ) -> StaticResult<W> {
        let ranges = [board.own, board.other].map(|queens| range(grid, queens, board.empty));
        if let Some(won) = verdict(grid, fillers, board, ranges, lead, budget) {
            return StaticResult::Decided(won);
        }
        let mut state = State { board, lead };
        // If both sides reach every empty square and every queen is next to one, no region can be removed.
        let everywhere = ranges[0] & ranges[1] & board.empty == board.empty;
        if !everywhere || (board.own | board.other) & !grid.neighbours(board.empty) != W::ZERO {
            state.settle(grid, fillers, budget);
        }
        StaticResult::Open(state)
    }

    fn settle(&mut self, grid: &Grid<W>, fillers: &mut Fillers<W>, budget: u64) {
        let board = self.board;
        for region in regions(grid, board) {
            let empty = board.empty & region.squares;
            let (queens, sign) = match region.kind {
                RegionKind::Contested => continue,
                RegionKind::Dead => (W::ZERO, 0),
                RegionKind::Own => (board.own & region.squares, 1),
                RegionKind::Other => (board.other & region.squares, -1),
            };
            let turns = fillers.turns(grid, queens, empty, budget);
            if turns.lo == turns.hi {
                self.lead += sign * turns.lo as i32;
                self.remove(region.squares);
            }
        }
    }

    fn remove(&mut self, squares: W) {
        self.board.own &= !squares;
        self.board.other &= !squares;
        self.board.empty &= !squares;
    }

    /// The state after a turn of the lead instead of one on the board, if the side to move is ahead.
    pub fn waited(self) -> State<W> {
        let board = GridBoard { own: self.board.other, other: self.board.own, empty: self.board.empty };
        State { board, lead: -(self.lead - 1) }
    }
}
