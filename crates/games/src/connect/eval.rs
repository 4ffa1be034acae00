//! The strong evaluation: open lines, threats, and zugzwang below a threat when all other columns are full (Allis 1988: odd and
//! even threats). It uses bitboards and does not search, except that it recognises wins by the next one or two checkers.
//!
//! A **window** is N cells in a row; it is open for a side if it contains no checker of the other side. A **threat** is a
//! vacant cell that completes a row. When all other columns are full, the sides fill the last one in turn:
//!
//! ```text
//!   level 3   .   <- a threat of the first side: it gets this cell, if the other one has to play level 2
//!   level 2   .   <- the side that plays here gives the cell above away
//!   level 1   x
//! ```
//!
//! The parity of the number of cells decides which side has to: with an even number of levels the first side gets odd levels,
//! the second even ones. Such threats decide games; the others are mostly blocked when their column is filled.

use super::{Connect, ConnectOf, Position, bits::Grid, stones::Stones};
use parlor_core::{Evaluator, Game, Side, Value};

/// Weights of open lines and threats.
#[derive(Clone, Copy, Debug)]
pub struct Threats {
    /// A win by one of the next checkers; larger than the sum of all other terms.
    pub decided: Value,
    /// Open windows that lack two or three checkers, relative to one that lacks one more. A window that lacks one is a threat.
    pub lacking: [Value; 2],
    /// A threat that its side will get to complete.
    pub lasting: Value,
    /// A threat that its side will not get to complete.
    pub passing: Value,
    /// The parity of the last column favours this side.
    pub favoured: Value,
}

impl Threats {
    /// Weights tuned by matches between evaluations.
    pub const USUAL: Threats =
        Threats { decided: 600, lacking: [3, 3], lasting: 12, passing: 3, favoured: 24 };
}

/// Longer rows are not evaluated on boards of one word.
const LONGEST: usize = 8;

impl<P: Stones> Evaluator<ConnectOf<P>> for Threats {
    fn evaluate(&self, game: &ConnectOf<P>, pos: &P) -> Value {
        if game.has_rows() { pos.evaluate(game, self) } else { 0 }
    }

    /// The negated value of the position after the move for the other side.
    fn order(&self, game: &ConnectOf<P>, _before: &P, after: &P) -> Value {
        if game.result(after).is_some() { self.decided } else { -self.evaluate(game, after) }
    }
}

/// The levels, as bits of the lowest column, whose cells a side gets when one column is left.
pub(super) fn own_levels(grid: Grid, side: Side) -> u128 {
    let elsewhere = (grid.columns - 1) * grid.levels;
    let every_other = (u128::MAX / 3) << ((elsewhere + side.index() as u32) % 2);
    every_other & ((1 << grid.levels) - 1)
}

macro_rules! evaluate_bits {
    ($evaluate:ident, $windows:ident, $windows_of:ident, $word:ty) => {
        /// The value for the side to move.
        pub(super) fn $evaluate(weights: &Threats, game: &Connect, pos: &Position) -> Value {
            let (own, all) = (pos.own as $word, pos.all as $word);
            let (board, bottom) = (game.board() as $word, game.grid.bottom() as $word);
            let others = own ^ all;
            let (own_lines, own_threats) = $windows(weights, game, own, board & !others);
            let (other_lines, other_threats) = $windows(weights, game, others, board & !own);
            let (own_threats, other_threats) = (own_threats & !all, other_threats & !all);
            let next = all.wrapping_add(bottom) & board;
            if own_threats & next != 0 {
                return weights.decided;
            }
            let ready = other_threats & next;
            if ready & ready.wrapping_sub(1) != 0 || other_threats & ready << 1 != 0 {
                return -weights.decided;
            }
            let turn = game.turn(pos);
            let lasting = |threats: $word, side: Side| {
                threats & (own_levels(game.grid, side) as $word).wrapping_mul(bottom)
            };
            let (ours, theirs) = (lasting(own_threats, turn), lasting(other_threats, turn.other()));
            // Cells above a cell that one side gets are of no use to the other side.
            let above = |mut cells: $word| {
                for _ in 1..game.grid.levels {
                    cells |= cells << 1 & board;
                }
                cells << 1
            };
            let (ours, theirs) = (ours & !above(theirs), theirs & !above(ours));
            let count = |cells: $word| cells.count_ones() as Value;
            let favoured = match (ours != 0, theirs != 0) {
                (true, false) => weights.favoured,
                (false, true) => -weights.favoured,
                (true, true) if turn == Side::First => weights.favoured,
                (true, true) => -weights.favoured,
                (false, false) => 0,
            };
            let threats = weights.lasting * (count(ours) - count(theirs))
                + weights.passing * (count(own_threats & !ours) - count(other_threats & !theirs));
            own_lines - other_lines + threats + favoured
        }

        /// The value of a side's open windows, and the cells that complete one, some of which may be occupied. `open` are the
        /// cells without a checker of the other side.
        ///
        /// Of each direction, `filled[k]` has a bit where a window begins that holds more than k of the stones.
        fn $windows(weights: &Threats, game: &Connect, stones: $word, open: $word) -> (Value, $word) {
            // With a constant N the loops are unrolled.
            if game.n == 4 {
                $windows_of(weights, game, stones, open, 4)
            } else {
                $windows_of(weights, game, stones, open, game.n as usize)
            }
        }

        #[inline(always)]
        fn $windows_of(
            weights: &Threats,
            game: &Connect,
            stones: $word,
            open: $word,
            n: usize,
        ) -> (Value, $word) {
            let (mut sum, mut completing) = (0, 0);
            for step in game.grid.steps() {
                let cell = |word: $word, i: usize| word.checked_shr(i as u32 * step).unwrap_or(0);
                let windows = (1..n).fold(open, |windows, i| windows & cell(open, i));
                if windows == 0 {
                    continue;
                }
                let mut filled = [0; LONGEST];
                for i in 0..n {
                    let mut here = cell(stones, i) & windows;
                    for level in filled.iter_mut().take(n) {
                        (*level, here) = (*level | here, *level & here);
                    }
                }
                for (lacking, weight) in (2..n).zip(weights.lacking) {
                    let count = filled.get(n - 1 - lacking).map_or(0, |filled| filled.count_ones());
                    sum += weight * count as Value;
                }
                if n >= 2 {
                    let almost = filled.get(n - 2).copied().unwrap_or(0);
                    completing |=
                        (0..n).fold(0, |cells, i| cells | almost.checked_shl(i as u32 * step).unwrap_or(0));
                }
            }
            (sum, completing)
        }
    };
}

evaluate_bits!(evaluate_64, windows_64, windows_of_64, u64);
evaluate_bits!(evaluate_128, windows_128, windows_of_128, u128);

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::{LARGE, Match, Notation};

    fn game(columns: u32, levels: u32, n: u32) -> Connect {
        Connect::new(&[columns, levels, n]).expect("a size")
    }

    fn after(game: &Connect, moves: &str) -> Value {
        let mut played = Match::new(game.clone());
        for column in moves.chars() {
            played.play(&column.to_string()).expect("legal");
        }
        Threats::USUAL.evaluate(game, played.position())
    }

    #[test]
    fn what_the_next_checkers_decide_comes_before_all_else() {
        let usual = game(7, 6, 4);
        assert_eq!(after(&usual, "112233"), 600, "to move with three in a row");
        assert_eq!(after(&usual, "31415"), -600, "both ends of three are open: one block is too few");
        assert!(after(&usual, "3141").abs() < 600, "two in a row decide nothing yet");
    }

    #[test]
    fn the_middle_looks_better_than_the_edge() {
        let usual = game(7, 6, 4);
        let values: Vec<Value> =
            "1234567".chars().map(|column| -after(&usual, &column.to_string())).collect();
        assert_eq!(values[0], values[6]);
        assert!(values[0] < values[1] && values[1] < values[2] && values[2] < values[3], "{values:?}");
    }

    #[test]
    fn each_side_gets_every_other_level_of_the_last_column() {
        // Levels 1, 3, 5 with an even number of levels, or with an odd number of both; 2 and 4 where only levels are odd.
        for (columns, levels, first) in [(7, 6, 0b010101), (7, 5, 0b10101), (6, 5, 0b01010), (1, 4, 0b0101)] {
            let grid = game(columns, levels, 4).grid;
            assert_eq!(own_levels(grid, Side::First), first, "{columns}x{levels}");
            assert_eq!(own_levels(grid, Side::Second), first ^ ((1 << levels) - 1));
        }
    }

    #[test]
    fn a_threat_on_a_level_of_ones_own_is_worth_more() {
        // Three of the first side's with a gap at column 4: on level 3, which it will get, and on level 2.
        let usual = game(7, 6, 4);
        let value_of = |text: &str| {
            let pos = usual.parse_position(text).expect("a position");
            let threats = Threats { decided: 0, lacking: [0, 0], lasting: 100, passing: 1, favoured: 1000 };
            threats.evaluate(&usual, &pos)
        };
        assert_eq!(value_of("7/7/7/1rr1r2/1br1b1b/brb1r1b r"), 1100);
        assert_eq!(value_of("7/7/7/7/1rr1r2/bbr1b1b r"), 1);
    }

    #[test]
    fn every_board_is_judged_alike_by_both_words_and_both_mirror_images() {
        for (columns, levels, n) in
            [(7, 6, 4), (6, 5, 3), (5, 5, 5), (9, 6, 4), (4, 4, 2), (8, 7, 9), (5, 4, 30)]
        {
            let game = game(columns, levels, n);
            let (mut pos, mut word) = (game.start(), 12345_u64);
            while game.result(&pos).is_none() {
                let value = Threats::USUAL.evaluate(&game, &pos);
                let mirrored = Position {
                    own: game.grid.mirror(pos.own),
                    all: game.grid.mirror(pos.all),
                    ..pos.clone()
                };
                assert_eq!(value, Threats::USUAL.evaluate(&game, &mirrored));
                assert!(value.abs() < LARGE);
                if n <= columns.max(levels) {
                    assert_eq!(value, evaluate_128(&Threats::USUAL, &game, &pos));
                }
                word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let mut moves = Vec::new();
                game.moves(&pos, &mut moves);
                game.play(&mut pos, moves[(word >> 33) as usize % moves.len()]);
            }
        }
    }
}
