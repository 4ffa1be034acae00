//! Maximum-likelihood ratings of all players from all results at once, in the Bradley-Terry model (Bradley and Terry 1952),
//! by the MM algorithm (Hunter 2004), as Elo differences. A draw counts as half a win. Every player also has one virtual
//! draw with a player of strength 1, so that one who won or lost every game has a finite rating too.

use crate::Elo;

/// Elo points per factor e.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;
const NINETY_FIVE: f64 = 1.959_963_985;
const MOST_PASSES: usize = 2000;
const CLOSE_ENOUGH: f64 = 1e-7;

/// The first player's half points against the second, and the number of games.
pub type Points = (f64, f64);

/// The rating of each player, with mean 0; `table[i][j]` has the points of `i` against `j`.
///
/// # Examples
///
/// ```
/// use parlor_tournament::ratings;
///
/// // Half points and games: the first player won 30 of 40 games.
/// let table = [vec![(0.0, 0.0), (60.0, 40.0)], vec![(20.0, 40.0), (0.0, 0.0)]];
/// let found = ratings(&table);
/// assert!(found[0].difference > 80.0);
/// assert!((found[0].difference + found[1].difference).abs() < 1e-6, "the mean is 0");
/// ```
pub fn ratings(table: &[Vec<Points>]) -> Vec<Elo> {
    let players = table.len();
    let mut strengths = vec![1.0_f64; players];
    for _ in 0..MOST_PASSES {
        let mut moved = 0.0_f64;
        for i in 0..players {
            let against = |j: usize| table[i][j].1 / (strengths[i] + strengths[j]);
            let faced: f64 = (0..players).filter(|&j| j != i).map(against).sum();
            let points: f64 = (0..players).filter(|&j| j != i).map(|j| table[i][j].0 / 2.0).sum();
            let better = (points + 0.5) / (faced + 1.0 / (strengths[i] + 1.0));
            moved = moved.max((better / strengths[i]).ln().abs());
            strengths[i] = better;
        }
        if moved < CLOSE_ENOUGH {
            break;
        }
    }
    let mean = strengths.iter().map(|strength| strength.ln()).sum::<f64>() / players.max(1) as f64;
    let rating = |i: usize| {
        let certainty = |j: usize, games: f64| {
            let part = strengths[i] / (strengths[i] + strengths.get(j).copied().unwrap_or(1.0));
            games * part * (1.0 - part)
        };
        let known: f64 = (0..players).filter(|&j| j != i).map(|j| certainty(j, table[i][j].1)).sum();
        let error = NINETY_FIVE * SCALE / (known + certainty(usize::MAX, 1.0)).max(1e-9).sqrt();
        Elo { difference: SCALE * (strengths[i].ln() - mean), error }
    };
    (0..players).map(rating).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_players_differ_by_what_their_score_says() {
        let table = vec![vec![(0.0, 0.0), (1500.0, 1000.0)], vec![(500.0, 1000.0), (0.0, 0.0)]];
        let found = ratings(&table);
        let apart = found[0].difference - found[1].difference;
        assert!((apart - 190.85).abs() < 1.0, "{apart}");
        assert!((10.0..40.0).contains(&found[0].error), "{found:?}");
    }

    #[test]
    fn all_ratings_are_finite_whatever_was_played() {
        for games in [0.0, 1.0, 6.0, 1e6] {
            let won = 2.0 * games;
            let table = vec![
                vec![(0.0, 0.0), (won, games), (0.0, 0.0)],
                vec![(0.0, games), (0.0, 0.0), (won, games)],
                vec![(0.0, 0.0), (0.0, games), (0.0, 0.0)],
            ];
            let found = ratings(&table);
            assert!(found.iter().all(|elo| elo.difference.is_finite() && elo.error.is_finite()), "{found:?}");
            assert!(games == 0.0 || found.is_sorted_by(|a, b| a.difference > b.difference), "{found:?}");
        }
        assert!(ratings(&[]).is_empty());
    }
}
