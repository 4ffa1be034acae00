//! The strong evaluation: the pots, the best capture of the side to move, the captures that the other side threatens, and the
//! beans that stay on their side. Extra turns of the side to move are made before anything is evaluated, because a position in
//! the middle of a turn says little; it searches no further ahead.
//!
//! ```text
//!                     North
//!   hole      1  2  3  4  5  6        South to move: the last beans of holes 6, 5 and 6 again fall into the pot (extra
//!             .  .  4  .  .  .        turns); then hole 1 ends in the empty hole 3 and takes the 4 opposite (a capture)
//!             2  .  .  .  2  1
//!                     South
//! ```

use super::{KalahOf, PositionOf, board::BoardOf};
use parlor_core::{Evaluator, Game, Side, Value};

/// Weights of beans by position and by the side that can capture them.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    /// Value of a bean in the pot.
    pub bean: Value,
    /// A bean that stays on its side when its hole is sown, assuming no others: at the end it is swept into the pot.
    pub held: Value,
    /// A bean that the best capture of the side to move takes.
    pub capture: Value,
    /// A bean that the best capture of the other side takes, after the next turn.
    pub threat: Value,
    /// More than half of all beans in the pot: the game is won. A much larger weight would dominate the rest where a level
    /// compares moves.
    pub decided: Value,
}

impl Turns {
    /// Weights tuned by matches between evaluations.
    pub const USUAL: Turns = Turns { bean: 16, held: 10, capture: 12, threat: 3, decided: 320 };
}

impl<const WORDS: usize> Evaluator<KalahOf<WORDS>> for Turns {
    fn evaluate(&self, game: &KalahOf<WORDS>, pos: &PositionOf<WORDS>) -> Value {
        let (turn, other) = (pos.turn, pos.turn.other());
        let board = after_extra_turns(game, pos);
        let pots = [turn, other].map(|side| Value::from(board.pot(side)));
        let held = [turn, other].map(|side| Value::from(board.beans_in_play(side)));
        if held[0] == 0 {
            // The extra turns ended the game: the other side keeps its beans.
            let margin = pots[0] - pots[1] - held[1];
            return self.bean * margin + self.decided * margin.signum();
        }
        let captures =
            self.capture * best_capture(game, &board, turn) - self.threat * best_capture(game, &board, other);
        // The fewer beans are left, the likelier they are swept into the pot of the side on which they lie.
        let (few, left) = (2 * board.holes() as Value, held[0] + held[1]);
        let stays = self.held * (staying(&board, turn) - staying(&board, other)) * few / (few + left);
        let half = (pots[0] + pots[1] + left) / 2;
        let decided = Value::from(pots[0] > half) - Value::from(pots[1] > half);
        self.bean * (pots[0] - pots[1]) + captures + stays + self.decided * decided
    }

    /// Extra turns first, then the moves that bank most; of equal ones the hole nearest the pot, because it disturbs no other.
    fn order(&self, game: &KalahOf<WORDS>, before: &PositionOf<WORDS>, after: &PositionOf<WORDS>) -> Value {
        let (turn, lane) = (before.turn, lane_played(before, after));
        let again = after.turn == turn && game.result(after).is_none();
        let banked = Value::from(after.board.pot(turn)) - Value::from(before.board.pot(turn));
        if again { AGAIN + lane } else { 16 * banked + lane }
    }
}

/// Orders an extra turn before every move that banks beans and gives the turn away.
const AGAIN: Value = 600_000;

/// The lane that was sown: the one that lost beans.
fn lane_played<const WORDS: usize>(before: &PositionOf<WORDS>, after: &PositionOf<WORDS>) -> Value {
    let (side, holes) = (before.turn, before.board.holes());
    let lost = |&lane: &usize| after.board.lane(side, lane) < before.board.lane(side, lane);
    (0..holes).rev().find(lost).unwrap_or(0) as Value
}

/// How many beans a hole needs for the last to fall into the own pot.
#[inline]
fn to_pot<const WORDS: usize>(board: &BoardOf<WORDS>, lane: usize) -> u16 {
    (board.holes() - lane) as u16
}

/// The beans that do not cross to the other side when their hole is sown.
fn staying<const WORDS: usize>(board: &BoardOf<WORDS>, side: Side) -> Value {
    (0..board.holes()).map(|lane| Value::from(board.lane(side, lane).min(to_pot(board, lane)))).sum()
}

/// Whether a hole's last bean falls into the own pot.
#[inline]
fn ends_in_pot<const WORDS: usize>(board: &BoardOf<WORDS>, side: Side, lane: usize) -> bool {
    let round = 2 * board.holes() as u16 + 1;
    let beans = board.lane(side, lane);
    // Most holes hold less than a round of beans, and a division takes longer than all the rest.
    let beans_of_last_round = if beans < round { beans } else { beans % round };
    beans > 0 && beans_of_last_round == to_pot(board, lane)
}

/// The board after the side to move has made its extra turns. If they empty its row, nothing is swept yet.
fn after_extra_turns<const WORDS: usize>(game: &KalahOf<WORDS>, pos: &PositionOf<WORDS>) -> BoardOf<WORDS> {
    let mut board = pos.board.clone();
    while let Some(lane) = extra_turn(&board, pos.turn) {
        board.sow_lane(pos.turn, lane, game.sowing_table);
    }
    board
}

/// The hole nearest the pot that gives an extra turn: it disturbs no other.
fn extra_turn<const WORDS: usize>(board: &BoardOf<WORDS>, side: Side) -> Option<usize> {
    (0..board.holes()).rev().find(|&lane| ends_in_pot(board, side, lane))
}

/// The most beans that one move takes, its own last bean included.
fn best_capture<const WORDS: usize>(game: &KalahOf<WORDS>, board: &BoardOf<WORDS>, side: Side) -> Value {
    let (holes, round) = (board.holes(), 2 * board.holes() + 1);
    let mut best = 0;
    for lane in 0..holes {
        let beans = usize::from(board.lane(side, lane));
        // Longer sowings leave no hole empty.
        if beans == 0 || beans > round {
            continue;
        }
        let last = if lane + beans < round { lane + beans } else { lane + beans - round };
        if last >= holes || board.lane(side, last) > 0 && last != lane {
            continue;
        }
        // A sowing of a full round has also put a bean opposite.
        let opposite = board.lane(side.other(), holes - 1 - last) + u16::from(lane + beans >= round);
        if opposite > 0 || game.captures_into_empty() {
            best = best.max(Value::from(opposite) + 1);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kalah::{Kalah, LargeKalah};
    use parlor_core::{LARGE, Notation, parse_values};

    fn game(parameters: &str) -> Kalah {
        Kalah::new(&parse_values(Kalah::NAME, Kalah::PARAMETERS, parameters).expect("parameters"))
            .expect("a game")
    }

    fn value_of(parameters: &str, position: &str) -> Value {
        let game = game(parameters);
        Turns::USUAL.evaluate(&game, &game.parse_position(position).expect("a position"))
    }

    #[test]
    fn extra_turns_are_made_and_the_best_capture_counts() {
        // Drawn above: three beans for the pot, five captured, and two beans stay against three.
        assert_eq!(value_of("6,4", "0,0,4,0,0,0/2,0,0,0,2,1 0/0 s"), 16 * 3 + 12 * 5 - 10 * 12 / 18);
    }

    #[test]
    fn a_bean_goes_to_the_pot_alone_only_where_the_rules_say_so() {
        let position = "1,0,0/1,0,0 0/0 s";
        assert_eq!(value_of("3,4", position), 0);
        assert_eq!(value_of("3,4,capture=empty", position), 12);
    }

    #[test]
    fn a_capture_round_the_board_takes_the_bean_it_has_laid() {
        // Seven beans from hole 1 end there again, with one opposite.
        let (game, board) = (game("3,4"), "0,0,1/7,0,0 0/0 s");
        let pos = game.parse_position(board).expect("a position");
        assert_eq!(best_capture(&game, &pos.board, Side::First), 2);
    }

    #[test]
    fn more_than_half_of_the_beans_decides_and_half_does_not() {
        assert!(value_of("3,2", "0,1,0/1,0,0 3/7 s") > 320);
        assert!(value_of("3,2", "0,1,0/1,0,0 7/3 s") < -320);
        assert!(value_of("3,2", "1,1,1/1,1,1 3/3 s").abs() < 100);
        assert_eq!(value_of("3,2", "0,1,0/0,0,1 5/5 s"), 0, "the last bean makes it six each");
    }

    /// Plays one random game; every position has an estimate, the same for both sides.
    fn check_size<const WORDS: usize>(parameters: &str) {
        let values = parse_values(Kalah::NAME, Kalah::PARAMETERS, parameters).expect("parameters");
        let game = KalahOf::<WORDS>::new(&values).expect("a game");
        let (mut pos, mut word) = (game.start(), 99_u64);
        while game.result(&pos).is_none() {
            let value = Turns::USUAL.evaluate(&game, &pos);
            assert!(value.abs() < LARGE, "{parameters}: {value}");
            let text = game.write_position(&pos);
            let mut turned = pos.clone();
            turned.turn = pos.turn.other();
            turned.board.rows.swap(0, 1);
            turned.board.pots.swap(0, 1);
            assert_eq!(value, Turns::USUAL.evaluate(&game, &turned), "{parameters} {text}");
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let mut moves = Vec::new();
            game.moves(&pos, &mut moves);
            game.play(&mut pos, moves[(word >> 33) as usize % moves.len()]);
        }
    }

    #[test]
    fn every_size_is_judged_below_what_a_finished_game_is_worth_and_alike_for_both_sides() {
        for parameters in
            ["1,1", "3,3", "6,4", "6,6,capture=empty", "8,15", "9,4", "12,12", "16,255", "16,1000"]
        {
            check_size::<4>(parameters);
        }
        for parameters in ["6,4", "17,4", "64,255", "64,4,capture=empty"] {
            check_size::<16>(parameters);
        }
    }

    #[test]
    fn a_board_of_more_words_gets_the_same_evaluation() {
        let (small, large) = (game("6,4"), LargeKalah::sized(6, 4).expect("a game"));
        for text in [
            "4,4,4,4,4,4/4,4,4,4,4,4 0/0 s",
            "0,0,4,0,0,0/2,0,0,0,2,1 0/0 s",
            "0,9,1,0,0,7/30,0,0,1,2,0 3/8 n",
        ] {
            let [a, b] = [
                Turns::USUAL.evaluate(&small, &small.parse_position(text).expect("a position")),
                Turns::USUAL.evaluate(&large, &large.parse_position(text).expect("a position")),
            ];
            assert_eq!(a, b, "{text}");
        }
    }

    #[test]
    fn extra_turns_nearest_the_pot_come_first_then_captures_then_right_to_left() {
        let game = game("6,4");
        let pos = game.parse_position("0,0,4,0,0,0/2,0,0,3,1,1 0/0 s").expect("a position");
        let mut moves = Vec::new();
        game.moves(&pos, &mut moves);
        moves.sort_by_key(|&mv| {
            let mut after = pos.clone();
            game.play(&mut after, mv);
            -Turns::USUAL.order(&game, &pos, &after)
        });
        let order: Vec<String> = moves.into_iter().map(|mv| game.write_move(mv)).collect();
        assert_eq!(order, ["6", "4", "1", "5"]);
    }
}
