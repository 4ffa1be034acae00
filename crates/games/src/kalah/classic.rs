//! The classic evaluation: the difference of the pots.

use super::{KalahOf, PositionOf, Turns};
use parlor_core::{Evaluated, Evaluator, Game, Value};

/// Own pot minus the opponent's pot.
///
/// # Examples
///
/// ```
/// use parlor_core::{Evaluator, Game, Notation};
/// use parlor_games::kalah::{Kalah, Pots};
///
/// let game = Kalah::sized(3, 2)?;
/// let pos = game.parse_position("2,0,1/0,1,2 2/4 s")?;
/// assert_eq!(Pots.evaluate(&game, &pos), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Pots;

impl<const WORDS: usize> Evaluator<KalahOf<WORDS>> for Pots {
    fn evaluate(&self, game: &KalahOf<WORDS>, pos: &PositionOf<WORDS>) -> Value {
        Value::from(game.banked(pos).0)
    }
}

impl<const WORDS: usize> Evaluated for KalahOf<WORDS> {
    type Classic = Pots;
    type Strong = Turns;
    const CLASSIC: Pots = Pots;
    const STRONG: Turns = Turns::USUAL;
}
