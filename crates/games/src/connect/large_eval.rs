//! The strong evaluation of large boards: that of `eval.rs`, with one word per column instead of one for the whole board. All
//! levels of a column are evaluated together; a direction steps from column to column and shifts by the levels it climbs.

use super::{LargeConnect, LargePosition, Threats, bits::MOST_COLUMNS, eval::own_levels};
use parlor_core::{Game, Side, Value};

/// One bit per cell, one word per column.
type Cells = [u128; MOST_COLUMNS as usize];

const NONE: Cells = [0; MOST_COLUMNS as usize];

fn cells(columns: impl Iterator<Item = u128>) -> Cells {
    let mut cells = NONE;
    cells.iter_mut().zip(columns).for_each(|(cell, column)| *cell = column);
    cells
}

fn both(a: &Cells, b: &Cells, join: impl Fn(u128, u128) -> u128) -> Cells {
    cells(a.iter().zip(b).map(|(&a, &b)| join(a, b)))
}

fn count(cells: &Cells) -> Value {
    cells.iter().map(|column| column.count_ones()).sum::<u32>() as Value
}

fn any(cells: &Cells) -> bool {
    cells.iter().any(|&column| column != 0)
}

/// The value for the side to move.
pub(super) fn evaluate(weights: &Threats, game: &LargeConnect, pos: &LargePosition) -> Value {
    let turn = game.turn(pos);
    let board = (1_u128 << game.grid.levels) - 1;
    let (own, others) = (cells(pos.stones(turn)), cells(pos.stones(turn.other())));
    let vacant = both(&own, &others, |own, other| board & !own & !other);
    let (own_lines, own_threats) = windows(weights, game, &own, &both(&own, &vacant, |a, b| a | b));
    let (other_lines, other_threats) = windows(weights, game, &others, &both(&others, &vacant, |a, b| a | b));
    let and = |a: &Cells, b: &Cells| both(a, b, |a, b| a & b);
    let (own_threats, other_threats) = (and(&own_threats, &vacant), and(&other_threats, &vacant));
    let next = cells(pos.vacant().map(|first| first & board));
    if any(&and(&own_threats, &next)) {
        return weights.decided;
    }
    let ready = and(&other_threats, &next);
    if count(&ready) > 1 || any(&both(&other_threats, &ready, |threats, ready| threats & ready << 1)) {
        return -weights.decided;
    }
    let lasting = |threats: &Cells, side: Side| {
        let levels = own_levels(game.grid, side);
        cells(threats.iter().map(|threats| threats & levels))
    };
    let (ours, theirs) = (lasting(&own_threats, turn), lasting(&other_threats, turn.other()));
    // Cells above a cell that one side gets are of no use to the other side.
    let below = |mine: u128, blocking: u128| match blocking {
        0 => mine,
        _ => mine & (blocking ^ (blocking - 1)),
    };
    let (ours, theirs) = (both(&ours, &theirs, below), both(&theirs, &ours, below));
    let favoured = match (any(&ours), any(&theirs)) {
        (true, false) => weights.favoured,
        (false, true) => -weights.favoured,
        (true, true) if turn == Side::First => weights.favoured,
        (true, true) => -weights.favoured,
        (false, false) => 0,
    };
    let passing = |threats: &Cells, lasting: &Cells| count(threats) - count(lasting);
    let threats = weights.lasting * (count(&ours) - count(&theirs))
        + weights.passing * (passing(&own_threats, &ours) - passing(&other_threats, &theirs));
    own_lines - other_lines + threats + favoured
}

/// A direction: columns to the right and levels up by which it steps.
type Direction = (usize, i32);

const DIRECTIONS: [Direction; 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

/// The value of a side's open windows, and the cells that complete one, some of which may be occupied. `open` are the cells
/// that the other side does not have.
fn windows(weights: &Threats, game: &LargeConnect, stones: &Cells, open: &Cells) -> (Value, Cells) {
    let (columns, n) = (game.grid.columns as usize, game.n as usize);
    let (mut sum, mut completing) = (0, NONE);
    for (dx, dy) in DIRECTIONS {
        let first_columns = columns.saturating_sub(dx * (n - 1));
        for column in 0..first_columns {
            let from = Windows { column, direction: (dx, dy), n };
            let found = from.open(open);
            if found == 0 || from.touched(stones) & found == 0 {
                continue;
            }
            let [_, almost, lacks_two, lacks_three] = from.lacking(stones, found);
            for (lacking, weight) in (2..n).zip(weights.lacking) {
                let at_most = if lacking == 2 { lacks_two } else { lacks_three };
                sum += weight * at_most.count_ones() as Value;
            }
            if n >= 2 && almost != 0 {
                from.mark(almost, &mut completing);
            }
        }
    }
    (sum, completing)
}

/// The windows of one direction that begin in one column, with one bit per starting level.
struct Windows {
    column: usize,
    direction: Direction,
    n: usize,
}

impl Windows {
    /// The `i`-th cells of all these windows, as bits at the levels at which the windows begin.
    fn cell(&self, cells: &Cells, i: usize) -> u128 {
        let (dx, dy) = self.direction;
        let word = cells.get(self.column + i * dx).copied().unwrap_or(0);
        shifted(word, i, -dy)
    }

    /// The windows whose cells are all open.
    fn open(&self, open: &Cells) -> u128 {
        (1..self.n).fold(self.cell(open, 0), |found, i| found & self.cell(open, i))
    }

    /// The windows with at least one of the stones.
    fn touched(&self, stones: &Cells) -> u128 {
        (0..self.n).fold(0, |found, i| found | self.cell(stones, i))
    }

    /// Classifies the windows in `found`: those that lack at most 0, 1, 2 and 3 of the stones.
    fn lacking(&self, stones: &Cells, found: u128) -> [u128; 4] {
        let mut more_than = [0_u128; 4];
        for i in 0..self.n {
            let mut lacks = found & !self.cell(stones, i);
            for more in &mut more_than {
                (*more, lacks) = (*more | lacks, *more & lacks);
            }
        }
        more_than.map(|more| found & !more)
    }

    /// Marks all cells of the windows in `found`.
    fn mark(&self, found: u128, marked: &mut Cells) {
        let (dx, dy) = self.direction;
        for i in 0..self.n {
            if let Some(word) = marked.get_mut(self.column + i * dx) {
                *word |= shifted(found, i, dy);
            }
        }
    }
}

/// The bits shifted one level up (1), down (-1) or not at all (0), `by` times.
fn shifted(word: u128, by: usize, direction: i32) -> u128 {
    match direction {
        1 => word.checked_shl(by as u32).unwrap_or(0),
        -1 => word.checked_shr(by as u32).unwrap_or(0),
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Connect;
    use super::*;
    use parlor_core::{Evaluator, LARGE, Notation};

    #[test]
    fn small_boards_get_the_same_evaluation_in_both_representations() {
        for size in [[7, 6, 4], [6, 5, 3], [5, 5, 5], [9, 6, 4], [4, 4, 2], [12, 9, 6], [1, 9, 4], [9, 1, 3]]
        {
            let (small, large) =
                (Connect::new(&size).expect("a size"), LargeConnect::new(&size).expect("a size"));
            for seed in 0..20 {
                let (mut pos, mut word) = (small.start(), seed);
                while small.result(&pos).is_none() {
                    let text = small.write_position(&pos);
                    let other = large.parse_position(&text).expect("a position");
                    let [a, b] =
                        [Threats::USUAL.evaluate(&small, &pos), Threats::USUAL.evaluate(&large, &other)];
                    assert_eq!(a, b, "{size:?} {text}");
                    word = u64::wrapping_mul(word, 6_364_136_223_846_793_005).wrapping_add(1);
                    let mut moves = Vec::new();
                    small.moves(&pos, &mut moves);
                    small.play(&mut pos, moves[(word >> 33) as usize % moves.len()]);
                }
            }
        }
    }

    #[test]
    fn a_row_of_sixty_is_a_threat_when_one_checker_is_missing() {
        let game = LargeConnect::new(&[64, 64, 60]).expect("a size");
        let full = |row: &str| format!("{}{row} b", "64/".repeat(63));
        // Red has 59 on the lowest level, Black has to stop it at column 60.
        let red = format!("{}5", "r".repeat(59));
        assert!(game.parse_position(&full(&red)).is_err(), "59 red checkers need 58 black ones");
        let mut pos = game.start();
        for column in 1..=59 {
            game.play(&mut pos, super::super::Column(column));
            if column < 59 {
                game.play(&mut pos, super::super::Column(64));
            }
        }
        let value = Threats::USUAL.evaluate(&game, &pos);
        assert!(value < 0 && value.abs() < LARGE, "{value}");
    }
}
