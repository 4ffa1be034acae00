//! Moves are `d1-d7/g7`: the queen's squares, then the arrow's. Positions give the ranks from the top,
//! `3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w`: Q White, q Black, * an arrow, numbers for runs of empty squares, side to move.
//! [`super::reading`] parses other notations of a move; this file checks that the move is legal.

use super::{
    Amazons, Position, Shot, Square,
    board::{WIDTH, file_letter},
};
use crate::fen::{self, BadRow};
use parlor_core::{BadPosition, Game, IllegalMove, Notation, Samples, Side, View};

impl Notation for Amazons {
    const MOVE_FORM: &'static str = "from-to/arrow (the separators are optional)";
    const POSITION_FORM: &'static str = "ranks from the top with Q White, q Black, * an arrow, numbers for empty squares, then w or b to move";
    const SAMPLES: Samples = Samples {
        sizes: include_str!("data/sizes.txt"),
        perft: include_str!("data/perft.txt"),
        illegal_moves: include_str!("data/illegal.txt"),
        bad_positions: include_str!("data/positions.txt"),
        game: include_str!("data/game.parlor"),
        bench: &[("amazons:10,10", 2), ("amazons:5,5", 3)],
    };

    fn write_position(&self, pos: &Position) -> String {
        let ranks: Vec<String> = (0..self.rows()).rev().map(|rank| self.write_rank(pos, rank)).collect();
        format!("{} {}", ranks.join("/"), if pos.turn == Side::First { 'w' } else { 'b' })
    }

    fn parse_position(&self, text: &str) -> Result<Position, BadPosition> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let &[board, turn] = words.as_slice() else {
            return Err(BadPosition(format!(
                "expected two parts, the board and the side to move, like {}; found {}",
                self.write_position(&self.start()),
                words.len()
            )));
        };
        let ranks: Vec<&str> = board.split('/').collect();
        if ranks.len() != self.rows() {
            return Err(BadPosition(format!("found {} ranks; this board has {}", ranks.len(), self.rows())));
        }
        let mut pos = Position { queens: [0; 2], arrows: 0, turn: Side::First };
        for (rank, text) in (0..self.rows()).rev().zip(ranks) {
            self.read_rank(&mut pos, rank, text)?;
        }
        pos.turn = match turn {
            "w" => Side::First,
            "b" => Side::Second,
            other => return Err(BadPosition(format!("invalid side to move '{other}'; expected w or b"))),
        };
        match Side::BOTH.into_iter().find(|side| pos.queens[side.index()] == 0) {
            Some(side) => Err(BadPosition(format!(
                "{} has no queen; each side has at least one",
                Self::SEATS[side.index()]
            ))),
            None => Ok(pos),
        }
    }

    fn write_move(&self, mv: Shot) -> String {
        format!("{}-{}/{}", mv.from, mv.to, mv.arrow)
    }

    fn parse_move(&self, pos: &Position, text: &str) -> Result<Shot, IllegalMove> {
        if self.result(pos).is_some() {
            return Err(IllegalMove::new("the game is over"));
        }
        let [from, to, arrow] = self.read_squares(text)?;
        self.check_queen(pos, from)?;
        check_path(pos, "the queen", from, to)?;
        let mut gone = *pos;
        gone.queens[pos.turn.index()] ^= from.bit() | to.bit();
        check_path(&gone, "the arrow", to, arrow)?;
        Ok(Shot { from, to, arrow })
    }
}

impl Amazons {
    /// Refuses to move from a square without an own queen.
    fn check_queen(&self, pos: &Position, from: Square) -> Result<(), IllegalMove> {
        let [own, other] = [pos.turn, pos.turn.other()].map(|side| Self::SEATS[side.index()]);
        match content_of(pos, from) {
            Some(Content::Queen(side)) if side == pos.turn => Ok(()),
            Some(Content::Queen(_)) => {
                Err(IllegalMove(format!("the queen on {from} is {other}'s; {own} is to move")))
            }
            Some(Content::Arrow) => {
                Err(IllegalMove(format!("there is no queen on {from}: it is blocked by an arrow")))
            }
            None => Err(IllegalMove(format!("there is no queen on {from}: it is empty"))),
        }
    }

    fn write_rank(&self, pos: &Position, rank: usize) -> String {
        let squares = (0..self.columns()).filter_map(|file| Square::at(file, rank));
        fen::write_row(squares.map(|square| {
            content_of(pos, square).map(|content| match content {
                Content::Queen(Side::First) => 'Q',
                Content::Queen(Side::Second) => 'q',
                Content::Arrow => '*',
            })
        }))
    }

    fn read_rank(&self, pos: &mut Position, rank: usize, text: &str) -> Result<(), BadPosition> {
        let cells = fen::read_row(text, self.columns(), "Qq*")
            .map_err(|bad| BadPosition(self.why_bad_rank(rank + 1, text, bad)))?;
        for (file, cell) in cells.into_iter().enumerate() {
            let bit = 1_u128 << (rank * WIDTH + file);
            match cell {
                Some('Q') => pos.queens[0] |= bit,
                Some('q') => pos.queens[1] |= bit,
                Some(_) => pos.arrows |= bit,
                None => {}
            }
        }
        Ok(())
    }

    fn why_bad_rank(&self, rank: usize, text: &str, bad: BadRow) -> String {
        let columns = self.columns();
        let place = |file: usize| format!("{}{rank}", file_letter(file.min(columns - 1)));
        match bad {
            BadRow::Letter { at, letter } => {
                format!(
                    "unexpected '{letter}' on {}; expected Q, q, * or a number of empty squares",
                    place(at)
                )
            }
            BadRow::NoRun { at } => format!("rank {rank} has a run of no squares at {}", place(at)),
            BadRow::Long => format!("rank {rank} ('{text}') is longer than {columns} squares"),
            BadRow::Short { cells } => {
                format!("rank {rank} ('{text}') has {cells} squares; this board has {columns} files")
            }
        }
    }
}

enum Content {
    Queen(Side),
    Arrow,
}

fn content_of(pos: &Position, square: Square) -> Option<Content> {
    let on = |board: u128| board & square.bit() != 0;
    match Side::BOTH.into_iter().find(|side| on(pos.queens[side.index()])) {
        Some(side) => Some(Content::Queen(side)),
        None => on(pos.arrows).then_some(Content::Arrow),
    }
}

/// Refuses a path that is empty, not straight, or blocked.
fn check_path(pos: &Position, who: &str, from: Square, to: Square) -> Result<(), IllegalMove> {
    if from == to {
        return Err(IllegalMove(format!("{who} must move away from {from}")));
    }
    let Some(mut squares) = from.line_to(to) else {
        return Err(IllegalMove(format!("{who} cannot go from {from} to {to}: that is not a straight line")));
    };
    let blocked = squares.find_map(|square| content_of(pos, square).map(|content| (square, content)));
    match blocked {
        None => Ok(()),
        Some((square, content)) => {
            let what = if matches!(content, Content::Arrow) { "an arrow" } else { "a queen" };
            Err(IllegalMove(format!("{who} cannot go from {from} to {to}: {what} blocks {square}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_read_in_every_way_people_write_them() {
        let game = Amazons::sized(10, 10).expect("a size");
        let pos = game.start();
        for text in [
            "d1-d7/g7",
            "d1d7g7",
            "d1-d7xg7",
            "d1d7,d7g7",
            "d1 d7 g7",
            " D1-d7 / G7 ",
            "d1-d7, d7-g7",
            "d1-d7Xg7",
        ] {
            let mv = game.parse_move(&pos, text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(game.write_move(mv), "d1-d7/g7", "{text}");
        }
    }

    #[test]
    fn ten_ranks_read_in_run_together_forms_too() {
        let game = Amazons::sized(10, 10).expect("a size");
        let pos = game.parse_position("10/10/10/q9/10/10/10/10/10/Q9 b").expect("a position");
        for (text, canonical) in
            [("a7a10a8", "a7-a10/a8"), ("a7a10,a10j1", "a7-a10/j1"), ("a7a9a10", "a7-a9/a10")]
        {
            let mv = game.parse_move(&pos, text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(game.write_move(mv), canonical);
        }
    }

    #[test]
    fn runs_are_read_in_pieces_and_written_whole() {
        let game = Amazons::sized(10, 4).expect("a size");
        let pos = game.parse_position("q9/10/010/9Q w").expect("a position");
        assert_eq!(game.write_position(&pos), "q9/10/10/9Q w");
    }
}
