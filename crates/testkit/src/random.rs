//! Seeds of random tests.

use std::env;

/// The seed of a random test: the number in `PARLOR_SEED`, or else `usual`. It is printed, so that a failure shows it.
pub fn seed(usual: u64) -> u64 {
    let given = env::var("PARLOR_SEED").ok();
    let seed = given.map_or(usual, |text| text.parse().expect("PARLOR_SEED is a number"));
    eprintln!("seed {seed} (PARLOR_SEED=N runs the test with another one)");
    seed
}

/// A small random number generator (SplitMix64) for crates that do not depend on the engine.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Creates a generator from a seed that [`seed`] chooses and prints.
    pub fn new(usual: u64) -> SplitMix64 {
        SplitMix64(seed(usual))
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        parlor_core::mix([self.0, 1]) % n
    }
}
