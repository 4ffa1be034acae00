//! The strong evaluation: banked seeds, and features of the rows. Available captures count most, then pits that the other side
//! can capture, hoards that reach round the board, and mobility.
//!
//! All pits of a row are evaluated in parallel, because a search evaluates every leaf. The weights were set by hand and
//! confirmed by matches.

use super::{Oware, Position};
use parlor_core::{Evaluator, Game, Value};

/// Value of a banked seed.
pub const SEED: Value = 100;
/// For the side to move: the first available capture, and each further one.
const CAPTURE: Value = 110;
const ANOTHER: Value = 15;
/// Value of a pit that the opponent can capture.
const THREAT: Value = 35;
/// Value of a pit with one or two seeds, whether or not it can be captured.
const WEAK: Value = 6;
/// Value of a pit that has seeds.
const MOBILE: Value = 9;
/// Value of a seed in the own row.
const NEAR: Value = 5;
/// Value of a pit with enough seeds to reach round the board.
const HOARD: Value = 30;

const TOPS: u64 = 0x0000_8080_8080_8080;
const EACH: u64 = 0x0000_0101_0101_0101;

/// Evaluates banked seeds, captures, threats, hoards and mobility.
#[derive(Clone, Copy, Debug)]
pub struct Prospects;

impl Evaluator<Oware> for Prospects {
    fn evaluate(&self, game: &Oware, pos: &Position) -> Value {
        let [own, other] = pos.rows();
        SEED * Value::from(game.banked(pos).0) + prospects(own, other)
    }
}

/// By the set of pits that can be captured: the value for the side to move, and for the other side.
static READY: [[Value; 2]; 64] = ready();

const fn ready() -> [[Value; 2]; 64] {
    let mut values = [[0; 2]; 64];
    let mut set = 1_usize;
    while set < 64 {
        let pits = set.count_ones() as Value;
        values[set] = [CAPTURE + ANOTHER * (pits - 1), THREAT * pits];
        set += 1;
    }
    values
}

/// The value of the rows for the side to move, without banked seeds.
#[inline(always)]
pub fn prospects(own: u64, other: u64) -> Value {
    let ready = READY[captures(own, other)][0] - READY[captures(other, own)][1];
    ready + row(own, weak(own)) - row(other, weak(other))
}

/// The pits of the other row that a move of a row's owner can capture, a bit each.
#[inline(always)]
pub(super) fn captures(own: u64, other: u64) -> usize {
    (within(weak(other)) & landings(own) >> 6) as usize % 64
}

/// Value of a row to its owner.
#[inline(always)]
fn row(row: u64, weak: u64) -> Value {
    let filled = ((row + 127 * EACH) & TOPS) >> 7;
    let hoards = ((row + 116 * EACH) & TOPS) >> 7;
    // A weak pit is filled, so no byte goes below 0, and six of them stay below 256.
    let pits = MOBILE as u64 * filled + HOARD as u64 * hoards - WEAK as u64 * (weak >> 7);
    sum(pits) + NEAR * sum(row)
}

#[inline(always)]
fn sum(bytes: u64) -> Value {
    (bytes.wrapping_mul(0x0101_0101_0101_0101) >> 56) as Value
}

/// The pits with one seed or two: the top bit of each one's byte.
#[inline(always)]
fn weak(row: u64) -> u64 {
    (row + 127 * EACH) & !(row + 125 * EACH) & TOPS
}

/// The top bits of six bytes, next to each other.
#[inline(always)]
fn within(tops: u64) -> u64 {
    (tops >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The places of the last seeds of a row's pits, except pits that reach round the board: pit a is bit 0, the other row begins
/// at bit 6.
#[inline(always)]
fn landings(row: u64) -> u64 {
    let ends = row + 0x0000_0504_0302_0100;
    (0..6).fold(0, |set, pit| set | 1 << (ends >> (8 * pit) & 0x3F))
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::Notation;

    fn value_of(text: &str) -> Value {
        let game = Oware::new(&[0]).expect("a game");
        Prospects.evaluate(&game, &game.parse_position(text).expect("a position"))
    }

    #[test]
    fn a_capture_that_lies_ready_counts_for_the_side_to_move() {
        // Pit f has 2 seeds and ends in B, which has 1; nothing else reaches.
        let ready = value_of("0-0-0-0-0-2-0-1-0-0-0-5-20-20-S");
        let not = value_of("0-0-0-0-0-1-0-1-0-0-0-6-20-20-S");
        assert!(ready - not > SEED, "{ready} {not}");
    }

    #[test]
    fn both_sides_judge_alike() {
        assert_eq!(value_of("0-3-0-1-0-2-0-1-0-0-0-5-16-20-S"), value_of("0-1-0-0-0-5-0-3-0-1-0-2-20-16-N"));
    }
}
