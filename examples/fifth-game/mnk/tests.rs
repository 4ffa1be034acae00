//! Tests of what is special to this game. Its `data/` files, the laws and its players are tested with those of all
//! games.

use super::{Mnk, Position, reference::SlowMnk};
use parlor_core::{
    Audience, Board, Game, Margin, Match, Notation,
    laws::{self, Reference as _},
};
use parlor_testkit::SplitMix64;

fn game(m: u32, n: u32, k: u32) -> Mnk {
    Mnk::new(&[m, n, k]).expect("a size")
}

fn played(game: Mnk, moves: &str) -> Match<Mnk> {
    let mut played = Match::new(game);
    for mv in moves.split_whitespace() {
        Match::play(&mut played, mv).unwrap_or_else(|e| panic!("{mv}: {e}"));
    }
    played
}

#[test]
fn fast_rules_equal_the_slow_reference() {
    let mut random = SplitMix64::new(2026);
    for [m, n, k] in [[3, 3, 3], [5, 4, 4], [1, 7, 3], [9, 9, 5], [4, 4, 1], [2, 2, 3], [19, 2, 2]] {
        for _ in 0..40 {
            laws::check_reference::<SlowMnk, Mnk>(&game(m, n, k), 400, &mut |n| {
                random.below(n as u64) as usize
            })
            .unwrap_or_else(|e| panic!("{e}"));
        }
    }
}

#[test]
fn the_slow_reference_counts_the_same_move_sequences() {
    for (values, counts) in [([3, 3, 3], vec![9, 72, 504, 3024, 15_120]), ([4, 4, 3], vec![16, 240, 3360])] {
        let start = SlowMnk::start(&values);
        let slow: Vec<u64> =
            (1..=counts.len() as u32).map(|depth| laws::perft_reference(&start, depth)).collect();
        assert_eq!(slow, counts, "{values:?}");
    }
}

#[test]
fn a_row_in_any_direction_wins_and_is_described_with_its_ends() {
    for (moves, line) in [
        ("a1 a3 b1 b3 c1", "Ann has 3 in a row: a1 to c1."),
        ("a1 b1 a2 b2 a3", "Ann has 3 in a row: a1 to a3."),
        ("a1 a2 b2 a3 c3", "Ann has 3 in a row: a1 to c3."),
        ("a3 a2 b2 a1 c1", "Ann has 3 in a row: a3 to c1."),
    ] {
        let board = played(game(3, 3, 3), moves);
        assert_eq!(board.result().map(|outcome| outcome.to_string()).as_deref(), Some("first by 1"));
        let turn = board.last_turn(Audience { names: ["Ann", "Ben"], width: 80 }).expect("a move");
        let texts: Vec<&str> = turn.events.iter().map(|described| described.event.text.as_str()).collect();
        assert_eq!(texts, [line]);
    }
}

#[test]
fn a_full_board_without_a_row_is_a_draw() {
    let board = played(game(3, 3, 3), "b2 a1 c1 a3 a2 c2 b3 b1 c3");
    assert_eq!(board.result().map(|outcome| outcome.to_string()).as_deref(), Some("draw"));
}

#[test]
fn no_row_continues_across_the_edge() {
    // d1, a2 and b2 have consecutive numbers on a board of four columns.
    assert!(played(game(4, 4, 3), "d1 d4 a2 c4 b2").result().is_none());
}

/// Negamax without pruning.
fn value(game: &Mnk, pos: &Position) -> Margin {
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let after = |mv| {
        let mut next = *pos;
        game.play(&mut next, mv);
        -value(game, &next)
    };
    game.result(pos).or_else(|| moves.into_iter().map(after).max()).expect("a move or a result")
}

#[test]
fn noughts_and_crosses_is_a_draw_and_three_in_a_row_on_4_by_3_a_win() {
    assert_eq!(value(&game(3, 3, 3), &game(3, 3, 3).start()), Margin(0));
    let opening = played(game(4, 3, 3), "b2 b1 c2");
    assert_eq!(value(&game(4, 3, 3), opening.position()), Margin(-1));
}

#[test]
fn wide_boards_fit_narrow_screens() {
    let board = Match::new(game(19, 2, 5));
    let text = board.draw(Audience { names: ["X", "O"], width: 30 }).to_string();
    assert!(
        text.contains("\n   1  ...................\n") && text.ends_with("\n      abcdefghijklmnopqrs\n"),
        "{text}"
    );
    let text = board.draw(Audience { names: ["X", "O"], width: 80 }).to_string();
    assert!(text.contains("\n   1  . . ."), "{text}");
}

#[test]
fn positions_know_whether_they_are_over() {
    let game = game(3, 3, 3);
    let won = game.parse_position("oo1/xxx/3 o").expect("a position");
    assert_eq!(game.result(&won), Some(Margin(-1)));
    assert_eq!(game.parse_move(&won, "a1").map_err(|e| e.0), Err("the game is over".to_string()));
}
