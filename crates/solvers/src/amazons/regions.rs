//! Decomposition of the board into independent regions, and the protected territory that a side has within one.
//!
//! **Regions.** Take all squares without an arrow, those under queens included, and call two of them joined if one can go from
//! one to the other by king's steps on such squares. A region is a set of joined squares.
//!
//! *They are independent.* Queens and arrows travel by king's steps over squares that are empty at that time, so over squares
//! without an arrow: none leaves its region. A turn changes only squares that its queen and its arrow stood on or fly to, all of
//! one region. And arrows only ever take squares away, so that regions split and never join. Therefore a turn in one region
//! changes no turn in another, now or later: the game is the sum of its regions. (Under queens too, because a queen that moves on
//! joins what it stood between.)
//!
//! ```text
//!   Q . * . q       left: Q alone, one-sided       1st player's filler: as many turns as it can make alone
//!   . . * * *       right: q alone, one-sided
//!   * * * . *       below: no queen, dead          a filler of none
//! ```
//!
//! **Protected territory.** In a contested region one side may still have something for itself. Let `range` be all that a
//! side reaches by king's steps over empty squares and its own queens' squares. As long as no queen of the other side that
//! stands next to the range moves away, the side never gets out of its range, and neither do its arrows: to enter a square
//! outside it would have to come from a square next to it, and those outside that are next to the range hold arrows or
//! queens of the other side. So the empty squares outside one side's range are the other side's protected squares. Its
//! queens that do not touch that range may move there freely: they open nothing. A queen that does touch it, a blocker, may
//! go into a protected square if it shoots back to where it stood, for then that square is closed again before the other
//! side moves.

use super::grid::{Grid, GridBoard};
use crate::shared::Word;

/// The owners of the queens in a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RegionKind {
    /// No queens, or no empty square: no turn will ever be made in it.
    Dead,
    Own,
    Other,
    Contested,
}

/// A region: squares that are independent of all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region<W> {
    pub squares: W,
    pub kind: RegionKind,
}

/// The regions of a board, the one with the lowest square first.
pub(super) fn regions<W: Word>(grid: &Grid<W>, board: GridBoard<W>) -> impl Iterator<Item = Region<W>> {
    let mut left = board.own | board.other | board.empty;
    std::iter::from_fn(move || {
        if left.is_zero() {
            return None;
        }
        let squares = grid.flood(W::bit(left.lowest()), left);
        left ^= squares;
        let kind = match (squares.meets(board.empty), squares.meets(board.own), squares.meets(board.other)) {
            (false, ..) | (true, false, false) => RegionKind::Dead,
            (true, true, false) => RegionKind::Own,
            (true, false, true) => RegionKind::Other,
            (true, true, true) => RegionKind::Contested,
        };
        Some(Region { squares, kind })
    })
}

/// The squares that the queens reach while the other side's queens stay, including their own squares.
#[inline(always)]
pub(super) fn range<W: Word>(grid: &Grid<W>, queens: W, empty: W) -> W {
    grid.flood(queens, queens | empty)
}

/// The protected territory of a side, given the other side's range: the empty squares outside it, the queens that may move
/// there freely, and the blockers.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProtectedTerritory<W> {
    pub empty: W,
    pub free: W,
    pub blockers: W,
}

impl<W: Word> ProtectedTerritory<W> {
    pub fn new(grid: &Grid<W>, queens: W, empty: W, others_range: W) -> ProtectedTerritory<W> {
        let blockers = queens & grid.neighbours(others_range);
        ProtectedTerritory { empty: empty & !others_range, free: queens & !blockers, blockers }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::Notation;
    use parlor_games::amazons::Amazons;

    fn kinds(spec: (u32, u32), text: &str) -> Vec<(RegionKind, u32)> {
        let game = Amazons::sized(spec.0, spec.1).expect("a size");
        let pos = game.parse_position(text).expect("a position");
        let grid = Grid::<u32>::new(&game);
        let board = grid.board(&pos, pos.turn);
        regions(&grid, board).map(|region| (region.kind, region.squares.ones())).collect()
    }

    #[test]
    fn regions_are_told_by_whose_queens_stand_in_them() {
        let found = kinds((5, 4), "Q1*1q/2***/*****/q*1*Q w");
        assert_eq!(
            found,
            [
                (RegionKind::Dead, 1),
                (RegionKind::Dead, 1),
                (RegionKind::Dead, 1),
                (RegionKind::Own, 4),
                (RegionKind::Other, 2)
            ],
            "below: a stuck queen, a square without a queen, a stuck queen; then left and right"
        );
    }

    #[test]
    fn a_queen_joins_what_it_stands_between() {
        assert_eq!(kinds((4, 4), "**q*/1Q*1/**Q1/**** w"), [(RegionKind::Contested, 6)]);
        assert_eq!(
            kinds((4, 4), "q***/**Q1/1***/Q*** w"),
            [(RegionKind::Own, 2), (RegionKind::Own, 2), (RegionKind::Dead, 1)]
        );
    }

    #[test]
    fn a_queen_that_touches_the_other_sides_range_is_a_blocker() {
        let game = Amazons::sized(5, 4).expect("a size");
        let grid = Grid::<u32>::new(&game);
        // Black reaches all but a2, as long as the queen on b2 stays.
        let pos = game.parse_position("**2q/Q*3/1Q3/Q*3 w").expect("a position");
        let board = grid.board(&pos, pos.turn);
        let range = range(&grid, board.other, board.empty);
        let territory = ProtectedTerritory::new(&grid, board.own, board.empty, range);
        let bit = |file, rank| 1_u32 << grid.bit_at(file, rank);
        assert_eq!(territory.empty, bit(0, 1));
        assert_eq!(territory.blockers, bit(1, 1));
        assert_eq!(territory.free, bit(0, 0) | bit(0, 2));
    }
}
