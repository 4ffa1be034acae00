//! The view of Connect-N: the grid with `|` around every cell, R, B or a space in it, and a floor.

use super::{Checker, Column, ConnectOf, stones::Stones};
use parlor_core::{
    BoardEvent, Cell, CellId, Colour, Game, Glyph, Margin, Mark, Outcome, Picture, PictureOptions, Piece,
    Shape, Side, Staged, Step, Target, Token, Tone, View, winner_sentence,
};

impl<P: Stones> ConnectOf<P> {
    /// Cells are numbered row by row from the top left.
    fn cell(&self, column: u32, level: u32) -> CellId {
        ((self.grid.levels - level) * self.grid.columns + column - 1) as CellId
    }

    /// The level a checker dropped here falls to.
    fn landing(&self, pos: &P, mv: Column) -> u32 {
        1 + pos.height(self, mv.0.into())
    }

    /// The rows of N or more through a cell, each from its left or lower end to the other. `stone` returns whether a cell has a
    /// checker of the colour.
    fn lines_through(
        &self,
        stone: impl Fn(u32, u32) -> bool,
        column: u32,
        level: u32,
    ) -> Vec<Vec<(u32, u32)>> {
        let (columns, levels, n) = self.size();
        let holds = |(column, level): (i64, i64)| {
            (1..=i64::from(columns)).contains(&column)
                && (1..=i64::from(levels)).contains(&level)
                && stone(column as u32, level as u32)
        };
        let run = |(dx, dy): (i64, i64)| {
            let at = move |i: i64| (i64::from(column) + i * dx, i64::from(level) + i * dy);
            let back = (1..).take_while(|&i| holds(at(-i))).count() as i64;
            let ahead = (1..).take_while(|&i| holds(at(i))).count() as i64;
            (-back..=ahead).map(at).map(|(x, y)| (x as u32, y as u32)).collect::<Vec<_>>()
        };
        let mut lines: Vec<_> = [(1, 0), (0, 1), (1, 1), (1, -1)]
            .into_iter()
            .map(run)
            .filter(|line| line.len() >= n as usize)
            .collect();
        // With N = 1 the same row is found in every direction.
        lines.dedup();
        lines
    }
}

impl<P: Stones> View for ConnectOf<P> {
    const TITLE: &'static str = "Connect-N";
    const BLURB: &'static str = "drop checkers into columns; the first to get N in a row wins";
    const RULES_TEXT: &'static str = include_str!("data/rules.md");
    const SEATS: [&'static str; 2] = ["Red", "Black"];
    const COLOURS: [Colour; 2] = [Colour::Red, Colour::Black];

    fn cells(&self) -> Vec<Cell> {
        let (columns, levels, _) = self.size();
        let mut cells = Vec::new();
        for level in (1..=levels).rev() {
            for column in 1..=columns {
                cells.push(Cell {
                    name: format!("column {column}, row {level}"),
                    x: column as u16 - 1,
                    y: (levels - level) as u16,
                    w: 1,
                    h: 1,
                    shape: Shape::Slot,
                    target: Some(column as Target - 1),
                });
            }
        }
        cells
    }

    fn targets(&self) -> Vec<String> {
        (1..=self.grid.columns).map(|column| column.to_string()).collect()
    }

    fn marks(&self, pos: &P) -> Vec<Mark> {
        let (columns, levels, _) = self.size();
        let mut marks = Vec::new();
        for (column, level) in (1..=columns).flat_map(|c| (1..=levels).map(move |l| (c, l))) {
            let token = match self.checker_at(pos, column, level) {
                Checker::Vacant => continue,
                Checker::Red => Token::Piece(Piece { side: Side::First, glyph: Glyph::Disc }),
                Checker::Black => Token::Piece(Piece { side: Side::Second, glyph: Glyph::Disc }),
            };
            marks.push(Mark { cell: self.cell(column, level), token });
        }
        marks
    }

    fn path(&self, _pos: &P, mv: Column) -> Vec<Target> {
        vec![Target::from(mv.0) - 1]
    }

    fn touched(&self, before: &P, mv: Column) -> Vec<CellId> {
        vec![self.cell(mv.0.into(), self.landing(before, mv))]
    }

    fn steps(&self, before: &P, mv: Column) -> Vec<Step> {
        vec![Step::placed(self.cell(mv.0.into(), self.landing(before, mv)))]
    }

    fn events(&self, before: &P, mv: Column, names: [&str; 2]) -> Vec<Staged<P>> {
        let side = self.turn(before);
        let (column, level) = (u32::from(mv.0), self.landing(before, mv));
        let own = Checker::of(side);
        let stone = |c, l| (c, l) == (column, level) || self.checker_at(before, c, l) == own;
        let lines = self.lines_through(stone, column, level).into_iter();
        lines
            .map(|line| {
                let text = line_text(names[side.index()], &line);
                let cells = line.into_iter().map(|(column, level)| self.cell(column, level)).collect();
                Staged { before: None, event: BoardEvent::new(BoardEvent::LINE, text, cells) }
            })
            .collect()
    }

    /// ```text
    ///   | | | |
    ///   |B|R| |
    ///   +-+-+-+
    ///    1 2 3
    /// ```
    ///
    /// A board that is too wide for the screen has one character per cell:
    ///
    /// ```text
    ///   |....|
    ///   |BR..|
    ///   +----+
    ///    1234
    /// ```
    fn draw(&self, pos: &P, options: &PictureOptions<'_>) -> Picture {
        let (columns, levels, _) = self.size();
        let is_narrow = 2 * columns as usize + 1 > options.audience.width;
        let (between, vacant) = if is_narrow { ("", ".") } else { ("|", " ") };
        let mut picture = Picture::new();
        for level in (1..=levels).rev() {
            let line = picture.line();
            for column in 1..=columns {
                line.push(Tone::Faint, if column == 1 { "|" } else { between });
                let (tone, letter) = match self.checker_at(pos, column, level) {
                    Checker::Vacant if is_narrow => (Tone::Faint, vacant),
                    Checker::Vacant => (Tone::Plain, vacant),
                    Checker::Red => (Tone::First, "R"),
                    Checker::Black => (Tone::Second, "B"),
                };
                line.point_out(tone, options.stress(self.cell(column, level)), letter);
            }
            line.push(Tone::Faint, "|");
        }
        let columns = columns as usize;
        let floor = if is_narrow { "-".repeat(columns) + "+" } else { "-+".repeat(columns) };
        picture.line().push(Tone::Faint, format!("+{floor}"));
        let digits = |of: fn(usize) -> String| {
            let gap = if is_narrow { "" } else { " " };
            let digits: Vec<String> = (1..=columns).map(of).collect();
            format!(" {}", digits.join(gap))
        };
        if columns > 9 {
            let tens = digits(|c| if c < 10 { " ".to_string() } else { (c / 10).to_string() });
            picture.line().push(Tone::Faint, tens);
        }
        picture.line().push(Tone::Faint, digits(|c| (c % 10).to_string()));
        picture
    }

    fn prompt(&self, _side: Side) -> String {
        format!("column (1-{})", self.grid.columns)
    }

    fn move_help(&self, _side: Side) -> String {
        format!("the number of a column with room, 1-{}", self.grid.columns)
    }

    fn verdict(&self, scores: Option<[u16; 2]>, outcome: Outcome, names: [&str; 2]) -> String {
        match outcome.winner {
            Some(_) => winner_sentence(scores, outcome, names),
            None => "The game is a tie.".to_string(),
        }
    }

    fn describe(&self, margin: Margin) -> String {
        let hand = margin.0.unsigned_abs();
        match margin.0 {
            0 => "tie (score 0)".to_string(),
            1.. => format!("wins (score {hand})"),
            _ => format!("loses (score -{hand})"),
        }
    }
}

/// Describes a line by its ends, which are columns and levels.
fn line_text(name: &str, line: &[(u32, u32)]) -> String {
    let (Some(&(x, y)), Some(&(to_x, to_y))) = (line.first(), line.last()) else { return String::new() };
    if line.len() == 1 {
        return format!("{name} has 1 in a row: column {x}, row {y}.");
    }
    let way = if x == to_x {
        "vertically"
    } else if y == to_y {
        "horizontally"
    } else {
        "diagonally"
    };
    let ends = format!("column {x}, row {y} to column {to_x}, row {to_y}");
    format!("{name} has {} in a row {way}: {ends}.", line.len())
}
