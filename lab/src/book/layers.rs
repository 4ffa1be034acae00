//! The positions of the first plies and their values by key. Of a position and its mirror image only one is
//! included. Finished games are excluded, because the rules give their value.

use parlor_core::Game;
use parlor_games::connect::{Column, Connect, Position};
use std::collections::{HashMap, HashSet};

/// Values by key, from the point of view of the side to move.
pub type KnownValues = HashMap<u64, i16>;

/// The unfinished positions one ply after these. Positions with the same first moves are adjacent, so that a solver
/// that goes through them in order finds much in its table.
pub fn next_layer(game: &Connect, layer: &[Position]) -> Vec<Position> {
    let mut seen = HashSet::new();
    let next = layer.iter().flat_map(|pos| children(game, pos));
    let unfinished = next.filter(|(_, pos)| game.result(pos).is_none());
    unfinished.map(|(_, pos)| pos).filter(|pos| seen.insert(game.key(pos))).collect()
}

/// All moves from the middle outwards, with the positions after them.
pub fn children(game: &Connect, pos: &Position) -> impl Iterator<Item = (Column, Position)> {
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let middle = game.size().0 + 1;
    moves.sort_by_key(|mv| (2 * u32::from(mv.0)).abs_diff(middle));
    moves.into_iter().map(|mv| {
        let mut next = pos.clone();
        game.play(&mut next, mv);
        (mv, next)
    })
}

/// The value of a position, by the rules or from the known values.
pub fn value_of(game: &Connect, known: &KnownValues, pos: &Position) -> Option<i16> {
    game.result(pos).map(|margin| margin.0).or_else(|| known.get(&game.key(pos)).copied())
}

/// The last ply of which a book can contain all positions.
pub const DEEPEST: usize = 7;

/// Derives the values of positions whose successors are all known.
pub fn derive(game: &Connect, known: &mut KnownValues) {
    let mut layers = vec![vec![game.start()]];
    for ply in 0..DEEPEST {
        layers.push(next_layer(game, &layers[ply]));
    }
    for pos in layers.iter().rev().flatten() {
        let after: Option<Vec<i16>> =
            children(game, pos).map(|(_, next)| value_of(game, known, &next)).collect();
        if let Some(least) = after.and_then(|values| values.into_iter().min()) {
            known.insert(game.key(pos), -least);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn early_layers_have_as_many_positions_as_there_are_up_to_symmetry() {
        // All positions: 1, 7, 49, 238, 1120, 4263 (John Tromp); without mirror images about half of them.
        let game = Connect::new(&[7, 6, 4]).expect("a size");
        let mut layer = vec![game.start()];
        let (mut sizes, mut both) = (Vec::new(), Vec::new());
        for _ in 0..5 {
            layer = next_layer(&game, &layer);
            sizes.push(layer.len());
            both.push(layer.iter().map(|pos| images(&game, pos)).sum::<usize>());
        }
        assert_eq!(both, [7, 49, 238, 1120, 4263]);
        assert_eq!(sizes, [4, 25, 121, 568, 2144]);
    }

    /// 2 if a position differs from its mirror image, otherwise 1.
    fn images(game: &Connect, pos: &Position) -> usize {
        use parlor_core::Notation;
        let text = game.write_position(pos);
        let (rows, turn) = text.split_once(' ').expect("rows and side");
        let mirrored: Vec<String> = rows.split('/').map(|row| row.chars().rev().collect()).collect();
        if format!("{} {turn}", mirrored.join("/")) == text { 1 } else { 2 }
    }

    #[test]
    fn a_value_is_the_best_of_those_of_its_successors() {
        let game = Connect::new(&[7, 6, 4]).expect("a size");
        let mut known: KnownValues =
            next_layer(&game, &[game.start()]).iter().map(|pos| game.key(pos)).zip([-1, 0, 1, 2]).collect();
        derive(&game, &mut known);
        assert_eq!(known.get(&game.key(&game.start())), Some(&1));
        assert_eq!(value_of(&game, &known, &game.start()), Some(1));
    }

    #[test]
    fn no_value_is_derived_unless_all_successors_are_known() {
        let game = Connect::new(&[7, 6, 4]).expect("a size");
        let mut known = KnownValues::from([(game.key(&next_layer(&game, &[game.start()])[0]), -1)]);
        derive(&game, &mut known);
        assert_eq!(value_of(&game, &known, &game.start()), None);
    }
}
