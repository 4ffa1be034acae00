//! The strong evaluation: who is nearer to the free squares, by queen and by king, and whose queens are shut in. The weight
//! of each depends on how open the board still is: early on reach counts, later what one side has for itself.
//!
//! A value is the logarithm of the odds to win, in thousandths.

use super::{
    board::squares_of,
    distances::{DistanceCounts, FARTHEST},
    rays::Blocked,
    rules::{Amazons, Position},
};
use crate::simd::{self, Work};
use parlor_core::{Evaluator, Game, Side, Value};

/// Number of evaluation features.
pub const FEATURES: usize = 8;
/// The number of degrees of openness, from closed to open; between two of them weights change evenly.
pub const PHASES: usize = 5;
/// Weights by phase and feature, in thousandths of a unit of the logarithm for 64 of the feature.
pub type Weights = [[Value; FEATURES]; PHASES];

/// Who is nearer to what.
#[derive(Clone, Copy, Debug)]
pub struct Territory {
    pub weights: Weights,
}

impl Territory {
    /// The value that stands for odds of e to one.
    pub const ODDS: Value = 1000;
    /// As fitted to games by `cargo lab tune amazons`, round after round.
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

/// The weight of a square by how many queen moves it is away.
const GRADES: [i32; FARTHEST] = [16, 8, 4, 2, 1, 0];

/// What is weighed, as the side to move sees it, and the phase in 64ths.
///
/// In this order: squares nearer by queen, squares equally near (the mover comes first), squares graded by distance, squares
/// nearer by king, steps ahead by king, squares that only one side reaches, queens shut in, and one for the turn.
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

/// How badly queens are shut in: the fewer squares one reaches, the worse.
#[inline(always)]
fn confinement(blocked: &Blocked, queens: u128) -> i32 {
    let mut shut = 0;
    for queen in squares_of(queens) {
        shut += SHUT[blocked.reach(queen).count_ones() as usize & 63];
    }
    shut
}

/// By the squares that a queen reaches: how badly it is shut in.
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

    /// Nothing is ever banked here: what a turn leaves to both is all there is to go by.
    fn order(&self, game: &Amazons, _before: &Position, after: &Position) -> Value {
        -self.evaluate(game, after)
    }
}

impl Evaluator<super::HalfTurns> for Territory {
    /// Between the stages the board is evaluated as if the other side were to move already: the value of an arrow is about
    /// the same whichever queen shoots it.
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
