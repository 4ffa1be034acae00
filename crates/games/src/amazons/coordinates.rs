//! The coordinates of a course's league server (COSC 322), to ours and back. Pure functions: nothing here speaks to a server.
//!
//! The league writes a square as `[row, column]`, both 1 to 10, rows from the bottom; whether columns are counted from the
//! left or from the right is a matter of reading, so the origin is a parameter. A board comes as 121 integers, the square
//! `[row, column]` at `11 * row + column`, row 0 and column 0 unused: 0 empty, 1 black, 2 white, 3 an arrow.
//!
//! Three forms of a square, on the board as the league draws it:
//!
//! ```text
//!   league, from the left     league, from the right      inside
//!   [10,1] …  [10,10]         [10,10] …  [10,1]           [0,0] … [0,9]
//!     …                         …                           …
//!   [1,1]  …  [1,10]          [1,10]  …  [1,1]            [9,0] … [9,9]
//! ```
//!
//! There Black moves first, from the upper ranks. With us the first side starts below: so the league's Black is our first
//! side, and its row r is our rank 11 - r.

use super::{Amazons, Position, Shot, Square, board::LONGEST};
use parlor_core::{BadPosition, Side};

/// A square in the league's numbers: row and column, 1 to 10.
pub type Place = [usize; 2];
/// A board in the league's numbers.
pub type State = [i32; STATE];

/// How many integers a board of the league has.
pub const STATE: usize = 121;
const EMPTY: i32 = 0;
/// By side: the league's Black moves first.
const QUEENS: [i32; 2] = [1, 2];
const ARROW: i32 = 3;

/// Where the league's `[1, 1]` lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// In the bottom left corner.
    BottomLeft,
    /// In the bottom right corner.
    BottomRight,
}

impl Origin {
    /// Both, in order.
    pub const BOTH: [Origin; 2] = [Origin::BottomLeft, Origin::BottomRight];
}

/// A place of the league as row and column counted from 0 at the top left; none where there is no such place.
///
/// ```
/// use parlor_games::amazons::coordinates::{Origin, inside};
///
/// assert_eq!(inside(Origin::BottomLeft, [10, 1]), Some([0, 0]));
/// assert_eq!(inside(Origin::BottomRight, [1, 1]), Some([9, 9]));
/// assert_eq!(inside(Origin::BottomLeft, [0, 1]), None);
/// ```
pub fn inside(origin: Origin, [row, column]: Place) -> Option<[usize; 2]> {
    let valid = 1..=LONGEST;
    let from_left = match origin {
        Origin::BottomLeft => column.wrapping_sub(1),
        Origin::BottomRight => LONGEST.wrapping_sub(column),
    };
    (valid.contains(&row) && valid.contains(&column)).then(|| [LONGEST - row, from_left])
}

/// The other way: a row and column counted from 0 at the top left as a place of the league.
pub fn place(origin: Origin, [row, column]: [usize; 2]) -> Option<Place> {
    let from_origin = match origin {
        Origin::BottomLeft => column + 1,
        Origin::BottomRight => LONGEST.wrapping_sub(column),
    };
    (row < LONGEST && column < LONGEST).then(|| [LONGEST - row, from_origin])
}

/// The square of our board that a place of the league is. Their top row is our first rank.
pub fn square(origin: Origin, at: Place) -> Option<Square> {
    let [row, column] = inside(origin, at)?;
    Square::at(column, row)
}

/// The place of the league that a square of our board is.
pub fn place_of(origin: Origin, square: Square) -> Place {
    // Every square lies inside: the fallback is never taken.
    place(origin, [square.rank(), square.file()]).unwrap_or([0; 2])
}

/// A turn, from the league's three places: where the queen stood, where it goes, where the arrow comes down. Whether the
/// turn is legal is not asked.
pub fn shot(origin: Origin, [from, to, arrow]: [Place; 3]) -> Option<Shot> {
    Some(Shot { from: square(origin, from)?, to: square(origin, to)?, arrow: square(origin, arrow)? })
}

/// A turn as the league's three places.
pub fn places(origin: Origin, mv: Shot) -> [Place; 3] {
    [mv.from, mv.to, mv.arrow].map(|square| place_of(origin, square))
}

/// A position from the league's board; who is to move, the board does not say.
pub fn position(origin: Origin, state: &[i32], turn: Side) -> Result<Position, BadPosition> {
    if state.len() != STATE {
        return Err(BadPosition(format!("the board has {} integers; it should have {STATE}", state.len())));
    }
    let mut pos = Position { queens: [0; 2], arrows: 0, turn };
    for (at, &what) in state.iter().enumerate() {
        let Some(square) = square(origin, [at / 11, at % 11]) else { continue };
        match what {
            EMPTY => {}
            ARROW => pos.arrows |= square.bit(),
            _ => match QUEENS.iter().position(|&queen| queen == what) {
                Some(side) => pos.queens[side] |= square.bit(),
                None => {
                    return Err(BadPosition(format!(
                        "row {}, column {} holds {what}; it is 0 empty, 1 black, 2 white or 3 an arrow",
                        at / 11,
                        at % 11
                    )));
                }
            },
        }
    }
    if pos.queens.contains(&0) {
        return Err(BadPosition::new("a side has no queen; each side has at least one"));
    }
    Ok(pos)
}

/// The league's board of a position on 10 by 10.
pub fn state(origin: Origin, game: &Amazons, pos: &Position) -> State {
    let mut state = [EMPTY; STATE];
    for square in super::board::squares_of(game.squares()) {
        let [row, column] = place_of(origin, square);
        let on = |board: u128| board & square.bit() != 0;
        state[11 * row + column] = match Side::BOTH.into_iter().find(|side| on(pos.queens[side.index()])) {
            Some(side) => QUEENS[side.index()],
            None if on(pos.arrows) => ARROW,
            None => EMPTY,
        };
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::{Game, Notation};

    #[test]
    fn every_square_goes_there_and_back_from_either_origin() {
        for origin in Origin::BOTH {
            let mut seen = std::collections::HashSet::new();
            for row in 1..=10 {
                for column in 1..=10 {
                    let at = [row, column];
                    let within = inside(origin, at).expect("inside");
                    assert_eq!(place(origin, within), Some(at));
                    let ours = square(origin, at).expect("a square");
                    assert_eq!(place_of(origin, ours), at);
                    assert!(seen.insert(ours), "{ours} twice");
                }
            }
            for outside in [[0, 1], [1, 0], [11, 1], [1, 11], [usize::MAX, 1], [1, usize::MAX]] {
                assert_eq!((inside(origin, outside), square(origin, outside)), (None, None), "{outside:?}");
            }
            assert_eq!((place(origin, [10, 0]), place(origin, [0, 10])), (None, None));
        }
    }

    #[test]
    fn the_leagues_start_is_ours_with_black_as_the_first_side() {
        let game = Amazons::sized(10, 10).expect("a size");
        let mut theirs = [0; STATE];
        for [row, column] in [[10, 4], [10, 7], [7, 1], [7, 10]] {
            theirs[11 * row + column] = 1;
            theirs[11 * (11 - row) + column] = 2;
        }
        for origin in Origin::BOTH {
            assert_eq!(position(origin, &theirs, Side::First), Ok(game.start()));
            assert_eq!(state(origin, &game, &game.start()), theirs);
        }
    }

    #[test]
    fn whole_positions_and_turns_go_there_and_back() {
        let game = Amazons::sized(10, 10).expect("a size");
        let pos = game.parse_position("3q2q3/10/1*8/q8q/10/5*4/Q7*Q/10/10/3Q2Q3 b").expect("a position");
        let mut moves = Vec::new();
        game.moves(&pos, &mut moves);
        for origin in Origin::BOTH {
            assert_eq!(position(origin, &state(origin, &game, &pos), pos.turn), Ok(pos));
            for &mv in &moves {
                assert_eq!(shot(origin, places(origin, mv)), Some(mv));
            }
        }
        let d1_d7_g7 = game.parse_move(&game.start(), "d1-d7/g7").expect("legal");
        assert_eq!(places(Origin::BottomLeft, d1_d7_g7), [[10, 4], [4, 4], [4, 7]]);
        assert_eq!(places(Origin::BottomRight, d1_d7_g7), [[10, 7], [4, 7], [4, 4]]);
    }

    #[test]
    fn boards_that_are_none_are_refused() {
        let mut bad = [0; STATE];
        let error = |state: &[i32]| position(Origin::BottomLeft, state, Side::First).expect_err("bad").0;
        assert!(error(&bad).contains("no queen"));
        assert!(error(&bad[1..]).contains("120 integers"));
        bad[11 * 3 + 4] = 7;
        assert!(error(&bad).contains("row 3, column 4 holds 7"));
    }
}
