//! What the targets share: games chosen by a byte, and calls of every method of a board.

use parlor_catalog::{DynGame, entries};
use parlor_core::{Audience, Board};
use std::sync::Arc;

pub const AUDIENCE: Audience<'_> = Audience { names: ["Anna", "Ben"], width: 40 };

/// The game that the first byte names, and the other bytes. The bytes count the sizes of all games
/// of the catalogue.
pub fn chosen(data: &[u8]) -> Option<(Arc<dyn DynGame>, &[u8])> {
    let (&first, rest) = data.split_first()?;
    let sizes: Vec<&str> = entries().iter().flat_map(|entry| entry.sizes()).collect();
    let spec = sizes[usize::from(first) % sizes.len()];
    Some((parlor_catalog::game(spec).expect(spec), rest))
}

/// Asks a board everything that a front end would ask.
pub fn look_at(board: &dyn Board) {
    let moves = board.moves();
    assert_eq!(moves.len(), board.paths().len());
    assert_eq!(moves.is_empty(), board.ending().is_some());
    board.draw(AUDIENCE);
    board.last_turn(AUDIENCE);
    board.marks();
    board.scores();
    board.final_scores();
    board.repetition_payoff();
    board.verdict(AUDIENCE.names);
    board.prompt();
}
