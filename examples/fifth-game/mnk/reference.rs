//! A slow, literal second implementation of the rules for tests: a board is a list of rows of letters, and k in a
//! row is searched square by square.

use parlor_core::laws::Reference;

/// Rows from the bottom, squares from the left; '.' is empty.
#[derive(Clone)]
pub struct SlowMnk {
    rows: Vec<Vec<char>>,
    k: usize,
}

impl SlowMnk {
    fn count(&self, letter: char) -> usize {
        self.rows.iter().flatten().filter(|&&square| square == letter).count()
    }

    fn turn(&self) -> char {
        if self.count('x') == self.count('o') { 'x' } else { 'o' }
    }

    fn has_row(&self, letter: char) -> bool {
        let at = |column: i32, row: i32| {
            let row = usize::try_from(row).ok().and_then(|row| self.rows.get(row));
            row.and_then(|row| usize::try_from(column).ok().and_then(|column| row.get(column))).copied()
        };
        let (columns, rows) = (self.rows[0].len() as i32, self.rows.len() as i32);
        (0..columns).any(|column| {
            (0..rows).any(|row| {
                [(0, 1), (1, 0), (1, 1), (-1, 1)].into_iter().any(|(dx, dy)| {
                    (0..self.k as i32).all(|step| at(column + step * dx, row + step * dy) == Some(letter))
                })
            })
        })
    }

    fn is_over(&self) -> bool {
        self.has_row('x') || self.has_row('o') || self.count('.') == 0
    }
}

impl Reference for SlowMnk {
    fn start(values: &[u32]) -> SlowMnk {
        let rows = vec![vec!['.'; values[0] as usize]; values[1] as usize];
        SlowMnk { rows, k: values[2] as usize }
    }

    fn moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        if self.is_over() {
            return moves;
        }
        for (number, row) in (1..).zip(&self.rows) {
            for (letter, square) in ('a'..).zip(row) {
                if *square == '.' {
                    moves.push(format!("{letter}{number}"));
                }
            }
        }
        moves
    }

    fn after(&self, mv: &str) -> SlowMnk {
        let (column, row) = mv.split_at(1);
        let mut next = self.clone();
        let column = usize::from(column.as_bytes()[0] - b'a');
        next.rows[row.parse::<usize>().expect("a row") - 1][column] = self.turn();
        next
    }

    fn result(&self) -> Option<i16> {
        let lost = self.has_row('x') || self.has_row('o');
        self.is_over().then_some(if lost { -1 } else { 0 })
    }

    fn text(&self) -> String {
        let mut rows = Vec::new();
        for row in self.rows.iter().rev() {
            let mut text = String::new();
            let mut empty = 0;
            for &square in row {
                if square == '.' {
                    empty += 1;
                    continue;
                }
                if empty > 0 {
                    text += &empty.to_string();
                    empty = 0;
                }
                text.push(square);
            }
            if empty > 0 {
                text += &empty.to_string();
            }
            rows.push(text);
        }
        format!("{} {}", rows.join("/"), self.turn())
    }
}
