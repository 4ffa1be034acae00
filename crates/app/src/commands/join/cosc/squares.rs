//! Converts squares, moves and positions between the league of COSC 322 and our notation. In the league a square is
//! [row, column], both from 1, rows from the bottom, columns from the left or, in another reading, from the right. Black moves
//! first, from rows 10 and 7. In our notation the first side is White, from ranks 1 and 4. So colours are exchanged and rows are
//! mirrored:
//!
//! ```text
//!   row 10  . . . B . . B . . .        rank 1 of ours, at the bottom
//!   row  7  B . . . . . . . . B   is   rank 4
//!   row  1  . . . W . . W . . .        rank 10, at the top
//! ```
//!
//! The internal form of a square has row 0, column 0 at the top left of our board.

use crate::args::Corner;
use parlor_catalog::fen;
use parlor_core::IllegalMove;

/// Number of rows, and of columns.
pub const SIZE: usize = 10;
/// The numbers of a board as the league sends it: row 0 and column 0 are unused.
pub const STATE: usize = (SIZE + 1) * (SIZE + 1);
/// Row and column as the league numbers them.
pub type CoscSquare = [usize; 2];

/// A move in the league's form: from, to, arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoscMove(pub [CoscSquare; 3]);

/// Converts a square to the internal form; `None` off the board.
pub fn to_board(corner: Corner, [row, column]: CoscSquare) -> Option<(usize, usize)> {
    let on = |number: usize| (1..=SIZE).contains(&number);
    let across = match corner {
        Corner::Left => column.wrapping_sub(1),
        Corner::Right => SIZE.wrapping_sub(column),
    };
    // Row 1 of the league is our rank 10, at the top.
    (on(row) && on(column)).then(|| (row - 1, across))
}

/// Converts a square to the league's form; the inverse of [`to_board`].
pub fn from_board(corner: Corner, (down, across): (usize, usize)) -> CoscSquare {
    let column = match corner {
        Corner::Left => across + 1,
        Corner::Right => SIZE - across,
    };
    [down + 1, column]
}

pub fn name((down, across): (usize, usize)) -> String {
    format!("{}{}", char::from(b'a' + across as u8), SIZE - down)
}

pub fn parse_square(text: &str) -> Option<(usize, usize)> {
    let file = text.bytes().next()?.checked_sub(b'a')?;
    let rank: usize = text.get(1..)?.parse().ok()?;
    let on = usize::from(file) < SIZE && (1..=SIZE).contains(&rank);
    on.then(|| (SIZE - rank, usize::from(file)))
}

/// Translates a move of the league into our notation.
pub fn to_move(corner: Corner, CoscMove(squares): CoscMove) -> Result<String, IllegalMove> {
    let [from, to, arrow] = squares.map(|square| to_board(corner, square).map(name));
    match (from, to, arrow) {
        (Some(from), Some(to), Some(arrow)) => Ok(format!("{from}-{to}/{arrow}")),
        _ => Err(IllegalMove(format!("{squares:?} are not squares from [1, 1] to [{SIZE}, {SIZE}]"))),
    }
}

/// Converts a move in our notation to the league's form.
pub fn from_move(corner: Corner, text: &str) -> Option<CoscMove> {
    let (from, rest) = text.split_once('-')?;
    let (to, arrow) = rest.split_once('/')?;
    let square = |name| Some(from_board(corner, parse_square(name)?));
    Some(CoscMove([square(from)?, square(to)?, square(arrow)?]))
}

/// Converts a board of the league with Black to move to a position in our notation; `None` if it is invalid.
pub fn to_position(corner: Corner, state: &[i64]) -> Option<String> {
    if state.len() != STATE {
        return None;
    }
    let letter = |down, across| {
        let [row, column] = from_board(corner, (down, across));
        Some(match state[(SIZE + 1) * row + column] {
            0 => None,
            // Black moves first in the league, White in our notation.
            1 => Some('Q'),
            2 => Some('q'),
            3 => Some('*'),
            _ => return None,
        })
    };
    let row = |down| (0..SIZE).map(|across| letter(down, across)).collect::<Option<Vec<_>>>();
    let rows = (0..SIZE).map(|down| row(down).map(fen::write_row)).collect::<Option<Vec<_>>>()?;
    Some(format!("{} w", rows.join("/")))
}

/// Converts a position in our notation to a board of the league; `None` for another size.
#[cfg(test)]
pub fn from_position(corner: Corner, position: &str) -> Option<Vec<i64>> {
    let mut state = vec![0; STATE];
    let rows = position.split(' ').next()?.split('/');
    for (down, row) in rows.enumerate() {
        for (across, cell) in fen::read_row(row, SIZE, "Qq*").ok()?.into_iter().enumerate() {
            let [row, column] = from_board(corner, (down, across));
            *state.get_mut((SIZE + 1) * row + column)? = match cell {
                None => 0,
                Some('Q') => 1,
                Some('q') => 2,
                Some(_) => 3,
            };
        }
    }
    Some(state)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [Corner; 2] = [Corner::Left, Corner::Right];

    #[test]
    fn squares_survive_a_round_trip_from_either_corner() {
        for corner in CORNERS {
            for row in 1..=SIZE {
                for column in 1..=SIZE {
                    let here = to_board(corner, [row, column]).expect("on the board");
                    assert!(here.0 < SIZE && here.1 < SIZE);
                    assert_eq!(from_board(corner, here), [row, column]);
                    assert_eq!(parse_square(&name(here)), Some(here));
                }
            }
            for off in [[0, 1], [1, 0], [11, 1], [1, 11], [usize::MAX, 5], [5, usize::MAX]] {
                assert_eq!(to_board(corner, off), None, "{off:?}");
            }
        }
        for off in ["", "a", "a0", "a11", "k1", "A1", "aa", "é1"] {
            assert_eq!(parse_square(off), None, "{off}");
        }
    }

    #[test]
    fn converts_the_corner_squares() {
        let at = |corner, square| to_board(corner, square).map(name);
        assert_eq!(at(Corner::Left, [10, 1]).as_deref(), Some("a1"));
        assert_eq!(at(Corner::Left, [1, 10]).as_deref(), Some("j10"));
        assert_eq!(at(Corner::Right, [10, 1]).as_deref(), Some("j1"));
        assert_eq!(at(Corner::Right, [1, 10]).as_deref(), Some("a10"));
    }

    #[test]
    fn the_leagues_first_board_is_our_start_position() {
        let mut state = vec![0; STATE];
        for [row, column] in [[10, 4], [10, 7], [7, 1], [7, 10]] {
            state[11 * row + column] = 1;
        }
        for [row, column] in [[1, 4], [1, 7], [4, 1], [4, 10]] {
            state[11 * row + column] = 2;
        }
        let usual = parlor_catalog::game("amazons:10,10").expect("a game").board().position();
        for corner in CORNERS {
            assert_eq!(to_position(corner, &state).as_deref(), Some(usual.as_str()));
            assert_eq!(from_position(corner, &usual), Some(state.clone()));
        }
        assert_eq!(to_position(Corner::Left, &[0; 100]), None);
        assert_eq!(to_position(Corner::Left, &[7; STATE]), None);
    }

    #[test]
    fn every_first_move_comes_back() {
        let board = parlor_catalog::game("amazons:10,10").expect("a game").board();
        for corner in CORNERS {
            for text in board.moves() {
                let shot = from_move(corner, &text).expect("a move");
                assert_eq!(to_move(corner, shot).as_deref(), Ok(text.as_str()));
            }
        }
        assert!(to_move(Corner::Left, CoscMove([[0, 1], [2, 2], [3, 3]])).is_err());
        assert_eq!(from_move(Corner::Left, "d1d7g7"), None);
    }
}
