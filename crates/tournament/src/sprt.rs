//! The sequential probability ratio test (A. Wald 1945): it decides between the Elo differences `elo0` (H0) and `elo1` (H1) as
//! soon as the results suffice. It is the generalised test (GSPRT) on pairs of games (pentanomial) if there are any: it
//! compares the likeliest distributions of results under both hypotheses. All values are finite for all counts.

use crate::Tally;
use std::fmt;

/// Sequential probability ratio test between two Elo differences.
///
/// # Examples
///
/// ```
/// use parlor_tournament::{Sprt, Tally, Verdict};
///
/// let test = Sprt { elo0: 0.0, elo1: 20.0, ..Sprt::default() };
/// assert_eq!(test.verdict(&Tally::of_games(12, 20, 10)), Verdict::Open);
/// assert_eq!(test.verdict(&Tally::of_games(600, 0, 400)), Verdict::Taken);
/// assert_eq!(test.conclusion(Verdict::Taken), "H1 accepted (elo1 = 20)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// Elo difference under H0.
    pub elo0: f64,
    /// Elo difference under H1.
    pub elo1: f64,
    /// False-positive rate.
    pub alpha: f64,
    /// False-negative rate.
    pub beta: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// H0 accepted.
    Refused,
    /// H1 accepted.
    Taken,
    Open,
}

impl Sprt {
    /// A verdict of this test as a phrase, such as `H1 accepted (elo1 = 5)`.
    pub fn conclusion(&self, verdict: Verdict) -> String {
        match verdict {
            Verdict::Refused => format!("H0 accepted (elo0 = {})", self.elo0),
            Verdict::Taken => format!("H1 accepted (elo1 = {})", self.elo1),
            Verdict::Open => "not decided yet".to_string(),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Refused => "refused",
            Verdict::Taken => "taken",
            Verdict::Open => "open",
        })
    }
}

/// The pseudo-count of results that never occurred, so that no variance is 0.
const HARDLY_EVER: f64 = 1e-3;
/// Iterations of the bisection: a few more than a number has bits.
const HALVINGS: u32 = 80;

impl Default for Sprt {
    fn default() -> Sprt {
        Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05 }
    }
}

/// Expected score at an Elo difference.
fn score_of(elo: f64) -> f64 {
    let elo = if elo.is_nan() { 0.0 } else { elo.clamp(-2000.0, 2000.0) };
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// The likeliest distribution with this mean score, given how often each score (between 0 and 1) occurred: each part p becomes
/// p / (1 + t (score - mean)) with the only t that gives this mean. The mean decreases with t, so bisection finds it.
fn likeliest(parts: &[(f64, f64)], mean: f64) -> Vec<f64> {
    // Bounded below, because the divisor is 0 at the ends of the interval of t.
    let divisor = |t: f64, score: f64| (1.0 + t * (score - mean)).max(1e-12);
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..HALVINGS {
        let t = (low + high) / 2.0;
        let left: f64 = parts.iter().map(|&(score, part)| part * (score - mean) / divisor(t, score)).sum();
        if left > 0.0 {
            low = t;
        } else {
            high = t;
        }
    }
    let t = (low + high) / 2.0;
    parts.iter().map(|&(score, part)| (part / divisor(t, score)).max(f64::MIN_POSITIVE)).collect()
}

impl Sprt {
    /// The limits of the log-likelihood ratio: H0 is accepted at or below the first, H1 at or above the second.
    pub fn limits(&self) -> [f64; 2] {
        let risk = |risk: f64| if risk.is_nan() { 0.05 } else { risk.clamp(1e-9, 0.499) };
        let (alpha, beta) = (risk(self.alpha), risk(self.beta));
        [(beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln()]
    }

    /// The log-likelihood ratio: of pairs if there are any, else of games. For each hypothesis the likeliest distribution with
    /// its score is used.
    pub fn ratio(&self, tally: &Tally) -> f64 {
        if tally.pairs.iter().any(|&count| count > 0) {
            let scores = [0.0, 0.25, 0.5, 0.75, 1.0];
            self.ratio_of(&scores, &tally.pairs)
        } else {
            self.ratio_of(&[0.0, 0.5, 1.0], &[tally.losses, tally.draws, tally.wins])
        }
    }

    fn ratio_of(&self, scores: &[f64], counts: &[u64]) -> f64 {
        if counts.iter().all(|&count| count == 0) {
            return 0.0;
        }
        let counts = counts.iter().map(|&count| (count as f64).max(HARDLY_EVER));
        let weighed: Vec<(f64, f64)> = scores.iter().copied().zip(counts).collect();
        let count: f64 = weighed.iter().map(|(_, n)| n).sum();
        let parts: Vec<(f64, f64)> = weighed.iter().map(|&(x, n)| (x, n / count)).collect();
        let [low, high] = [self.elo0, self.elo1].map(|elo| likeliest(&parts, score_of(elo)));
        let logarithms = low.iter().zip(&high).map(|(low, high)| (high / low).ln());
        weighed.iter().zip(logarithms).map(|((_, n), logarithm)| n * logarithm).sum()
    }

    /// The verdict for the results so far.
    pub fn verdict(&self, tally: &Tally) -> Verdict {
        let [lower, upper] = self.limits();
        match self.ratio(tally) {
            ratio if ratio >= upper => Verdict::Taken,
            ratio if ratio <= lower => Verdict::Refused,
            _ => Verdict::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_result_has_a_finite_ratio_whatever_is_asked() {
        let odd = [0.0, 5.0, -5.0, 1e9, -1e9, f64::NAN, f64::INFINITY];
        let counts =
            (0..7_u64).flat_map(|w| (0..7 - w).flat_map(move |d| (0..7 - w - d).map(move |l| (w, d, l))));
        let huge = [(0, 0, 1_000_000), (1_000_000, 0, 0), (0, 1_000_000, 0), (0, 0, u64::MAX / 4)];
        for (wins, draws, losses) in counts.chain(huge) {
            for (elo0, elo1) in odd.iter().flat_map(|&a| odd.iter().map(move |&b| (a, b))) {
                for risk in [0.05, 0.0, 1.0, f64::NAN] {
                    let sprt = Sprt { elo0, elo1, alpha: risk, beta: risk };
                    let pairs = [losses / 2, 0, draws, 0, wins / 2];
                    assert!(sprt.ratio(&Tally::of_games(wins, draws, losses)).is_finite());
                    assert!(sprt.ratio(&Tally { wins, draws, losses, pairs }).is_finite());
                    assert!(sprt.limits().iter().all(|limit| limit.is_finite()));
                }
            }
        }
    }

    #[test]
    fn clear_results_end_the_test_and_few_results_do_not() {
        let sprt = Sprt::default();
        assert_eq!(sprt.verdict(&Tally::of_games(0, 0, 0)), Verdict::Open);
        assert_eq!(sprt.verdict(&Tally::of_games(3, 1, 2)), Verdict::Open);
        assert_eq!(sprt.verdict(&Tally::of_games(3000, 2000, 2000)), Verdict::Taken);
        assert_eq!(sprt.verdict(&Tally::of_games(2000, 2000, 3000)), Verdict::Refused);
    }

    /// Computed independently of this program, by the same definition in another language and with another root finder.
    #[test]
    fn ratios_of_pairs_are_those_computed_independently() {
        for (pairs, elo0, elo1, want) in [
            ([120, 880, 2100, 950, 150], 0.0, 5.0, 2.8926),
            ([900, 2000, 4300, 2100, 1000], 0.0, 5.0, 3.8469),
            ([30, 100, 220, 140, 60], 0.0, 10.0, 4.4706),
            ([5, 20, 40, 35, 20], 0.0, 20.0, 3.4874),
            ([60, 140, 300, 130, 50], -5.0, 5.0, -1.6532),
            ([0, 10, 30, 60, 100], 0.0, 50.0, 26.718),
            ([400, 0, 1200, 0, 420], 0.0, 5.0, 0.1938),
            ([17, 0, 44, 0, 39], 0.0, 50.0, 3.8734),
            ([4, 0, 22, 0, 24], 0.0, 50.0, 4.3845),
        ] {
            let sprt = Sprt { elo0, elo1, ..Sprt::default() };
            let found = sprt.ratio(&Tally { pairs, ..Tally::default() });
            assert!((found - want).abs() < 1e-3, "{pairs:?}: {found}, not {want}");
        }
    }

    #[test]
    fn the_limits_are_the_textbook_ones() {
        let [lower, upper] = Sprt::default().limits();
        assert!((upper - 19_f64.ln()).abs() < 1e-12 && (lower + upper).abs() < 1e-12);
    }
}
