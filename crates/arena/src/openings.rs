//! Random openings from a seed: a few legal moves that do not end the game, the same for both games of a pair.

use parlor_catalog::{Hosted, Random};
use parlor_play::{Audience, Board};

const NOBODY: Audience<'_> = Audience { names: ["", ""], width: 80 };
/// How often a walk that ended the game is tried again before a shorter one is taken.
const TRIES: u32 = 50;

/// The board after a random opening of this many moves; of fewer where the game is nearly always over by then. The same
/// seed and number give the same opening.
pub fn opening(game: &dyn Hosted, plies: usize, seed: u64, number: u64) -> Box<dyn Board> {
    let mut random = Random::new(seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    for plies in (1..=plies).rev() {
        for _ in 0..TRIES {
            if let Some(board) = walk(game, plies, &mut random) {
                return board;
            }
        }
    }
    game.board()
}

/// A random walk, if it neither ends the game nor comes back to where it was.
fn walk(game: &dyn Hosted, plies: usize, random: &mut Random) -> Option<Box<dyn Board>> {
    let mut board = game.board();
    for _ in 0..plies {
        let moves = board.moves();
        let text = moves.get(random.below(moves.len()))?;
        board.play(text, NOBODY).ok()?;
        if board.ending().is_some() || board.occurrences() > 1 {
            return None;
        }
    }
    Some(board)
}
