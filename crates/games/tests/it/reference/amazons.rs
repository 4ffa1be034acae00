//! A slow, literal implementation of Amazons: a grid of characters, one step at a time in each of eight directions.

use parlor_core::laws::Reference;

/// `grid[rank][file]`, rank 1 first: `Q`, `q`, `*` or `.`.
#[derive(Clone)]
pub struct SlowAmazons {
    grid: Vec<Vec<char>>,
    white_to_move: bool,
}

fn inset(edge: usize) -> usize {
    if edge >= 9 {
        3
    } else if edge >= 7 {
        2
    } else {
        1
    }
}

fn name((file, rank): (usize, usize)) -> String {
    format!("{}{}", char::from(b'a' + file as u8), rank + 1)
}

fn square(text: &str) -> (usize, usize) {
    let file = text.as_bytes()[0] - b'a';
    (usize::from(file), text[1..].parse::<usize>().expect("a rank") - 1)
}

impl SlowAmazons {
    /// All squares to which a queen on this square could move, in listing order.
    fn slides(&self, (file, rank): (usize, usize)) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (df, dr) in [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)] {
            let (mut f, mut r) = (file as i32 + df, rank as i32 + dr);
            while let Some('.') = self.grid.get(r as usize).and_then(|row| row.get(f as usize)) {
                found.push((f as usize, r as usize));
                f += df;
                r += dr;
            }
        }
        found.sort_by_key(|&(file, rank)| (rank, file));
        found
    }

    fn own(&self) -> char {
        if self.white_to_move { 'Q' } else { 'q' }
    }
}

impl Reference for SlowAmazons {
    fn start(values: &[u32]) -> Self {
        let (columns, rows) = (values[0] as usize, values[1] as usize);
        let mut grid = vec![vec!['.'; columns]; rows];
        for file in [inset(columns), columns - 1 - inset(columns)] {
            grid[0][file] = 'Q';
            grid[rows - 1][file] = 'q';
        }
        for file in [0, columns - 1] {
            grid[inset(rows)][file] = 'Q';
            grid[rows - 1 - inset(rows)][file] = 'q';
        }
        SlowAmazons { grid, white_to_move: true }
    }

    fn moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        for rank in 0..self.grid.len() {
            for file in 0..self.grid[rank].len() {
                if self.grid[rank][file] != self.own() {
                    continue;
                }
                for to in self.slides((file, rank)) {
                    let mut gone = self.clone();
                    gone.grid[rank][file] = '.';
                    gone.grid[to.1][to.0] = self.own();
                    for arrow in gone.slides(to) {
                        moves.push(format!("{}-{}/{}", name((file, rank)), name(to), name(arrow)));
                    }
                }
            }
        }
        moves
    }

    fn after(&self, mv: &str) -> Self {
        let (from, rest) = mv.split_once('-').expect("a move");
        let (to, arrow) = rest.split_once('/').expect("a move");
        let [from, to, arrow] = [from, to, arrow].map(square);
        let mut next = self.clone();
        next.grid[from.1][from.0] = '.';
        next.grid[to.1][to.0] = self.own();
        next.grid[arrow.1][arrow.0] = '*';
        next.white_to_move = !self.white_to_move;
        next
    }

    fn result(&self) -> Option<i16> {
        self.moves().is_empty().then_some(-1)
    }

    fn text(&self) -> String {
        let mut ranks = Vec::new();
        for row in self.grid.iter().rev() {
            let mut text = String::new();
            let mut empty = 0;
            for &c in row.iter().chain(['|'].iter()) {
                if c == '.' {
                    empty += 1;
                    continue;
                }
                if empty > 0 {
                    text.push_str(&empty.to_string());
                    empty = 0;
                }
                if c != '|' {
                    text.push(c);
                }
            }
            ranks.push(text);
        }
        format!("{} {}", ranks.join("/"), if self.white_to_move { "w" } else { "b" })
    }
}
