//! Moves are squares such as `b2`: the column's letter and the row's number from the bottom. Positions are rows from the top,
//! `2o/1x1/3 x`: numbers for runs of empty squares, x and o for marks, then the side to move.

use super::{Mnk, Position, Square};
use crate::fen::{self, BadRow};
use parlor_core::{BadPosition, Game, IllegalMove, Notation, Samples, Side};

/// The letters of the sides in a position.
const LETTERS: [char; 2] = ['x', 'o'];

impl Mnk {
    pub(super) fn name(&self, square: Square) -> String {
        let (column, row) = self.place_of(square);
        format!("{}{}", letter(column), row + 1)
    }

    /// The last column's letter and the number of the top row.
    pub(super) fn corner(&self) -> (char, usize) {
        (letter(self.columns as i32 - 1), self.rows)
    }

    /// Parses one row of a position and adds its marks.
    fn read_row(&self, row: usize, text: &str, marks: &mut Vec<(Square, Side)>) -> Result<(), BadPosition> {
        let cells = fen::read_row(text, self.columns, "xo").map_err(|bad| {
            BadPosition(match bad {
                BadRow::Letter { at, letter: found } => format!(
                    "{}{} is '{found}'; a square is x, o or counted by a number",
                    letter(at as i32),
                    row + 1
                ),
                _ => format!("row {} ('{text}') does not have {} squares", row + 1, self.columns),
            })
        })?;
        for (column, cell) in (0..).zip(cells) {
            let side = Side::BOTH.into_iter().find(|side| cell == Some(LETTERS[side.index()]));
            marks.extend(self.square_at(column, row as i32).zip(side));
        }
        Ok(())
    }

    /// Checks that these marks are a position of the game, with this side to move.
    fn check(&self, marks: &[(Square, Side)], turn: Side) -> Result<Position, BadPosition> {
        let [x, o] = Side::BOTH.map(|side| marks.iter().filter(|(_, of)| *of == side).count());
        if x != o + usize::from(turn == Side::Second) {
            return Err(BadPosition(format!(
                "{} cannot be to move with {x} x and {o} o; x begins, so x moves with as many, o with one x more",
                LETTERS[turn.index()]
            )));
        }
        let pos = self.position(marks.iter().copied(), false);
        let row_of = |side| marks.iter().find(|(at, of)| *of == side && self.has_row_through(&pos, *at));
        if let Some((square, _)) = row_of(turn) {
            return Err(BadPosition(format!(
                "{} is to move, but has {} in a row already, at {}",
                LETTERS[turn.index()],
                self.k,
                self.name(*square)
            )));
        }
        Ok(self.position(marks.iter().copied(), row_of(turn.other()).is_some()))
    }
}

fn letter(column: i32) -> char {
    char::from(b'a' + column as u8)
}

impl Notation for Mnk {
    const MOVE_FORM: &'static str =
        "a square: the letter of its column and the number of its row from the bottom";
    const POSITION_FORM: &'static str =
        "rows from the top, numbers for empty squares, x and o for marks, then x or o to move";
    const SAMPLES: Samples = Samples {
        sizes: include_str!("data/sizes.txt"),
        perft: include_str!("data/perft.txt"),
        illegal_moves: include_str!("data/illegal.txt"),
        bad_positions: include_str!("data/positions.txt"),
        game: include_str!("data/game.parlor"),
        bench: &[],
    };

    fn write_position(&self, pos: &Position) -> String {
        let cell = |square| pos.mark(square).map(|side| LETTERS[side.index()]);
        let cells: Vec<Option<char>> = self.squares().map(cell).collect();
        let rows: Vec<String> =
            cells.chunks(self.columns).rev().map(|row| fen::write_row(row.iter().copied())).collect();
        format!("{} {}", rows.join("/"), LETTERS[self.turn(pos).index()])
    }

    fn parse_position(&self, text: &str) -> Result<Position, BadPosition> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let &[board, turn] = words.as_slice() else {
            return Err(BadPosition(format!(
                "expected two parts, the rows from the top and the side to move, like {}; found {}",
                self.write_position(&self.start()),
                words.len()
            )));
        };
        let turn = match turn {
            "x" => Side::First,
            "o" => Side::Second,
            other => return Err(BadPosition(format!("invalid side to move '{other}'; expected x or o"))),
        };
        let rows: Vec<&str> = board.split('/').collect();
        if rows.len() != self.rows {
            return Err(BadPosition(format!("there are {} rows; this board has {}", rows.len(), self.rows)));
        }
        let mut marks = Vec::new();
        for (row, text) in (0..self.rows).rev().zip(rows) {
            self.read_row(row, text, &mut marks)?;
        }
        self.check(&marks, turn)
    }

    fn write_move(&self, mv: Square) -> String {
        self.name(mv)
    }

    fn parse_move(&self, pos: &Position, text: &str) -> Result<Square, IllegalMove> {
        let text = text.trim();
        if self.result(pos).is_some() {
            return Err(IllegalMove::new("the game is over"));
        }
        let wrong = || IllegalMove(format!("'{text}' is not a square; expected one like a1"));
        let mut rest = text.chars();
        let column = rest.next().filter(char::is_ascii_alphabetic).ok_or_else(wrong)?;
        let row = rest.as_str();
        if row.is_empty() || !row.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(wrong());
        }
        let column = i32::from(column.to_ascii_lowercase() as u8 - b'a');
        // A number that overflows is treated like row 0, which does not exist.
        let row = row.parse::<i32>().unwrap_or(0);
        let square = self.square_at(column, row - 1).ok_or_else(|| {
            let (last, top) = self.corner();
            IllegalMove(format!("there is no square {text}; columns are a to {last}, rows 1 to {top}"))
        })?;
        match pos.mark(square) {
            Some(_) => Err(IllegalMove(format!("{} is taken", self.name(square)))),
            None => Ok(square),
        }
    }
}
