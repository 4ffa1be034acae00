//! Tallies of results and their statistics: Elo difference with its 95% interval, from pairs of games (pentanomial) where there
//! are any, and likelihood of superiority. All values are finite for all counts.

/// Standard deviations within which 95% of a normal distribution lie.
const NINETY_FIVE: f64 = 1.959_963_985;

/// Results of one player, and of its pairs of games.
///
/// # Examples
///
/// ```
/// use parlor_tournament::Tally;
///
/// let tally = Tally::of_pair([2, 1]).and(Tally::of_game(0));
/// assert_eq!((tally.wins, tally.draws, tally.losses), (1, 1, 1));
/// assert_eq!((tally.games(), tally.score()), (3, 0.5));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    /// Pairs by their score: 0, 1/2, 1, 3/2 and 2 points.
    pub pairs: [u64; 5],
}

/// A difference of strength with its error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Elo {
    /// Estimated difference in Elo points.
    pub difference: f64,
    /// Half the width of the 95% interval.
    pub error: f64,
}

impl Tally {
    /// Results that are not paired.
    pub fn of_games(wins: u64, draws: u64, losses: u64) -> Tally {
        Tally { wins, draws, losses, pairs: [0; 5] }
    }

    /// The result of a game in half points: 2 for a win, 1 for a draw, 0 for a loss.
    pub fn of_game(halves: u8) -> Tally {
        match halves {
            0 => Tally::of_games(0, 0, 1),
            1 => Tally::of_games(0, 1, 0),
            _ => Tally::of_games(1, 0, 0),
        }
    }

    /// The results of a pair of games, in half points: 2 for a win, 1 for a draw, 0 for a loss.
    pub fn of_pair(halves: [u8; 2]) -> Tally {
        let mut tally = Tally::of_game(halves[0]).and(Tally::of_game(halves[1]));
        tally.pairs[usize::from(halves.iter().map(|half| half.min(&2)).sum::<u8>())] = 1;
        tally
    }

    /// The sum of both tallies.
    pub fn and(self, other: Tally) -> Tally {
        let mut pairs = self.pairs;
        pairs.iter_mut().zip(other.pairs).for_each(|(own, others)| *own += others);
        Tally {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
            pairs,
        }
    }

    pub fn games(&self) -> u64 {
        self.wins.saturating_add(self.draws).saturating_add(self.losses)
    }

    /// Points per game, from 0 to 1; a half if there was none.
    pub fn score(&self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => (self.wins as f64 + self.draws as f64 / 2.0) / games as f64,
        }
    }

    /// The Elo difference that fits the score. A score of 0% or 100% is moved by a quarter of a point, so that the value stays
    /// finite and grows with the number of games. The error comes from the pairs if there are any.
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_tournament::Tally;
    ///
    /// let elo = Tally::of_games(640, 0, 360).elo();
    /// assert!((elo.difference - 100.0).abs() < 1.0, "64% are 100 Elo points");
    /// assert!(elo.error < 25.0);
    /// ```
    pub fn elo(&self) -> Elo {
        let games = self.games();
        if games == 0 {
            return Elo { difference: 0.0, error: 0.0 };
        }
        let least = (0.25 / games as f64).max(1e-12);
        let elo = |score: f64| {
            let score = score.clamp(least, 1.0 - least);
            -400.0 * (1.0 / score - 1.0).log10()
        };
        let score = self.score();
        // Equal results have no variance, but may be due to chance: then the variance of the next possible score is used.
        let alike = if score.clamp(least, 1.0 - least) == score {
            0.0
        } else {
            (least * (1.0 - least) / games as f64).sqrt()
        };
        let deviation = self.deviation().max(least).max(alike);
        let reach = NINETY_FIVE * deviation;
        Elo { difference: elo(score), error: (elo(score + reach) - elo(score - reach)) / 2.0 }
    }

    /// The standard deviation of the mean score.
    fn deviation(&self) -> f64 {
        let pairs = self.pairs.iter().fold(0_u64, |sum, &count| sum.saturating_add(count));
        let (counts, count): (Vec<(f64, u64)>, u64) = if pairs > 0 {
            ((0..5).map(|i| (f64::from(i) / 4.0, self.pairs[i as usize])).collect(), pairs)
        } else {
            (vec![(1.0, self.wins), (0.5, self.draws), (0.0, self.losses)], self.games().max(1))
        };
        let count = count as f64;
        let mean = counts.iter().map(|&(x, n)| x * n as f64).sum::<f64>() / count;
        let variance = counts.iter().map(|&(x, n)| (x - mean).powi(2) * n as f64).sum::<f64>() / count;
        (variance.max(0.0) / count).sqrt()
    }

    /// Likelihood of superiority (LOS): that this player is the stronger one. Draws do not count.
    pub fn superiority(&self) -> f64 {
        let decided = self.wins as f64 + self.losses as f64;
        if decided == 0.0 {
            0.5
        } else {
            normal_below((self.wins as f64 - self.losses as f64) / decided.sqrt())
        }
    }
}

/// The probability that a standard normal variable is below `x`: between 0 and 1 for every `x`, to about seven digits.
///
/// Simpson's rule on the density from 0 to `x`; beyond eight deviations there is nothing left to add.
pub fn normal_below(x: f64) -> f64 {
    if x.is_nan() {
        return 0.5;
    }
    let end = x.clamp(-8.0, 8.0);
    let density = |t: f64| (-t * t / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let steps = 200;
    let step = end / f64::from(steps);
    let inner: f64 =
        (1..steps).map(|i| if i % 2 == 1 { 4.0 } else { 2.0 } * density(f64::from(i) * step)).sum();
    let area = (density(0.0) + inner + density(end)) * step / 3.0;
    (0.5 + area).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_sound(tally: &Tally) {
        let elo = tally.elo();
        assert!(elo.difference.is_finite() && elo.error.is_finite() && elo.error >= 0.0, "{tally:?} {elo:?}");
        assert!((0.0..=1.0).contains(&tally.score()) && (0.0..=1.0).contains(&tally.superiority()));
    }

    #[test]
    fn every_result_of_up_to_six_games_has_finite_figures() {
        for wins in 0..=6 {
            for draws in 0..=6 - wins {
                for losses in 0..=6 - wins - draws {
                    is_sound(&Tally::of_games(wins, draws, losses));
                }
            }
        }
        for counts in 0..5_u64.pow(3) {
            let pair = |n: u64| match n {
                0 => [0, 0],
                1 => [0, 1],
                2 => [2, 0],
                3 => [2, 1],
                _ => [2, 2],
            };
            let all = [counts % 5, counts / 5 % 5, counts / 25];
            is_sound(&all.map(|n| Tally::of_pair(pair(n))).into_iter().fold(Tally::default(), Tally::and));
        }
        for huge in [1_000_000, u64::MAX] {
            is_sound(&Tally::of_games(0, 0, huge));
            is_sound(&Tally::of_games(huge, 0, 0));
            is_sound(&Tally::of_games(0, huge, 0));
            is_sound(&Tally { losses: huge, pairs: [huge / 2, 0, 0, 0, 0], ..Tally::default() });
        }
    }

    #[test]
    fn figures_are_the_well_known_ones() {
        let tally = Tally::of_games(75, 0, 25);
        assert!((tally.elo().difference - 190.85).abs() < 0.01, "{:?}", tally.elo());
        assert!((70.0..85.0).contains(&tally.elo().error), "{:?}", tally.elo());
        // Computed independently of this program: difference, half the 95% interval, likelihood of superiority.
        for (counts, difference, error, superiority) in [
            ((75, 0, 25), 190.849, 81.151, 1.0),
            ((60, 20, 40), 58.451, 57.964, 0.977_25),
            ((700, 600, 500), 38.764, 13.152, 1.0),
            ((10, 5, 3), 142.619, 157.419, 0.973_898),
            ((1000, 0, 900), 18.303, 15.655, 0.989_109),
        ] {
            let tally = Tally::of_games(counts.0, counts.1, counts.2);
            let elo = tally.elo();
            assert!((elo.difference - difference).abs() < 2e-3, "{counts:?}: {elo:?}");
            assert!((elo.error - error).abs() < 2e-3, "{counts:?}: {elo:?}");
            assert!((tally.superiority() - superiority).abs() < 1e-5, "{counts:?}");
        }
        assert_eq!(Tally::of_games(5, 3, 5).elo().difference, 0.0);
        assert_eq!(Tally::of_games(5, 3, 5).superiority(), 0.5);
        assert!(Tally::of_games(60, 10, 30).superiority() > 0.99);
    }

    #[test]
    fn pairs_add_up() {
        let both = Tally::of_pair([2, 0]).and(Tally::of_pair([2, 1]));
        assert_eq!(both, Tally { wins: 2, draws: 1, losses: 1, pairs: [0, 0, 1, 1, 0] });
    }

    #[test]
    fn pairs_that_always_split_leave_little_doubt() {
        let split = (0..50).map(|_| Tally::of_pair([2, 0])).fold(Tally::default(), Tally::and);
        let single = Tally::of_games(50, 0, 50);
        assert!(split.elo().error < single.elo().error / 5.0);
    }

    #[test]
    fn the_normal_distribution_has_the_values_of_the_tables() {
        for (x, want) in
            [(0.0, 0.5), (1.0, 0.841_344_75), (-1.959_964, 0.025), (3.0, 0.998_650_1), (9.0, 1.0)]
        {
            assert!((normal_below(x) - want).abs() < 1e-6, "{x}: {}", normal_below(x));
        }
        assert_eq!(normal_below(f64::NAN), 0.5);
        assert!(normal_below(f64::NEG_INFINITY) < 1e-9 && normal_below(f64::INFINITY) > 1.0 - 1e-9);
    }
}
