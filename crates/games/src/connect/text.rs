//! Moves are columns, counted from 1. Positions are rows from the top, digits for runs of empty cells, r and b for checkers,
//! then the side to move: `7/7/7/7/3b3/3r3 r`. A parsed position is checked as a whole, not only at its last checker.

use super::{Checker, Column, ConnectOf, bits::Grid, stones::Stones};
use crate::{
    fen::{self, BadRow},
    is_whole_number,
};
use parlor_core::{BadPosition, Game, IllegalMove, Notation, Samples, Side};

impl<P: Stones> Notation for ConnectOf<P> {
    const MOVE_FORM: &'static str = "the number of the column, counted from the left";
    const POSITION_FORM: &'static str =
        "rows from the top, numbers for empty cells, r and b for checkers, then r or b to move";
    const SAMPLES: Samples = Samples {
        sizes: include_str!("data/sizes.txt"),
        perft: include_str!("data/perft.txt"),
        illegal_moves: include_str!("data/illegal.txt"),
        bad_positions: include_str!("data/positions.txt"),
        game: include_str!("data/game.parlor"),
        bench: &[("connect:7,6,4", 11)],
    };

    fn write_position(&self, pos: &P) -> String {
        let (columns, levels, _) = self.size();
        let letter = |column, level| match self.checker_at(pos, column, level) {
            Checker::Vacant => None,
            Checker::Red => Some('r'),
            Checker::Black => Some('b'),
        };
        let row = |level| fen::write_row((1..=columns).map(|column| letter(column, level)));
        let rows: Vec<String> = (1..=levels).rev().map(row).collect();
        let turn = ["r", "b"][self.turn(pos).index()];
        format!("{} {turn}", rows.join("/"))
    }

    fn parse_position(&self, text: &str) -> Result<P, BadPosition> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let &[board, turn] = words.as_slice() else {
            return Err(BadPosition(format!(
                "expected two parts, the rows from the top and the side to move, like {}; found {}",
                self.write_position(&self.start()),
                words.len()
            )));
        };
        let turn = match turn {
            "r" => Side::First,
            "b" => Side::Second,
            other => return Err(BadPosition(format!("invalid side to move '{other}'; expected r or b"))),
        };
        let rows: Vec<&str> = board.split('/').collect();
        if rows.len() != self.grid.levels as usize {
            return Err(BadPosition(format!(
                "found {} rows; this board has {}",
                rows.len(),
                self.grid.levels
            )));
        }
        let mut drawn =
            ParsedBoard { grid: self.grid, n: self.n, columns: vec![Vec::new(); self.grid.columns as usize] };
        for (level, row) in (1..=self.grid.levels).rev().zip(rows) {
            drawn.parse_row(level, row)?;
        }
        drawn.columns.iter_mut().for_each(|column| column.reverse());
        let won = drawn.check(turn)?;
        Ok(P::of_cells(self.grid, |column, level| drawn.at(column, level), turn, won))
    }

    fn write_move(&self, mv: Column) -> String {
        mv.0.to_string()
    }

    fn parse_move(&self, pos: &P, text: &str) -> Result<Column, IllegalMove> {
        let text = text.trim();
        let columns = self.grid.columns;
        if self.result(pos).is_some() {
            return Err(IllegalMove::new("the game is over"));
        }
        if !is_whole_number(text) {
            return Err(IllegalMove(format!(
                "'{text}' is not a number; columns are numbered from 1 to {columns}"
            )));
        }
        // A number that is too large names a column that does not exist, like 0.
        let column = text.parse::<i64>().unwrap_or(0);
        if !(1..=i64::from(columns)).contains(&column) {
            return Err(IllegalMove(format!(
                "there is no column {text}; columns are numbered from 1 to {columns}"
            )));
        }
        if pos.height(self, column as u32) == self.grid.levels {
            return Err(IllegalMove(format!("column {column} is full")));
        }
        Ok(Column(column as u8))
    }

    fn run_together(&self) -> bool {
        self.grid.columns <= 9
    }
}

/// A parsed board before validation: any checkers anywhere.
struct ParsedBoard {
    grid: Grid,
    n: u32,
    /// Columns from the left, cells from the bottom.
    columns: Vec<Vec<Checker>>,
}

impl ParsedBoard {
    /// The content of a cell; vacant outside the board.
    fn at(&self, column: u32, level: u32) -> Checker {
        let place = |number: u32| number.wrapping_sub(1) as usize;
        let cell = self.columns.get(place(column)).and_then(|cells| cells.get(place(level)));
        cell.copied().unwrap_or(Checker::Vacant)
    }

    /// Adds the row of a level to the rows above it.
    fn parse_row(&mut self, level: u32, row: &str) -> Result<(), BadPosition> {
        let columns = self.grid.columns;
        let cells = fen::read_row(row, columns as usize, "rb").map_err(|bad| {
            BadPosition(match bad {
                BadRow::Letter { at, letter } => format!(
                    "unexpected '{letter}' in column {}, row {level}; expected r, b or a number of empty cells",
                    at + 1
                ),
                _ => format!("row {level} ('{row}') does not have {columns} columns"),
            })
        })?;
        let cells = cells.into_iter().map(|cell| match cell {
            Some('r') => Checker::Red,
            Some(_) => Checker::Black,
            None => Checker::Vacant,
        });
        self.columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
        Ok(())
    }

    /// Checks that this is a position of the game, and returns whether the side that is not to move has won.
    fn check(&self, turn: Side) -> Result<bool, BadPosition> {
        for column in 1..=self.grid.columns {
            for level in 2..=self.grid.levels {
                let is_vacant = |level| self.at(column, level) == Checker::Vacant;
                if !is_vacant(level) && is_vacant(level - 1) {
                    return Err(BadPosition(format!(
                        "the checker in column {column}, row {level} has an empty cell below it, in row {}",
                        level - 1
                    )));
                }
            }
        }
        let names = ["Red", "Black"];
        let [red, black] = Side::BOTH.map(|side| self.count(Checker::of(side)));
        let fits = match turn {
            Side::First => red == black,
            Side::Second => red == black + 1,
        };
        if !fits {
            return Err(BadPosition(format!(
                "{} cannot be to move with {red} red and {black} black {}; Red moves first, so Red is to move with equal numbers, and Black with one more red checker",
                names[turn.index()],
                if black == 1 { "checker" } else { "checkers" }
            )));
        }
        let rows = Side::BOTH.map(|side| self.row(Checker::of(side)));
        if let [Some(red), Some(black)] = &rows {
            return Err(BadPosition(format!(
                "both sides have {} in a row, Red at {red}, Black at {black}",
                self.n
            )));
        }
        if let Some(cell) = &rows[turn.index()] {
            return Err(BadPosition(format!(
                "{} is to move but has {} in a row already, at {cell}",
                names[turn.index()],
                self.n
            )));
        }
        Ok(rows[turn.other().index()].is_some())
    }

    fn count(&self, checker: Checker) -> usize {
        self.columns.iter().flatten().filter(|&&cell| cell == checker).count()
    }

    /// Describes the left or lower end of a row of this colour; of several rows the one that begins furthest to the right.
    fn row(&self, checker: Checker) -> Option<String> {
        if self.n > self.grid.columns.max(self.grid.levels) {
            return None;
        }
        let mut cells = (1..=self.grid.columns).flat_map(|c| (1..=self.grid.levels).map(move |l| (c, l)));
        let begins = |&(column, level): &(u32, u32)| {
            [(1, 0), (0, 1), (1, 1), (1, u32::MAX)].into_iter().any(|(dx, dy): (u32, u32)| {
                // Below the lowest level the numbers wrap to cells outside the board, which are vacant.
                (0..self.n)
                    .all(|i| self.at(column + i * dx, level.wrapping_add(dy.wrapping_mul(i))) == checker)
            })
        };
        let (column, level) = cells.rfind(begins)?;
        Some(format!("column {column}, row {level}"))
    }
}
