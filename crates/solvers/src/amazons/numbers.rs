//! Proof and disproof numbers (L. V. Allis, "Searching for Solutions in Games and Artificial Intelligence", 1994): the
//! estimated work to prove that the side to move wins, and to prove that it loses. The number 0 means that it is proved,
//! infinity that the opposite is.
//!
//! The table holds them rounded to a quarter of a power of two, seven bits each:
//!
//! ```text
//!   code    0     1 2 3 4   5  6  7  8   9  …        126        127
//!   number  0     4 5 6 7   8 10 12 14  16  …   about 10^10   infinite
//! ```

use crate::shared::ProvedBounds;

pub(super) const INFINITE: u64 = 1 << 40;
const LAST: i32 = 127;
/// The table's values have a sign.
const OFFSET: i32 = 64;
/// Code of both numbers of a position with the score 0.
const MIDDLE: i32 = 9;
/// Score difference per code.
const SCORE_PER_CODE: i32 = 2;
/// The largest number of codes that a score adds or subtracts.
const STRONGEST: i32 = 32;

/// The work to prove a win and the work to prove a loss, seen by the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    pub win: u64,
    pub loss: u64,
}

impl Numbers {
    pub const WON: Numbers = Numbers { win: 0, loss: INFINITE };
    pub const LOST: Numbers = Numbers { win: INFINITE, loss: 0 };
    pub const UNLIMITED: Numbers = Numbers { win: INFINITE, loss: INFINITE };

    pub fn proved(won: bool) -> Numbers {
        if won { Numbers::WON } else { Numbers::LOST }
    }

    /// Initial numbers of a position that has not been searched, from its score: the larger, the better for the side to
    /// move.
    pub fn initial(order_score: i32) -> Numbers {
        let codes = (order_score / SCORE_PER_CODE).clamp(-STRONGEST, STRONGEST);
        let number = |codes: i32| decode((MIDDLE + codes).clamp(1, LAST - 1));
        Numbers { win: number(-codes), loss: number(codes) }
    }

    /// Whether the side to move wins, if that is proved.
    #[inline]
    pub fn decided(self) -> Option<bool> {
        match (self.win, self.loss) {
            (0, _) => Some(true),
            (_, 0) => Some(false),
            _ => None,
        }
    }

    #[inline]
    pub fn pack(self) -> ProvedBounds {
        ProvedBounds { lo: encode(self.win) - OFFSET, hi: encode(self.loss) - OFFSET }
    }

    #[inline]
    pub fn unpack(packed: ProvedBounds) -> Numbers {
        Numbers { win: decode(packed.lo + OFFSET), loss: decode(packed.hi + OFFSET) }
    }
}

/// Never more than the number, so that nothing unproved becomes infinite.
fn encode(number: u64) -> i32 {
    match number {
        0 => 0,
        INFINITE.. => LAST,
        _ => {
            let number = number.max(4);
            let octave = number.ilog2() - 2;
            ((1 + 4 * octave) as i32 + (number >> octave & 3) as i32).min(LAST - 1)
        }
    }
}

fn decode(code: i32) -> u64 {
    match code {
        ..=0 => 0,
        LAST.. => INFINITE,
        _ => {
            let step = code as u64 - 1;
            (4 + step % 4) << (step / 4)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_kept_to_a_quarter_of_a_power_of_two() {
        for numbers in [Numbers::WON, Numbers::LOST, Numbers { win: 4, loss: 7 << 20 }] {
            assert_eq!(Numbers::unpack(numbers.pack()), numbers);
        }
        for number in (1..100_000).chain([1 << 33, INFINITE - 1]) {
            let kept = Numbers::unpack(Numbers { win: number, loss: number }.pack());
            assert!(kept.decided().is_none() && kept.win == kept.loss);
            assert!(
                !(4..=7 << 30).contains(&number) || (kept.win <= number && number * 4 < kept.win * 5),
                "{number}"
            );
        }
    }

    #[test]
    fn a_better_opinion_makes_a_win_less_work() {
        for order_score in -80..80 {
            let [worse, better] = [order_score, order_score + 1].map(Numbers::initial);
            assert!(better.win <= worse.win && better.loss >= worse.loss && worse.decided().is_none());
        }
    }
}
