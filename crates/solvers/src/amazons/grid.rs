//! Bitboard geometry of an Amazons board: the bit of each square, what a queen reaches (by rays), and the neighbours of
//! squares.
//!
//! Small words hold the squares without gaps; the widest keeps the layout of the game, eleven bits a rank, so that a position
//! is converted by one shift. Bit 0 is never a square. On 5x5:
//!
//! ```text
//!   rank 5   21 22 23 24 25
//!     …                            north-west +4   north +5   north-east +6
//!   rank 2    6  7  8  9 10              west -1        o     east +1
//!   rank 1    1  2  3  4  5        south-west -6   south -5   south-east -4
//! ```
//!
//! A ray that rises in bit order ends below the lowest blocked bit on it, a ray that falls ends above the highest one. Without
//! a blocked bit, the lowest less one is all ones, and the highest is bit 0, which no ray contains: neither is a special case.

use crate::shared::Word;
use parlor_core::Side;
use parlor_games::amazons::{Amazons, Position, WIDTH};

/// By bit: four rays. The size is a power of two so that no masked index lies outside.
type Rays<W> = Box<[[W; 4]; 128]>;

/// East, north-west, north, north-east; the falling rays are their opposites.
const RISING: [(i32, i32); 4] = [(1, 0), (-1, 1), (0, 1), (1, 1)];

/// The geometry of a board size.
pub(super) struct Grid<W> {
    pub columns: usize,
    pub rows: usize,
    stride: usize,
    /// All squares, all but those of the first file, all but those of the last.
    pub all: W,
    not_west: W,
    not_east: W,
    rising: Rays<W>,
    falling: Rays<W>,
}

/// The occupation of the board, seen by the side to move. Squares that are neither empty nor a queen are blocked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct GridBoard<W> {
    pub own: W,
    pub other: W,
    pub empty: W,
}

impl<W: Word> GridBoard<W> {
    /// After an own queen's turn, seen by the other side.
    #[inline]
    pub fn after(self, from: u32, to: u32, arrow: u32) -> GridBoard<W> {
        let (from, to, arrow) = (W::bit(from), W::bit(to), W::bit(arrow));
        GridBoard { own: self.other, other: self.own ^ from ^ to, empty: ((self.empty | from) ^ to) & !arrow }
    }
}

impl<W: Word> Grid<W> {
    /// The board of the game; it must fit into the word.
    pub fn new(game: &Amazons) -> Grid<W> {
        let (columns, rows) = (game.columns(), game.rows());
        let stride = if W::BITS == 128 { WIDTH } else { columns };
        let mut grid = Grid {
            columns,
            rows,
            stride,
            all: W::ZERO,
            not_west: !W::ZERO,
            not_east: !W::ZERO,
            rising: Box::new([[W::ZERO; 4]; 128]),
            falling: Box::new([[W::ZERO; 4]; 128]),
        };
        for (file, rank) in (0..rows).flat_map(|rank| (0..columns).map(move |file| (file, rank))) {
            let bit = grid.bit_at(file, rank);
            grid.all |= W::bit(bit);
            for (d, (files, ranks)) in RISING.into_iter().enumerate() {
                grid.rising[bit as usize][d] = grid.ray((file, rank), (files, ranks));
                grid.falling[bit as usize][d] = grid.ray((file, rank), (-files, -ranks));
            }
        }
        for rank in 0..rows {
            grid.not_west ^= W::bit(grid.bit_at(0, rank));
            grid.not_east ^= W::bit(grid.bit_at(columns - 1, rank));
        }
        grid
    }

    fn ray(&self, (file, rank): (usize, usize), (files, ranks): (i32, i32)) -> W {
        let mut ray = W::ZERO;
        let (mut file, mut rank) = (file as i32 + files, rank as i32 + ranks);
        while (0..self.columns as i32).contains(&file) && (0..self.rows as i32).contains(&rank) {
            ray |= W::bit(self.bit_at(file as usize, rank as usize));
            (file, rank) = (file + files, rank + ranks);
        }
        ray
    }

    /// Index of the bit of a square.
    pub fn bit_at(&self, file: usize, rank: usize) -> u32 {
        (1 + rank * self.stride + file) as u32
    }

    /// The occupation of the board, seen by this side.
    #[inline]
    pub fn board(&self, pos: &Position, side: Side) -> GridBoard<W> {
        let [own, other] = [side, side.other()].map(|side| self.squares(pos.queens[side.index()]));
        GridBoard { own, other, empty: self.all & !(own | other | self.squares(pos.arrows)) }
    }

    /// Converts squares of the game to squares of this board.
    #[inline]
    fn squares(&self, of: u128) -> W {
        if self.stride == WIDTH {
            return W::of(of << 1);
        }
        let rank = |rank: usize| W::of(of >> (WIDTH * rank) & ((1 << self.columns) - 1));
        (0..self.rows).fold(W::ZERO, |board, n| board | rank(n) << (1 + n * self.stride) as u32)
    }

    /// The neighbours of these squares in all eight directions, including bits outside the board.
    #[inline(always)]
    pub fn neighbours(&self, of: W) -> W {
        let beside = (of & self.not_east) << 1 | (of & self.not_west) >> 1;
        let row = of | beside;
        beside | row << self.stride as u32 | row >> self.stride as u32
    }

    /// Flood fill: all squares connected with `from` through `through`, including `from`.
    #[inline(always)]
    pub fn flood(&self, from: W, through: W) -> W {
        let mut reached = from;
        loop {
            let next = reached | self.neighbours(reached) & through;
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }

    /// The squares that a queen (or an arrow) reaches from a square over empty ones.
    #[inline(always)]
    pub fn reach(&self, from: u32, empty: W) -> W {
        let blocked = !empty;
        let index = from as usize & 127;
        let mut reached = W::ZERO;
        for ray in self.rising[index] {
            reached |= (ray & blocked).pred() & ray;
        }
        for ray in self.falling[index] {
            reached |= !W::ZERO << 1 << (ray & blocked).highest() & ray;
        }
        reached & empty
    }

    /// All squares that these queens reach in one move.
    #[inline(always)]
    pub fn slide(&self, queens: W, empty: W) -> W {
        let stride = self.stride as u32;
        let mut reached = W::ZERO;
        let (east, west) = (empty & self.not_west, empty & self.not_east);
        let mut go = |step: &dyn Fn(W) -> W| {
            let mut at = step(queens);
            while !at.is_zero() {
                reached |= at;
                at = step(at);
            }
        };
        go(&|at| at << 1 & east);
        go(&|at| at >> 1 & west);
        go(&|at| at << stride & empty);
        go(&|at| at >> stride & empty);
        go(&|at| at << (stride + 1) & east);
        go(&|at| at << (stride - 1) & west);
        go(&|at| at >> (stride - 1) & east);
        go(&|at| at >> (stride + 1) & west);
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::Game;
    use parlor_engine::Random;
    use parlor_games::amazons::Square;

    /// The turns of a random game by the rules and by the grid, at every ply.
    fn agrees<W: Word>(columns: u32, rows: u32, seed: u64) {
        let game = Amazons::sized(columns, rows).expect("a size");
        let grid = Grid::<W>::new(&game);
        let (mut pos, mut random, mut moves) = (game.start(), Random::new(seed), Vec::new());
        while game.result(&pos).is_none() {
            moves.clear();
            game.moves(&pos, &mut moves);
            let board = grid.board(&pos, pos.turn);
            let mut count = 0;
            for from in board.own.bits() {
                for to in grid.reach(from, board.empty).bits() {
                    count += grid.reach(to, board.empty | W::bit(from)).ones() as usize;
                }
            }
            assert_eq!(count, moves.len(), "{pos:?}");
            let mv = moves[random.below(moves.len())];
            game.play(&mut pos, mv);
            let bit = |square: Square| grid.bit_at(square.file(), square.rank());
            let next = board.after(bit(mv.from), bit(mv.to), bit(mv.arrow));
            assert_eq!(next, grid.board(&pos, pos.turn));
        }
    }

    #[test]
    fn the_grid_has_the_turns_of_the_rules_in_words_of_every_width() {
        for seed in 0..20 {
            for (columns, rows) in [(4, 4), (5, 5), (4, 7), (7, 4), (6, 5)] {
                agrees::<u32>(columns, rows, seed);
                agrees::<u64>(columns, rows, seed);
                agrees::<u128>(columns, rows, seed);
            }
            agrees::<u64>(7, 9, seed);
            agrees::<u128>(10, 10, seed);
            agrees::<u128>(10, 4, seed);
        }
    }

    #[test]
    fn a_flood_stays_on_the_squares_it_is_given_and_goes_round_no_edge() {
        let game = Amazons::sized(5, 5).expect("a size");
        let grid = Grid::<u32>::new(&game);
        let corner = 1 << grid.bit_at(4, 0);
        assert_eq!((grid.neighbours(corner) & grid.all).count_ones(), 3);
        let first_file = (0..5).fold(0, |file, rank| file | 1_u32 << grid.bit_at(0, rank));
        assert_eq!(grid.flood(corner, first_file), corner);
        assert_eq!(grid.flood(corner, grid.all), grid.all);
    }
}
