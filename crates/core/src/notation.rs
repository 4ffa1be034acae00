//! Positions and moves as text, for records, the command line and the bot protocol.
//!
//! Parse loosely, validate strictly: text becomes a `Move` only through [`Notation::parse_move`], which knows the position,
//! so that `play` cannot fail inside.

use crate::{BadPosition, Game, IllegalMove, Samples};

/// Texts for positions and moves.
///
/// # Examples
///
/// ```
/// use parlor_core::{Game, Notation};
/// use parlor_games::kalah::{Hole, Kalah};
///
/// let game = Kalah::sized(3, 2)?;
/// let pos = game.parse_position("2,2,2/0,2,2 0/0 s")?;
/// assert_eq!(game.parse_move(&pos, "3")?, Hole(3));
/// assert_eq!(game.parse_move(&pos, "1").map_err(|error| error.0), Err("hole 1 is empty".into()));
/// assert_eq!(game.write_position(&game.start()), "2,2,2/2,2,2 0/0 s");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Notation: Game {
    /// The form of a move, in a few words for `parlor games`.
    const MOVE_FORM: &'static str;
    /// The form of a position, in a few words.
    const POSITION_FORM: &'static str;
    /// The `data/` files of the game's folder.
    const SAMPLES: Samples;

    /// The canonical text of a position; two positions never share one.
    fn write_position(&self, pos: &Self::Position) -> String;
    /// Parses every position that can be reached in play, including finished ones, and refuses what the rules cannot handle.
    /// The error says what is wrong, where, and what would be accepted.
    fn parse_position(&self, text: &str) -> Result<Self::Position, BadPosition>;
    /// The canonical text of a move; two legal moves of a position never share one.
    fn write_move(&self, mv: Self::Move) -> String;
    /// Parses a move that is legal in the position; the error says why it is not.
    fn parse_move(&self, pos: &Self::Position, text: &str) -> Result<Self::Move, IllegalMove>;
    /// Whether every move is a single character, so that a list needs no separators: `4453`.
    fn run_together(&self) -> bool {
        false
    }
}

/// Splits a list of moves at white space and commas, and into single characters if `run_together`.
///
/// # Examples
///
/// ```
/// use parlor_core::split_moves;
///
/// assert_eq!(split_moves("4453", true), ["4", "4", "5", "3"]);
/// assert_eq!(split_moves("10 3, 12", false), ["10", "3", "12"]);
/// ```
pub fn split_moves(text: &str, run_together: bool) -> Vec<String> {
    let words = text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    if run_together {
        words.flat_map(|word| word.chars().map(String::from)).collect()
    } else {
        words.map(String::from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_split_at_spaces_commas_and_where_allowed_everywhere() {
        assert_eq!(split_moves(" 3 6,2 ", false), ["3", "6", "2"]);
        assert_eq!(split_moves("44 5,3", true), ["4", "4", "5", "3"]);
        assert_eq!(split_moves("10 3 10", false), ["10", "3", "10"]);
        assert!(split_moves(" , ", true).is_empty());
    }
}
