//! Bitboards: words of 32, 64 or 128 bits with one bit per square. Each game defines the layout.

use std::{
    fmt::Debug,
    hash::Hash,
    ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr},
};

/// An unsigned integer as a set of squares.
pub(crate) trait Word:
    Copy
    + Eq
    + Ord
    + Hash
    + Debug
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + BitXorAssign
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    const ZERO: Self;
    const BITS: u32;
    /// The low bits of a wide word: a board that is known to fit.
    fn of(wide: u128) -> Self;
    fn wide(self) -> u128;
    /// The set that contains only this bit.
    fn bit(index: u32) -> Self;
    fn ones(self) -> u32;
    /// The index of the lowest bit; of the highest one, or 0 if there is none.
    fn lowest(self) -> u32;
    fn highest(self) -> u32;
    /// Subtracts 1, wrapping at zero.
    fn pred(self) -> Self;
    /// The sum, without the carry out of the highest bit.
    fn plus(self, other: Self) -> Self;
    /// The difference, wrapping below zero.
    fn minus(self, other: Self) -> Self;

    #[inline(always)]
    fn is_zero(self) -> bool {
        self == Self::ZERO
    }

    #[inline(always)]
    fn meets(self, other: Self) -> bool {
        self & other != Self::ZERO
    }

    /// Without the lowest bit.
    #[inline(always)]
    fn rest(self) -> Self {
        self & self.pred()
    }

    /// Whether more than one bit is set.
    #[inline(always)]
    fn several(self) -> bool {
        !self.rest().is_zero()
    }

    /// Indices of the bits, lowest first.
    #[inline(always)]
    fn bits(self) -> Bits<Self> {
        Bits(self)
    }
}

/// Iterates over the bits of a word.
#[derive(Clone, Copy)]
pub(crate) struct Bits<W>(W);

impl<W: Word> Iterator for Bits<W> {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        if self.0.is_zero() {
            return None;
        }
        let lowest = self.0.lowest();
        self.0 = self.0.rest();
        Some(lowest)
    }
}

macro_rules! word {
    ($($word:ty),*) => {$(
        impl Word for $word {
            const ZERO: Self = 0;
            const BITS: u32 = <$word>::BITS;
            #[inline(always)]
            fn of(wide: u128) -> Self {
                wide as $word
            }
            #[inline(always)]
            fn wide(self) -> u128 {
                self as u128
            }
            #[inline(always)]
            fn bit(index: u32) -> Self {
                1 << index
            }
            #[inline(always)]
            fn ones(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn lowest(self) -> u32 {
                self.trailing_zeros()
            }
            #[inline(always)]
            fn highest(self) -> u32 {
                (self | 1).ilog2()
            }
            #[inline(always)]
            fn pred(self) -> Self {
                self.wrapping_sub(1)
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
        }
    )*};
}

word!(u32, u64, u128);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_from_the_lowest_up_in_every_width() {
        assert_eq!(0x8000_0012_u32.bits().collect::<Vec<_>>(), [1, 4, 31]);
        assert_eq!((1_u64 << 63 | 2).bits().collect::<Vec<_>>(), [1, 63]);
        assert_eq!((1_u128 << 127 | 2).bits().collect::<Vec<_>>(), [1, 127]);
        assert_eq!((0_u32.highest(), 6_u32.highest(), (1_u128 << 100).highest()), (0, 2, 100));
    }
}
