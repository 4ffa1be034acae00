//! Words of 64 or 128 bits, and the measures of a board: known to the compiler ([`Fixed`]) or not ([`Free`]). The layout is
//! that of the game: columns one after another, each with one bit more than it has levels, which is always 0.

use crate::shared::Key;
use std::{
    fmt::Debug,
    ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not, Shl, Shr},
};

/// A word that holds a board.
pub(super) trait Word:
    Key
    + Copy
    + Eq
    + Ord
    + Debug
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    const ZERO: Self;
    const ONE: Self;
    /// The low bits of a wide word: a board that is known to fit.
    fn of(wide: u128) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn ones(self) -> u32;

    #[inline(always)]
    fn is_zero(self) -> bool {
        self == Self::ZERO
    }

    /// Whether more than one bit is set.
    #[inline(always)]
    fn several(self) -> bool {
        !(self & self.minus(Self::ONE)).is_zero()
    }
}

macro_rules! word {
    ($word:ty) => {
        const ZERO: Self = 0;
        const ONE: Self = 1;
        #[inline(always)]
        fn of(wide: u128) -> Self {
            wide as $word
        }
        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            self.wrapping_add(other)
        }
        #[inline(always)]
        fn minus(self, other: Self) -> Self {
            self.wrapping_sub(other)
        }
        #[inline(always)]
        fn ones(self) -> u32 {
            self.count_ones()
        }
    };
}

impl Word for u64 {
    word!(u64);
}

impl Word for u128 {
    word!(u128);
}

/// The measures of a board.
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

/// Measures the compiler knows.
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

/// Any measures.
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
