//! The board: holes and pots, and operations on them. Captures, extra turns and the end of a game are in `rules.rs`.
//!
//! Each side's holes are lanes of words, in the order in which that side sows them:
//!
//! ```text
//!                 North's holes
//!   hole          1  2  3  4  5  6            narrow     - - 5 4 3 2 1 0        8 lanes of 8 bits in word 0
//!   lane          5  4  3  2  1  0
//!   pot N                          pot S      wide       word 1       word 0
//!   lane          0  1  2  3  4  5                       - - 5 4      3 2 1 0   4 lanes of 16 bits a word
//!   hole          1  2  3  4  5  6
//!                 South's holes
//! ```
//!
//! Seen by the side that sows, both sides are then alike: own lanes from 0 to m-1, the own pot, the other side's lanes from
//! 0 to m-1, and round again. Lane i lies opposite the other side's lane m-1-i. A board is narrow if it has at most eight
//! holes a side and 255 beans in all, and wide otherwise; a lane can then hold all beans there are, so that lanes are added
//! side by side without a carry.

use parlor_core::Side;

/// The largest supported number of holes per side.
pub const MAX_HOLES: usize = 64;
/// The largest supported number of beans per hole at the start.
pub const MAX_BEANS: u16 = 1000;
/// The largest number of beans on a board: a margin must be able to count them.
pub(super) const MOST: u32 = i16::MAX as u32;

/// Why a board operation was refused. The board is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardError {
    /// The hole does not exist.
    NoSuchHole,
    /// It is a pot, which cannot be sown or emptied.
    Pot,
    Empty,
    /// A number of beans below zero, or above what a board can count.
    BadCount,
}

/// Holes and pots, with `WORDS` words a side: a board of up to four times as many holes fits.
///
/// # Examples
///
/// ```
/// use parlor_core::Side::{First as South, Second as North};
/// use parlor_games::kalah::{BoardError, KalahBoard};
///
/// let mut board = KalahBoard::new(3, 2);
/// assert_eq!(board.sow(North, 2), Ok((North, 0)), "the last bean falls into North's pot");
/// assert_eq!(board.beans(North, 1), Some(3));
/// assert_eq!(board.move_to_pot(South, 1, South), Ok(()));
/// assert_eq!((board.pot(South), board.pot(North)), (2, 1));
/// assert_eq!(board.sow(South, 1), Err(BoardError::Empty));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BoardOf<const WORDS: usize> {
    pub(super) rows: [[u64; WORDS]; 2],
    pub(super) pots: [u16; 2],
    holes: u8,
    /// Derived from the holes and the number of beans, so that equal boards are equal in every bit.
    pub(super) narrow: bool,
}

impl<const WORDS: usize> BoardOf<WORDS> {
    /// Per side.
    pub const MOST_HOLES: usize = if 4 * WORDS < MAX_HOLES { 4 * WORDS } else { MAX_HOLES };

    /// A board of `holes` a side with `beans` in each hole and empty pots. Numbers out of range are clamped.
    pub fn new(holes: i32, beans: i32) -> BoardOf<WORDS> {
        let holes = holes.clamp(1, Self::MOST_HOLES as i32) as u8;
        let most = (MOST as i32 / (2 * i32::from(holes))).min(MAX_BEANS.into());
        let beans = beans.clamp(0, most) as u16;
        let narrow = is_narrow(holes, 2 * u32::from(holes) * u32::from(beans));
        let mut board = BoardOf { rows: [[0; WORDS]; 2], pots: [0; 2], holes, narrow };
        for side in Side::BOTH {
            for lane in 0..board.holes() {
                board.set_lane(side, lane, beans);
            }
        }
        board
    }

    /// Per side.
    #[inline]
    pub fn holes(&self) -> usize {
        usize::from(self.holes)
    }

    /// The beans in a hole; hole 0 is the pot. `None` if there is no such hole.
    pub fn beans(&self, side: Side, hole: i32) -> Option<u16> {
        match hole {
            0 => Some(self.pot(side)),
            _ => self.lane_of(side, hole).map(|lane| self.lane(side, lane)),
        }
    }

    /// All beans in the side's holes, without its pot.
    #[inline]
    pub fn beans_in_play(&self, side: Side) -> u16 {
        let row = &self.rows[side.index()];
        // The product's top lane is the sum of all lanes.
        if self.narrow {
            (row[0].wrapping_mul(0x0101_0101_0101_0101) >> 56) as u16
        } else {
            row.iter().map(|word| (word.wrapping_mul(0x0001_0001_0001_0001) >> 48) as u16).sum()
        }
    }

    /// All beans, including those in the pots.
    pub fn total_beans(&self) -> u16 {
        Side::BOTH.into_iter().map(|side| self.beans_in_play(side) + self.pot(side)).sum()
    }

    #[inline]
    pub fn pot(&self, side: Side) -> u16 {
        self.pots[side.index()]
    }

    /// Takes all beans of the hole and sows them counterclockwise, into the side's own pot when passed, never into the other.
    /// Returns side and hole of the last bean (hole 0 is the pot).
    pub fn sow(&mut self, side: Side, hole: i32) -> Result<(Side, i32), BoardError> {
        let lane = self.hole_lane(side, hole)?;
        if self.lane(side, lane) == 0 {
            return Err(BoardError::Empty);
        }
        let last = self.sow_slowly(side, lane);
        let m = self.holes();
        Ok(match last {
            last if last < m => (side, self.hole_of(side, last)),
            last if last == m => (side, 0),
            last => (side.other(), self.hole_of(side.other(), last - m - 1)),
        })
    }

    /// Moves all beans of the hole into the pot of `owner`.
    pub fn move_to_pot(&mut self, side: Side, hole: i32, owner: Side) -> Result<(), BoardError> {
        let lane = self.hole_lane(side, hole)?;
        self.pots[owner.index()] += self.take(side, lane);
        Ok(())
    }

    /// Sets the beans of a hole, or of the pot (hole 0).
    pub fn set_beans(&mut self, side: Side, hole: i32, beans: i32) -> Result<(), BoardError> {
        let before = self.beans(side, hole).ok_or(BoardError::NoSuchHole)?;
        let beans = u16::try_from(beans).map_err(|_| BoardError::BadCount)?;
        let total = u32::from(self.total_beans()) - u32::from(before) + u32::from(beans);
        if total > MOST {
            return Err(BoardError::BadCount);
        }
        self.widen_or_narrow(side, hole, is_narrow(self.holes, total));
        match self.lane_of(side, hole) {
            Some(lane) => self.set_lane(side, lane, beans),
            None => self.pots[side.index()] = beans,
        }
        Ok(())
    }

    /// Removes the beans of a hole (or pot) and converts the rest to lanes of the other width, if need be.
    fn widen_or_narrow(&mut self, side: Side, hole: i32, narrow: bool) {
        match self.lane_of(side, hole) {
            Some(lane) => self.set_lane(side, lane, 0),
            None => self.pots[side.index()] = 0,
        }
        if narrow != self.narrow {
            let before = self.clone();
            (self.rows, self.narrow) = ([[0; WORDS]; 2], narrow);
            for (side, lane) in
                Side::BOTH.into_iter().flat_map(|side| (0..before.holes()).map(move |lane| (side, lane)))
            {
                self.set_lane(side, lane, before.lane(side, lane));
            }
        }
    }

    /// The lane of a hole; `None` if there is no such hole.
    fn lane_of(&self, side: Side, hole: i32) -> Option<usize> {
        let hole = usize::try_from(hole).ok().filter(|hole| (1..=self.holes()).contains(hole))?;
        Some(if side == Side::First { hole - 1 } else { self.holes() - hole })
    }

    /// Number of the hole in this lane.
    pub(super) fn hole_of(&self, side: Side, lane: usize) -> i32 {
        (if side == Side::First { lane + 1 } else { self.holes() - lane }) as i32
    }

    fn hole_lane(&self, side: Side, hole: i32) -> Result<usize, BoardError> {
        match hole {
            0 => Err(BoardError::Pot),
            _ => self.lane_of(side, hole).ok_or(BoardError::NoSuchHole),
        }
    }

    /// Word and shift of a lane, and the bits of a lane.
    #[inline]
    fn place(&self, lane: usize) -> (usize, usize, u64) {
        if self.narrow { (0, 8 * (lane % 8), 0xFF) } else { (lane / 4 % WORDS, 16 * (lane % 4), 0xFFFF) }
    }

    #[inline]
    pub(super) fn lane(&self, side: Side, lane: usize) -> u16 {
        let (word, shift, bits) = self.place(lane);
        (self.rows[side.index()][word] >> shift & bits) as u16
    }

    #[inline]
    fn set_lane(&mut self, side: Side, lane: usize, beans: u16) {
        let (word, shift, bits) = self.place(lane);
        let word = &mut self.rows[side.index()][word];
        *word = *word & !(bits << shift) | u64::from(beans) << shift;
    }

    #[inline]
    pub(super) fn take(&mut self, side: Side, lane: usize) -> u16 {
        let beans = self.lane(side, lane);
        self.set_lane(side, lane, 0);
        beans
    }

    /// Sows whole rounds at once and the rest bean by bean. Returns the last place, numbered from the side that sows: its
    /// lanes, its pot (m), the other lanes.
    pub(super) fn sow_slowly(&mut self, side: Side, lane: usize) -> usize {
        let m = self.holes();
        let beans = self.take(side, lane);
        let round = 2 * m as u16 + 1;
        if beans >= round {
            (0..=2 * m).for_each(|at| self.add(side, at, beans / round));
        }
        let mut at = lane;
        for _ in 0..beans % round {
            at = if at == 2 * m { 0 } else { at + 1 };
            self.add(side, at, 1);
        }
        at
    }

    /// Adds beans at a place, numbered from this side.
    fn add(&mut self, side: Side, at: usize, beans: u16) {
        let m = self.holes();
        match at {
            own if own < m => self.set_lane(side, own, self.lane(side, own) + beans),
            pot if pot == m => self.pots[side.index()] += beans,
            other => {
                let (side, lane) = (side.other(), other - m - 1);
                self.set_lane(side, lane, self.lane(side, lane) + beans);
            }
        }
    }
}

fn is_narrow(holes: u8, total: u32) -> bool {
    holes <= 8 && total <= u32::from(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kalah::{KalahBoard, LargeBoard};
    use Side::{First as South, Second as North};

    #[test]
    fn kalah_6_4_starts_with_24_beans_a_side_and_48_in_all() {
        let mut board = KalahBoard::new(6, 4);
        assert_eq!((board.holes(), board.beans_in_play(South), board.beans_in_play(North)), (6, 24, 24));
        assert_eq!(board.total_beans(), 48);
        assert_eq!(board.sow(South, 1), Ok((South, 5)));
        assert_eq!((board.beans(South, 1), board.beans(South, 2)), (Some(0), Some(5)));
        assert_eq!(board.move_to_pot(South, 2, South), Ok(()));
        assert_eq!(board.beans(South, 0), Some(5));
        assert_eq!(board.set_beans(South, 1, 10), Ok(()));
        assert_eq!(board.beans(South, 1), Some(10));
    }

    #[test]
    fn kalah_3_2_north_sows_into_its_pot_and_then_round_the_corner() {
        let mut board = KalahBoard::new(3, 2);
        assert_eq!(board.sow(North, 2), Ok((North, 0)));
        assert_eq!(board.beans(North, 1), Some(3));
        assert_eq!(board.sow(North, 1), Ok((South, 2)));
    }

    #[test]
    fn kalah_2_4_north_skips_souths_pot() {
        let mut board = KalahBoard::new(2, 4);
        assert_eq!(board.sow(North, 1), Ok((North, 2)));
        assert_eq!(board.beans(South, 0), Some(0));
        assert_eq!(board.move_to_pot(North, 2, North), Ok(()));
        assert_eq!(board.beans(North, 0), Some(6));
    }

    #[test]
    fn sizes_out_of_range_are_clamped() {
        let board = KalahBoard::new(0, -1);
        assert_eq!((board.holes(), board.total_beans()), (1, 0));
        let largest = KalahBoard::new(i32::MAX, i32::MAX);
        assert_eq!((largest.holes(), largest.total_beans()), (16, 32_000));
        let largest = LargeBoard::new(i32::MAX, i32::MAX);
        assert_eq!((largest.holes(), largest.total_beans()), (MAX_HOLES, 32_640));
        assert_eq!(KalahBoard::new(i32::MIN, i32::MIN).holes(), 1);
    }

    #[test]
    fn bad_input_is_refused_and_changes_nothing() {
        let mut board = KalahBoard::new(3, 2);
        let before = board.clone();
        assert_eq!(board.beans(North, -1), None);
        assert_eq!(board.beans(South, 4), None);
        assert_eq!(board.sow(South, 0), Err(BoardError::Pot));
        assert_eq!(board.sow(South, 4), Err(BoardError::NoSuchHole));
        assert_eq!(board.sow(South, -1), Err(BoardError::NoSuchHole));
        assert_eq!(board.move_to_pot(North, 0, South), Err(BoardError::Pot));
        assert_eq!(board.move_to_pot(North, 9, South), Err(BoardError::NoSuchHole));
        assert_eq!(board.set_beans(North, 4, 1), Err(BoardError::NoSuchHole));
        assert_eq!(board.set_beans(North, 1, -1), Err(BoardError::BadCount));
        assert_eq!(board.set_beans(North, 1, 40_000), Err(BoardError::BadCount));
        assert_eq!(board, before);
        assert_eq!(board.set_beans(South, 1, 0), Ok(()));
        assert_eq!(board.sow(South, 1), Err(BoardError::Empty));
    }

    #[test]
    fn rounds_sown_at_once_end_where_single_beans_do() {
        for (beans, last) in [(129, (South, 1)), (130, (South, 2)), (1000, (North, 32)), (32_640, (South, 4))]
        {
            let mut board = LargeBoard::new(64, 0);
            board.set_beans(South, 1, beans).expect("a hole");
            assert_eq!(board.sow(South, 1), Ok(last), "{beans}");
            assert_eq!((i32::from(board.total_beans()), board.pot(North)), (beans, 0));
        }
    }

    #[test]
    fn a_long_sowing_passes_its_own_hole_and_only_its_own_pot() {
        let mut board = KalahBoard::new(6, 0);
        board.set_beans(South, 1, 14).expect("a hole");
        assert_eq!(board.sow(South, 1), Ok((South, 2)));
        assert_eq!((board.beans(South, 1), board.beans(South, 2)), (Some(1), Some(2)));
        assert_eq!((board.pot(South), board.pot(North), board.total_beans()), (1, 0, 14));
    }
}
