//! Seeds of random tests.

use std::env;

/// The seed of a random test: `usual`, or the number in `PARLOR_SEED`. It is printed, so that a failure names it.
pub fn seed(usual: u64) -> u64 {
    let given = env::var("PARLOR_SEED").ok();
    let seed = given.map_or(usual, |text| text.parse().expect("PARLOR_SEED is a number"));
    eprintln!("seed {seed} (PARLOR_SEED=N runs the test with another one)");
    seed
}

/// A small random generator (SplitMix64) for crates that do not see the engine's.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator whose seed is printed, as by [`seed`].
    pub fn new(usual: u64) -> SplitMix64 {
        SplitMix64(seed(usual))
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        parlor_core::mix([self.0, 1]) % n
    }
}
