//! The follow-up strategy: the result that a player can force by always answering in the same column. It is the rule
//! "claimeven" of Allis (A Knowledge-based Approach of Connect-Four, 1988), applied to the whole board and extended here to
//! columns with an odd number of vacant cells and to columns that the opponent must not enter ("poisoned").
//!
//! Let X be to move and F be the follower, who answers each move of X with the cell just above it. Number the vacant cells
//! of a column 1, 2, 3 … from the bottom; X then gets odd ones and F even ones.
//!
//! ```text
//!   4   F            F's cell          A column is poisoned if an even cell would complete a row of F's: as soon as X
//!   3   x  <- X would have to          takes the cell below it, F wins. X can use the cells below that one, which are
//!   2   F     play here                even in number, and neither side goes further up.
//!   1   x
//! ```
//!
//! Columns with an odd number of vacant cells that are not poisoned need care: when X takes the last cell of one, F has no
//! answer above it. But if their number is even, another of them is left, F plays there, and their number is even again. In
//! such columns X may get any cell, though never two above each other.
//!
//! So, if the number of odd columns is even: X gets only its stones, odd cells of even columns, the odd cells of poisoned
//! columns up to the poison, and any cell of odd columns. If these contain no row, with at most one cell below a poison in
//! it (taking one loses unless it wins at once), then **X cannot win**. Upright rows need no check: X never gets two
//! cells above each other, and cannot complete one at once. And if a column is poisoned, X runs out of other moves, because
//! everything else is filled in pairs: **X loses**, at the latest when all cells but those from below the poison upwards
//! are filled.

use super::lines::{Lines, Shape};
use crate::shared::Word;

/// No bound: the strategy proves nothing here.
pub(super) const NOTHING: i32 = i32::MAX;

impl<W: Word, S: Shape> Lines<W, S> {
    /// An upper bound of the value for the side to move, if the strategy proves that it is at most `need`. `own` are its
    /// stones, `theirs` the vacant cells that complete a row of the other side; none of them can be played at once, and no cell
    /// that can be played at once completes a row of the mover.
    #[inline(always)]
    pub fn follow_up_bound(&self, own: W, all: W, theirs: W, need: i32) -> i32 {
        let (odd, even) = self.alternating(all);
        let mut closed = theirs & even;
        for _ in 1..self.shape.levels() {
            closed |= closed << 1 & self.board;
        }
        let poison = closed & !(closed << 1);
        let below = poison >> 1;
        let most = -(((closed.ones() + below.ones()) / 2) as i32);
        // An odd column's highest cell is an odd one.
        let open = odd & self.top & !closed;
        if most > need || open.ones() % 2 == 1 {
            return NOTHING;
        }
        let reached = own | odd & !closed & !below | self.vacant_columns(open, all);
        if self.has_slanted_row(reached)
            || !below.is_zero() && !(self.completing_slanted(reached) & below).is_zero()
        {
            return NOTHING;
        }
        most
    }

    /// The vacant cells of odd number in their columns, and those of even number.
    #[inline(always)]
    fn alternating(&self, all: W) -> (W, W) {
        let mut cell = self.next(all);
        let (mut odd, mut even) = (cell, W::ZERO);
        for i in 1..self.shape.levels() {
            cell = cell << 1 & self.board;
            if i % 2 == 1 {
                even |= cell;
            } else {
                odd |= cell;
            }
        }
        (odd, even)
    }

    /// All vacant cells of the columns whose highest cells these are.
    #[inline(always)]
    fn vacant_columns(&self, highest: W, all: W) -> W {
        let mut cells = highest;
        if !highest.is_zero() {
            for _ in 1..self.shape.levels() {
                cells |= cells >> 1 & self.board & !all;
            }
        }
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connect::lines::Fixed;

    type Board = Lines<u64, Fixed<7, 6, 4>>;

    /// Stones of the side to move and all stones after these columns.
    fn after(moves: &str) -> (u64, u64) {
        let lines = Board::new(Fixed);
        moves.bytes().fold((0, 0), |(own, all), column| {
            let cell = lines.next(all) & (0x3F << (u32::from(column - b'1') * 7));
            (own ^ all, all | cell)
        })
    }

    #[test]
    fn on_the_empty_board_a_follower_cannot_be_sure_of_anything() {
        assert_eq!(Board::new(Fixed).follow_up_bound(0, 0, 0, 0), NOTHING);
    }

    #[test]
    fn a_poisoned_last_column_loses_for_the_side_that_must_play_there() {
        // Only the last two cells of column 1 are vacant, and the upper one completes a row of the other side.
        let lines = Board::new(Fixed);
        let all = lines.board & !(0b11 << 4);
        assert_eq!(lines.follow_up_bound(0, all, 1 << 5, 0), -1);
        assert_eq!(lines.follow_up_bound(0, all, 0, 0), 0);
        assert_eq!(lines.follow_up_bound(0, all, 0, -1), NOTHING, "more is asked than the theorem can tell");
    }

    #[test]
    fn a_pair_of_open_columns_is_followed_too() {
        let (own, all) = after("44");
        let lines = Board::new(Fixed);
        assert_eq!(lines.follow_up_bound(own, all, lines.completing(own ^ all, all), 0), NOTHING);
    }
}
