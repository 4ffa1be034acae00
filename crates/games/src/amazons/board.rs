//! Bitboard layout and the names of squares. This file has no queens and no rules.
//!
//! All sizes share one layout: eleven bits a rank, ten files and a gap, from a1 upwards. Squares outside a smaller board are
//! blocked, and so is the gap, so that a shift by one step never carries a piece round an edge.
//!
//! ```text
//!   rank 10   99 100 101 … 108  (109)
//!     …                                          north-west +10   north +11   north-east +12
//!   rank 2    11  12  13 …  20   (21)                  west -1        o          east +1
//!   rank 1     0   1   2 …   9   (10)            south-west -12   south -11   south-east -10
//!              a   b   c …   j    gap
//! ```
//!
//! The order of the bits is the order of listing: a1 first, rank by rank.

use std::fmt;

/// Bits per rank: ten files and a gap.
pub const WIDTH: usize = 11;
/// Files or ranks of the largest board.
pub(super) const LONGEST: usize = 10;

/// A square of the largest board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square(u8);

impl Square {
    /// The square of this file and rank, both counted from 0; none outside 10 by 10.
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_games::amazons::Square;
    ///
    /// assert_eq!(Square::at(3, 0).unwrap().to_string(), "d1");
    /// assert_eq!(Square::at(10, 0), None);
    /// ```
    pub const fn at(file: usize, rank: usize) -> Option<Square> {
        if file < LONGEST && rank < LONGEST { Some(Square((rank * WIDTH + file) as u8)) } else { None }
    }

    /// The square of a bit that is known to be one of the board.
    #[inline]
    pub(super) const fn of_bit(bit: u32) -> Square {
        Square(bit as u8)
    }

    /// The file, counted from 0.
    #[inline]
    pub const fn file(self) -> usize {
        self.0 as usize % WIDTH
    }

    /// The rank, counted from 0.
    #[inline]
    pub const fn rank(self) -> usize {
        self.0 as usize / WIDTH
    }

    /// Index of its bit.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The bitboard with only this square set.
    #[inline]
    pub const fn bit(self) -> u128 {
        1 << self.0
    }

    /// The squares from `self` (excluded) to `to` (included), if they lie on one queen line.
    pub(super) fn line_to(self, to: Square) -> Option<impl Iterator<Item = Square>> {
        let files = to.file() as i32 - self.file() as i32;
        let ranks = to.rank() as i32 - self.rank() as i32;
        let straight = files == 0 || ranks == 0 || files.abs() == ranks.abs();
        let step = ranks.signum() * WIDTH as i32 + files.signum();
        let start = i32::from(self.0);
        straight.then(|| (1..=files.abs().max(ranks.abs())).map(move |k| Square((start + k * step) as u8)))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", file_letter(self.file()), self.rank() + 1)
    }
}

/// a, b, c …
pub(super) fn file_letter(file: usize) -> char {
    char::from(b'a' + file as u8)
}

/// All squares of a board of this size.
pub(super) const fn squares(columns: usize, rows: usize) -> u128 {
    let mut board = 0;
    let mut rank = 0;
    while rank < rows {
        board |= ((1 << columns) - 1) << (rank * WIDTH);
        rank += 1;
    }
    board
}

/// The neighbours of these squares in all eight directions. Bits in the gap or off the board are not cleared: the caller
/// intersects the result with squares of the board.
#[inline(always)]
pub(super) const fn neighbours(of: u128) -> u128 {
    let row = of | of << 1 | of >> 1;
    of << 1 | of >> 1 | row << WIDTH | row >> WIDTH
}

/// The set bits as squares, a1 first.
#[inline(always)]
pub(super) fn squares_of(mut bits: u128) -> impl Iterator<Item = Square> {
    std::iter::from_fn(move || {
        let next = (bits != 0).then(|| Square::of_bit(bits.trailing_zeros()));
        bits &= bits.wrapping_sub(1);
        next
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corners_have_three_neighbours_and_the_middle_eight() {
        let all = squares(10, 10);
        let count = |file, rank| {
            let square = Square::at(file, rank).expect("a square");
            (neighbours(square.bit()) & all).count_ones()
        };
        assert_eq!([count(0, 0), count(9, 0), count(0, 9), count(9, 9)], [3; 4]);
        assert_eq!([count(0, 4), count(9, 4), count(4, 0), count(4, 9)], [5; 4]);
        assert_eq!(count(4, 4), 8);
    }

    #[test]
    fn squares_come_in_listing_order_with_their_names() {
        let names: Vec<String> = squares_of(squares(3, 2)).map(|square| square.to_string()).collect();
        assert_eq!(names, ["a1", "b1", "c1", "a2", "b2", "c2"]);
    }

    #[test]
    fn a_way_is_straight_and_ends_where_it_should() {
        let at = |file, rank| Square::at(file, rank).expect("a square");
        let names = |from: Square, to: Square| {
            from.line_to(to).map(|way| way.map(|square| square.to_string()).collect::<Vec<_>>())
        };
        assert_eq!(names(at(3, 0), at(0, 3)).as_deref(), Some(&["c2".into(), "b3".into(), "a4".into()][..]));
        assert_eq!(names(at(0, 9), at(0, 8)).as_deref(), Some(&["a9".into()][..]));
        assert_eq!(names(at(3, 0), at(4, 2)), None);
        assert_eq!(names(at(3, 0), at(3, 0)).as_deref(), Some(&[][..]));
    }
}
