//! The board: holes and pots, and what one can do with them. It knows nothing of captures, extra turns or the end of a game:
//! those are rules of the game.
//!
//! The beans lie in one ring, in the order in which they are sown (here three holes a side):
//!
//! ```text
//!              North's holes                 ring index
//!              1   2   3                     6   5   4
//!   pot N                    pot S        7             3
//!              1   2   3                     0   1   2
//!              South's holes
//! ```
//!
//! so that opposite holes have indexes that sum to 2m.

use parlor_play::Side;

/// More holes a side than this are not supported.
pub const MAX_HOLES: usize = 16;
/// More beans a hole than this no board starts with.
const MAX_BEANS: i32 = 255;

/// Why a board operation was refused. The board is then as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is no hole of this number.
    NoSuchHole,
    /// It is a pot, which cannot be sown or emptied.
    Pot,
    /// There are no beans in it.
    Empty,
    /// A number of beans below zero, or above what a hole can count.
    BadCount,
}

/// Holes and pots.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    holes: u8,
    ring: [u16; 2 * MAX_HOLES + 2],
}

impl Board {
    /// A board of `holes` a side with `beans` in each hole and empty pots. Numbers out of range act as the nearest one in
    /// range: fewer than 1 hole is 1, fewer than 0 beans is 0.
    pub fn new(holes: i32, beans: i32) -> Board {
        let holes = holes.clamp(1, MAX_HOLES as i32) as u8;
        let beans = beans.clamp(0, MAX_BEANS) as u16;
        let mut board = Board { holes, ring: [0; 2 * MAX_HOLES + 2] };
        for side in Side::BOTH {
            let row = board.row(side);
            board.ring[row].fill(beans);
        }
        board
    }

    /// Holes a side.
    #[inline]
    pub fn holes(&self) -> usize {
        usize::from(self.holes)
    }

    /// The beans in a hole; hole 0 is the pot. None if there is no such hole.
    pub fn beans(&self, side: Side, hole: i32) -> Option<u16> {
        self.index(side, hole).map(|i| self.ring[i])
    }

    /// All beans in the side's holes, without its pot.
    #[inline]
    pub fn beans_in_play(&self, side: Side) -> u16 {
        self.ring[self.row(side)].iter().sum()
    }

    /// All beans, pots included.
    pub fn total_beans(&self) -> u16 {
        self.ring.iter().sum()
    }

    /// The beans in the side's pot.
    #[inline]
    pub fn pot(&self, side: Side) -> u16 {
        self.ring[self.pot_index(side)]
    }

    /// Takes all beans of the hole and sows them counterclockwise, into the side's own pot when passed, never into the
    /// other. Tells side and hole of the last bean (hole 0 is the pot).
    pub fn sow(&mut self, side: Side, hole: i32) -> Result<(Side, i32), Refused> {
        let from = self.hole_index(side, hole)?;
        if self.ring[from] == 0 {
            return Err(Refused::Empty);
        }
        let last = self.sow_from(side, from);
        Ok(self.place(last))
    }

    /// Moves all beans of the hole into the pot of `owner`.
    pub fn move_to_pot(&mut self, side: Side, hole: i32, owner: Side) -> Result<(), Refused> {
        let from = self.hole_index(side, hole)?;
        let pot = self.pot_index(owner);
        self.ring[pot] += std::mem::take(&mut self.ring[from]);
        Ok(())
    }

    /// Sets the beans of a hole, or of the pot (hole 0).
    pub fn set_beans(&mut self, side: Side, hole: i32, beans: i32) -> Result<(), Refused> {
        let index = self.index(side, hole).ok_or(Refused::NoSuchHole)?;
        let beans = u16::try_from(beans).map_err(|_| Refused::BadCount)?;
        let others = u32::from(self.total_beans()) - u32::from(self.ring[index]);
        // A margin must fit: no board holds more beans than the largest margin counts.
        if others + u32::from(beans) > i16::MAX as u32 {
            return Err(Refused::BadCount);
        }
        self.ring[index] = beans;
        Ok(())
    }

    /// The side's holes as a stretch of the ring: South's 1..m, or North's m..1.
    #[inline]
    fn row(&self, side: Side) -> std::ops::Range<usize> {
        let m = self.holes();
        match side {
            Side::First => 0..m,
            Side::Second => m + 1..2 * m + 1,
        }
    }

    #[inline]
    fn pot_index(&self, side: Side) -> usize {
        self.row(side).end
    }

    fn index(&self, side: Side, hole: i32) -> Option<usize> {
        let hole = usize::try_from(hole).ok().filter(|&h| h <= self.holes())?;
        Some(match (hole, side) {
            (0, _) => self.pot_index(side),
            (_, Side::First) => hole - 1,
            (_, Side::Second) => 2 * self.holes() + 1 - hole,
        })
    }

    fn hole_index(&self, side: Side, hole: i32) -> Result<usize, Refused> {
        match hole {
            0 => Err(Refused::Pot),
            _ => self.index(side, hole).ok_or(Refused::NoSuchHole),
        }
    }

    /// Side and hole of a place in the ring.
    fn place(&self, index: usize) -> (Side, i32) {
        let m = self.holes();
        match index {
            i if i < m => (Side::First, i as i32 + 1),
            i if i == m => (Side::First, 0),
            i if i <= 2 * m => (Side::Second, (2 * m + 1 - i) as i32),
            _ => (Side::Second, 0),
        }
    }

    /// Sows the beans at a ring index; gives the index of the last one.
    #[inline]
    fn sow_from(&mut self, side: Side, from: usize) -> usize {
        let end = 2 * self.holes() + 2;
        let skipped = self.pot_index(side.other());
        let mut at = from;
        for _ in 0..std::mem::take(&mut self.ring[from]) {
            at += 1;
            if at == skipped {
                at += 1;
            }
            if at >= end {
                // North skips South's pot in the middle; South skips North's at the very end of the ring.
                at = 0;
            }
            self.ring[at] += 1;
        }
        at
    }
}

/// What the rules of the game need beyond the public operations.
impl Board {
    /// The beans of a side's holes 1..m in that order.
    pub(super) fn holes_of(&self, side: Side) -> impl DoubleEndedIterator<Item = u16> + '_ {
        (1..=self.holes() as i32).map(move |hole| self.beans(side, hole).unwrap_or(0))
    }

    /// The beans of a side's holes in the order of sowing.
    #[inline]
    pub(super) fn sowing_order(&self, side: Side) -> &[u16] {
        &self.ring[self.row(side)]
    }

    /// Sows a hole that is known to be there and to have beans; tells how the sowing ended.
    #[inline]
    pub(super) fn sow_known(&mut self, side: Side, hole: u8) -> Landing {
        let from = match side {
            Side::First => usize::from(hole) - 1,
            Side::Second => 2 * self.holes() + 1 - usize::from(hole),
        };
        let last = self.sow_from(side, from);
        if last == self.pot_index(side) {
            Landing::OwnPot
        } else if self.row(side).contains(&last) && self.ring[last] == 1 {
            Landing::OwnEmptyHole { index: last, opposite: self.ring[2 * self.holes() - last] }
        } else {
            Landing::Elsewhere
        }
    }

    /// Takes the last bean and those opposite into the side's pot.
    #[inline]
    pub(super) fn capture(&mut self, side: Side, index: usize) {
        let opposite = 2 * self.holes() - index;
        let taken = std::mem::take(&mut self.ring[index]) + std::mem::take(&mut self.ring[opposite]);
        let pot = self.pot_index(side);
        self.ring[pot] += taken;
    }

    /// Takes what lies in the side's holes into its pot; tells how many.
    #[inline]
    pub(super) fn sweep(&mut self, side: Side) -> u16 {
        let left = self.beans_in_play(side);
        let row = self.row(side);
        self.ring[row].fill(0);
        let pot = self.pot_index(side);
        self.ring[pot] += left;
        left
    }

    /// The hole numbers of a capture: the place of the last bean, seen as side and hole.
    pub(super) fn hole_at(&self, index: usize) -> (Side, i32) {
        self.place(index)
    }
}

/// Where the last bean of a sowing fell, as far as the rules care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Landing {
    OwnPot,
    /// An own hole that was empty just before, with this many beans opposite.
    OwnEmptyHole {
        index: usize,
        opposite: u16,
    },
    Elsewhere,
}

#[cfg(test)]
mod tests {
    use super::*;
    use Side::{First as South, Second as North};

    #[test]
    fn kalah_6_4_starts_with_24_beans_a_side_and_48_in_all() {
        let mut board = Board::new(6, 4);
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
        let mut board = Board::new(3, 2);
        assert_eq!(board.sow(North, 2), Ok((North, 0)));
        assert_eq!(board.beans(North, 1), Some(3));
        assert_eq!(board.sow(North, 1), Ok((South, 2)));
    }

    #[test]
    fn kalah_2_4_north_skips_souths_pot() {
        let mut board = Board::new(2, 4);
        assert_eq!(board.sow(North, 1), Ok((North, 2)));
        assert_eq!(board.beans(South, 0), Some(0));
        assert_eq!(board.move_to_pot(North, 2, North), Ok(()));
        assert_eq!(board.beans(North, 0), Some(6));
    }

    #[test]
    fn sizes_out_of_range_are_clamped() {
        let board = Board::new(0, -1);
        assert_eq!((board.holes(), board.total_beans()), (1, 0));
        assert_eq!(Board::new(i32::MAX, i32::MAX).holes(), MAX_HOLES);
        assert_eq!(Board::new(i32::MIN, i32::MIN).holes(), 1);
    }

    #[test]
    fn bad_input_is_refused_and_changes_nothing() {
        let mut board = Board::new(3, 2);
        let before = board.clone();
        assert_eq!(board.beans(North, -1), None);
        assert_eq!(board.beans(South, 4), None);
        assert_eq!(board.sow(South, 0), Err(Refused::Pot));
        assert_eq!(board.sow(South, 4), Err(Refused::NoSuchHole));
        assert_eq!(board.sow(South, -1), Err(Refused::NoSuchHole));
        assert_eq!(board.move_to_pot(North, 0, South), Err(Refused::Pot));
        assert_eq!(board.move_to_pot(North, 9, South), Err(Refused::NoSuchHole));
        assert_eq!(board.set_beans(North, 4, 1), Err(Refused::NoSuchHole));
        assert_eq!(board.set_beans(North, 1, -1), Err(Refused::BadCount));
        assert_eq!(board.set_beans(North, 1, 40_000), Err(Refused::BadCount));
        assert_eq!(board, before);
        assert_eq!(board.set_beans(South, 1, 0), Ok(()));
        assert_eq!(board.sow(South, 1), Err(Refused::Empty));
    }

    #[test]
    fn a_long_sowing_passes_its_own_hole_and_only_its_own_pot() {
        let mut board = Board::new(6, 0);
        board.set_beans(South, 1, 14).expect("a hole");
        assert_eq!(board.sow(South, 1), Ok((South, 2)));
        assert_eq!((board.beans(South, 1), board.beans(South, 2)), (Some(1), Some(2)));
        assert_eq!((board.pot(South), board.pot(North), board.total_beans()), (1, 0, 14));
    }
}
