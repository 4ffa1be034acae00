//! The classic evaluation: it counts the marks of each side in lines of k squares that contain no mark of the other
//! side.

use super::{Mnk, Position, Square, rules::DIRECTIONS};
use parlor_core::{Evaluated, Evaluator, Game, Side, Value};

/// Adds up open lines of k squares. A line with n marks of one side counts 4 to the power of n.
#[derive(Clone, Copy, Debug)]
pub struct Lines;

impl Lines {
    /// The value for the first side of the line that begins at this square.
    fn line_value(self, game: &Mnk, pos: &Position, from: Square, (dx, dy): (i32, i32)) -> Value {
        let (column, row) = game.place_of(from);
        let mut count = [0_u32; 2];
        for step in 0..game.k as i32 {
            let Some(square) = game.square_at(column + step * dx, row + step * dy) else { return 0 };
            if let Some(side) = pos.mark(square) {
                count[side.index()] += 1;
            }
        }
        match count {
            [0, 0] => 0,
            [own, 0] => 4_i32.pow(own.min(8)),
            [0, other] => -4_i32.pow(other.min(8)),
            _ => 0,
        }
    }
}

impl Evaluator<Mnk> for Lines {
    fn evaluate(&self, game: &Mnk, pos: &Position) -> Value {
        let stretches = game.squares().flat_map(|from| DIRECTIONS.map(|direction| (from, direction)));
        let first: Value =
            stretches.map(|(from, direction)| self.line_value(game, pos, from, direction)).sum();
        if game.turn(pos) == Side::First { first } else { -first }
    }
}

impl Evaluated for Mnk {
    type Classic = Lines;
    type Strong = Lines;
    const CLASSIC: Lines = Lines;
    const STRONG: Lines = Lines;
    /// About the value of an open line with three marks.
    const ODDS: Option<Value> = Some(64);
}
