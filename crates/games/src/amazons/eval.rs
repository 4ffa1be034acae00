//! The strong evaluation: which side is nearer to the free squares, by queen moves and by king steps, and whose queens are
//! confined (after Lieberum, "An evaluation function for the game of Amazons", 2005). The weights depend on how open the board
//! still is: early on reach counts, later exclusive territory.
//!
//! A value is the logarithm of the winning odds, in thousandths.

use super::{
    board::squares_of,
    distances::{DistanceCounts, FARTHEST},
    rays::Blocked,
    rules::{Amazons, Position},
};
use crate::simd::{self, Work};
use parlor_core::{Evaluator, Game, Side, Value};

pub const FEATURES: usize = 8;
/// The number of degrees of openness, from closed to open; weights are interpolated linearly between two of them.
pub const PHASES: usize = 5;
/// Weights by phase and feature, in thousandths of a unit of the logarithm for 64 of the feature.
pub type Weights = [[Value; FEATURES]; PHASES];

/// Weights of the territory features.
#[derive(Clone, Copy, Debug)]
pub struct Territory {
    pub weights: Weights,
}

impl Territory {
    /// The value that stands for odds of e to one.
    pub const ODDS: Value = 1000;
    /// Weights fitted to games with `cargo lab tune amazons`.
    pub const USUAL: Territory = Territory {
        weights: [
            [20977, 7457, 565, 26358, -3293, 9245, 129, -24873],
            [14957, 1005, -96, 7775, 226, 449, 220, 9429],
            [11177, 516, -165, 2602, 1558, -139, 321, 19376],
            [1800, -297, 80, -652, 1652, -7185, 608, 27099],
            [-3360, 76, 210, 4087, -2342, -1401, 138, 8993],
        ],
    };
}

/// The weight of a square by its distance in queen moves.
const GRADES: [i32; FARTHEST] = [16, 8, 4, 2, 1, 0];

/// The features seen by the side to move, and the phase in 64ths.
///
/// In this order: squares nearer by queen, squares equally near (the mover comes first), squares graded by distance, squares
/// nearer by king, lead in king steps, squares that only one side reaches, confinement of queens, and 1 for the turn.
#[inline]
pub fn features(game: &Amazons, pos: &Position) -> ([i32; FEATURES], i32) {
    simd::run(Weighing { game, pos })
}

struct Weighing<'a> {
    game: &'a Amazons,
    pos: &'a Position,
}

impl Work for Weighing<'_> {
    type Out = ([i32; FEATURES], i32);

    #[inline(always)]
    fn run(self) -> Self::Out {
        weighed(self.game, self.pos)
    }
}

#[inline(always)]
fn weighed(game: &Amazons, pos: &Position) -> ([i32; FEATURES], i32) {
    let counted = super::distances::distance_counts(game, pos);
    let DistanceCounts { nearer, even, within, closer, ahead, alone } = counted;
    let difference = |of: [i32; 2]| of[0] - of[1];
    let mut graded = 0;
    for (count, grade) in within.iter().zip(GRADES) {
        graded += grade * difference(*count);
    }
    let blocked = Blocked::new(!game.empty(pos));
    let shut = [confinement(&blocked, pos.queens[0]), confinement(&blocked, pos.queens[1])];
    let sign = if pos.turn == Side::First { 1 } else { -1 };
    let seen = [
        sign * difference(nearer),
        even,
        sign * graded,
        sign * difference(closer),
        sign * difference(ahead),
        sign * difference(alone),
        -sign * difference(shut),
        1,
    ];
    let reached = nearer[0] + nearer[1] + even;
    let squares = (game.columns() * game.rows()) as i32;
    let open = reached - alone[0] - alone[1];
    (seen, open * 64 / squares)
}

/// The confinement of queens: the fewer squares a queen reaches, the larger.
#[inline(always)]
fn confinement(blocked: &Blocked, queens: u128) -> i32 {
    let mut shut = 0;
    for queen in squares_of(queens) {
        shut += SHUT[blocked.reach(queen).count_ones() as usize & 63];
    }
    shut
}

/// The confinement of a queen by the number of squares it reaches.
const SHUT: [i32; 64] = {
    let mut shut = [0; 64];
    let mut reach = 0;
    while reach < 64 {
        shut[reach] = 256 / (1 + reach as i32);
        reach += 1;
    }
    shut
};

#[inline(always)]
fn sum(weights: &Weights, seen: &[i32; FEATURES], phase: i32) -> Value {
    let scaled = (phase * (PHASES as i32 - 1)).clamp(0, 64 * (PHASES as i32 - 1) - 1);
    let (low, part) = ((scaled / 64) as usize, scaled % 64);
    let side = |weights: &[Value; FEATURES]| -> i64 {
        weights.iter().zip(seen).map(|(&weight, &seen)| i64::from(weight) * i64::from(seen)).sum()
    };
    let (less, more) = (side(&weights[low]), side(&weights[low + 1]));
    ((less * i64::from(64 - part) + more * i64::from(part)) / (64 * 64)) as Value
}

impl Evaluator<Amazons> for Territory {
    fn evaluate(&self, game: &Amazons, pos: &Position) -> Value {
        let (seen, phase) = features(game, pos);
        sum(&self.weights, &seen, phase)
    }

    /// Nothing is ever banked in this game, so the mobility after the move is all there is to order by.
    fn order(&self, game: &Amazons, _before: &Position, after: &Position) -> Value {
        -self.evaluate(game, after)
    }
}

impl Evaluator<super::HalfTurns> for Territory {
    /// Between the stages the board is evaluated as if the other side were already to move: the value of an arrow is about the
    /// same for every queen that shoots it.
    fn evaluate(&self, game: &super::HalfTurns, stage: &super::HalfTurnPosition) -> Value {
        if stage.shooter.is_none() {
            return self.evaluate(&game.0, &stage.pos);
        }
        let mut pos = stage.pos;
        pos.turn = game.turn(stage).other();
        -self.evaluate(&game.0, &pos)
    }

    fn order(
        &self,
        game: &super::HalfTurns,
        before: &super::HalfTurnPosition,
        after: &super::HalfTurnPosition,
    ) -> Value {
        let value = self.evaluate(game, after);
        if game.turn(before) == game.turn(after) { value } else { -value }
    }
}
