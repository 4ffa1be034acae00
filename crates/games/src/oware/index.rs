//! Numbers the positions of Oware for tables. A layer is the number of seeds in the pits; within it two numbered rows determine
//! a position, as in Kalah. Captures lead to lower layers; all other moves stay in the layer and may form cycles.
//!
//! The value depends on nothing else, because tables are for the game played to the last seed: scores are banked, and both
//! players sow in the same way.

use super::{
    board::{PITS, Position, SEEDS},
    rules::{Oware, RuleSet},
};
use crate::rows::Rows;
use parlor_core::{Indexed, Side};

fn rows() -> Option<&'static Rows> {
    Rows::of(PITS)
}

impl Indexed for Oware {
    fn family(&self) -> Oware {
        self.to_the_last_seed()
    }

    fn layer(&self, pos: &Position) -> u32 {
        Side::BOTH.into_iter().map(|side| u32::from(pos.seeds(side))).sum()
    }

    fn len(&self, layer: u32) -> u64 {
        match rows() {
            Some(rows) if layer <= SEEDS.into() => rows.block(layer as usize, layer as usize + 1),
            _ => u64::MAX,
        }
    }

    fn planes(&self) -> usize {
        match self.rules() {
            RuleSet::Abapa => 5,
            RuleSet::Awari => 1,
        }
    }

    #[inline]
    fn index(&self, pos: &Position) -> u64 {
        let [own, other] = pos.rows();
        rows().map_or(0, |rows| rows.index(own, other))
    }

    /// The scores of such a position are 0 and do not sum to 48 with its seeds, because nothing is banked.
    fn position(&self, layer: u32, index: u64) -> Option<Position> {
        let pair = rows().filter(|_| layer <= SEEDS.into())?.pair(layer as usize, index)?;
        Some(self.collected_if_stuck(Position::of_rows(pair)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::{Game, Notation};

    #[test]
    fn numbers_and_positions_are_the_same_thing() {
        for rules in [RuleSet::Abapa, RuleSet::Awari] {
            let game = Oware::by(rules).family();
            for layer in 0..=5 {
                for index in 0..game.len(layer) {
                    let pos = Indexed::position(&game, layer, index).expect("every number is a position");
                    if game.result(&pos).is_none() {
                        assert_eq!((game.layer(&pos), game.index(&pos)), (layer, index), "{pos:?}");
                    }
                }
                assert_eq!(Indexed::position(&game, layer, game.len(layer)), None);
            }
        }
    }

    #[test]
    fn a_number_knows_neither_scores_nor_sides() {
        let game = Oware::by(RuleSet::Abapa);
        let first = game.parse_position("0-1-0-2-0-0-3-0-0-0-0-1-20-21-S").expect("a position");
        let second = game.parse_position("3-0-0-0-0-1-0-1-0-2-0-0-24-17-N").expect("a position");
        assert_eq!(game.index(&first), game.index(&second));
        assert_eq!((game.layer(&first), game.len(7)), (7, 31824));
    }
}
