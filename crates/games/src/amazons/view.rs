//! The view of Amazons: a chequered board, queens as letters, arrows as crosses.

use super::{
    Amazons, Position, Shot, Square,
    board::{file_letter, squares_of},
};
use parlor_core::{
    BoardEvent, Cell, CellId, Colour, Game, Glyph, Margin, Mark, Picture, PictureLine, PictureOptions, Piece,
    Shape, Side, Staged, Step, Target, Token, Tone, View,
};

const LETTERS: [char; 2] = ['W', 'B'];
const TONES: [Tone; 2] = [Tone::First, Tone::Second];

impl Amazons {
    /// Cells and targets are numbered like the squares, a1 first, rank by rank, without the gaps between ranks.
    fn cell(&self, square: Square) -> CellId {
        (square.rank() * self.columns() + square.file()) as CellId
    }

    fn listed(&self) -> impl Iterator<Item = Square> {
        squares_of(self.squares())
    }

    fn rank_line(&self, line: &mut PictureLine, pos: &Position, rank: usize, options: &PictureOptions<'_>) {
        line.push(Tone::Faint, format!("{:>4}  ", rank + 1));
        for square in (0..self.columns()).filter_map(|file| Square::at(file, rank)) {
            let on = |board: u128| board & square.bit() != 0;
            let (letter, tone) = match Side::BOTH.into_iter().find(|side| on(pos.queens[side.index()])) {
                Some(side) => (LETTERS[side.index()], TONES[side.index()]),
                None if on(pos.arrows) => ('x', Tone::Plain),
                None => ('.', Tone::Faint),
            };
            if square.file() > 0 {
                line.push(Tone::Plain, " ");
            }
            line.point_out(tone, options.stress(self.cell(square)), letter);
        }
    }
}

impl View for Amazons {
    const TITLE: &'static str = "Amazons";
    const BLURB: &'static str = "move a queen, then shoot an arrow; the last to move wins";
    const RULES_TEXT: &'static str = include_str!("data/rules.md");
    const SEATS: [&'static str; 2] = ["White", "Black"];
    const COLOURS: [Colour; 2] = [Colour::White, Colour::Black];

    fn cells(&self) -> Vec<Cell> {
        let cell = |square: Square| Cell {
            name: square.to_string(),
            x: square.file() as u16,
            y: (self.rows() - 1 - square.rank()) as u16,
            w: 1,
            h: 1,
            // a1 is dark, as on every chequered board.
            shape: if (square.file() + square.rank()).is_multiple_of(2) {
                Shape::DarkSquare
            } else {
                Shape::Square
            },
            target: Some(self.cell(square)),
        };
        self.listed().map(cell).collect()
    }

    fn targets(&self) -> Vec<String> {
        self.listed().map(|square| square.to_string()).collect()
    }

    fn marks(&self, pos: &Position) -> Vec<Mark> {
        let marks = |board: u128, token: Token| {
            squares_of(board).map(move |square| Mark { cell: self.cell(square), token })
        };
        let queen = |side: Side| Token::Piece(Piece { side, glyph: Glyph::Crown });
        let queens = |side: Side| marks(pos.queens[side.index()], queen(side));
        Side::BOTH.into_iter().flat_map(queens).chain(marks(pos.arrows, Token::Blocked)).collect()
    }

    fn path(&self, _pos: &Position, mv: Shot) -> Vec<Target> {
        [mv.from, mv.to, mv.arrow].map(|square| self.cell(square)).to_vec()
    }

    /// The squares of the path, each once: an arrow may land on the queen's origin.
    fn touched(&self, before: &Position, mv: Shot) -> Vec<CellId> {
        let mut cells = self.path(before, mv);
        if mv.arrow == mv.from {
            cells.pop();
        }
        cells
    }

    /// The queen slides, then its arrow lands.
    fn steps(&self, _before: &Position, mv: Shot) -> Vec<Step> {
        vec![Step::between(self.cell(mv.from), self.cell(mv.to), 1), Step::placed(self.cell(mv.arrow))]
    }

    fn events(&self, before: &Position, mv: Shot, names: [&str; 2]) -> Vec<Staged<Position>> {
        let mut after = *before;
        self.play(&mut after, mv);
        if self.result(&after).is_none() {
            return Vec::new();
        }
        let text = format!("{} has no move left.", names[after.turn.index()]);
        let queens = squares_of(after.queens[after.turn.index()]).map(|square| self.cell(square));
        let event = BoardEvent::new(BoardEvent::NO_MOVE, text, queens.collect());
        vec![Staged { before: None, event }]
    }

    /// ```text
    ///   White: Ann (W)   Black: Bob (B)
    ///
    ///    5  . B . B .
    ///    4  B . . . B
    ///    3  . . x . .
    ///    2  W . . . W
    ///    1  . W . W .
    ///
    ///       a b c d e
    /// ```
    fn draw(&self, pos: &Position, options: &PictureOptions<'_>) -> Picture {
        let mut picture = Picture::new();
        let [white, black] = Side::BOTH.map(|side| {
            let (seat, name) = (Self::SEATS[side.index()], options.audience.names[side.index()]);
            let who = if seat == name { seat.to_string() } else { format!("{seat}: {name}") };
            format!("{who} ({})", LETTERS[side.index()])
        });
        let width = 2 + white.chars().count() + 3 + black.chars().count();
        let names = picture.line().push(Tone::Plain, "  ").push(Tone::First, white);
        if width <= options.audience.width {
            names.push(Tone::Plain, "   ").push(Tone::Second, black);
        } else {
            picture.line().push(Tone::Plain, "  ").push(Tone::Second, black);
        }
        picture.line();
        for rank in (0..self.rows()).rev() {
            self.rank_line(picture.line(), pos, rank, options);
        }
        picture.line();
        let files: Vec<String> = (0..self.columns()).map(|file| file_letter(file).to_string()).collect();
        picture.line().push(Tone::Faint, format!("      {}", files.join(" ")));
        picture
    }

    fn prompt(&self, _side: Side) -> String {
        format!("move (like {})", self.example())
    }

    fn move_help(&self, _side: Side) -> String {
        let example = self.example();
        format!("from-to/arrow, like {example} or {}", example.replace(['-', '/'], " "))
    }

    fn describe(&self, margin: Margin) -> String {
        match margin.0 {
            0 => "draw".to_string(),
            1.. => "wins".to_string(),
            _ => "loses".to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::{Audience, Notation, Stress};

    fn drawn(spec: [u32; 2], position: Option<&str>, names: [&str; 2], width: usize) -> Picture {
        let game = Amazons::sized(spec[0], spec[1]).expect("a size");
        let pos = position.map_or(game.start(), |text| game.parse_position(text).expect("a position"));
        game.draw(&pos, &PictureOptions { audience: Audience { names, width }, last: &[0], won: false })
    }

    #[test]
    fn the_board_is_drawn_with_files_and_ranks() {
        let picture = drawn([5, 4], Some("q4/2*2/5/Q3Q b"), ["Ann", "Black"], 80);
        let lines = [
            "  White: Ann (W)   Black (B)",
            "",
            "   4  B . . . .",
            "   3  . . x . .",
            "   2  . . . . .",
            "   1  W . . . W",
            "",
            "      a b c d e",
        ];
        assert_eq!(picture.to_string(), lines.join("\n") + "\n");
        let a1 = &picture.0[5].0[1];
        assert_eq!(
            (a1.tone, a1.stress),
            (Tone::First, Stress::Touched),
            "a1 is pointed out, and still White's"
        );
        assert_eq!(picture.0[2].0[1].tone, Tone::Second);
    }

    #[test]
    fn the_largest_board_fits_in_26_columns_and_long_names_take_two_lines() {
        let picture = drawn([10, 10], None, ["Penthesilea", "Hippolyta"], 26);
        assert_eq!(picture.to_string().lines().take(2).count(), 2);
        assert_eq!(picture.to_string().lines().next(), Some("  White: Penthesilea (W)"));
        assert!(picture.width() <= 26, "{picture}");
        assert_eq!(drawn([10, 10], None, ["a", "b"], 26).width(), 25);
    }
}
