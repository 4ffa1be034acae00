//! Words of 64 or 128 bits, and the measures of a board: known to the compiler ([`Fixed`]) or not ([`Free`]). The layout is
//! that of the game: columns one after another, each with one bit more than it has levels, which is always 0.

use std::{
    fmt::Debug,
    ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not, Shl, Shr},
};

/// A word that holds a board.
pub(super) trait Word:
    Copy
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
    /// How many bits of a table's entry are for two values and two bits more: what is left is for the tag.
    const VALUES: u32;
    /// The low bits of a wide word: a board that is known to fit.
    fn of(wide: u128) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn ones(self) -> u32;
    /// A line of the table and a tag. For 64 bits both together tell the word exactly; for 128 they are 62 bits or more (73 of
    /// a table of 2 GiB) of a word that was multiplied by an odd number.
    fn scatter(self, line_bits: u32) -> (usize, u64);

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
    const VALUES: u32 = 14;

    /// Multiplying by an odd number loses nothing: the upper part names the line, the lower part is the tag.
    #[inline(always)]
    fn scatter(self, line_bits: u32) -> (usize, u64) {
        let mixed = self.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((mixed >> (64 - line_bits)) as usize, mixed & (u64::MAX >> line_bits))
    }
}

impl Word for u128 {
    word!(u128);
    const VALUES: u32 = 16;

    #[inline(always)]
    fn scatter(self, line_bits: u32) -> (usize, u64) {
        let mixed = self.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
        let mixed = mixed ^ mixed >> 71;
        ((mixed >> (128 - line_bits)) as usize, (mixed >> 28) as u64 & (u64::MAX >> Self::VALUES))
    }
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
