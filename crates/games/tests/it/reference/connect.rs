//! A slow, literal implementation of Connect-N: columns are lists of letters, and rows are found by stepping from cell to cell.

use parlor_core::laws::Reference;

/// Columns from the left, checkers from the bottom.
#[derive(Clone)]
pub struct SlowConnect {
    columns: Vec<Vec<char>>,
    levels: usize,
    n: usize,
    won: bool,
}

impl SlowConnect {
    fn at(&self, column: i32, level: i32) -> char {
        let column = usize::try_from(column).ok().and_then(|c| self.columns.get(c));
        column.and_then(|c| usize::try_from(level).ok().and_then(|l| c.get(l))).copied().unwrap_or(' ')
    }

    fn played(&self) -> usize {
        self.columns.iter().map(Vec::len).sum()
    }

    fn row_through(&self, column: i32, level: i32) -> bool {
        let colour = self.at(column, level);
        [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().any(|(dx, dy)| {
            let length = |sign: i32| {
                let mut steps = 0;
                while self.at(column + sign * (steps + 1) * dx, level + sign * (steps + 1) * dy) == colour {
                    steps += 1;
                }
                steps as usize
            };
            1 + length(1) + length(-1) >= self.n
        })
    }
}

impl Reference for SlowConnect {
    fn start(values: &[u32]) -> Self {
        let columns = vec![Vec::new(); values[0] as usize];
        SlowConnect { columns, levels: values[1] as usize, n: values[2] as usize, won: false }
    }

    fn moves(&self) -> Vec<String> {
        if self.won {
            return Vec::new();
        }
        let room = |i: &usize| self.columns[*i].len() < self.levels;
        (0..self.columns.len()).filter(room).map(|i| (i + 1).to_string()).collect()
    }

    fn after(&self, mv: &str) -> Self {
        let mut next = self.clone();
        let column = mv.parse::<usize>().expect("a column") - 1;
        next.columns[column].push(['r', 'b'][self.played() % 2]);
        next.won = next.row_through(column as i32, next.columns[column].len() as i32 - 1);
        next
    }

    fn result(&self) -> Option<i16> {
        let cells = self.columns.len() * self.levels;
        if self.won {
            let before = self.played() - 1;
            Some(-(((cells + 1 - before) / 2) as i16))
        } else {
            (self.played() == cells).then_some(0)
        }
    }

    fn text(&self) -> String {
        let mut rows = Vec::new();
        for level in (0..self.levels).rev() {
            let cells: String = (0..self.columns.len()).map(|c| self.at(c as i32, level as i32)).collect();
            let mut row = String::new();
            let mut rest = cells.as_str();
            while !rest.is_empty() {
                let spaces = rest.len() - rest.trim_start().len();
                if spaces > 0 {
                    row.push_str(&spaces.to_string());
                    rest = &rest[spaces..];
                } else {
                    row.push_str(&rest[..1]);
                    rest = &rest[1..];
                }
            }
            rows.push(row);
        }
        format!("{} {}", rows.join("/"), ["r", "b"][self.played() % 2])
    }
}
