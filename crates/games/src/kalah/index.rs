//! Numbers the positions of Kalah for tables. A layer is the number of beans in play; within it two rows determine a position:
//!
//! ```text
//!   layer 3 of two holes      the other side has 0 beans     1 bean          2 beans         3 beans
//!                             [row 0: mover's 4 rows]        [3][3]          [2][2][2]       [1][1][1][1]
//! ```
//!
//! First come the positions in which the other side has no beans, then those in which it has one, and so on; within that, the
//! other side's row counts more than the mover's. The value depends on nothing else: the pots are banked, and both sides sow in
//! the same way. All numbers of beans at the start share one table.

use super::{Kalah, KalahBoard, Position};
use crate::rows::{MOST_BEANS, Rows};
use parlor_core::{Game, Indexed, Side};

impl Kalah {
    /// The numbering of this game's rows; `None` if tables do not support the board.
    pub fn rows(&self) -> Option<&'static Rows> {
        Rows::of(self.holes())
    }
}

impl Indexed for Kalah {
    fn family(&self) -> Kalah {
        self.with_beans(4)
    }

    fn layer(&self, pos: &Position) -> u32 {
        Side::BOTH.into_iter().map(|side| u32::from(pos.board.beans_in_play(side))).sum()
    }

    fn len(&self, layer: u32) -> u64 {
        match self.rows() {
            Some(rows) if layer as usize <= MOST_BEANS => rows.block(layer as usize, layer as usize + 1),
            _ => u64::MAX,
        }
    }

    fn index(&self, pos: &Position) -> u64 {
        let row = |side| pos.board.narrow_row(side);
        self.rows().map_or(0, |rows| rows.index(row(self.turn(pos)), row(self.turn(pos).other())))
    }

    fn position(&self, layer: u32, index: u64) -> Option<Position> {
        let rows = self.rows()?;
        let [own, other] = rows.pair(layer as usize, index)?;
        let board = KalahBoard::of_rows(rows.holes(), own, other);
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
        use parlor_core::Notation;
        let game = Kalah::sized(3, 2).expect("a size");
        let south = game.parse_position("3,0,1/1,0,2 4/5 s").expect("a position");
        let north = game.parse_position("2,0,1/1,0,3 0/0 n").expect("a position");
        assert_eq!(game.index(&south), game.index(&north));
        assert_eq!((game.layer(&south), game.len(7)), (7, 792));
        assert_eq!(game.family().spec(), "kalah:3,4");
    }
}
