//! The strong evaluation of Kalah ([`Turns`]) on words of byte lanes: the same numbers, computed for all holes of a row at once.
//!
//! ```text
//!   lane              5    4    3    2    1    0        the last bean of a hole with H - lane beans falls into the pot
//!   ends in the pot   1    2    3    4    5    6        (with a whole round more, too)
//!   own row           1    0    3    4    0    2        own row xor this: zero where there is an extra turn (lanes 5, 3, 2)
//! ```
//!
//! A lane holds at most 127 beans, so the top bit of each byte is free for the result of a comparison.

use super::search::Node;
use parlor_core::Value;
use parlor_games::{
    kalah::{SowingTable, Turns},
    rows::{MOST_BEANS, beans},
};

const ONES: u64 = 0x0101_0101_0101_0101;
/// The top bit of each lane.
const TOPS: u64 = 0x80 * ONES;
/// The other bits of each lane.
const LOW: u64 = 0x7F * ONES;

/// Evaluates positions with H holes per side and at most [`MOST_BEANS`] beans in play.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneTurns<const H: usize> {
    weights: Turns,
    sowing_table: &'static SowingTable,
    captures_into_empty: bool,
}

/// The top bits of the lanes that are zero. No lane may have more than 127.
#[inline(always)]
fn zero_lanes(lanes: u64) -> u64 {
    !(lanes + LOW) & TOPS
}

/// The top bits of the lanes that have at least `least` beans, from 1 to 128.
#[inline(always)]
fn lanes_with(least: usize, lanes: u64) -> u64 {
    (lanes + (128 - least as u64) * ONES) & TOPS
}

/// All bits of the lanes whose top bits are set.
#[inline(always)]
fn whole_lanes(tops: u64) -> u64 {
    (tops >> 7) * 0xFF
}

#[inline(always)]
fn lane(row: u64, lane: usize) -> usize {
    (row >> (8 * lane) & 0xFF) as usize
}

#[inline(always)]
fn largest_lane(lanes: u64) -> u8 {
    lanes.to_le_bytes().into_iter().fold(0, u8::max)
}

/// Fixed-point reciprocals of all divisors, for [`divided`].
static RECIPROCALS: [u64; MOST_BEANS + 17] = reciprocals();
const FRACTION: u32 = 40;

const fn reciprocals() -> [u64; MOST_BEANS + 17] {
    let mut table = [0; MOST_BEANS + 17];
    let mut divisor = 1;
    while divisor < table.len() {
        table[divisor] = (1 << FRACTION) / divisor as u64 + 1;
        divisor += 1;
    }
    table
}

/// The quotient, rounded towards zero like `/`, without a division: exact for all dividends of less than 2^22.
#[inline(always)]
fn divided(dividend: Value, divisor: usize) -> Value {
    let size = (u64::from(dividend.unsigned_abs()) * RECIPROCALS[divisor]) >> FRACTION;
    if dividend < 0 { -(size as Value) } else { size as Value }
}

impl<const H: usize> LaneTurns<H> {
    /// A full round of a sowing.
    const ROUND: usize = 2 * H + 1;
    /// By lane, how many beans a hole needs for the last to fall into the own pot; 127 in unused lanes.
    const TO_POT: u64 = {
        let (mut lanes, mut lane) = (0, 0);
        while lane < 8 {
            let beans = if lane < H { H - lane } else { 127 };
            lanes |= (beans as u64) << (8 * lane);
            lane += 1;
        }
        lanes
    };
    /// The top bits of the lanes in use.
    const LANES: u64 = TOPS >> (64 - 8 * H);

    pub fn new(weights: Turns, captures_into_empty: bool) -> Self {
        LaneTurns { weights, sowing_table: SowingTable::of(H), captures_into_empty }
    }

    /// The estimate for the side to move, whose pot has `banked` beans more than the other. The position is not over.
    #[inline]
    pub fn value(&self, node: &Node, banked: i32) -> Value {
        let Turns { bean, held, capture, threat, decided } = self.weights;
        let (own, other, gain) = self.after_extra_turns(node.own, node.other);
        let (banked, left) = (banked + gain, node.beans - gain);
        if own == 0 {
            // The extra turns ended the game: the other side keeps its beans.
            let margin = banked - left;
            return bean * margin + decided * margin.signum();
        }
        let captures = capture * self.best_capture(own, other) - threat * self.best_capture(other, own);
        let few = 2 * H as Value;
        let dividend = held * (Self::staying(own) - Self::staying(other)) * few;
        let stays = divided(dividend, (few + left) as usize);
        let wins = Value::from(banked > left) - Value::from(-banked > left);
        bean * banked + captures + stays + decided * wins
    }

    /// Both rows after the side to move has made its extra turns, and the beans that it banked.
    #[inline(always)]
    fn after_extra_turns(&self, mut own: u64, mut other: u64) -> (u64, u64, i32) {
        let mut gain = 0;
        loop {
            let mut ends = zero_lanes(own ^ Self::TO_POT);
            if lanes_with(Self::ROUND, own) != 0 {
                ends |= Self::long_extra_turns(own);
            }
            if ends == 0 {
                return (own, other, gain);
            }
            // The hole nearest the pot disturbs no other.
            let lane = (63 - ends.leading_zeros() as usize) / 8;
            let sowing = self.sowing_table.sowing(lane, (own >> (8 * lane)) as u8);
            own = own.wrapping_add(sowing.own);
            other = other.wrapping_add(sowing.other);
            gain += i32::from(sowing.pot);
        }
    }

    /// The top bits of the lanes whose sowings go round at least once and end in the pot.
    #[cold]
    #[inline(never)]
    fn long_extra_turns(own: u64) -> u64 {
        let is_long = |&at: &usize| lane(own, at) >= Self::ROUND && lane(own, at) % Self::ROUND == H - at;
        (0..H).filter(is_long).fold(0, |ends, at| ends | 0x80 << (8 * at))
    }

    /// The most beans that one move of the first row takes, its own last bean included.
    #[inline(always)]
    fn best_capture(&self, own: u64, other: u64) -> Value {
        // Where a sowing of fewer beans than a round ends, by its number of beans.
        let mut ends = 0;
        for beans in 1..H {
            ends |= zero_lanes(own ^ (beans as u64 * ONES)) << (8 * beans);
        }
        let ends = ends & zero_lanes(own) & Self::LANES;
        let opposite = other.swap_bytes() >> (64 - 8 * H);
        let most = i32::from(largest_lane(opposite & whole_lanes(ends)));
        let takes = if self.captures_into_empty { ends != 0 } else { most > 0 };
        let best = if takes { most + 1 } else { 0 };
        if lanes_with(H + 2, own) != 0 { best.max(Self::long_captures(own, other)) } else { best }
    }

    /// Like [`Self::best_capture`], of the sowings that pass the other row. They have laid a bean opposite.
    #[inline(never)]
    fn long_captures(own: u64, other: u64) -> Value {
        let (mut best, mut long) = (0, lanes_with(H + 2, own));
        while long != 0 {
            let at = long.trailing_zeros() as usize / 8;
            long &= long - 1;
            let end = at + lane(own, at);
            // Longer sowings leave no hole empty.
            if lane(own, at) > Self::ROUND || end < Self::ROUND {
                continue;
            }
            let last = end - Self::ROUND;
            if lane(own, last) == 0 || last == at {
                best = best.max(lane(other, H - 1 - last) as Value + 2);
            }
        }
        best
    }

    /// The beans that do not cross to the other side when their hole is sown.
    #[inline(always)]
    fn staying(row: u64) -> Value {
        let more = whole_lanes(((row | TOPS) - Self::TO_POT) & TOPS);
        beans(Self::TO_POT & more | row & !more) as Value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::{Evaluated, Evaluator, Game, Margin, Notation, Side};
    use parlor_engine::Random;
    use parlor_games::kalah::{Kalah, KalahBoard, Position};

    /// A board with at most `most` beans in some of the holes and in the pots.
    fn board(holes: i32, most: usize, random: &mut Random) -> KalahBoard {
        let mut board = KalahBoard::new(holes, 0);
        let mut left = random.below(most + 1);
        while left > 0 {
            let side = if random.below(2) == 0 { Side::First } else { Side::Second };
            let (hole, beans) = (random.below(holes as usize + 1) as i32, 1 + random.below(left.min(20)));
            let before = board.beans(side, hole).expect("a hole");
            board.set_beans(side, hole, i32::from(before) + beans as i32).expect("a number of beans");
            left -= beans;
        }
        board
    }

    fn compare<const H: usize>(captures: u32) {
        let game = Kalah::new(&[H as u32, 1, captures]).expect("a game");
        let evaluation = LaneTurns::<H>::new(Kalah::STRONG, captures == 1);
        let mut random = Random::new(H as u64);
        for most in [4, 12, 48, 72, 127] {
            for _ in 0..3000 {
                let pos = Position::new(board(H as i32, most, &mut random), Side::First);
                if game.result(&pos).is_some() {
                    continue;
                }
                let (own, other) = pos.lanes().expect("a narrow board");
                let Margin(banked) = game.banked(&pos);
                assert_eq!(
                    evaluation.value(&Node::new(own, other), banked.into()),
                    Kalah::STRONG.evaluate(&game, &pos),
                    "{} {}",
                    game.spec(),
                    game.write_position(&pos)
                );
            }
        }
    }

    #[test]
    fn values_on_lanes_are_those_of_the_strong_evaluation() {
        for captures in [0, 1] {
            compare::<1>(captures);
            compare::<2>(captures);
            compare::<3>(captures);
            compare::<4>(captures);
            compare::<5>(captures);
            compare::<6>(captures);
            compare::<7>(captures);
            compare::<8>(captures);
        }
    }

    #[test]
    fn divided_rounds_like_a_division() {
        for divisor in 1..RECIPROCALS.len() {
            for dividend in -6000..=6000 {
                assert_eq!(divided(dividend, divisor), dividend / divisor as Value, "{dividend} / {divisor}");
            }
        }
    }
}
