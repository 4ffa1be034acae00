//! Bitboard layout of the cells, and detection of lines by shifting. This file has sizes and N, but no turns and no moves.
//!
//! Columns follow one another, each with one more bit than it has levels; that bit is always 0, so that no line runs from the
//! top of a column into the bottom of the next. Three columns of two levels:
//!
//! ```text
//!   .  .  .      2  5  8      always 0
//!   .  .  .      1  4  7      level 2
//!   .  .  .      0  3  6      level 1
//! ```
//!
//! One step up is a shift by 1, one to the right a shift by levels + 1, diagonals by one more or one less.

pub(super) const MOST_COLUMNS: u32 = 64;
/// The most levels of a board: a column with its separator fits 128 bits.
pub(super) const MOST_LEVELS: u32 = 127;
/// The most bits that a board of one word takes, separators included.
const MOST_BITS: u32 = 128;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    pub columns: u32,
    pub levels: u32,
}

impl Grid {
    /// `None` if the board is not supported.
    pub fn new(columns: u32, levels: u32) -> Option<Grid> {
        let is_supported = (1..=MOST_COLUMNS).contains(&columns) && (1..=MOST_LEVELS).contains(&levels);
        is_supported.then_some(Grid { columns, levels })
    }

    /// Whether all cells and separators fit a word of 128 bits. Only then a cell has a [`Grid::bit`].
    pub fn fits_a_word(self) -> bool {
        self.columns * self.stride() <= MOST_BITS
    }

    /// Bits from one column to the next.
    #[inline]
    pub fn stride(self) -> u32 {
        self.levels + 1
    }

    pub fn cells(self) -> u32 {
        self.columns * self.levels
    }

    /// Whether everything fits 64 bits.
    #[inline]
    pub fn is_small(self) -> bool {
        self.columns * self.stride() <= 64
    }

    /// The bit of a cell; columns and levels count from 1.
    #[inline]
    pub fn bit(self, column: u32, level: u32) -> u128 {
        1 << ((column - 1) * self.stride() + level - 1)
    }

    pub fn bottom(self) -> u128 {
        (1..=self.columns).map(|column| self.bit(column, 1)).sum()
    }

    pub fn top(self) -> u128 {
        self.bottom() << (self.levels - 1)
    }

    /// Column and level of the bit with this index.
    pub fn place(self, index: u32) -> (u32, u32) {
        (index / self.stride() + 1, index % self.stride() + 1)
    }

    /// One step in each of the four directions, as a shift: up, right, up and right, down and right.
    #[inline]
    pub fn steps(self) -> [u32; 4] {
        [1, self.stride(), self.stride() + 1, self.stride() - 1]
    }

    pub fn mirror(self, stones: u128) -> u128 {
        let column = u128::MAX >> (MOST_BITS - self.stride());
        (0..self.columns).fold(0, |out, i| {
            out | ((stones >> (i * self.stride())) & column) << ((self.columns - 1 - i) * self.stride())
        })
    }
}

macro_rules! has_line {
    ($name:ident, $word:ty) => {
        /// Whether the stones have `n` in a row in one of the directions. `n` is at most the longer side of the board.
        ///
        /// Shifting and masking doubles the length looked for: after it, a set bit marks the beginning of a row of `length`.
        #[inline]
        pub(super) fn $name(stones: $word, n: u32, steps: [u32; 4]) -> bool {
            steps.into_iter().any(|step| {
                let (mut rows, mut length) = (stones, 1);
                while length < n && rows != 0 {
                    let more = length.min(n - length);
                    rows &= rows.checked_shr(more * step).unwrap_or(0);
                    length += more;
                }
                rows != 0
            })
        }
    };
}

has_line!(has_line_64, u64);
has_line!(has_line_128, u128);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_fits_a_word_if_its_columns_with_separators_do() {
        assert!(Grid::new(7, 6).is_some_and(Grid::is_small));
        assert!(Grid::new(8, 7).is_some_and(Grid::is_small));
        assert!(Grid::new(9, 7).is_some_and(|grid| !grid.is_small()));
        for (columns, levels, fits) in [(64, 1, true), (1, 127, true), (12, 10, false), (64, 127, false)] {
            assert_eq!(Grid::new(columns, levels).map(Grid::fits_a_word), Some(fits), "{columns}x{levels}");
        }
        for (columns, levels) in [(0, 1), (1, 0), (65, 1), (1, 128), (u32::MAX, u32::MAX)] {
            assert_eq!(Grid::new(columns, levels), None);
        }
    }

    #[test]
    fn lines_do_not_run_round_the_edge() {
        let grid = Grid::new(4, 4).expect("it fits");
        let around = grid.bit(1, 3) | grid.bit(1, 4) | grid.bit(2, 1) | grid.bit(2, 2);
        assert!(!has_line_128(around, 4, grid.steps()));
        assert!(has_line_128(around, 2, grid.steps()));
        assert!(!has_line_64(around as u64, 4, grid.steps()));
    }

    #[test]
    fn the_mirror_of_the_mirror_is_the_board() {
        let grid = Grid::new(5, 3).expect("it fits");
        let stones = grid.bit(1, 1) | grid.bit(1, 2) | grid.bit(4, 1);
        assert_eq!(grid.mirror(stones), grid.bit(5, 1) | grid.bit(5, 2) | grid.bit(2, 1));
        assert_eq!(grid.mirror(grid.mirror(stones)), stones);
    }
}
