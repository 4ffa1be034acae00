//! How many games a worker takes ahead: none of long games, because another worker would play them
//! sooner; of short games as many as are played during one query of the database.

use std::time::Duration;

/// What is taken ahead is played in about this time.
const AHEAD: Duration = Duration::from_millis(50);
/// At most this number for each game that is played at a time.
const MOST: usize = 32;

/// Estimates how many games to lease ahead, from the time that games take.
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
            let games = AHEAD.as_nanos() / mean.as_nanos().max(1);
            usize::try_from(games).unwrap_or(MOST).min(MOST)
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
    fn only_short_games_are_taken_ahead() {
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
