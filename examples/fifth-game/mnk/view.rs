//! How m,n,k-games are displayed: squares with X and O.

use super::{Mnk, Position, Square, rules::DIRECTIONS};
use parlor_core::{
    BoardEvent, Cell, CellId, Game, Glyph, Margin, Mark, Picture, PictureOptions, Piece, Shape, Side, Staged,
    Step, Target, Token, Tone, View,
};

/// The letters of the sides on a board.
const LETTERS: [char; 2] = ['X', 'O'];
const TONES: [Tone; 2] = [Tone::First, Tone::Second];

impl View for Mnk {
    const TITLE: &'static str = "K in a row";
    const BLURB: &'static str = "place marks on m by n squares; first with k in a row wins";
    const RULES_TEXT: &'static str = include_str!("data/rules.md");
    const SEATS: [&'static str; 2] = ["X", "O"];

    /// The cells, which have the numbers of the squares, as do the targets.
    fn cells(&self) -> Vec<Cell> {
        let cell = |square: Square| {
            let (column, row) = self.place_of(square);
            Cell {
                name: self.name(square),
                x: column as u16,
                y: (self.rows - 1) as u16 - row as u16,
                w: 1,
                h: 1,
                shape: Shape::Square,
                target: Some(square.0),
            }
        };
        self.squares().map(cell).collect()
    }

    fn targets(&self) -> Vec<String> {
        self.squares().map(|square| self.name(square)).collect()
    }

    fn marks(&self, pos: &Position) -> Vec<Mark> {
        let mark = |square: Square| {
            let side = pos.mark(square)?;
            let glyph = Glyph::Letter(LETTERS[side.index()]);
            Some(Mark { cell: square.0, token: Token::Piece(Piece { side, glyph }) })
        };
        self.squares().filter_map(mark).collect()
    }

    fn path(&self, _pos: &Position, mv: Square) -> Vec<Target> {
        vec![mv.0]
    }

    fn steps(&self, _before: &Position, mv: Square) -> Vec<Step> {
        vec![Step::placed(mv.0)]
    }

    fn events(&self, before: &Position, mv: Square, names: [&str; 2]) -> Vec<Staged<Position>> {
        let mut after = *before;
        self.play(&mut after, mv);
        let runs = DIRECTIONS.map(|direction| self.run(&after, mv, direction));
        let mut lines: Vec<Vec<Square>> = runs.into_iter().filter(|run| run.len() >= self.k).collect();
        // With k = 1, one mark is the same row in all directions.
        lines.dedup();
        let event = |line: Vec<Square>| {
            let name = names[self.turn(before).index()];
            let [from, to] = [line[0], line[line.len() - 1]].map(|square| self.name(square));
            let text = format!("{name} has {} in a row: {from} to {to}.", line.len());
            let cells: Vec<CellId> = line.into_iter().map(|square| square.0).collect();
            Staged { before: None, event: BoardEvent::new(BoardEvent::LINE, text, cells) }
        };
        lines.into_iter().map(event).collect()
    }

    /// ```text
    ///    3  . . O
    ///    2  . X .
    ///    1  . . .
    ///
    ///       a b c
    /// ```
    ///
    /// A board that is too wide for the screen has one character per column.
    fn draw(&self, pos: &Position, options: &PictureOptions<'_>) -> Picture {
        let margin = 6;
        let is_narrow = margin + 2 * self.columns > options.audience.width + 1;
        let gap = if is_narrow { "" } else { " " };
        let mut picture = Picture::new();
        let squares: Vec<Square> = self.squares().collect();
        for (row, squares) in squares.chunks(self.columns).enumerate().rev() {
            let line = picture.line();
            line.push(Tone::Faint, format!("{:>width$}  ", row + 1, width = margin - 2));
            for &square in squares {
                let (tone, letter) = match pos.mark(square) {
                    Some(side) => (TONES[side.index()], LETTERS[side.index()]),
                    None => (Tone::Faint, '.'),
                };
                line.point_out(tone, options.stress(square.0), letter).push(Tone::Plain, gap);
            }
        }
        picture.line();
        let letters: Vec<String> = ('a'..=self.corner().0).map(String::from).collect();
        picture.line().push(Tone::Faint, format!("{:margin$}{}", "", letters.join(gap)));
        picture
    }

    fn prompt(&self, _side: Side) -> String {
        let (last, top) = self.corner();
        format!("square (a1-{last}{top})")
    }

    fn move_help(&self, _side: Side) -> String {
        let (last, top) = self.corner();
        format!("an empty square, a1-{last}{top}")
    }

    fn describe(&self, margin: Margin) -> String {
        ["a loss", "a draw", "a win"][(margin.0.signum() + 1) as usize].to_string()
    }
}
