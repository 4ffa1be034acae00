//! Moves are hole numbers; positions are as drawn, the top row first:
//! `4,4,4,4,4,4/4,4,4,4,4,4 0/0 s` is North's holes 1..m / South's holes 1..m, North's pot / South's pot, side to move.

use super::{Hole, KalahOf, PositionOf, board::BoardOf};
use crate::is_whole_number;
use parlor_core::{BadPosition, Game, IllegalMove, Notation, Samples, Side};

const FORM: &str =
    "4,4,4,4,4,4/4,4,4,4,4,4 0/0 s (North's holes/South's holes, North's pot/South's pot, n or s to move)";

impl<const WORDS: usize> Notation for KalahOf<WORDS> {
    const MOVE_FORM: &'static str = "the number of the hole, counted from the left";
    const POSITION_FORM: &'static str =
        "North's holes/South's holes North's pot/South's pot, then n or s to move";
    const SAMPLES: Samples = Samples {
        sizes: include_str!("data/sizes.txt"),
        perft: include_str!("data/perft.txt"),
        illegal_moves: include_str!("data/illegal.txt"),
        bad_positions: include_str!("data/positions.txt"),
        game: include_str!("data/game.parlor"),
        bench: &[("kalah:6,4", 12), ("kalah:4,3", 18)],
    };

    fn write_position(&self, pos: &PositionOf<WORDS>) -> String {
        let row = |side| pos.board.holes_of(side).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
        let turn = if pos.turn == Side::First { 's' } else { 'n' };
        format!(
            "{}/{} {}/{} {turn}",
            row(Side::Second),
            row(Side::First),
            pos.board.pot(Side::Second),
            pos.board.pot(Side::First)
        )
    }

    fn parse_position(&self, text: &str) -> Result<PositionOf<WORDS>, BadPosition> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let &[holes, pots, turn] = words.as_slice() else {
            return Err(BadPosition(format!("expected three parts, like {FORM}; found {}", words.len())));
        };
        let mut board = BoardOf::new(self.start().board.holes() as i32, 0);
        let (north, south) = halves(holes, "holes")?;
        fill(&mut board, Side::Second, "North", north)?;
        fill(&mut board, Side::First, "South", south)?;
        let (north, south) = halves(pots, "pot")?;
        set(&mut board, Side::Second, 0, "North's pot", north)?;
        set(&mut board, Side::First, 0, "South's pot", south)?;
        let turn = match turn {
            "s" => Side::First,
            "n" => Side::Second,
            other => return Err(BadPosition(format!("invalid side to move '{other}'; expected n or s"))),
        };
        Ok(PositionOf::new(board, turn))
    }

    fn write_move(&self, mv: Hole) -> String {
        mv.0.to_string()
    }

    fn parse_move(&self, pos: &PositionOf<WORDS>, text: &str) -> Result<Hole, IllegalMove> {
        let holes = pos.board.holes();
        let text = text.trim();
        if pos.is_over() {
            return Err(IllegalMove::new("the game is over"));
        }
        if !is_whole_number(text) {
            return Err(IllegalMove(format!(
                "'{text}' is not a number; holes are numbered from 1 to {holes}"
            )));
        }
        // A number that is too large names a hole that does not exist, like 0.
        let hole = text.parse::<i32>().unwrap_or(0);
        match pos.board.beans(pos.turn, hole) {
            Some(0) if hole != 0 => Err(IllegalMove(format!("hole {hole} is empty"))),
            Some(_) if hole != 0 => Ok(Hole(hole as u8)),
            _ => Err(IllegalMove(format!("there is no hole {text}; holes are numbered from 1 to {holes}"))),
        }
    }

    fn run_together(&self) -> bool {
        self.start().board.holes() <= 9
    }
}

fn halves<'a>(text: &'a str, what: &str) -> Result<(&'a str, &'a str), BadPosition> {
    text.split_once('/').ok_or_else(|| {
        BadPosition(format!("'{text}': expected North's {what}, a slash and South's {what}, like {FORM}"))
    })
}

fn fill<const WORDS: usize>(
    board: &mut BoardOf<WORDS>,
    side: Side,
    name: &str,
    text: &str,
) -> Result<(), BadPosition> {
    let counts: Vec<&str> = text.split(',').collect();
    if counts.len() != board.holes() {
        return Err(BadPosition(format!(
            "{name} has {} holes; this board has {} per side",
            counts.len(),
            board.holes()
        )));
    }
    for (hole, text) in (1..).zip(counts) {
        set(board, side, hole, &format!("{name}'s hole {hole}"), text)?;
    }
    Ok(())
}

fn set<const WORDS: usize>(
    board: &mut BoardOf<WORDS>,
    side: Side,
    hole: i32,
    what: &str,
    text: &str,
) -> Result<(), BadPosition> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let count = text.parse::<i32>().ok().filter(|_| digits);
    let count = count.ok_or_else(|| BadPosition(format!("{what} is '{text}', not a number of beans")))?;
    board
        .set_beans(side, hole, count)
        .map_err(|_| BadPosition(format!("{what}: a board has at most {} beans in all", i16::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kalah::Kalah;

    #[test]
    fn a_position_with_an_empty_side_is_over_and_swept() {
        let game = Kalah::sized(3, 2).expect("a size");
        let pos = game.parse_position("0,0,0/1,0,2 4/5 s").expect("a position");
        assert_eq!(game.write_position(&pos), "0,0,0/0,0,0 4/8 s");
        assert_eq!(game.result(&pos).map(|m| m.0), Some(4));
        assert!(game.parse_move(&pos, "1").is_err_and(|e| e.0 == "the game is over"));
    }

    #[test]
    fn bad_moves_say_which_of_the_three_faults_it_is() {
        let game = Kalah::sized(3, 2).expect("a size");
        let pos = game.parse_position("2,2,2/0,2,2 0/0 s").expect("a position");
        for (text, part) in [
            ("x", "'x' is not a number"),
            ("", "'' is not a number"),
            ("4", "there is no hole 4"),
            ("0", "there is no hole 0"),
            ("-1", "there is no hole -1"),
            ("1", "hole 1 is empty"),
        ] {
            let error = game.parse_move(&pos, text).expect_err(text).0;
            assert!(error.contains(part), "{text}: {error}");
        }
        assert_eq!(game.parse_move(&pos, " 3 "), Ok(Hole(3)));
    }
}
