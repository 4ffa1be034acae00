//! Moves are columns, counted from 1. Positions are rows from the top, digits for runs of empty cells, r and b for
//! checkers, then the side to move: `7/7/7/7/3b3/3r3 r`. A position from text is checked whole, not by its last checker.

use super::{Checker, Column, Connect, Position};
use crate::is_whole_number;
use parlor_core::{BadPosition, Game, IllegalMove, Notation, Side};

impl Notation for Connect {
    const MOVE_FORM: &'static str = "the number of the column, counted from the left";
    const POSITION_FORM: &'static str =
        "rows from the top, numbers for empty cells, r and b for checkers, then r or b to move";

    fn write_position(&self, pos: &Position) -> String {
        let (columns, levels, _) = self.size();
        let row = |level| {
            let (mut text, mut vacant) = (String::new(), 0);
            for column in 1..=columns {
                let letter = match self.checker_at(pos, column, level) {
                    Checker::Vacant => {
                        vacant += 1;
                        continue;
                    }
                    Checker::Red => 'r',
                    Checker::Black => 'b',
                };
                push_run(&mut text, &mut vacant);
                text.push(letter);
            }
            push_run(&mut text, &mut vacant);
            text
        };
        let rows: Vec<String> = (1..=levels).rev().map(row).collect();
        let turn = ["r", "b"][self.turn(pos).index()];
        format!("{} {turn}", rows.join("/"))
    }

    fn parse_position(&self, text: &str) -> Result<Position, BadPosition> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let &[board, turn] = words.as_slice() else {
            return Err(BadPosition(format!(
                "a position has two parts, the rows from the top and r or b to move, like {}; this one has {}",
                self.write_position(&self.start()),
                words.len()
            )));
        };
        let turn = match turn {
            "r" => Side::First,
            "b" => Side::Second,
            other => return Err(BadPosition(format!("the side to move is '{other}'; it is r or b"))),
        };
        let rows: Vec<&str> = board.split('/').collect();
        if rows.len() != self.grid.levels as usize {
            return Err(BadPosition(format!(
                "there are {} rows; this board has {} levels",
                rows.len(),
                self.grid.levels
            )));
        }
        let mut stones = [0_u128; 2];
        for (level, row) in (1..=self.grid.levels).rev().zip(rows) {
            self.parse_row(level, row, &mut stones)?;
        }
        self.assemble(stones, turn)
    }

    fn write_move(&self, mv: Column) -> String {
        mv.0.to_string()
    }

    fn parse_move(&self, pos: &Position, text: &str) -> Result<Column, IllegalMove> {
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
        // Digits that do not fit are a column that does not exist, like 0.
        let column = text.parse::<i64>().unwrap_or(0);
        if !(1..=i64::from(columns)).contains(&column) {
            return Err(IllegalMove(format!(
                "there is no column {text}; columns are numbered from 1 to {columns}"
            )));
        }
        if pos.all & self.grid.bit(column as u32, self.grid.levels) != 0 {
            return Err(IllegalMove(format!("column {column} is full")));
        }
        Ok(Column(column as u8))
    }

    fn run_together(&self) -> bool {
        self.grid.columns <= 9
    }
}

fn push_run(text: &mut String, vacant: &mut u32) {
    if *vacant > 0 {
        text.push_str(&vacant.to_string());
        *vacant = 0;
    }
}

impl Connect {
    fn parse_row(&self, level: u32, row: &str, stones: &mut [u128; 2]) -> Result<(), BadPosition> {
        let columns = self.grid.columns;
        let long = || BadPosition(format!("level {level} ('{row}') does not have {columns} columns"));
        let mut column = 1;
        let mut rest = row;
        while let Some(first) = rest.chars().next() {
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            if digits > 0 {
                let run: u32 = rest[..digits].parse().map_err(|_| long())?;
                column = u32::checked_add(column, run)
                    .filter(|&c| run > 0 && c <= columns + 1)
                    .ok_or_else(long)?;
                rest = &rest[digits..];
                continue;
            }
            let side = match first {
                'r' => Side::First,
                'b' => Side::Second,
                _ => {
                    return Err(BadPosition(format!(
                        "column {column}, level {level} is '{first}'; a cell is r, b or counted by a number"
                    )));
                }
            };
            if column > columns {
                return Err(long());
            }
            stones[side.index()] |= self.grid.bit(column, level);
            column += 1;
            rest = &rest[1..];
        }
        if column == columns + 1 { Ok(()) } else { Err(long()) }
    }

    fn assemble(&self, stones: [u128; 2], turn: Side) -> Result<Position, BadPosition> {
        let all = stones[0] | stones[1];
        for column in 1..=self.grid.columns {
            for level in 2..=self.grid.levels {
                if all & self.grid.bit(column, level) != 0 && all & self.grid.bit(column, level - 1) == 0 {
                    return Err(BadPosition(format!(
                        "the checker in column {column}, level {level} hangs in the air; level {} is empty",
                        level - 1
                    )));
                }
            }
        }
        let [red, black] = stones.map(u128::count_ones);
        let names = ["Red", "Black"];
        let fits = match turn {
            Side::First => red == black,
            Side::Second => red == black + 1,
        };
        if !fits {
            return Err(BadPosition(format!(
                "{} cannot be to move with {red} red and {black} black {}; Red begins, so Red moves with as many, Black with one red checker more",
                names[turn.index()],
                if black == 1 { "checker" } else { "checkers" }
            )));
        }
        let lines = stones.map(|stones| self.has_line(stones));
        if lines[0] && lines[1] {
            let cells = stones.map(|stones| self.line_cell(stones));
            return Err(BadPosition(format!(
                "both sides have {} in a row, Red at {}, Black at {}",
                self.n, cells[0], cells[1]
            )));
        }
        if lines[turn.index()] {
            let cell = self.line_cell(stones[turn.index()]);
            return Err(BadPosition(format!(
                "{} is to move but has {} in a row already, at {cell}",
                names[turn.index()],
                self.n
            )));
        }
        Ok(Position {
            own: stones[turn.index()],
            all,
            plies: (red + black) as u8,
            won: lines[turn.other().index()],
        })
    }

    /// A cell of a row that these checkers have: taking away one checker after another, the one without which there is none.
    fn line_cell(&self, mut stones: u128) -> String {
        let mut last = stones;
        while self.has_line(stones) {
            last = stones & stones.wrapping_neg();
            stones ^= last;
        }
        let (column, level) = self.grid.place(last.trailing_zeros());
        format!("column {column}, level {level}")
    }
}
