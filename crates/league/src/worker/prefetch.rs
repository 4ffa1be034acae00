//! Number of games that a worker leases in advance. Of long games it prefetches none, because
//! another worker would play them sooner. Of short games it prefetches as many as it plays during one
//! database query.

use std::time::Duration;

/// The prefetched games take about this time.
const PREFETCH_TIME: Duration = Duration::from_millis(50);
/// Maximum number of prefetched games per thread.
const MAX_PREFETCH: usize = 32;

/// Estimates the number of games to prefetch from the mean duration of a game.
#[derive(Default)]
pub struct Prefetch {
    mean: Option<Duration>,
}

impl Prefetch {
    /// Records the duration of a game.
    pub fn took(&mut self, time: Duration) {
        self.mean = Some(self.mean.map_or(time, |mean| (mean * 7 + time) / 8));
    }

    fn ahead(&self) -> usize {
        self.mean.map_or(0, |mean| {
            let games = PREFETCH_TIME.as_nanos() / mean.as_nanos().max(1);
            usize::try_from(games).unwrap_or(MAX_PREFETCH).min(MAX_PREFETCH)
        })
    }

    /// Upper limit of leased games.
    pub fn most(&self, seats: usize) -> usize {
        seats * (1 + self.ahead())
    }

    /// The worker leases more games when it holds fewer than this.
    pub fn refill(&self, seats: usize) -> usize {
        seats.max(self.most(seats) / 2 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefetches_only_short_games() {
        let mut pace = Prefetch::default();
        assert_eq!((pace.most(2), pace.refill(2)), (2, 2));
        pace.took(Duration::from_secs(3));
        assert_eq!((pace.most(2), pace.refill(2)), (2, 2));
        for _ in 0..100 {
            pace.took(Duration::from_millis(9));
        }
        assert_eq!((pace.most(2), pace.refill(2)), (12, 7));
        for _ in 0..100 {
            pace.took(Duration::ZERO);
        }
        assert_eq!(pace.most(1), 33);
    }
}
