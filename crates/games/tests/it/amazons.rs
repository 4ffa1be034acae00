//! Amazons against its specification, the laws, and the slow reference.

use crate::common::{Random, game};
use crate::reference::amazons::SlowAmazons;
use parlor_core::{BoardEvent, Evaluator, Game, LARGE, Match, Notation, Side, View};
use parlor_games::amazons::{Amazons, HalfTurnPosition, HalfTurns, Mobility, Position, Territory};
use parlor_testkit::seed;
use std::collections::HashMap;

#[test]
fn the_laws_hold() {
    crate::common::check_laws::<Amazons>(&["amazons:4", "amazons:4,10", "amazons:5", "amazons:7,6"], 30);
    crate::common::check_laws::<Amazons>(&["amazons", "amazons:10,4"], 4);
}

#[test]
fn fast_rules_equal_the_slow_reference() {
    let small = ["amazons:4", "amazons:4,5", "amazons:5,4", "amazons:6", "amazons:4,10", "amazons:7,5"];
    crate::common::check_against::<SlowAmazons, Amazons>(&small, 60);
    crate::common::check_against::<SlowAmazons, Amazons>(&["amazons", "amazons:8,9", "amazons:10,7"], 5);
}

#[test]
fn queens_start_where_the_spec_puts_them() {
    for (spec, start) in [
        ("amazons", "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w"),
        ("amazons:8", "2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w"),
        ("amazons:6", "1q2q1/q4q/6/6/Q4Q/1Q2Q1 w"),
        ("amazons:5", "1q1q1/q3q/5/Q3Q/1Q1Q1 w"),
        ("amazons:4,5", "1qq1/q2q/4/Q2Q/1QQ1 w"),
        ("amazons:9,7", "3q1q3/9/q7q/9/Q7Q/9/3Q1Q3 w"),
    ] {
        let game: Amazons = game(spec);
        assert_eq!(game.write_position(&game.start()), start, "{spec}");
    }
    assert_eq!(game::<Amazons>("amazons:5").spec(), "amazons:5,5");
    assert_eq!(game::<Amazons>("amazons").spec(), "amazons:10,10");
}

#[test]
fn the_example_in_the_prompt_can_be_played_on_every_board() {
    for columns in 4..=10 {
        for rows in 4..=10 {
            let game = Amazons::sized(columns, rows).expect("a size");
            let prompt = game.prompt(Side::First);
            let example = prompt.trim_start_matches("move (like ").trim_end_matches(')');
            let mv = game.parse_move(&game.start(), example).unwrap_or_else(|e| panic!("{prompt}: {e}"));
            assert_eq!(game.write_move(mv), example);
        }
    }
    assert_eq!(game::<Amazons>("amazons").prompt(Side::First), "move (like d1-d7/g7)");
}

#[test]
fn a_queen_may_shoot_back_over_the_square_it_left() {
    let game: Amazons = game("amazons:4");
    let mut played = Match::from_position(game, game.parse_position("q3/4/4/1Q2 w").expect("a position"));
    played.play("b1-c1/a1").expect("legal");
    assert_eq!(game.write_position(played.position()), "q3/4/4/*1Q1 b");
    played.undo();
    played.play("b1-b3/b1").expect("legal");
    assert_eq!(game.write_position(played.position()), "q3/1Q2/4/1*2 b");
}

#[test]
fn the_side_to_move_loses_without_a_move_even_if_the_other_has_none_either() {
    let game: Amazons = game("amazons:4");
    for (text, turn) in [("q*2/**2/**2/Q*2 w", Side::First), ("q*2/**2/**2/Q*2 b", Side::Second)] {
        let played = Match::from_position(game, game.parse_position(text).expect("a position"));
        assert_eq!(played.result().and_then(|o| o.winner), Some(turn.other()), "{text}");
        assert_eq!(game.count(played.position()), 0);
    }
}

#[test]
fn a_move_that_walls_the_others_in_is_described() {
    let game: Amazons = game("amazons:4");
    let pos = game.parse_position("q*2/*3/1Q2/4 w").expect("a position");
    let mv = game.parse_move(&pos, "b2-c2/b3").expect("legal");
    let names = ["Ann", "Bob"];
    let events: Vec<BoardEvent> =
        game.events(&pos, mv, names).into_iter().map(|staged| staged.event).collect();
    assert_eq!(events, [BoardEvent::new(BoardEvent::NO_MOVE, "Bob has no move left.".into(), vec![12])]);
    let quiet = game.parse_move(&pos, "b2-c2/b2").expect("legal");
    assert!(game.events(&pos, quiet, names).is_empty());
    assert_eq!(game.touched(&pos, quiet).len(), 2, "the arrow lies where the queen stood");
}

/// Positions of random games, each with both sides to move.
fn random_positions(game: &Amazons, games: u64) -> Vec<Position> {
    let mut positions = Vec::new();
    for seed in 0..games {
        let mut random = Random(seed);
        let mut pos = game.start();
        let mut moves = Vec::new();
        loop {
            positions.extend(Side::BOTH.map(|turn| Position { turn, ..pos }));
            moves.clear();
            game.moves(&pos, &mut moves);
            if moves.is_empty() {
                break;
            }
            game.play(&mut pos, moves[random.below(moves.len())]);
        }
    }
    positions
}

#[test]
fn turns_are_counted_for_either_side_independent_of_the_side_to_move() {
    for spec in ["amazons", "amazons:4", "amazons:6,9"] {
        let game: Amazons = game(spec);
        for pos in random_positions(&game, 3) {
            let listed = Side::BOTH.map(|turn| {
                let mut moves = Vec::new();
                game.moves(&Position { turn, ..pos }, &mut moves);
                moves.len() as u64
            });
            assert_eq!(game.turns_of_both(&pos), listed, "{}", game.write_position(&pos));
            assert_eq!(Side::BOTH.map(|side| game.turns(&pos, side)), listed);
        }
    }
}

#[test]
fn one_turn_of_the_list_is_found_without_the_others() {
    let game: Amazons = game("amazons:6,5");
    for pos in random_positions(&game, 3) {
        let mut moves = Vec::new();
        game.moves(&pos, &mut moves);
        let found: Vec<_> = (0..).map_while(|n| game.nth(&pos, n)).collect();
        assert_eq!(found, moves, "{}", game.write_position(&pos));
    }
}

#[test]
fn boards_full_of_queens_are_counted_too() {
    let game: Amazons = game("amazons");
    for text in [
        "QQQQQQQQQQ/10/10/10/10/10/10/10/10/qqqqqqqqqq w",
        "Q8Q/1Q6Q1/2Q4Q2/10/4q5/10/10/2Q4Q2/1Q6Q1/Q8Q w",
        "Q1Q1Q1Q1Q1/10/Q1Q1Q1Q1Q1/10/Q1Q1Q1Q1Q1/10/Q1Q1Q1Q1Q1/10/Q1Q1Q1Q1Q1/9q w",
    ] {
        let pos = game.parse_position(text).expect("a position");
        let mut moves = Vec::new();
        game.moves(&pos, &mut moves);
        assert_eq!(game.count(&pos), moves.len() as u64, "{text}");
    }
}

#[test]
fn the_classic_judgement_is_the_logarithm_of_the_turns() {
    let game: Amazons = game("amazons:5");
    assert_eq!(Mobility.evaluate(&game, &game.start()), 0);
    for pos in random_positions(&game, 5) {
        let value = Mobility.evaluate(&game, &pos);
        let other = Mobility.evaluate(&game, &Position { turn: pos.turn.other(), ..pos });
        assert!(value.abs() < LARGE);
        match game.turns_of_both(&pos) {
            [0, 0] => assert_eq!((value, other), (-900_000_000, -900_000_000), "the side to move has lost"),
            [white, black] => {
                assert_eq!(value, -other, "what one side gains the other loses");
                let want = (white as f64).ln() - (black as f64).ln();
                let seen = f64::from(if pos.turn == Side::First { value } else { other }) / 1e6;
                let stuck = white == 0 || black == 0;
                assert!(if stuck { seen.signum() == want.signum() } else { (seen - want).abs() < 1e-5 });
            }
        }
    }
}

#[test]
fn keys_differ_where_positions_differ_and_not_by_colour_alone() {
    let game: Amazons = game("amazons:6");
    let mut seen: HashMap<u64, Position> = HashMap::new();
    for pos in random_positions(&game, 20) {
        let swapped = Position { queens: [pos.queens[1], pos.queens[0]], turn: pos.turn.other(), ..pos };
        assert_eq!(game.key(&pos), game.key(&swapped));
        let first = if pos.turn == Side::First { pos } else { swapped };
        assert_eq!(*seen.entry(game.key(&pos)).or_insert(first), first, "two positions with one key");
    }
}

/// Whether the side to move wins, by negamax with memoisation.
fn wins(game: &Amazons, pos: &Position, known: &mut HashMap<Position, bool>) -> bool {
    if let Some(&won) = known.get(pos) {
        return won;
    }
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let won = moves.into_iter().any(|mv| {
        let mut next = *pos;
        game.play(&mut next, mv);
        !wins(game, &next, known)
    });
    known.insert(*pos, won);
    won
}

#[test]
fn the_second_side_wins_on_4_by_4() {
    let game: Amazons = game("amazons:4");
    assert!(!wins(&game, &game.start(), &mut HashMap::new()));
}

#[test]
fn two_stages_make_the_same_turns_and_results() {
    for size in ["amazons:4", "amazons:5,6", "amazons"] {
        let amazons = game::<Amazons>(size);
        let (steps, mut random) = (HalfTurns(amazons), Random(seed(11)));
        let mut pos = amazons.start();
        while amazons.result(&pos).is_none() {
            let (mut turns, mut goes, mut joined) = (Vec::new(), Vec::new(), Vec::new());
            amazons.moves(&pos, &mut turns);
            steps.moves(&HalfTurnPosition::before(&pos), &mut goes);
            for go in goes {
                let mut between = HalfTurnPosition::before(&pos);
                steps.play(&mut between, go);
                assert_eq!((steps.turn(&between), steps.result(&between)), (pos.turn, None));
                let mut shots = Vec::new();
                steps.moves(&between, &mut shots);
                joined.extend(shots.iter().filter_map(|&shoot| HalfTurns::joined(go, shoot)));
            }
            assert_eq!(joined, turns, "{size}: the same turns in the same order");
            let mv = turns[random.below(turns.len())];
            let mut stage = HalfTurnPosition::before(&pos);
            HalfTurns::of(mv).into_iter().for_each(|step| steps.play(&mut stage, step));
            amazons.play(&mut pos, mv);
            assert_eq!(stage, HalfTurnPosition::before(&pos));
            assert_eq!(steps.result(&stage), amazons.result(&pos));
        }
    }
}

#[test]
fn territory_judges_both_sides_alike() {
    let amazons = game::<Amazons>("amazons:8");
    let mut random = Random(seed(5));
    for _ in 0..20 {
        let mut pos = amazons.start();
        while let Some(mv) = amazons.pick(&pos, &mut |n| random.below(n), &mut Vec::new()) {
            // The board with exchanged colours is the same for the side to move.
            let turned = Position { queens: [pos.queens[1], pos.queens[0]], turn: pos.turn.other(), ..pos };
            assert_eq!(
                Territory::USUAL.evaluate(&amazons, &pos),
                Territory::USUAL.evaluate(&amazons, &turned),
                "{pos:?}"
            );
            amazons.play(&mut pos, mv);
        }
    }
}

#[test]
fn territory_prefers_the_side_with_more_room() {
    let amazons = game::<Amazons>("amazons:6");
    let place = "Q1*3/2*3/2*3/2*3/2*3/q1*3 w";
    let even = amazons.parse_position(place).expect("a position");
    let better = amazons.parse_position("Q1*3/2*3/3***/2*3/***3/q*4 w").expect("a position");
    assert!(Territory::USUAL.evaluate(&amazons, &better) > Territory::USUAL.evaluate(&amazons, &even));
}
