//! Bitboard operations on the cells, columns and rows of a Connect-N board, by shifts. The dimensions are known to the compiler
//! ([`Fixed`]) or not ([`Free`]). The layout of the bits is that of the game: columns one after another, each with one bit more
//! than it has levels, which is always 0. This file has neither turns nor values.

use super::lanes::Lanes;
use crate::shared::Word;

/// The most columns of a board of 128 bits.
pub(super) const MOST_COLUMNS: usize = 64;

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

impl Free {
    pub fn from(shape: impl Shape) -> Free {
        Free { columns: shape.columns(), levels: shape.levels(), n: shape.n() }
    }
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
    /// The columns from the middle outwards, and then zeros.
    pub columns: [W; MOST_COLUMNS],
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
            columns: std::array::from_fn(|i| column_from_the_middle(shape, i as u32)),
            even_levels: W::of(even_levels),
        }
    }

    /// The lowest vacant cell of every column that has one.
    #[inline(always)]
    pub fn next<V: Lanes<W>>(&self, all: V) -> V {
        all.sum(V::splat(self.bottom)) & V::splat(self.board)
    }

    /// The steps that are not vertical: along the level, up and down the diagonals.
    #[inline(always)]
    fn slanted(&self) -> [u32; 3] {
        let stride = self.shape.stride();
        [stride, stride + 1, stride - 1]
    }

    /// The vacant cells that would complete a row of these stones.
    #[inline(always)]
    pub fn completing<V: Lanes<W>>(&self, stones: V, all: V) -> V {
        self.completing_any(stones) & (V::splat(self.board) & !all)
    }

    /// The same, also on cells that are taken.
    #[inline(always)]
    pub fn completing_any<V: Lanes<W>>(&self, stones: V) -> V {
        let mut below = V::splat(self.board);
        for i in 1..self.shape.n() {
            below = below & Self::shl(stones, i);
        }
        below | self.completing_slanted(stones)
    }

    /// Like [`Lines::completing`], without vertical rows, and including occupied cells.
    ///
    /// In each direction `up[j]` has a bit where the j cells before it are stones, `down[j]` where the j cells after it are:
    /// a cell completes a row if `up[j]` and `down[n-1-j]` meet there for some j.
    #[inline(always)]
    fn completing_slanted<V: Lanes<W>>(&self, stones: V) -> V {
        let n = self.shape.n();
        let mut found = V::splat(W::ZERO);
        for step in self.slanted() {
            if n == 4 {
                // The usual game, with shared subexpressions.
                let (before, after) = (Self::shl(stones, step), Self::shr(stones, step));
                let two_before = before & Self::shl(stones, 2 * step);
                let two_after = after & Self::shr(stones, 2 * step);
                found = found | two_before & (Self::shl(stones, 3 * step) | after);
                found = found | two_after & (before | Self::shr(stones, 3 * step));
                continue;
            }
            for before in 0..n {
                let mut here = V::splat(self.board);
                for i in 1..=before {
                    here = here & Self::shl(stones, i * step);
                }
                for i in 1..n - before {
                    here = here & Self::shr(stones, i * step);
                }
                found = found | here;
            }
        }
        found
    }

    /// Not zero if the stones contain N in a row.
    #[inline(always)]
    pub fn rows<V: Lanes<W>>(&self, stones: V) -> V {
        self.rows_along(stones, 1) | self.slanted_rows(stones)
    }

    /// Not zero if the stones contain a row that is not vertical.
    #[inline(always)]
    pub fn slanted_rows<V: Lanes<W>>(&self, stones: V) -> V {
        let [level, up, down] = self.slanted();
        self.rows_along(stones, level) | self.rows_along(stones, up) | self.rows_along(stones, down)
    }

    #[inline(always)]
    fn rows_along<V: Lanes<W>>(&self, stones: V, step: u32) -> V {
        let n = self.shape.n();
        let (mut rows, mut length) = (stones, 1);
        while length < n {
            let more = length.min(n - length);
            rows = rows & Self::shr(rows, more * step);
            length += more;
        }
        rows
    }

    /// A shift that may be longer than the word: rows longer than the board are legal but impossible.
    #[inline(always)]
    fn shl<V: Lanes<W>>(words: V, by: u32) -> V {
        if by < W::BITS { words << by } else { V::splat(W::ZERO) }
    }

    #[inline(always)]
    fn shr<V: Lanes<W>>(words: V, by: u32) -> V {
        if by < W::BITS { words >> by } else { V::splat(W::ZERO) }
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

/// All cells of the column that is the `i`th from the middle; 0 if there are fewer columns.
fn column_from_the_middle<W: Word>(shape: impl Shape, i: u32) -> W {
    let columns = shape.columns();
    if i >= columns {
        return W::ZERO;
    }
    // 7: 3 2 4 1 5 0 6        6: 2 3 1 4 0 5
    let away = i.div_ceil(2);
    let left = (i % 2 == 1) == (columns % 2 == 1);
    let middle = (columns - 1) / 2;
    let column = if left { middle - away } else { middle + away };
    W::of((1_u128 << shape.levels()) - 1) << (column * shape.stride())
}
