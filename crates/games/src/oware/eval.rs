//! The strong evaluation: what is banked, and what the rows promise. Captures that lie ready count most, then pits that the
//! other side can take, hoards that reach round the board, and room to move.
//!
//! Everything is read from the two rows side by side, because a search asks for it at every leaf. The numbers are set by hand
//! and kept if matches confirm them.

use super::{Oware, Position};
use parlor_core::{Evaluator, Game, Value};

/// Value of a banked seed.
pub const SEED: Value = 100;
/// For the side to move: a first capture that lies ready, and each further one.
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

/// Banked seeds, captures, threats, hoards, room.
#[derive(Clone, Copy, Debug)]
pub struct Prospects;

impl Evaluator<Oware> for Prospects {
    fn evaluate(&self, game: &Oware, pos: &Position) -> Value {
        let [own, other] = pos.rows();
        SEED * Value::from(game.banked(pos).0) + prospects(own, other)
    }
}

/// By the set of pits that can be captured: its value for the side to move, and for the other side.
static READY: [[Value; 2]; 64] = ready();

const fn ready() -> [[Value; 2]; 64] {
    let mut worth = [[0; 2]; 64];
    let mut set = 1_usize;
    while set < 64 {
        let pits = set.count_ones() as Value;
        worth[set] = [CAPTURE + ANOTHER * (pits - 1), THREAT * pits];
        set += 1;
    }
    worth
}

/// What the rows promise the side to move, a byte for each pit, without what is banked.
#[inline(always)]
pub fn prospects(own: u64, other: u64) -> Value {
    let (weak, open) = (weak(own), weak(other));
    let captures = within(open) & landings(own) >> 6;
    let threats = within(weak) & landings(other) >> 6;
    let ready = READY[captures as usize % 64][0] - READY[threats as usize % 64][1];
    ready + row(own, weak) - row(other, open)
}

/// Value of a row to its owner.
#[inline(always)]
fn row(row: u64, weak: u64) -> Value {
    let filled = ((row + 127 * EACH) & TOPS) >> 7;
    let hoards = ((row + 116 * EACH) & TOPS) >> 7;
    // A weak pit is filled: no byte goes below 0, and six of them stay below 256.
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

/// Where the last seeds of a row's pits fall, without those that go once round: pit a is bit 0, the other row begins at bit 6.
#[inline(always)]
fn landings(row: u64) -> u64 {
    let ends = row + 0x0000_0504_0302_0100;
    (0..6).fold(0, |set, pit| set | 1 << (ends >> (8 * pit) & 0x3F))
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::Notation;

    fn judged(text: &str) -> Value {
        let game = Oware::new(&[0]).expect("a game");
        Prospects.evaluate(&game, &game.parse_position(text).expect("a position"))
    }

    #[test]
    fn a_capture_that_lies_ready_counts_for_the_side_to_move() {
        // Pit f has 2 seeds and ends in B, which has 1; nothing else reaches.
        let ready = judged("0-0-0-0-0-2-0-1-0-0-0-5-20-20-S");
        let not = judged("0-0-0-0-0-1-0-1-0-0-0-6-20-20-S");
        assert!(ready - not > SEED, "{ready} {not}");
    }

    #[test]
    fn both_sides_judge_alike() {
        assert_eq!(judged("0-3-0-1-0-2-0-1-0-0-0-5-16-20-S"), judged("0-1-0-0-0-5-0-3-0-1-0-2-20-16-N"));
    }
}
