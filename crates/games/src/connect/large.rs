//! Boards of any supported size, with one word per column. Each word has Red's checkers as ones and a 1 just above its highest
//! checker, so the words alone determine the position. Rows are detected by stepping outwards from the last checker.
//!
//! ```text
//!   level 4   .        0
//!   level 3   .        1   <- the first vacant level
//!   level 2   red      1
//!   level 1   black    0
//!             a column its bits
//! ```

use super::{Checker, Column, LargeConnect, Threats, bits::Grid, large_eval, stones::Stones};
use parlor_core::{Side, Value, mix};

/// Checkers on the board, one word per column.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LargePosition {
    /// On the heap: searches keep hundreds of positions on their stack.
    columns: Box<[u128]>,
    plies: u16,
    /// Whether the side that moved last has a row.
    won: bool,
}

/// The 1 above the highest checker.
fn first_vacant(column: u128) -> u128 {
    // Never 0: an empty column has its lowest bit.
    1 << (127 - column.leading_zeros().min(127))
}

impl LargePosition {
    /// The first vacant level of each column as a bit, above the board where a column is full.
    pub(super) fn vacant(&self) -> impl Iterator<Item = u128> + '_ {
        self.columns.iter().map(|&column| first_vacant(column))
    }

    /// The checkers of a side, one word per column.
    pub(super) fn stones(&self, side: Side) -> impl Iterator<Item = u128> + '_ {
        self.columns.iter().map(move |&column| match side {
            Side::First => column ^ first_vacant(column),
            Side::Second => !column & (first_vacant(column) - 1),
        })
    }

    fn column(&self, column: u32) -> u128 {
        column.checked_sub(1).and_then(|at| self.columns.get(at as usize)).copied().unwrap_or(1)
    }

    /// The content of a cell; vacant outside the board.
    fn at(&self, column: u32, level: u32) -> Checker {
        let (word, bit) = (self.column(column), 1_u128.checked_shl(level.wrapping_sub(1)).unwrap_or(0));
        if bit == 0 || bit >= first_vacant(word) {
            Checker::Vacant
        } else if word & bit != 0 {
            Checker::Red
        } else {
            Checker::Black
        }
    }

    /// Whether the checker on a cell is part of `n` in a row.
    fn has_row_through(&self, column: u32, level: u32, n: u32) -> bool {
        let checker = self.at(column, level);
        let run = |dx: u32, dy: u32| {
            // Beyond the lower and the left edge the numbers wrap to cells outside the board, which are vacant.
            let cell =
                |i: u32| (column.wrapping_add(dx.wrapping_mul(i)), level.wrapping_add(dy.wrapping_mul(i)));
            (1..n).take_while(|&i| self.at(cell(i).0, cell(i).1) == checker).count() as u32
        };
        const BACK: u32 = u32::MAX;
        [[(1, 0), (BACK, 0)], [(0, 1), (0, BACK)], [(1, 1), (BACK, BACK)], [(1, BACK), (BACK, 1)]]
            .into_iter()
            .any(|ways| 1 + ways.into_iter().map(|(dx, dy)| run(dx, dy)).sum::<u32>() >= n)
    }

    /// The words of the columns, from left to right.
    fn words(&self) -> impl DoubleEndedIterator<Item = u128> + '_ {
        self.columns.iter().copied()
    }
}

impl Stones for LargePosition {
    type Masks = ();

    fn masks(_grid: Grid) -> Option<()> {
        Some(())
    }

    fn of_cells(grid: Grid, at: impl Fn(u32, u32) -> Checker, _turn: Side, won: bool) -> LargePosition {
        let mut plies = 0;
        let column = |column: u32| {
            let mut word = 0;
            let height = (1..=grid.levels).take_while(|&level| at(column, level) != Checker::Vacant).count();
            for level in (1..=height as u32).filter(|&level| at(column, level) == Checker::Red) {
                word |= 1 << (level - 1);
            }
            plies += height as u16;
            word | 1 << height
        };
        let columns = (1..=grid.columns).map(column).collect();
        LargePosition { columns, plies, won }
    }

    fn plies(&self) -> u32 {
        self.plies.into()
    }

    fn is_won(&self) -> bool {
        self.won
    }

    fn checker(&self, _game: &LargeConnect, column: u32, level: u32) -> Checker {
        self.at(column, level)
    }

    fn height(&self, _game: &LargeConnect, column: u32) -> u32 {
        first_vacant(self.column(column)).trailing_zeros()
    }

    fn is_full(&self, game: &LargeConnect) -> bool {
        u32::from(self.plies) == game.grid.cells()
    }

    fn columns_with_room(&self, game: &LargeConnect, out: &mut Vec<Column>) {
        let above = 1_u128 << game.grid.levels;
        let room = (1..).zip(self.words()).filter(|&(_, word)| word < above);
        out.extend(room.map(|(column, _)| Column(column)));
    }

    fn count_with_room(&self, game: &LargeConnect) -> u32 {
        self.words().filter(|&word| word >> game.grid.levels == 0).count() as u32
    }

    fn drop(&mut self, game: &LargeConnect, column: Column) {
        let Some(word) = self.columns.get_mut(usize::from(column.0).wrapping_sub(1)) else { return };
        let vacant = first_vacant(*word);
        // The 1 moves up; below it Red leaves a 1 and Black a 0.
        *word ^= if self.plies.is_multiple_of(2) { vacant << 1 } else { vacant | vacant << 1 };
        self.plies += 1;
        let level = vacant.trailing_zeros() + 1;
        self.won = game.has_rows() && self.has_row_through(column.0.into(), level, game.n);
    }

    fn key(&self, _game: &LargeConnect) -> u64 {
        let halves = |word: u128| [word as u64, (word >> 64) as u64];
        mix(self.words().flat_map(halves)).min(mix(self.words().rev().flat_map(halves)))
    }

    fn has_exact_key(_game: &LargeConnect) -> bool {
        false
    }

    fn evaluate(&self, game: &LargeConnect, weights: &Threats) -> Value {
        large_eval::evaluate(weights, game, self)
    }
}
