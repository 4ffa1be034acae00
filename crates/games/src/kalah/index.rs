//! Kalah's positions by number: a layer is the beans in play, and a number is the place of the twelve holes (or however many
//! there are) among all ways to lay out so many beans, in lexicographic order, the mover's holes first.
//!
//! ```text
//!   mover's lanes 0..m-1, then the other side's:     2 beans in 3 lanes
//!     number  0  1  2  3  4  5
//!     lane 0  0  0  0  1  1  2
//!     lane 1  0  1  2  0  1  0
//!     lane 2  2  1  0  1  0  0
//! ```

use super::{Board, Kalah, MAX_HOLES, Position};
use parlor_play::{Game, Indexed, Side};

/// More beans in play than this are not numbered: their margins fit no entry.
const MOST: usize = 127;
const LANES: usize = 2 * MAX_HOLES;

/// WAYS[r][b]: in how many ways b beans can lie in r + 1 lanes, which is C(b + r, r); saturated.
static WAYS: [[u64; MOST + 1]; LANES] = ways();

const fn ways() -> [[u64; MOST + 1]; LANES] {
    let mut table = [[1_u64; MOST + 1]; LANES];
    let mut lanes = 1;
    while lanes < LANES {
        let mut beans = 1;
        while beans <= MOST {
            table[lanes][beans] = table[lanes - 1][beans].saturating_add(table[lanes][beans - 1]);
            beans += 1;
        }
        lanes += 1;
    }
    table
}

impl Indexed for Kalah {
    fn family(&self) -> Kalah {
        let mut values = self.values();
        values[1] = 4;
        Kalah::new(&values).unwrap_or_else(|_| self.clone())
    }

    #[inline]
    fn layer(&self, pos: &Position) -> u32 {
        Side::BOTH.into_iter().map(|side| u32::from(pos.board.beans_in_play(side))).sum()
    }

    fn len(&self, layer: u32) -> u64 {
        let ways = &WAYS[2 * self.start().board.holes() - 1];
        ways.get(layer as usize).copied().unwrap_or(u64::MAX)
    }

    #[inline]
    fn index(&self, pos: &Position) -> u64 {
        let mut left = self.layer(pos) as usize;
        let mut lanes = 2 * pos.board.holes();
        let mut index = 0;
        for beans in [pos.turn, pos.turn.other()].into_iter().flat_map(|side| pos.board.lanes(side)) {
            lanes -= 1;
            // All layouts with fewer beans in this lane come before.
            let after = left - usize::from(beans);
            index += WAYS[lanes][left] - WAYS[lanes][after];
            left = after;
        }
        index
    }

    fn position(&self, layer: u32, mut index: u64) -> Option<Position> {
        if index >= self.len(layer) {
            return None;
        }
        let holes = self.start().board.holes();
        let mut board = Board::new(holes as i32, 0);
        let mut left = layer as usize;
        for lane in 0..2 * holes {
            let ways = &WAYS[2 * holes - 1 - lane];
            let after = (0..=left).find(|&after| ways[left] - ways[after] <= index)?;
            index -= ways[left] - ways[after];
            let (side, lane) = if lane < holes { (Side::First, lane) } else { (Side::Second, lane - holes) };
            board.set_beans(side, board.hole_of(side, lane), (left - after) as i32).ok()?;
            left = after;
        }
        Some(Position::new(board, Side::First))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_positions_are_the_same_thing() {
        for holes in 1..=4 {
            let game = Kalah::sized(holes, 3).expect("a size");
            for layer in 0..=6 {
                for index in 0..game.len(layer) {
                    let pos = game.position(layer, index).expect("every number is a position");
                    if game.result(&pos).is_none() {
                        assert_eq!((game.layer(&pos), game.index(&pos)), (layer, index), "{pos:?}");
                    }
                }
                assert_eq!(game.position(layer, game.len(layer)), None);
            }
        }
    }

    #[test]
    fn a_number_knows_neither_pots_nor_sides() {
        use parlor_play::Notation;
        let game = Kalah::sized(3, 2).expect("a size");
        let south = game.parse_position("3,0,1/1,0,2 4/5 s").expect("a position");
        let north = game.parse_position("2,0,1/1,0,3 0/0 n").expect("a position");
        assert_eq!(game.index(&south), game.index(&north));
        assert_eq!((game.layer(&south), game.len(7)), (7, 792));
        assert_eq!(game.family().spec(), "kalah:3,4");
    }
}
