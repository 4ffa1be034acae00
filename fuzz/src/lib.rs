//! What the targets share: games chosen by a byte, and looking at a board from every side.

use parlor_catalog::Hosted;
use parlor_core::{Audience, Board};
use std::sync::Arc;

/// Sizes small and large, every variant, and the ends of the ranges.
pub const SPECS: [&str; 20] = [
    "kalah:6,4",
    "kalah:6,4,capture=empty",
    "kalah:1,0",
    "kalah:1,255",
    "kalah:3,2",
    "kalah:12,12",
    "kalah:16,255",
    "connect:7,6,4",
    "connect:1,1,1",
    "connect:3,3,3",
    "connect:1,127,5",
    "connect:64,1,4",
    "connect:5,4,1000",
    "oware",
    "oware:rules=awari",
    "amazons:10",
    "amazons:4",
    "amazons:4,10",
    "amazons:10,4",
    "amazons:6",
];

/// For whom boards are drawn here.
pub const AUDIENCE: Audience<'_> = Audience { names: ["Anna", "Ben"], width: 40 };

/// The game that the first byte names, and the other bytes.
pub fn chosen(data: &[u8]) -> Option<(Arc<dyn Hosted>, &[u8])> {
    let (&first, rest) = data.split_first()?;
    let spec = SPECS[usize::from(first) % SPECS.len()];
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
