//! Counts the turns of a side without listing them.
//!
//! A queen moves from `from` to `to`. The number of arrows is the number of moves of a queen on `to` while the old one is still
//! on `from`, plus `from` itself and the free squares behind it. No other line through `to` meets `from`. So with
//!
//! ```text
//!   length(s, d)   free squares from s in direction d
//!   freedom(s)     the sum of length(s, d) over all d
//! ```
//!
//! a queen has  `sum over to: freedom(to)  +  sum over d: length(from, d) * (1 + length(from, opposite d))`  turns.
//!
//! The freedoms of all squares are computed in parallel. A rank is one word of ten lanes, six bits each, since no freedom
//! exceeds 35:
//!
//! ```text
//!   63..60   59..54   …   11..6   5..0
//!   unused   file j   …   file b  file a
//! ```
//!
//! and lengths are passed from rank to rank: the length to the south is one more than that of the square below if that square
//! is free, else 0. For south-west and south-east the word is also shifted by a lane. Lengths along the rank come from a table
//! of all 1024 ranks.

use super::board::{LONGEST, Square, WIDTH, squares_of};

const LANE: usize = 6;
const ONES: u64 = {
    let mut ones = 0;
    let mut file = 0;
    while file < LONGEST {
        ones |= 1 << (LANE * file);
        file += 1;
    }
    ones
};
/// Every second lane, with room above it for sums.
const EVEN: u64 = {
    let mut even = 0;
    let mut file = 0;
    while file < LONGEST {
        even |= 63 << (LANE * file);
        file += 2;
    }
    even
};

/// By the ten bits of a rank: a full lane for each.
static SPREAD: [u64; 1024] = by_rank(0);
/// By the free squares of a rank: the length to the east and to the west of each square.
static EAST: [u64; 1024] = by_rank(1);
static WEST: [u64; 1024] = by_rank(-1);

const fn by_rank(direction: i32) -> [u64; 1024] {
    let mut table = [0; 1024];
    let mut bits = 0;
    while bits < 1024 {
        let mut file = 0;
        while file < LONGEST as i32 {
            let lane =
                if direction == 0 { 63 * (bits as u64 >> file & 1) } else { run(bits, file, direction) };
            table[bits] |= lane << (LANE as i32 * file);
            file += 1;
        }
        bits += 1;
    }
    table
}

const fn run(bits: usize, file: i32, direction: i32) -> u64 {
    let mut length = 0;
    let mut next = file + direction;
    while next >= 0 && next < LONGEST as i32 && bits >> next & 1 == 1 {
        length += 1;
        next += direction;
    }
    length
}

#[inline]
fn rank_of(board: u128, rank: usize) -> usize {
    (board >> (WIDTH * rank)) as usize & 1023
}

#[inline]
fn lane(word: u64, file: usize) -> u64 {
    word >> (LANE * file) & 63
}

/// The lanes of a word added in pairs: five sums of twelve bits.
#[inline]
fn pairs(word: u64) -> u64 {
    (word & EVEN) + (word >> LANE & EVEN)
}

fn total(pairs: u64) -> u64 {
    (0..5).map(|i| pairs >> (2 * LANE * i) & 0xFFF).sum()
}

/// The lengths and freedoms of all squares: computed once for a position, used for each side.
pub(super) struct Runs {
    empty: [u64; LONGEST],
    /// West, south-west, south, south-east.
    back: [[u64; LONGEST]; 4],
    /// East, north-east, north, north-west: the opposites in the same order.
    ahead: [[u64; LONGEST]; 4],
    freedom: [u64; LONGEST],
}

impl Runs {
    /// Prepares a board on which these squares are free.
    #[inline]
    pub(super) fn new(free: u128) -> Runs {
        let none = [0; LONGEST];
        let mut runs = Runs { empty: none, back: [none; 4], ahead: [none; 4], freedom: none };
        for rank in 0..LONGEST {
            let bits = rank_of(free, rank);
            runs.empty[rank] = SPREAD[bits];
            runs.back[0][rank] = WEST[bits];
            runs.ahead[0][rank] = EAST[bits];
        }
        let mut seen = [0; 3];
        for rank in 0..LONGEST {
            if rank > 0 {
                let below = runs.empty[rank - 1];
                seen = seen.map(|length| (length + ONES) & below);
                seen = [seen[0] << LANE, seen[1], seen[2] >> LANE];
            }
            [runs.back[1][rank], runs.back[2][rank], runs.back[3][rank]] = seen;
        }
        let mut seen = [0; 3];
        for rank in (0..LONGEST).rev() {
            if rank + 1 < LONGEST {
                let above = runs.empty[rank + 1];
                seen = seen.map(|length| (length + ONES) & above);
                seen = [seen[0] >> LANE, seen[1], seen[2] << LANE];
            }
            [runs.ahead[1][rank], runs.ahead[2][rank], runs.ahead[3][rank]] = seen;
        }
        for rank in 0..LONGEST {
            runs.freedom[rank] = (0..4).map(|d| runs.back[d][rank] + runs.ahead[d][rank]).sum();
        }
        runs
    }

    /// Number of turns available to these queens.
    #[inline]
    pub(super) fn turns(&self, queens: u128) -> u64 {
        let mut turns = self.freedom_reached(queens);
        for queen in squares_of(queens) {
            turns += self.own_lines(queen);
        }
        turns
    }

    /// The turns of a queen by its own lines: the square it left with the free squares behind it, and the freedom of all
    /// squares that it reaches along its rank.
    #[inline]
    fn own_lines(&self, queen: Square) -> u64 {
        let (file, rank) = (queen.file(), queen.rank());
        let mut turns = 0;
        for d in 0..4 {
            let back = lane(self.back[d][rank], file);
            let ahead = lane(self.ahead[d][rank], file);
            turns += back + ahead + 2 * back * ahead;
        }
        let (west, east) =
            (lane(self.back[0][rank], file) as usize, lane(self.ahead[0][rank], file) as usize);
        let lanes = |count: usize| (1_u64 << (LANE * count)) - 1;
        let reached = lanes(file + east + 1) & !lanes(file + 1) | lanes(file) & !lanes(file - west);
        turns + total(pairs(self.freedom[rank] & reached))
    }

    /// The freedom of all squares that the queens reach in the six directions that leave their ranks. A square is reached at
    /// most once in each direction, so all queens can move in parallel.
    #[inline]
    fn freedom_reached(&self, queens: u128) -> u64 {
        let mut north = 0;
        let mut going = [0; 3];
        for rank in 1..LONGEST {
            let queens = SPREAD[rank_of(queens, rank - 1)];
            let empty = self.empty[rank];
            going = going.map(|reached| reached | queens);
            going = [going[0] << LANE & empty, going[1] & empty, going[2] >> LANE & empty];
            north += going.map(|reached| pairs(reached & self.freedom[rank])).iter().sum::<u64>();
        }
        let mut south = 0;
        let mut going = [0; 3];
        for rank in (0..LONGEST - 1).rev() {
            let queens = SPREAD[rank_of(queens, rank + 1)];
            let empty = self.empty[rank];
            going = going.map(|reached| reached | queens);
            going = [going[0] << LANE & empty, going[1] & empty, going[2] >> LANE & empty];
            south += going.map(|reached| pairs(reached & self.freedom[rank])).iter().sum::<u64>();
        }
        // Three directions, nine ranks, two files of at most 35: a sum stays below 4096 for either half.
        total(north) + total(south)
    }
}
