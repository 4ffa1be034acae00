//! Random games, as fast as the rules allow: for benchmarks and statistics.

use crate::Random;
use parlor_core::{Game, Margin};

/// How a random game went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Playout {
    /// Moves made.
    pub plies: u32,
    /// The margin seen by the first side.
    pub margin: Margin,
}

/// Plays random moves from the position to the end. Where the rules pay for endless play, the game ends by that as soon as a
/// position stands for the second time. `moves` is only room to work in.
pub fn playout<G: Game>(
    game: &G,
    pos: &G::Position,
    random: &mut Random,
    moves: &mut Vec<G::Move>,
) -> Playout {
    let mut pos = pos.clone();
    let mut plies = 0;
    let cycles = game.repetition_payoff(&pos).is_some();
    let mut banked = game.banked(&pos);
    let mut seen: Vec<G::Position> = Vec::new();
    let (margin, turn) = loop {
        let Some(mv) = game.pick(&pos, &mut |n| random.below(n), moves) else {
            break (game.result(&pos).unwrap_or_default(), game.turn(&pos));
        };
        if cycles {
            // Whatever is banked stays banked, so that a change of it makes all that stood before unreachable.
            let now = game.banked(&pos);
            if now != banked && -now != banked {
                seen.clear();
            }
            banked = now;
            if seen.contains(&pos) {
                break (game.repetition_payoff(&pos).unwrap_or_default(), game.turn(&pos));
            }
            seen.push(pos.clone());
        }
        game.play(&mut pos, mv);
        plies += 1;
    };
    Playout { plies, margin: if turn == parlor_core::Side::First { margin } else { -margin } }
}
