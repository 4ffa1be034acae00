//! Shared code of the fuzz targets: selects a game by a byte, and calls every method of a board.

use parlor_catalog::{DynGame, entries};
use parlor_core::{Audience, Board};
use std::sync::Arc;

pub const AUDIENCE: Audience<'_> = Audience { names: ["Anna", "Ben"], width: 40 };

/// Selects a game of the catalogue and its size by the first byte. Returns the game and the other bytes.
pub fn select_game(data: &[u8]) -> Option<(Arc<dyn DynGame>, &[u8])> {
    let (&first, rest) = data.split_first()?;
    let sizes: Vec<&str> = entries().iter().flat_map(|entry| entry.sizes()).collect();
    let spec = sizes[usize::from(first) % sizes.len()];
    Some((parlor_catalog::game(spec).expect(spec), rest))
}

/// Calls every method of a board that front ends use.
pub fn exercise(board: &dyn Board) {
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
