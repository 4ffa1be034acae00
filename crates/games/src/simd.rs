//! Compiles code twice, for every processor and for those with wide words and fast bit counts, and selects by CPU detection.
//! Both come from the same source, so they differ only in speed.
//!
//! This is one of the few files that may be `unsafe`.
#![allow(unsafe_code, reason = "calling code compiled for a processor that was detected has no safe form")]

/// A computation worth compiling for several instruction sets.
pub(crate) trait Work {
    type Out;
    /// Runs the computation. It must be `inline(always)`, and so must everything that it calls: otherwise it is compiled for
    /// every processor only.
    fn run(self) -> Self::Out;
}

/// Runs the computation with code for the current processor.
#[inline]
pub(crate) fn run<W: Work>(work: W) -> W::Out {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
    {
        // SAFETY: the processor has all features that the function is compiled for: they were detected just now.
        return unsafe { run_wide(work) };
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn run_wide<W: Work>(work: W) -> W::Out {
    work.run()
}
