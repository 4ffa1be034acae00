//! Runs of endgame values, moved between the orders of two kinds of rows and compared: for every processor, and with the
//! instructions for packed bytes of AVX-512 (VBMI2) where they are detected. Both give the same bytes.
//!
//! This is one of the few files that may be `unsafe`.
#![allow(
    unsafe_code,
    reason = "code for a processor that was detected and loads of vectors have no safe form"
)]

use super::steps::RowSet;

/// Bytes per vector, and rows per word of a [`RowSet`].
pub(super) const LANES: usize = 64;
/// Worse than any value.
pub(super) const NONE: i8 = i8::MIN + 1;

/// For the k-th value of a set of values, and the k-th place of a set of places: `place` becomes at least `gain` minus that value,
/// or plus it if the same side moves again. Without places, the k-th place is number k.
///
/// ```text
///   values    3 -5  1  7  0       from   x . x x .        to   . x x . x
///                                 taken  3 1 7
///   places                                                     .  gain -3  gain -1  .  gain -7
/// ```
pub(super) struct Transfer<'a> {
    pub values: &'a [i8],
    pub from: &'a RowSet,
    pub to: Option<&'a RowSet>,
    pub gain: i8,
    pub again: bool,
    /// The values of the next transfer, which are prefetched.
    pub next: &'a [i8],
}

/// A computation compiled for each kernel. `run` must be `inline(always)`, and so must everything that it calls: otherwise it is
/// compiled for every processor only.
pub(super) trait Work {
    fn run(self);
}

/// Computations compiled for the instruction set of the processor.
pub(super) trait Kernel: Copy + Send + Sync {
    fn transfer(self, transfer: &Transfer<'_>, places: &mut [i8], room: &mut Vec<i8>);
    fn run(self, work: impl Work);
}

/// Any processor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Portable;

impl Kernel for Portable {
    fn transfer(self, transfer: &Transfer<'_>, places: &mut [i8], _: &mut Vec<i8>) {
        let (gain, sign) = (transfer.gain, if transfer.again { 1 } else { -1 });
        let mut values = transfer.from.iter().map(|at| gain + sign * transfer.values[at]);
        let better = |(place, value): (&mut i8, i8)| *place = (*place).max(value);
        match transfer.to {
            None => places.iter_mut().zip(values).for_each(better),
            Some(to) => to.iter().for_each(|at| {
                values.next().into_iter().for_each(|value| better((&mut places[at], value)));
            }),
        }
    }

    fn run(self, work: impl Work) {
        work.run();
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use wide::Wide;

#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Kernel, LANES, Transfer, Work};
    use parlor_engine::prefetch;
    use std::arch::x86_64::*;

    /// A processor with all features that the code is compiled for; created only by [`Wide::detect`].
    #[derive(Clone, Copy, Debug)]
    pub(in super::super) struct Wide(());

    impl Wide {
        pub fn detect() -> Option<Wide> {
            let there = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vbmi2")
                && is_x86_feature_detected!("popcnt");
            there.then_some(Wide(()))
        }
    }

    impl Kernel for Wide {
        #[inline(always)]
        fn transfer(self, transfer: &Transfer<'_>, places: &mut [i8], room: &mut Vec<i8>) {
            // SAFETY: a `Wide` exists only if the features were detected.
            unsafe { transfer_wide(transfer, places, room) }
        }

        fn run(self, work: impl Work) {
            // SAFETY: as above.
            unsafe { run_wide(work) }
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
    fn run_wide(work: impl Work) {
        work.run();
    }

    /// The first `len` lanes.
    fn first(len: usize) -> u64 {
        if len >= LANES { u64::MAX } else { (1 << len) - 1 }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
    fn transfer_wide(transfer: &Transfer<'_>, places: &mut [i8], room: &mut Vec<i8>) {
        let most = transfer.values.len() + LANES;
        if room.len() < most {
            room.resize(most, 0);
        }
        let mut taken = 0;
        let (whole, rest) = transfer.values.as_chunks::<LANES>();
        for (i, (values, &set)) in whole.iter().zip(transfer.from.words()).enumerate() {
            prefetch(transfer.next, i * LANES);
            let out = &mut room[taken..][..LANES];
            // SAFETY: `values` and `out` have 64 bytes.
            unsafe {
                let all = _mm512_loadu_epi8(values.as_ptr());
                _mm512_storeu_epi8(out.as_mut_ptr(), _mm512_maskz_compress_epi8(set, all));
            }
            taken += set.count_ones() as usize;
        }
        if let Some(&set) = transfer.from.words().get(whole.len()) {
            let out = &mut room[taken..][..LANES];
            // SAFETY: the mask has no lane beyond the slice `rest`, and `out` has 64 bytes.
            unsafe {
                let all = _mm512_maskz_loadu_epi8(first(rest.len()), rest.as_ptr());
                _mm512_storeu_epi8(out.as_mut_ptr(), _mm512_maskz_compress_epi8(set, all));
            }
        }
        for at in (whole.len() * LANES..transfer.next.len()).step_by(LANES) {
            prefetch(transfer.next, at);
        }
        let gain = _mm512_set1_epi8(transfer.gain);
        // Minus a value is the value with all bits flipped, plus 1.
        let (flip, gain) = if transfer.again {
            (_mm512_setzero_si512(), gain)
        } else {
            (_mm512_set1_epi8(-1), _mm512_add_epi8(gain, _mm512_set1_epi8(1)))
        };
        let mut next = 0;
        let (whole, rest) = places.as_chunks_mut::<LANES>();
        let count = whole.len();
        for (i, places) in whole.iter_mut().enumerate() {
            let set = transfer.to.map_or(u64::MAX, |to| to.words()[i]);
            if set == 0 {
                continue;
            }
            let values = &room[next..][..LANES];
            // SAFETY: `values` and `places` have 64 bytes.
            unsafe {
                let values = _mm512_maskz_expand_epi8(set, _mm512_loadu_epi8(values.as_ptr()));
                let values = _mm512_add_epi8(gain, _mm512_xor_si512(flip, values));
                let old = _mm512_loadu_epi8(places.as_ptr());
                _mm512_storeu_epi8(places.as_mut_ptr(), _mm512_mask_max_epi8(old, set, old, values));
            }
            next += set.count_ones() as usize;
        }
        let valid = first(rest.len());
        let set = transfer.to.map_or(valid, |to| to.words().get(count).map_or(0, |set| set & valid));
        if set != 0 {
            let values = &room[next..][..LANES];
            // SAFETY: `values` has 64 bytes, and no mask has a lane beyond the slice `rest`.
            unsafe {
                let values = _mm512_maskz_expand_epi8(set, _mm512_loadu_epi8(values.as_ptr()));
                let values = _mm512_add_epi8(gain, _mm512_xor_si512(flip, values));
                let old = _mm512_maskz_loadu_epi8(valid, rest.as_ptr());
                let new = _mm512_mask_max_epi8(old, set, old, values);
                _mm512_mask_storeu_epi8(rest.as_mut_ptr(), valid, new);
            }
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn both_kernels_transfer_the_same_values() {
        let Some(kernel) = Wide::detect() else { return };
        let mut state = 1_u64;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let mut room = Vec::new();
        for len in [1, 7, 63, 64, 65, 128, 500, 1000] {
            for (again, with_places) in [(false, false), (false, true), (true, true)] {
                let values: Vec<i8> = (0..len).map(|_| random(80) as i8 - 40).collect();
                let taken: Vec<usize> = (0..len).filter(|_| random(3) > 0).collect();
                let from = RowSet::of(len, taken.iter().copied());
                let mut into: Vec<usize> = (0..taken.len() + random(100)).collect();
                let places = if with_places { into.len() } else { taken.len() };
                while into.len() > taken.len() {
                    into.remove(random(into.len()));
                }
                let to = with_places.then(|| RowSet::of(places, into.into_iter()));
                let to = to.as_ref();
                let transfer =
                    Transfer { values: &values, from: &from, to, gain: random(20) as i8, again, next: &[] };
                let before: Vec<i8> = (0..places).map(|_| random(80) as i8 - 40).collect();
                let [mut one, mut other] = [before.clone(), before];
                Portable.transfer(&transfer, &mut one, &mut room);
                kernel.transfer(&transfer, &mut other, &mut room);
                assert_eq!(one, other, "{len} values, again {again}");
            }
        }
    }
}
