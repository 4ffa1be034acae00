//! Bitboard operations on the cells, columns and rows of a Connect-N board, by shifts. The dimensions are known to the compiler
//! ([`Fixed`]) or not ([`Free`]). The layout of the bits is that of the game: columns one after another, each with one bit more
//! than it has levels, which is always 0. This file has neither turns nor values.

use crate::shared::Word;

pub(super) trait Shape: Copy + Send + Sync {
    fn columns(self) -> u32;
    fn levels(self) -> u32;
    fn n(self) -> u32;

    #[inline(always)]
    fn cells(self) -> i32 {
        (self.columns() * self.levels()) as i32
    }

    /// Bits from one column to the next.
    #[inline(always)]
    fn stride(self) -> u32 {
        self.levels() + 1
    }
}

/// Dimensions known at compile time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fixed<const COLUMNS: u32, const LEVELS: u32, const N: u32>;

impl<const COLUMNS: u32, const LEVELS: u32, const N: u32> Shape for Fixed<COLUMNS, LEVELS, N> {
    #[inline(always)]
    fn columns(self) -> u32 {
        COLUMNS
    }
    #[inline(always)]
    fn levels(self) -> u32 {
        LEVELS
    }
    #[inline(always)]
    fn n(self) -> u32 {
        N
    }
}

/// Dimensions known at run time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Free {
    pub columns: u32,
    pub levels: u32,
    pub n: u32,
}

impl Shape for Free {
    fn columns(self) -> u32 {
        self.columns
    }
    fn levels(self) -> u32 {
        self.levels
    }
    fn n(self) -> u32 {
        self.n
    }
}

/// A board's dimensions with derived masks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines<W, S> {
    pub shape: S,
    pub bottom: W,
    pub top: W,
    pub board: W,
    /// The bits above the columns, which are no cells.
    pub above: W,
    /// Bits 1, 3, 5 … of every column: the cells of the second, fourth … level, and the bit above them if it follows.
    pub even_levels: W,
}

impl<W: Word, S: Shape> Lines<W, S> {
    pub fn new(shape: S) -> Self {
        let column = |column: u32| 1_u128 << (column * shape.stride());
        let bottom: u128 = (0..shape.columns()).map(column).sum();
        let board = (0..shape.levels()).fold(0, |board, level| board | bottom << level);
        let top = bottom << (shape.levels() - 1);
        let even_levels = (1..=shape.levels()).step_by(2).fold(0, |cells, level| cells | bottom << level);
        Lines {
            shape,
            bottom: W::of(bottom),
            top: W::of(top),
            board: W::of(board),
            above: W::of(bottom << shape.levels()),
            even_levels: W::of(even_levels),
        }
    }

    /// The lowest vacant cell of every column that has one.
    #[inline(always)]
    pub fn next(&self, all: W) -> W {
        all.plus(self.bottom) & self.board
    }

    /// All cells of the column that is the `i`th from the middle.
    #[inline(always)]
    pub fn middle_first(&self, i: u32) -> W {
        let columns = self.shape.columns();
        // 7: 3 2 4 1 5 0 6        6: 2 3 1 4 0 5
        let away = i.div_ceil(2);
        let left = (i % 2 == 1) == (columns % 2 == 1);
        let middle = (columns - 1) / 2;
        let column = if left { middle - away } else { middle + away };
        self.column(column)
    }

    #[inline(always)]
    fn column(&self, column: u32) -> W {
        let cells = W::of((1_u128 << self.shape.levels()) - 1);
        cells << (column * self.shape.stride())
    }

    /// The steps that are not vertical: along the level, up and down the diagonals.
    #[inline(always)]
    fn slanted(&self) -> [u32; 3] {
        let stride = self.shape.stride();
        [stride, stride + 1, stride - 1]
    }

    /// The vacant cells that would complete a row of these stones.
    #[inline(always)]
    pub fn completing(&self, stones: W, all: W) -> W {
        self.completing_any(stones) & (self.board & !all)
    }

    /// The same, also on cells that are taken.
    #[inline(always)]
    pub fn completing_any(&self, stones: W) -> W {
        let mut below = self.board;
        for i in 1..self.shape.n() {
            below &= shl(stones, i);
        }
        below | self.completing_slanted(stones)
    }

    /// Like [`Lines::completing`], without vertical rows, and including occupied cells.
    ///
    /// In each direction `up[j]` has a bit where the j cells before it are stones, `down[j]` where the j cells after it are:
    /// a cell completes a row if `up[j]` and `down[n-1-j]` meet there for some j.
    #[inline(always)]
    pub fn completing_slanted(&self, stones: W) -> W {
        let n = self.shape.n();
        let mut found = W::ZERO;
        for step in self.slanted() {
            if n == 4 {
                // The usual game, with shared subexpressions.
                let (before, after) = (shl(stones, step), shr(stones, step));
                let two_before = before & shl(stones, 2 * step);
                let two_after = after & shr(stones, 2 * step);
                found |= two_before & (shl(stones, 3 * step) | after);
                found |= two_after & (before | shr(stones, 3 * step));
                continue;
            }
            for before in 0..n {
                let mut here = self.board;
                for i in 1..=before {
                    here &= shl(stones, i * step);
                }
                for i in 1..n - before {
                    here &= shr(stones, i * step);
                }
                found |= here;
            }
        }
        found
    }

    /// Whether the stones contain N in a row.
    #[inline(always)]
    pub fn has_row(&self, stones: W) -> bool {
        self.has_row_along(stones, 1) || self.has_slanted_row(stones)
    }

    /// Whether the stones contain a row that is not vertical.
    #[inline(always)]
    pub fn has_slanted_row(&self, stones: W) -> bool {
        self.slanted().into_iter().any(|step| self.has_row_along(stones, step))
    }

    #[inline(always)]
    fn has_row_along(&self, stones: W, step: u32) -> bool {
        let n = self.shape.n();
        let (mut rows, mut length) = (stones, 1);
        while length < n {
            let more = length.min(n - length);
            rows &= shr(rows, more * step);
            length += more;
        }
        !rows.is_zero()
    }

    /// The word mirrored left to right. Sums within columns may be mirrored as well: nothing carries into a neighbour.
    #[inline(always)]
    pub fn mirror(&self, word: W) -> W {
        let (columns, stride) = (self.shape.columns(), self.shape.stride());
        let one = W::of(u128::MAX >> (128 - stride));
        let mut mirrored = W::ZERO;
        for column in 0..columns {
            mirrored |= (word >> (column * stride) & one) << ((columns - 1 - column) * stride);
        }
        mirrored
    }
}

/// A shift that may be longer than the word: rows longer than the board are legal but impossible.
#[inline(always)]
fn shl<W: Word>(word: W, by: u32) -> W {
    if by < 8 * size_of::<W>() as u32 { word << by } else { W::ZERO }
}

#[inline(always)]
fn shr<W: Word>(word: W, by: u32) -> W {
    if by < 8 * size_of::<W>() as u32 { word >> by } else { W::ZERO }
}

#[cfg(test)]
mod tests {}
