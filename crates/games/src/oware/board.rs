//! The position in two words, with branch-free operations: sowing, the capture chain, the sweep. Whether a capture counts and
//! when a game is over is decided in `rules.rs`.
//!
//! Each player's row is one word of eight bytes:
//!
//! ```text
//!   byte    7       6     5   4   3   2   1   0
//!        [owner] [score] [f] [e] [d] [c] [b] [a]       Player 1: owner 0
//!        [owner] [score] [F] [E] [D] [C] [B] [A]       Player 2: owner 0x80
//! ```
//!
//! No byte ever holds more than 48 seeds, so bytes can be added and compared side by side without a carry between them. Sowing
//! is one addition to each word: the gain of every pit depends only on the pit sown and its seeds, and comes from a table.

use parlor_core::Side;
use std::fmt;

/// Pits per side.
pub(super) const PITS: usize = 6;
pub(super) const SEEDS: u8 = 48;
/// With this many seeds a player has more than half.
pub(super) const ENOUGH: u8 = SEEDS / 2 + 1;

const OWNER: u64 = 0x8000_0000_0000_0000;
const SCORE: u32 = 48;
const ALL_PITS: u64 = 0x0000_FFFF_FFFF_FFFF;
/// The top bit of every pit's byte: sums that reach 128 show there.
const TOPS: u64 = 0x0000_8080_8080_8080;
const EACH: u64 = 0x0000_0101_0101_0101;
/// Added to a row, sets the top bit of every pit that has seeds.
const HAS_SEEDS: u64 = 127 * EACH;
/// Added to a row, sets the top bit of its score's byte from 25 seeds on.
const MAJORITY: u64 = (128 - ENOUGH as u64) << SCORE;
/// Added to a row, sets the top bit of every pit that reaches the other row: pit a needs 6 seeds, pit f needs 1.
const FEEDS: u64 = 0x0000_7F7E_7D7C_7B7A;

/// A position of the game. After an end without a legal move no pit has seeds, because both rows are collected; after an end by
/// 25 seeds the pits are as the last move left them.
///
/// # Examples
///
/// ```
/// use parlor_core::{Game, Notation};
/// use parlor_games::oware::{Oware, Pit, RuleSet};
///
/// let game = Oware::by(RuleSet::Abapa);
/// let mut pos = game.parse_position("1-0-0-0-0-1-1-3-0-0-0-0-19-23-S")?;
/// game.play(&mut pos, Pit(5));
/// assert_eq!(pos.scores(), [21, 23], "the last seed made 2 in pit A, which is captured");
/// assert_eq!(pos.pits()[7], 3);
/// # Ok::<(), parlor_core::BadPosition>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// The row of the side to move.
    own: u64,
    other: u64,
}

/// A set of pits of one row: the top bit of each one's byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PitSet(u64);

/// A sowing before its capture: the same player is still to move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sown {
    pub pos: Position,
    /// The bytes of the other row in the capture chain.
    chain: u64,
}

/// The gains of both rows by a sowing (the pit itself loses its seeds), and the bytes of the other row up to the last seed:
/// none if that falls on the own side.
#[derive(Clone, Copy)]
struct Gain {
    own: u64,
    other: u64,
    through: u64,
}

static GAINS: [[Gain; SEEDS as usize + 1]; PITS] = gains();

const fn gains() -> [[Gain; SEEDS as usize + 1]; PITS] {
    let mut table = [[Gain { own: 0, other: 0, through: 0 }; SEEDS as usize + 1]; PITS];
    let mut pit = 0;
    while pit < PITS {
        let mut seeds = 1;
        while seeds <= SEEDS as usize {
            table[pit][seeds] = gain(pit, seeds);
            seeds += 1;
        }
        pit += 1;
    }
    table
}

/// Computes one entry by sowing seed by seed.
const fn gain(pit: usize, seeds: usize) -> Gain {
    let mut own = 0u64.wrapping_sub((seeds as u64) << (8 * pit));
    let mut other = 0;
    let mut at = pit;
    let mut in_hand = seeds;
    while in_hand > 0 {
        at = (at + 1) % (2 * PITS);
        if at == pit {
            continue;
        }
        if at < PITS {
            own = own.wrapping_add(1 << (8 * at));
        } else {
            other += 1 << (8 * (at - PITS));
        }
        in_hand -= 1;
    }
    let through = if at < PITS { 0 } else { ALL_PITS >> (8 * (2 * PITS - 1 - at)) };
    Gain { own, other, through }
}

/// Sum of the bytes of the pits.
#[inline]
fn sum(row: u64) -> u64 {
    (row & ALL_PITS).wrapping_mul(0x0101_0101_0101_0101) >> 56
}

#[inline]
fn score(row: u64) -> u8 {
    (row >> SCORE) as u8 & 0x7F
}

/// The row with its seeds taken into its score.
#[inline]
fn swept(row: u64) -> u64 {
    (row & !ALL_PITS) + (sum(row) << SCORE)
}

impl Position {
    /// A position from its parts, not swept. The numbers must sum to 48.
    pub(super) fn new(pits: [u8; 2 * PITS], scores: [u8; 2], turn: Side) -> Position {
        let row = |side: Side| {
            let seeds = pits.chunks(PITS).nth(side.index()).unwrap_or(&[]);
            let row = seeds.iter().rev().fold(0, |row, &seeds| (row << 8) | u64::from(seeds));
            let owner = if side == Side::First { 0 } else { OWNER };
            owner | u64::from(scores[side.index()]) << SCORE | row
        };
        Position { own: row(turn), other: row(turn.other()) }
    }

    /// A position of two rows, the mover's first, without scores, Player 1 to move.
    pub(super) fn of_rows([own, other]: [u64; 2]) -> Position {
        Position { own: own & ALL_PITS, other: other & ALL_PITS | OWNER }
    }

    #[inline]
    pub fn turn(&self) -> Side {
        if self.own & OWNER == 0 { Side::First } else { Side::Second }
    }

    #[inline]
    fn row(&self, side: Side) -> u64 {
        if side == self.turn() { self.own } else { self.other }
    }

    /// The seeds of all pits: a..f, then A..F.
    pub fn pits(&self) -> [u8; 12] {
        let rows = Side::BOTH.map(|side| self.row(side));
        std::array::from_fn(|pit| (rows[pit / PITS] >> (8 * (pit % PITS))) as u8)
    }

    /// Captured seeds, Player 1 first.
    pub fn scores(&self) -> [u8; 2] {
        Side::BOTH.map(|side| score(self.row(side)))
    }

    pub fn seeds(&self, side: Side) -> u8 {
        sum(self.row(side)) as u8
    }
}

/// Operations for the rules, all seen by the player to move.
impl Position {
    /// The seeds of the own pits, then of the others, each a byte, and no scores.
    #[inline]
    pub fn rows(&self) -> [u64; 2] {
        [self.own & ALL_PITS, self.other & ALL_PITS]
    }

    /// Captured seeds, the side to move first.
    #[inline]
    pub(super) fn own_scores(&self) -> [u8; 2] {
        [score(self.own), score(self.other)]
    }

    /// The seeds in both rows, the own one first.
    #[inline]
    pub(super) fn own_seeds(&self) -> [u8; 2] {
        [sum(self.own) as u8, sum(self.other) as u8]
    }

    /// Whether a player has captured more than half of the seeds.
    #[inline]
    pub(super) fn has_majority(&self) -> bool {
        (self.own.wrapping_add(MAJORITY) | self.other.wrapping_add(MAJORITY)) >> (SCORE + 7) & 1 == 1
    }

    /// The own pits that have seeds, and that reach the other row if it is empty.
    #[inline]
    pub(super) fn movable(&self) -> PitSet {
        let needed = if self.other & ALL_PITS == 0 { FEEDS } else { HAS_SEEDS };
        PitSet(((self.own & ALL_PITS) + needed) & TOPS)
    }

    /// Sows the own pit of this index, 0 to 5, and finds the capture chain.
    #[inline]
    pub(super) fn sow(&self, pit: usize) -> Sown {
        let seeds = (self.own >> (8 * pit)) as u8;
        let gain = GAINS[pit][usize::from(seeds)];
        let other = self.other.wrapping_add(gain.other);
        // The bytes that hold neither 2 nor 3 get their top bit; the last such one up to the last seed ends the chain.
        let neither = ((other & 0x0000_FEFE_FEFE_FEFE) ^ (2 * EACH)) + HAS_SEEDS;
        let stop = neither & TOPS & gain.through;
        // All bytes from there down; none if nothing stops the chain, for which the extra bit avoids a special case.
        let kept = u64::MAX >> (stop << 1 | 1).leading_zeros() >> 1;
        let pos = Position { own: self.own.wrapping_add(gain.own), other };
        Sown { pos, chain: gain.through & !kept }
    }

    /// The same position with the other side to move.
    #[inline]
    pub(super) fn passed(self) -> Position {
        Position { own: self.other, other: self.own }
    }

    /// Each player collects the seeds in their own row.
    #[inline]
    pub(super) fn swept(self) -> Position {
        Position { own: swept(self.own), other: swept(self.other) }
    }

    /// One player takes the seeds of the own row.
    pub(super) fn swept_by(mut self, side: Side) -> Position {
        let row = if side == self.turn() { &mut self.own } else { &mut self.other };
        *row = swept(*row);
        self
    }
}

impl Sown {
    /// Number of seeds in the capture chain.
    #[inline]
    pub(super) fn due(&self) -> u8 {
        sum(self.pos.other & self.chain) as u8
    }

    /// Whether the capture would take everything in the other row.
    #[inline]
    pub(super) fn is_grand_slam(&self) -> bool {
        self.chain != 0 && self.pos.other & ALL_PITS & !self.chain == 0
    }

    /// The position after capturing the chain.
    #[inline]
    pub(super) fn captured(&self) -> Position {
        let taken = sum(self.pos.other & self.chain);
        Position { own: self.pos.own + (taken << SCORE), other: self.pos.other & !self.chain }
    }

    /// The indexes, 0..6, of the other row's pits in the chain.
    pub(super) fn chain(&self) -> impl Iterator<Item = usize> + '_ {
        (0..PITS).filter(|pit| self.chain >> (8 * pit) & 1 == 1)
    }
}

impl PitSet {
    pub(super) const EMPTY: PitSet = PitSet(0);

    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[inline]
    pub(super) fn len(self) -> u64 {
        sum(self.0 >> 7)
    }

    #[inline]
    pub(super) fn contains(self, pit: usize) -> bool {
        self.0 >> (8 * pit + 7) & 1 == 1
    }

    #[inline]
    pub(super) fn without(self, pit: usize) -> PitSet {
        PitSet(self.0 & !(0x80 << (8 * pit)))
    }

    /// Lowest first.
    #[inline]
    pub(super) fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let pit = (rest != 0).then(|| rest.trailing_zeros() as usize / 8);
            rest &= rest.wrapping_sub(1);
            pit
        })
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?} {}", self.pits(), self.scores(), self.turn())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_hold_what_was_put_into_them() {
        let pits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 0, 2];
        for turn in Side::BOTH {
            let pos = Position::new(pits, [9, 0], turn);
            assert_eq!((pos.pits(), pos.scores(), pos.turn()), (pits, [9, 0], turn));
            assert_eq!((pos.seeds(Side::First), pos.seeds(Side::Second)), (15, 24));
            assert_eq!(pos.passed().pits(), pits);
            assert_eq!(pos.passed().turn(), turn.other());
            assert_eq!(pos.swept().scores(), [24, 24]);
        }
    }

    #[test]
    fn more_than_half_of_the_seeds_is_a_majority_of_either_player() {
        for turn in Side::BOTH {
            for score in 0..=SEEDS {
                let mut pits = [0; 12];
                pits[3] = SEEDS - score;
                for scores in [[score, 0], [0, score]] {
                    let pos = Position::new(pits, scores, turn);
                    assert_eq!(pos.has_majority(), score >= 25, "{pos:?}");
                }
            }
        }
        assert!(!Position::new([0; 12], [24, 24], Side::First).has_majority());
    }

    #[test]
    fn all_48_seeds_fit_into_one_pit_and_are_sown_from_it() {
        let mut pits = [0; 12];
        pits[8] = SEEDS;
        let pos = Position::new(pits, [0, 0], Side::Second);
        let after = pos.sow(2).pos;
        assert_eq!(after.pits(), [5, 4, 4, 4, 4, 4, 4, 4, 0, 5, 5, 5]);
        assert_eq!((after.turn(), after.scores()), (Side::Second, [0, 0]));
    }
}
