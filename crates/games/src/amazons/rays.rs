//! The squares that a queen reaches: eight rays, each cut off at the first blocked square (subtraction of the blocker bit, as
//! in the o^(o-2r) trick of chess programming).
//!
//! A ray that rises in bit order (north-west, north, north-east) ends at the lowest blocked bit of it. With `hit` the blocked
//! squares on the ray:
//!
//! ```text
//!   low bits at the left    ray        . 1 1 1 1 1 .
//!                           hit        . . . 1 . 1 .
//!                           hit - 1    1 1 1 . . 1 .
//!                           and empty  . 1 1 . . . .
//! ```
//!
//! A ray that falls would need the highest bit. But the squares of such a ray lie ten bits apart or more, never two in one
//! byte: with the bytes of the board in reverse order it rises, and the same subtraction does. Swapping bytes is one
//! instruction per word, finding highest bits is not. Moves along the rank come from a table of all ranks.
//!
//! The rays are those of the 10 by 10 board; on smaller ones the squares outside are simply blocked.

use super::board::{LONGEST, Square, WIDTH};

/// By bit of the board: three rays. The size is a power of two so that no masked index lies outside.
type Rays = [[u128; 3]; 128];

/// North-west, north, north-east.
static RISING: Rays = rays([(-1, 1), (0, 1), (1, 1)], false);
/// South-east, south, south-west, with the bytes in reverse order.
static FALLING: Rays = rays([(1, -1), (0, -1), (-1, -1)], true);
/// By file and by the blocked squares of the rank: the squares reached along it.
static ALONG: [[u16; 1024]; 16] = along();

const fn rays(directions: [(i32, i32); 3], swapped: bool) -> Rays {
    let mut rays = [[0; 3]; 128];
    let mut bit = 0;
    while bit < LONGEST * WIDTH {
        let mut d = 0;
        while d < 3 {
            let (files, ranks) = directions[d];
            let mut file = (bit % WIDTH) as i32 + files;
            let mut rank = (bit / WIDTH) as i32 + ranks;
            let mut ray = 0_u128;
            while file >= 0 && rank >= 0 {
                let Some(square) = Square::at(file as usize, rank as usize) else { break };
                ray |= square.bit();
                file += files;
                rank += ranks;
            }
            rays[bit][d] = if swapped { ray.swap_bytes() } else { ray };
            d += 1;
        }
        bit += 1;
    }
    rays
}

const fn along() -> [[u16; 1024]; 16] {
    let mut table = [[0; 1024]; 16];
    let mut file = 0;
    while file < LONGEST {
        let mut blocked = 0;
        while blocked < 1024 {
            let mut east = file + 1;
            while east < LONGEST && blocked >> east & 1 == 0 {
                table[file][blocked] |= 1 << east;
                east += 1;
            }
            let mut west = file;
            while west > 0 && blocked >> (west - 1) & 1 == 0 {
                west -= 1;
                table[file][blocked] |= 1 << west;
            }
            blocked += 1;
        }
        file += 1;
    }
    table
}

/// A board in both byte orders and rank by rank, prepared once and used for many squares.
pub(super) struct Blocked {
    board: u128,
    swapped: u128,
    ranks: [u16; 16],
}

impl Blocked {
    #[inline(always)]
    pub(super) fn new(board: u128) -> Blocked {
        let mut ranks = [0; 16];
        for (rank, bits) in ranks.iter_mut().enumerate().take(LONGEST) {
            *bits = (board >> (WIDTH * rank)) as u16 & 1023;
        }
        Blocked { board, swapped: board.swap_bytes(), ranks }
    }

    /// The squares that a queen or an arrow reaches from a square.
    #[inline(always)]
    pub(super) fn reach(&self, from: Square) -> u128 {
        let index = from.index() & 127;
        let (file, rank) = (from.file() & 15, from.rank() & 15);
        let rising = free(&RISING[index], self.board);
        let falling = free(&FALLING[index], self.swapped).swap_bytes();
        let along = u128::from(ALONG[file][usize::from(self.ranks[rank] & 1023)]) << (WIDTH * rank);
        rising | falling | along
    }
}

/// The free part of three rising rays.
#[inline(always)]
fn free(rays: &[u128; 3], blocked: u128) -> u128 {
    // No hit: the subtraction wraps to all ones, and the whole ray is free.
    let ahead = |ray: u128| (ray & blocked).wrapping_sub(1) & ray;
    (ahead(rays[0]) | ahead(rays[1]) | ahead(rays[2])) & !blocked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::amazons::board::{squares, squares_of};

    fn at(file: usize, rank: usize) -> Square {
        Square::at(file, rank).expect("a square")
    }

    #[test]
    fn on_an_empty_board_a_queen_reaches_27_to_35_squares() {
        let blocked = !squares(10, 10);
        let counts: Vec<u32> =
            squares_of(squares(10, 10)).map(|s| Blocked::new(blocked).reach(s).count_ones()).collect();
        assert_eq!((counts.iter().min(), counts.iter().max()), (Some(&27), Some(&35)));
        assert_eq!(Blocked::new(!squares(4, 4)).reach(at(1, 1)).count_ones(), 9 + 2);
    }

    #[test]
    fn rays_stop_before_what_blocks_them() {
        let walls = !squares(10, 10);
        for blocker in squares_of(Blocked::new(walls).reach(at(4, 4))) {
            let free = Blocked::new(walls | blocker.bit()).reach(at(4, 4));
            let open =
                |square: Square| at(4, 4).line_to(square).is_some_and(|mut way| way.all(|s| s != blocker));
            for square in squares_of(squares(10, 10) & !at(4, 4).bit()) {
                assert_eq!(free & square.bit() != 0, open(square), "{square} with {blocker} blocked");
            }
        }
    }
}
