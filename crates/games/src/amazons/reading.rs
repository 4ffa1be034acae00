//! Parses the notations of moves that people use into squares: `d1-d7/g7`, `d1d7g7`, `d1-d7xg7`, `d1 d7 g7`, `d1d7,d7g7`. It
//! does not check whether the move is legal.

use super::{
    Amazons, Square,
    board::{WIDTH, file_letter, squares_of},
};
use parlor_core::{Game, IllegalMove};

impl Amazons {
    /// Parses from, to and arrow. All lie on the board; nothing else is checked.
    pub(super) fn read_squares(&self, text: &str) -> Result<[Square; 3], IllegalMove> {
        let unclear = |what: &str| {
            let shown: String = text.trim().chars().take(30).collect();
            IllegalMove(format!("'{shown}' {what}; expected from-to/arrow, like {}", self.example()))
        };
        let words = words(text).ok_or_else(|| unclear("is not a move"))?;
        let squares = words.iter().map(|&word| self.read_square(word)).collect::<Result<Vec<Square>, _>>()?;
        match squares[..] {
            [from, to, arrow] => Ok([from, to, arrow]),
            [from, to, again, arrow] if to == again => Ok([from, to, arrow]),
            [_, to, again, _] => Err(IllegalMove(format!(
                "the arrow is shot from where the queen lands: from {to}, not from {again}"
            ))),
            [_, _] => Err(unclear("has no arrow square")),
            [_] => Err(unclear("has only one square")),
            _ => Err(unclear("is not a move")),
        }
    }

    /// Parses the name of a square of this board.
    fn read_square(&self, (letter, digits): (char, &str)) -> Result<Square, IllegalMove> {
        let file = (letter.to_ascii_lowercase() as usize).wrapping_sub('a' as usize);
        let rank = digits.parse::<usize>().unwrap_or(0).wrapping_sub(1);
        Square::at(file, rank).filter(|&square| self.contains(square)).ok_or_else(|| {
            let last = file_letter(self.columns() - 1);
            let letter = letter.to_ascii_lowercase();
            let digits: String = digits.chars().take(10).collect();
            let rows = self.rows();
            IllegalMove(format!(
                "there is no square {letter}{digits}; files are a to {last}, ranks 1 to {rows}"
            ))
        })
    }

    /// An example of a first move: a queen of the first rank moves two thirds up, and its arrow flies across to the file of the
    /// other one. Both lines are free at the start on any board.
    pub(super) fn example(&self) -> String {
        let queens = self.start().queens[0] & ((1 << WIDTH) - 1);
        let across = queens << (self.rows() * 2 / 3 * WIDTH);
        let mut squares =
            squares_of(queens).take(1).chain(squares_of(across)).map(|square| square.to_string());
        let [from, to, arrow] = std::array::from_fn(|_| squares.next().unwrap_or_default());
        format!("{from}-{to}/{arrow}")
    }
}

/// The squares named in a text, each a letter and its digits, with nothing but separators between them. An `x` that no digit
/// follows is a separator.
fn words(text: &str) -> Option<Vec<(char, &str)>> {
    let mut rest = text.trim();
    let mut words = Vec::new();
    loop {
        let letter = rest.chars().next().filter(char::is_ascii_alphabetic)?;
        let after = &rest[1..];
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 || words.len() == 4 {
            return None;
        }
        words.push((letter, &after[..digits]));
        rest = &after[digits..];
        if rest.is_empty() {
            return Some(words);
        }
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || "-/,".contains(c));
        rest = match rest.strip_prefix(['x', 'X']) {
            Some(after) if !after.starts_with(|c: char| c.is_ascii_digit()) => after.trim_start(),
            _ => rest,
        };
    }
}
