//! Several bitboards side by side (SIMD): all moves of a node are examined by one sequence of instructions, one move per lane.
//! A single word is a vector of one lane, so that the same source serves processors and boards without wider ones.

#[cfg(target_arch = "x86_64")]
use super::vectors::{Eight, TwoOfFour};
use crate::shared::{Key, Word};
use std::{
    fmt::Debug,
    ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr},
};

/// The most lanes of a vector.
pub(super) const LANES: usize = 8;

/// One bit per lane, lane 0 in the lowest.
pub(super) type Mask = u32;

/// The lanes whose bits are set.
#[inline(always)]
pub(super) fn lanes_of(mask: Mask) -> impl Iterator<Item = usize> {
    // The remainder shows the compiler that the index is in range.
    mask.bits().map(|lane| lane as usize % LANES)
}

/// A vector of bitboards. All operations work on each lane separately.
pub(super) trait Lanes<W>:
    Copy
    + Debug
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    const COUNT: usize;
    /// The same word in every lane.
    fn splat(word: W) -> Self;
    /// The first [`Lanes::COUNT`] words.
    fn load(words: &[W]) -> Self;
    fn store(self, words: &mut [W]);
    /// The sums, without the carries out of the highest bits.
    fn sum(self, other: Self) -> Self;
    /// The differences, wrapping below zero.
    fn difference(self, other: Self) -> Self;
    /// The numbers of bits that are set.
    fn ones(self) -> Self;
    /// The lanes that are not zero.
    fn nonzero(self) -> Mask;
    /// This word in the lanes that are not zero, and 0 in the others.
    fn where_nonzero(self, word: W) -> Self;
    /// The lanes, as small numbers that are not negative, that are at least this number.
    fn at_least(self, number: i32) -> Mask;
}

impl<W: Word> Lanes<W> for W {
    const COUNT: usize = 1;

    #[inline(always)]
    fn splat(word: W) -> Self {
        word
    }
    #[inline(always)]
    fn load(words: &[W]) -> Self {
        words[0]
    }
    #[inline(always)]
    fn store(self, words: &mut [W]) {
        words[0] = self;
    }
    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        self.plus(other)
    }
    #[inline(always)]
    fn difference(self, other: Self) -> Self {
        self.minus(other)
    }
    #[inline(always)]
    fn ones(self) -> Self {
        W::of(Word::ones(self).into())
    }
    #[inline(always)]
    fn nonzero(self) -> Mask {
        (!self.is_zero()).into()
    }
    #[inline(always)]
    fn where_nonzero(self, word: W) -> Self {
        if self.is_zero() { W::ZERO } else { word }
    }
    #[inline(always)]
    fn at_least(self, number: i32) -> Mask {
        (self.wide() as i32 >= number).into()
    }
}

/// Eight words on any processor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Array([u64; LANES]);

impl Array {
    #[inline(always)]
    fn zip(self, other: Array, operation: impl Fn(u64, u64) -> u64) -> Array {
        Array(std::array::from_fn(|lane| operation(self.0[lane], other.0[lane])))
    }

    #[inline(always)]
    fn mask(self, is_set: impl Fn(u64) -> bool) -> Mask {
        (0..LANES).fold(0, |mask, lane| mask | Mask::from(is_set(self.0[lane])) << lane)
    }
}

/// Implements an operator of [`Array`] by that of words.
macro_rules! array_operator {
    ($operator:ident $method:ident, $other:ty, |$a:ident, $b:ident| $array:expr) => {
        impl $operator<$other> for Array {
            type Output = Array;
            #[inline(always)]
            fn $method(self, $b: $other) -> Array {
                let $a = self;
                $array
            }
        }
    };
}

array_operator!(BitAnd bitand, Array, |a, b| a.zip(b, |a, b| a & b));
array_operator!(BitOr bitor, Array, |a, b| a.zip(b, |a, b| a | b));
array_operator!(BitXor bitxor, Array, |a, b| a.zip(b, |a, b| a ^ b));
array_operator!(Shl shl, u32, |a, by| Array(a.0.map(|word| word << by)));
array_operator!(Shr shr, u32, |a, by| Array(a.0.map(|word| word >> by)));

impl Not for Array {
    type Output = Array;
    #[inline(always)]
    fn not(self) -> Array {
        Array(self.0.map(|word| !word))
    }
}

impl Lanes<u64> for Array {
    const COUNT: usize = LANES;

    #[inline(always)]
    fn splat(word: u64) -> Self {
        Array([word; LANES])
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        Array(std::array::from_fn(|lane| words[lane]))
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        words[..LANES].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        self.zip(other, u64::wrapping_add)
    }
    #[inline(always)]
    fn difference(self, other: Self) -> Self {
        self.zip(other, u64::wrapping_sub)
    }
    #[inline(always)]
    fn ones(self) -> Self {
        Array(self.0.map(|word| word.count_ones().into()))
    }
    #[inline(always)]
    fn nonzero(self) -> Mask {
        self.mask(|word| word != 0)
    }
    #[inline(always)]
    fn where_nonzero(self, word: u64) -> Self {
        Array(self.0.map(|found| if found == 0 { 0 } else { word }))
    }
    #[inline(always)]
    fn at_least(self, number: i32) -> Mask {
        self.mask(|word| word as i32 >= number)
    }
}

/// The words of the search, with the vectors that processors have for them: eight lanes for the usual boards, whatever the
/// processor, so that all search the same nodes; one lane for large boards.
pub(super) trait Cells: Word + Key {
    type Portable: Lanes<Self>;
    #[cfg(target_arch = "x86_64")]
    type Avx2: Lanes<Self>;
    #[cfg(target_arch = "x86_64")]
    type Avx512: Lanes<Self>;
}

impl Cells for u64 {
    type Portable = Array;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = TwoOfFour;
    #[cfg(target_arch = "x86_64")]
    type Avx512 = Eight;
}

impl Cells for u128 {
    type Portable = u128;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = u128;
    #[cfg(target_arch = "x86_64")]
    type Avx512 = u128;
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: [u64; LANES] =
        [0, 1, u64::MAX, 1 << 63, 0x0123_4567_89AB_CDEF, 0xFFFF_0000_00FF_0F00, 7, 1 << 32];
    const MORE: [u64; LANES] =
        [5, 0, u64::MAX, 3, 0xFEDC_BA98_7654_3210, 0x8000_0000_0000_0001, 6, u64::MAX >> 1];

    fn words(vector: impl Lanes<u64>) -> [u64; LANES] {
        let mut words = [0; LANES];
        vector.store(&mut words);
        words
    }

    /// The results of all operations.
    fn results<V: Lanes<u64>>() -> (Vec<[u64; LANES]>, Vec<Mask>) {
        let (a, b, mut vectors) = (V::load(&SOME), V::load(&MORE), Vec::new());
        for vector in
            [a & b, a | b, a ^ b, !a, a.sum(b), a.difference(b), a.ones(), V::splat(9), a.where_nonzero(7)]
        {
            vectors.push(words(vector));
        }
        for by in [0, 1, 7, 31, 32, 63] {
            vectors.extend([words(a << by), words(b >> by)]);
        }
        let numbers = a.ones();
        let masks = [-3, 0, 1, 2, 32, 64, 65].map(|number| numbers.at_least(number));
        (vectors, [a.nonzero(), b.nonzero()].into_iter().chain(masks).collect())
    }

    #[test]
    fn arrays_compute_each_lane_as_a_word() {
        let (vectors, masks) = results::<Array>();
        for lane in 0..LANES {
            let (a, b) = (SOME[lane], MORE[lane]);
            let ones = u64::from(a.count_ones());
            let seven = if a == 0 { 0 } else { 7 };
            let first = [a & b, a | b, a ^ b, !a, a.wrapping_add(b), a.wrapping_sub(b), ones, 9, seven];
            assert_eq!(vectors.iter().map(|words| words[lane]).take(9).collect::<Vec<_>>(), first);
            assert_eq!(masks[0] >> lane & 1 != 0, a != 0);
            assert_eq!(masks[6] >> lane & 1 != 0, ones >= 32);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn vectors_of_avx2_and_avx512_equal_arrays() {
        use crate::connect::kernel::{Avx2, Avx512};
        if Avx2::detect().is_some() {
            assert_eq!(results::<TwoOfFour>(), results::<Array>());
        }
        if Avx512::detect().is_some() {
            assert_eq!(results::<Eight>(), results::<Array>());
        }
    }
}
