//! The follow-up strategy: what a player can force by always answering in the same column. It is the rule "claimeven" of
//! Allis (A Knowledge-based Approach of Connect-Four, 1988), applied to the whole board and extended here to columns with
//! an odd number of vacant cells and to columns that the opponent must not enter ("poisoned").
//!
//! Let X be to move and F be the follower. Number the vacant cells of a column 1, 2, 3 … from the bottom. A column is even or
//! odd by how many vacant cells it has.
//!
//! ```text
//!   even column         open column (odd, not poisoned)
//!   4  F                5  F     F answers cell 1 by cell 1 of another open column that is still
//!   3  X                4  X     untouched, and from then on each cell by the cell above it.
//!   2  F                3  F     So X gets cell 1 or not, then cells 2, 4 …; F gets 3, 5 …
//!   1  X                2  X
//!                       1  ?
//! ```
//!
//! **F always has its answer** if the number of open columns is even. An even column has a cell above each odd one. In an open
//! column, 2, 3, 4 … are left after cell 1, an even number, so that each cell of X has one above it; and the open columns are
//! entered in pairs, so that another untouched one is left whenever X enters one.
//!
//! **Poison.** A cell that F is sure to get and that completes a row of F's stones is poison: as soon as X takes the cell below
//! it, F wins. X can use the cells below that one, and neither side goes further up. In an even column the poison has an even
//! number k, in an open one an odd number, 3 or more; both leave k - 2 cells, as many modulo 2 as the column has, so that
//! the answers above stay possible. An odd column whose poison has an even number is played like an even column up to its
//! poison, and is not open.
//!
//! **X cannot win** if the cells that X can get, with its stones, contain no row: odd cells of even columns, cells 1, 2, 4 … of
//! open columns, all below the cell under a poison. X may also take that cell, which loses unless it wins at once: such a
//! cell must not complete a row of these. X threatens nothing on the way that F would have to block outside the strategy: a
//! cell that X could take next is always one of these. Upright rows are checked as well, for cells 1 and 2 of an open
//! column are above each other.
//!
//! **X loses** if there is poison: everything else is filled in pairs, and then X must move below a poison, at the latest when
//! all cells but those from below the poison upwards are filled. X also loses if F's stones and the cells that F is sure to get
//! contain a row: it is complete when everything else is filled, one move earlier than by poison.
//!
//! Preconditions: neither side can complete a row with its next move.

use super::{
    lanes::{LANES, Lanes, Mask},
    lines::{Lines, Shape},
};
use crate::shared::Word;

/// Bounds by the strategy, one per lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct FollowUp<V> {
    /// The lanes in which something is proved.
    pub proved: Mask,
    /// The follower wins with this many of its stones left, or draws (0) …
    wins: V,
    /// … in these lanes with one more.
    sooner: Mask,
}

impl<V> FollowUp<V> {
    const NOTHING: Option<FollowUp<V>> = None;

    /// The most that the side to move can get in a lane in which something is proved.
    #[inline(always)]
    pub fn bound<W: Word>(&self, lane: usize) -> i32
    where
        V: Lanes<W>,
    {
        let mut wins = [W::ZERO; LANES];
        self.wins.store(&mut wins);
        -(wins[lane].wide() as i32 + (self.sooner >> lane & 1) as i32)
    }
}

impl<W: Word, S: Shape> Lines<W, S> {
    /// The most that the side to move can get, in those of the lanes `asked` in which the strategy proves that it is at most
    /// `need`. `own` are its stones, `theirs` the vacant cells that complete a row of the other side's; none of them can
    /// be played at once, and no cell completes a row of the mover's that can be played at once.
    #[inline(always)]
    pub fn follow_up<V: Lanes<W>>(
        &self,
        own: V,
        all: V,
        theirs: V,
        need: i32,
        asked: Mask,
    ) -> Option<FollowUp<V>> {
        let (odd, even, uneven) = self.number_parity(all);
        let mut closed = self.upwards(theirs & even);
        let highest = uneven & V::splat(self.top) & !closed;
        let is_odd = (highest.ones() & V::splat(W::bit(0))).nonzero();
        if asked & !is_odd == 0 {
            return FollowUp::NOTHING;
        }
        let open = (highest << 1).difference(highest >> (self.shape.levels() - 1)) & uneven;
        let first = self.next(all) & open;
        let sure = even & !open | odd & open & !first;
        closed = closed | self.upwards(theirs & sure);
        let below = (closed & !(closed << 1)) >> 1;
        let wins = (closed.ones().sum(below.ones())) >> 1;
        let asked = asked & !is_odd & wins.at_least(-1 - need);
        if asked == 0 {
            return FollowUp::NOTHING;
        }
        let used = !(closed | below);
        let reached = own | (odd & !open | even & open | first) & used;
        let asked = asked & !(self.rows(reached) | self.completing_any(reached) & below).nonzero();
        if asked == 0 {
            return FollowUp::NOTHING;
        }
        // F's sure cells are never above each other.
        let sooner = self.slanted_rows(own ^ all | sure & used).nonzero();
        let proved = asked & (wins.at_least(-need) | sooner);
        if proved == 0 { FollowUp::NOTHING } else { Some(FollowUp { proved, wins, sooner }) }
    }

    /// These cells and all above them in their columns.
    #[inline(always)]
    pub fn upwards<V: Lanes<W>>(&self, cells: V) -> V {
        (V::splat(self.above).difference(cells) | cells) & V::splat(self.board)
    }

    /// The vacant cells with odd numbers in their columns, those with even numbers, and all vacant cells of odd columns.
    ///
    /// A column with h stones has its vacant cells at the bits h, h + 1 …; the bit above its cells minus the bit h is the set of
    /// them. If h is odd, cell 1 is on an even level (the second, fourth …), and so are all cells with odd numbers.
    #[inline(always)]
    fn number_parity<V: Lanes<W>>(&self, all: V) -> (V, V, V) {
        let [board, bottom, above, even_levels] =
            [self.board, self.bottom, self.above, self.even_levels].map(V::splat);
        let vacant = board & !all;
        let of_odd_height = above.difference(all.sum(bottom) & even_levels) & board;
        let of_even_height = vacant & !of_odd_height;
        let odd = of_odd_height & even_levels | of_even_height & !even_levels;
        let uneven = if self.shape.levels().is_multiple_of(2) { of_odd_height } else { of_even_height };
        (odd, vacant & !odd, uneven)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connect::lines::{Fixed, Free};
    use std::collections::HashMap;

    type Board = Lines<u64, Fixed<7, 6, 4>>;

    fn bound<S: Shape>(lines: &Lines<u64, S>, own: u64, all: u64, theirs: u64, need: i32) -> Option<i32> {
        lines.follow_up(own, all, theirs, need, 1).map(|found| found.bound(0))
    }

    /// Stones of the side to move and all stones after these columns.
    fn after(moves: &str) -> (u64, u64) {
        let lines = Board::new(Fixed);
        moves.bytes().fold((0, 0), |(own, all), column| {
            let cell = lines.next(all) & (0x3F << (u32::from(column - b'1') * 7));
            (own ^ all, all | cell)
        })
    }

    #[test]
    fn on_the_empty_board_a_follower_cannot_be_sure_of_anything() {
        assert_eq!(bound(&Board::new(Fixed), 0, 0, 0, 0), None);
    }

    #[test]
    fn a_poisoned_last_column_loses_for_the_side_that_must_play_there() {
        // Everything is full but the last two cells of column 1, and the upper one completes a row of the other side's.
        let lines = Board::new(Fixed);
        let all = lines.board & !(0b11 << 4);
        // No four of these stones, or of the others, are in a row.
        let is_own = |bit: u32| (bit / 7 + bit % 7 / 2).is_multiple_of(2);
        let own = all.bits().filter(|&bit| is_own(bit)).fold(0, |own, bit| own | 1 << bit);
        assert_eq!(bound(&lines, own, all, 1 << 5, 0), Some(-1));
        assert_eq!(bound(&lines, own, all, 0, 0), Some(0));
        assert_eq!(bound(&lines, own, all, 0, -1), None, "more is asked than the theorem can tell");
    }

    #[test]
    fn a_pair_of_open_columns_is_followed_too() {
        let (own, all) = after("44");
        let lines = Board::new(Fixed);
        assert_eq!(bound(&lines, own, all, lines.completing(own ^ all, all), 0), None);
    }

    /// All positions of a board that can be reached, with their values by plain negamax.
    struct BruteForce {
        lines: Lines<u64, Free>,
        values: HashMap<(u64, u64), i32>,
        bounded: usize,
        tight: usize,
    }

    impl BruteForce {
        fn of(columns: u32, levels: u32, n: u32) -> BruteForce {
            let lines = Lines::new(Free { columns, levels, n });
            let mut this = BruteForce { lines, values: HashMap::new(), bounded: 0, tight: 0 };
            this.value(0, 0);
            this
        }

        /// The value of a position without a finished row, seen by the side to move.
        fn value(&mut self, own: u64, all: u64) -> i32 {
            if let Some(&value) = self.values.get(&(own, all)) {
                return value;
            }
            let next = self.lines.next(all);
            let vacant = (self.lines.board & !all).count_ones() as i32;
            let wins = self.lines.completing(own, all) & next;
            let value = if vacant == 0 {
                0
            } else if wins != 0 {
                (vacant + 1) / 2
            } else {
                let after = next.bits().map(|cell| -self.value(own ^ all, all | 1 << cell));
                after.max().expect("a vacant cell")
            };
            self.values.insert((own, all), value);
            let theirs = self.lines.completing(own ^ all, all);
            if wins == 0 && theirs & next == 0 {
                self.check(own, all, theirs, value);
            }
            value
        }

        /// Compares the bound with the value, for every `need` that makes a difference.
        fn check(&mut self, own: u64, all: u64, theirs: u64, value: i32) {
            let most = bound(&self.lines, own, all, theirs, 100);
            let Free { columns, levels, n } = self.lines.shape;
            let is_bound = most.is_none_or(|most| most >= value);
            assert!(is_bound, "{columns}x{levels}, {n} in a row: {own:x} {all:x}: {most:?} < {value}");
            for need in value - 1..=value + 1 {
                let found = bound(&self.lines, own, all, theirs, need);
                assert_eq!(found, most.filter(|&most| most <= need));
            }
            self.bounded += usize::from(most.is_some());
            self.tight += usize::from(most == Some(value));
        }
    }

    #[test]
    fn the_bound_holds_in_every_position_of_fifteen_small_boards() {
        let sizes = [
            (2, 8, 3),
            (3, 5, 3),
            (5, 3, 3),
            (4, 4, 3),
            (6, 3, 3),
            (3, 7, 3),
            (7, 2, 2),
            (4, 3, 3),
            (3, 6, 4),
            (6, 3, 4),
            (4, 4, 4),
            (5, 3, 4),
            (4, 5, 4),
            (5, 4, 4),
            (8, 2, 4),
        ];
        let (mut positions, mut bounded, mut tight) = (0, 0, 0);
        for (columns, levels, n) in sizes {
            let found = BruteForce::of(columns, levels, n);
            assert!(found.bounded > 0 || n == 2, "{columns}x{levels}, {n} in a row: nothing is proved");
            positions += found.values.len();
            (bounded, tight) = (bounded + found.bounded, tight + found.tight);
        }
        assert!(positions > 1_000_000, "{positions} positions");
        assert!(bounded > 100_000 && 2 * tight > bounded, "{bounded} bounds, {tight} exact");
    }
}
