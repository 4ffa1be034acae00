//! Code compiled twice: for every processor, and for those with wide words and fast bit counts, chosen by detection. Both are
//! the same source, so they cannot differ in anything but speed.
//!
//! This is one of the few files that may be `unsafe`.
#![allow(unsafe_code, reason = "calling code compiled for a processor that was detected has no safe form")]

/// A computation worth compiling for several instruction sets.
pub(crate) trait Work {
    type Out;
    /// Does it. It must be `inline(always)`, and so must all that it calls: else it is compiled for every processor after all.
    fn run(self) -> Self::Out;
}

/// Does a piece of work with code for the processor at hand.
#[inline]
pub(crate) fn run<W: Work>(work: W) -> W::Out {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
    {
        // SAFETY: the processor has everything that the function is compiled for: it was asked just now.
        return unsafe { run_wide(work) };
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn run_wide<W: Work>(work: W) -> W::Out {
    work.run()
}
