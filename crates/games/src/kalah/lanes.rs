//! Board operations for the rules, beyond the public ones: sowing a lane by table, lanes with beans, captures and the sweep.
//! `board.rs` draws the layout of the lanes; `rules.rs` decides when a capture happens.

use super::{board::BoardOf, sowing_table::SowingTable};
use parlor_core::Side;

/// The low seven bits of each narrow lane.
const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;

impl<const WORDS: usize> BoardOf<WORDS> {
    /// The beans of a side's holes 1..m in that order.
    pub(super) fn holes_of(&self, side: Side) -> impl Iterator<Item = u16> + '_ {
        (1..=self.holes() as i32).map(move |hole| self.beans(side, hole).unwrap_or(0))
    }

    /// The beans of a side's holes in the order of sowing.
    pub(super) fn lanes(&self, side: Side) -> impl DoubleEndedIterator<Item = u16> + '_ {
        (0..self.holes()).map(move |lane| self.lane(side, lane))
    }

    /// Whether a side has no beans in its holes.
    #[inline]
    pub(super) fn is_empty(&self, side: Side) -> bool {
        self.rows[side.index()].iter().fold(0, |any, word| any | word) == 0
    }

    /// One bit for each lane of a side that has beans; `None` on a wide board. Adding 0x7F to the low seven bits of
    /// each lane sets its top bit if there is anything, and a multiplication gathers the eight top bits.
    #[inline]
    pub(super) fn nonempty_lanes(&self, side: Side) -> Option<u8> {
        let row = self.rows[side.index()][0];
        let tops = (((row & LOW) + LOW) | row) >> 7 & (!LOW >> 7);
        self.narrow.then_some((tops.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8)
    }

    /// Sows a lane that has beans. Returns where the last bean landed.
    #[inline(always)]
    pub(super) fn sow_lane(&mut self, side: Side, lane: usize, sowing_table: &SowingTable) -> Landing {
        if !self.narrow {
            return self.sow_wide_lane(side, lane);
        }
        let m = self.holes();
        let (mut own, mut other) = (self.rows[side.index()][0], self.rows[side.other().index()][0]);
        let sowing = sowing_table.sowing(lane, (own >> (8 * lane % 64)) as u8);
        own = own.wrapping_add(sowing.own);
        other = other.wrapping_add(sowing.other);
        self.rows[side.index()][0] = own;
        self.rows[side.other().index()][0] = other;
        self.pots[side.index()] += u16::from(sowing.pot);
        let last = usize::from(sowing.last);
        let alone = last < m && own >> (8 * last % 64) & 0xFF == 1;
        Landing::new(m, last, alone, || (other >> (8 * (m - 1 - last) % 64) & 0xFF) as u16)
    }

    /// [`BoardOf::sow_lane`] on a wide board: a function of its own, so that the narrow case stays
    /// small enough to be inlined into the search.
    #[cold]
    #[inline(never)]
    fn sow_wide_lane(&mut self, side: Side, lane: usize) -> Landing {
        let m = self.holes();
        let last = self.sow_slowly(side, lane);
        let beans = |side, lane| self.lane(side, lane);
        Landing::new(m, last, last < m && beans(side, last) == 1, || beans(side.other(), m - 1 - last))
    }

    /// Moves the last bean and those opposite into the side's pot.
    #[inline]
    pub(super) fn capture(&mut self, side: Side, lane: usize) {
        let taken = self.take(side, lane) + self.take(side.other(), self.holes() - 1 - lane);
        self.pots[side.index()] += taken;
    }

    /// Moves the beans in the side's holes into its pot.
    pub(super) fn sweep(&mut self, side: Side) {
        self.pots[side.index()] += self.beans_in_play(side);
        self.rows[side.index()] = [0; WORDS];
    }

    /// A narrow board with these lanes, South's and North's, and empty pots.
    pub(super) fn of_rows(holes: usize, south: u64, north: u64) -> BoardOf<WORDS> {
        let mut board = BoardOf::new(holes as i32, 0);
        (board.rows[0][0], board.rows[1][0]) = (south, north);
        board
    }

    /// A narrow side's lanes.
    pub(super) fn narrow_row(&self, side: Side) -> u64 {
        self.rows[side.index()][0]
    }
}

/// The place where the last bean of a sowing fell, as far as the rules distinguish it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Landing {
    OwnPot,
    /// An own hole that was empty just before, with this many beans opposite.
    OwnEmptyHole {
        lane: usize,
        opposite: u16,
    },
    Elsewhere,
}

impl Landing {
    /// The landing for a last place numbered from the side that sows, whether the bean is alone there, and the number of beans
    /// opposite.
    #[inline]
    fn new(holes: usize, last: usize, alone: bool, opposite: impl FnOnce() -> u16) -> Landing {
        if last == holes {
            Landing::OwnPot
        } else if alone {
            Landing::OwnEmptyHole { lane: last, opposite: opposite() }
        } else {
            Landing::Elsewhere
        }
    }
}
