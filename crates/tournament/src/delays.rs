//! Histogram of the referee's own overhead per move, in logarithmic buckets: millions of delays take no more memory than
//! one, add up in any order, and still give the median and the 99th percentile.

use std::time::Duration;

/// Bucket sizes double every `STEPS` buckets: the relative error is at most about a fifth.
const STEPS: u32 = 4;
const SIZES: usize = 40 * STEPS as usize;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delays {
    counts: Vec<u64>,
}

impl Default for Delays {
    fn default() -> Delays {
        Delays { counts: vec![0; SIZES] }
    }
}

impl Delays {
    pub fn add(&mut self, delay: Duration) {
        let nanos = delay.as_nanos().clamp(1, u128::from(u64::MAX)) as f64;
        let size = (nanos.log2() * f64::from(STEPS)) as usize;
        self.counts[size.min(SIZES - 1)] += 1;
    }

    /// The sum of both histograms.
    pub fn merge(&mut self, other: &Delays) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(own, others)| *own += others);
    }

    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// A quantile: 0.5 is the median, 0.99 the 99th percentile. Zero if there is no delay.
    pub fn below(&self, part: f64) -> Duration {
        let wanted = (part.clamp(0.0, 1.0) * self.count() as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (size, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return Duration::from_nanos(2_f64.powf((size + 1) as f64 / f64::from(STEPS)) as u64);
            }
        }
        Duration::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_and_the_worst_hundredth_are_about_right() {
        let mut delays = Delays::default();
        assert_eq!(delays.below(0.5), Duration::ZERO);
        for micros in 1..=1000 {
            delays.add(Duration::from_micros(micros));
        }
        let (median, worst) = (delays.below(0.5), delays.below(0.99));
        assert!((500..=620).contains(&median.as_micros()), "{median:?}");
        assert!((990..=1250).contains(&worst.as_micros()), "{worst:?}");
        let mut both = delays.clone();
        both.merge(&delays);
        assert_eq!((both.count(), both.below(0.5)), (2000, median));
        delays.add(Duration::MAX);
        delays.add(Duration::ZERO);
        assert!(delays.below(1.0) > Duration::from_secs(60));
    }
}
