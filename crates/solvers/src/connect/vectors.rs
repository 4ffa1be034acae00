//! Vectors of eight words for processors with AVX2 or AVX-512.
//!
//! This is one of the few files that may be `unsafe`. The vectors are used only by code that is compiled for a processor that
//! has their instructions (`kernel.rs`).
#![cfg(target_arch = "x86_64")]
#![allow(unsafe_code, reason = "vector instructions have no safe form in the methods of a trait")]
#![allow(clippy::macro_metavars_in_unsafe, reason = "one macro holds the reason why they are safe")]

use super::lanes::{LANES, Lanes, Mask};
use std::{arch::x86_64::*, ops::*};

/// Eight words in a register of AVX-512.
#[derive(Clone, Copy, Debug)]
pub struct Eight(__m512i);

/// Eight words in two registers of AVX2.
#[derive(Clone, Copy, Debug)]
pub struct TwoOfFour(__m256i, __m256i);

/// Evaluates an expression of vector instructions.
macro_rules! instructions {
    ($body:expr) => {{
        // SAFETY: the vectors are used only by code that is compiled for processors with these instructions (`kernel.rs`).
        // Pointers are those of slices of eight words.
        unsafe { $body }
    }};
}

/// Implements an operator by an intrinsic, with its arguments.
macro_rules! operator {
    ($operator:ident $method:ident, $name:ident, $other:ty, |$a:ident, $b:ident| $body:expr) => {
        impl $operator<$other> for $name {
            type Output = $name;
            #[inline(always)]
            fn $method(self, $b: $other) -> $name {
                let $a = self;
                instructions!($body)
            }
        }
    };
}

operator!(BitAnd bitand, Eight, Eight, |a, b| Eight(_mm512_and_si512(a.0, b.0)));
operator!(BitOr bitor, Eight, Eight, |a, b| Eight(_mm512_or_si512(a.0, b.0)));
operator!(BitXor bitxor, Eight, Eight, |a, b| Eight(_mm512_xor_si512(a.0, b.0)));
operator!(Shl shl, Eight, u32, |a, by| Eight(_mm512_sllv_epi64(a.0, _mm512_set1_epi64(by.into()))));
operator!(Shr shr, Eight, u32, |a, by| Eight(_mm512_srlv_epi64(a.0, _mm512_set1_epi64(by.into()))));

impl Not for Eight {
    type Output = Eight;
    #[inline(always)]
    fn not(self) -> Eight {
        self ^ Eight::splat(u64::MAX)
    }
}

impl Lanes<u64> for Eight {
    const COUNT: usize = LANES;

    #[inline(always)]
    fn splat(word: u64) -> Self {
        instructions!(Eight(_mm512_set1_epi64(word.cast_signed())))
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let words = &words[..LANES];
        instructions!(Eight(_mm512_loadu_si512(words.as_ptr().cast())))
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        let words = &mut words[..LANES];
        instructions!(_mm512_storeu_si512(words.as_mut_ptr().cast(), self.0));
    }
    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        instructions!(Eight(_mm512_add_epi64(self.0, other.0)))
    }
    #[inline(always)]
    fn difference(self, other: Self) -> Self {
        instructions!(Eight(_mm512_sub_epi64(self.0, other.0)))
    }
    #[inline(always)]
    fn ones(self) -> Self {
        instructions!(Eight(_mm512_popcnt_epi64(self.0)))
    }
    #[inline(always)]
    fn nonzero(self) -> Mask {
        instructions!(_mm512_test_epi64_mask(self.0, self.0).into())
    }
    #[inline(always)]
    fn where_nonzero(self, word: u64) -> Self {
        let word = word.cast_signed();
        instructions!(Eight(_mm512_maskz_set1_epi64(_mm512_test_epi64_mask(self.0, self.0), word)))
    }
    #[inline(always)]
    fn at_least(self, number: i32) -> Mask {
        instructions!(_mm512_cmpge_epi64_mask(self.0, _mm512_set1_epi64(number.into())).into())
    }
}

macro_rules! halves {
    ($a:ident, $b:ident, $function:ident) => {
        TwoOfFour($function($a.0, $b.0), $function($a.1, $b.1))
    };
}

operator!(BitAnd bitand, TwoOfFour, TwoOfFour, |a, b| halves!(a, b, _mm256_and_si256));
operator!(BitOr bitor, TwoOfFour, TwoOfFour, |a, b| halves!(a, b, _mm256_or_si256));
operator!(BitXor bitxor, TwoOfFour, TwoOfFour, |a, b| halves!(a, b, _mm256_xor_si256));
operator!(Shl shl, TwoOfFour, u32, |a, by| {
    let by = TwoOfFour::splat(by.into());
    halves!(a, by, _mm256_sllv_epi64)
});
operator!(Shr shr, TwoOfFour, u32, |a, by| {
    let by = TwoOfFour::splat(by.into());
    halves!(a, by, _mm256_srlv_epi64)
});

impl Not for TwoOfFour {
    type Output = TwoOfFour;
    #[inline(always)]
    fn not(self) -> TwoOfFour {
        self ^ TwoOfFour::splat(u64::MAX)
    }
}

impl Lanes<u64> for TwoOfFour {
    const COUNT: usize = LANES;

    #[inline(always)]
    fn splat(word: u64) -> Self {
        let half = instructions!(_mm256_set1_epi64x(word.cast_signed()));
        TwoOfFour(half, half)
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let words = &words[..LANES];
        let from = words.as_ptr();
        instructions!(TwoOfFour(_mm256_loadu_si256(from.cast()), _mm256_loadu_si256(from.add(4).cast())))
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        let words = &mut words[..LANES];
        let to = words.as_mut_ptr();
        instructions!({
            _mm256_storeu_si256(to.cast(), self.0);
            _mm256_storeu_si256(to.add(4).cast(), self.1);
        });
    }
    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        instructions!(halves!(self, other, _mm256_add_epi64))
    }
    #[inline(always)]
    fn difference(self, other: Self) -> Self {
        instructions!(halves!(self, other, _mm256_sub_epi64))
    }
    #[inline(always)]
    fn ones(self) -> Self {
        TwoOfFour(ones(self.0), ones(self.1))
    }
    #[inline(always)]
    fn nonzero(self) -> Mask {
        let zero = TwoOfFour::splat(0);
        signs(instructions!(halves!(self, zero, _mm256_cmpeq_epi64))) ^ 0xFF
    }
    #[inline(always)]
    fn where_nonzero(self, word: u64) -> Self {
        let (zero, word) = (TwoOfFour::splat(0), TwoOfFour::splat(word));
        let empty = instructions!(halves!(self, zero, _mm256_cmpeq_epi64));
        instructions!(halves!(empty, word, _mm256_andnot_si256))
    }
    #[inline(always)]
    fn at_least(self, number: i32) -> Mask {
        let less = TwoOfFour::splat((i64::from(number) - 1).cast_unsigned());
        signs(instructions!(halves!(self, less, _mm256_cmpgt_epi64)))
    }
}

/// The highest bit of each word.
#[inline(always)]
fn signs(words: TwoOfFour) -> Mask {
    let [some, more] = instructions!([
        _mm256_movemask_pd(_mm256_castsi256_pd(words.0)).cast_unsigned(),
        _mm256_movemask_pd(_mm256_castsi256_pd(words.1)).cast_unsigned(),
    ]);
    some | more << 4
}

/// Counts the bits of half bytes by a table, and adds the bytes of each word.
#[inline(always)]
fn ones(words: __m256i) -> __m256i {
    instructions!({
        // The numbers of bits of 0 to 15, twice.
        let table = _mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
        );
        let low = _mm256_set1_epi8(15);
        let some = _mm256_shuffle_epi8(table, _mm256_and_si256(words, low));
        let more = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi64::<4>(words), low));
        _mm256_sad_epu8(_mm256_add_epi8(some, more), _mm256_setzero_si256())
    })
}
