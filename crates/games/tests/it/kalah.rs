//! Kalah against its specification, the laws, and the slow reference.

use crate::common::game;
use crate::reference::kalah::SlowKalah;
use parlor_core::{BoardEvent, Game, Match, Notation, Side, Step, View};
use parlor_games::kalah::{Hole, Kalah};

#[test]
fn the_laws_hold() {
    let specs =
        ["kalah:6,4", "kalah:1,1", "kalah:3,0", "kalah:2,9,capture=empty", "kalah:12,12", "kalah:16,255"];
    crate::common::check_laws::<Kalah>(&specs, 30);
}

#[test]
fn fast_rules_equal_the_slow_reference() {
    let specs =
        ["kalah:6,4", "kalah:6,4,capture=empty", "kalah:1,5", "kalah:2,13", "kalah:3,2", "kalah:12,12"];
    crate::common::check_against::<SlowKalah, Kalah>(&specs, 100);
}

fn events(game: &Kalah, position: &str, hole: u8) -> Vec<BoardEvent> {
    let pos = game.parse_position(position).expect("a position");
    game.events(&pos, Hole(hole), ["Ann", "Bob"]).into_iter().map(|staged| staged.event).collect()
}

#[test]
fn last_bean_in_own_pot_moves_again() {
    let game: Kalah = game("kalah:6,4");
    let mut played = Match::new(game.clone());
    played.play("3").expect("legal");
    assert_eq!(game.turn(played.position()), Side::First);
    let described = BoardEvent::new(BoardEvent::ANOTHER_TURN, "Ann gets another turn.".into(), vec![12]);
    assert_eq!(events(&game, "4,4,4,4,4,4/4,4,4,4,4,4 0/0 s", 3), [described]);
}

#[test]
fn last_bean_in_own_empty_hole_captures_only_if_the_opposite_hole_has_beans() {
    let usual: Kalah = game("kalah:3,2");
    let variant: Kalah = game("kalah:3,2,capture=empty");
    let after = |game: &Kalah| {
        let mut played =
            Match::from_position(game.clone(), game.parse_position("1,0,2/1,0,2 0/0 s").expect("one"));
        played.play("1").expect("legal");
        game.write_position(played.position())
    };
    assert_eq!(after(&usual), "1,0,2/0,1,2 0/0 n");
    assert_eq!(after(&variant), "1,0,2/0,0,2 0/1 n");
    assert_eq!(events(&usual, "1,3,2/1,0,2 0/0 s", 1).len(), 1, "with beans opposite it captures");
}

#[test]
fn a_hole_refilled_by_its_own_lap_counts_as_empty_just_before() {
    let game: Kalah = game("kalah:6,4");
    let position = "1,1,1,1,1,1/0,13,0,0,0,1 0/0 s";
    let captured = events(&game, position, 2);
    assert_eq!(captured[0].kind, BoardEvent::CAPTURE);
    assert_eq!(captured[0].text, "Ann captures 3 beans.");
}

#[test]
fn steps_are_the_sowing_then_the_capture_then_the_sweep() {
    let game: Kalah = game("kalah:3,2");
    let pos = game.parse_position("0,4,0/1,0,0 3/4 s").expect("a position");
    let steps = [Step::between(0, 1, 1), Step::between(1, 6, 1), Step::between(4, 6, 4)];
    assert_eq!(game.steps(&pos, Hole(1)), steps, "the last bean, then those opposite");
    let pos = game.parse_position("0,4,1/0,0,1 3/3 s").expect("a position");
    let steps = [Step::between(2, 6, 1), Step::between(4, 7, 4), Step::between(5, 7, 1)];
    assert_eq!(game.steps(&pos, Hole(3)), steps, "North collects its holes");
}

#[test]
fn kalah_1_1_with_north_set_to_2_is_over_at_once_and_north_wins_2_to_1() {
    let game: Kalah = game("kalah:1,1");
    let mut played =
        Match::from_position(game.clone(), game.parse_position("2/1 0/0 s").expect("a position"));
    played.play("1").expect("legal");
    assert_eq!(game.scores(played.position()), Some([1, 2]));
    assert_eq!(played.result().map(|o| o.to_string()).as_deref(), Some("second by 1"));
}

#[test]
fn kalah_3_0_is_an_immediate_draw() {
    let played = Match::new(game::<Kalah>("kalah:3,0"));
    assert_eq!(played.result().map(|o| o.to_string()).as_deref(), Some("draw"));
}

#[test]
fn the_value_of_kalah_2_4_tells_these_rules_from_the_common_other_readings() {
    fn negamax(game: &Kalah, pos: &<Kalah as Game>::Position) -> i16 {
        if let Some(margin) = game.result(pos) {
            return margin.0;
        }
        let mut moves = Vec::new();
        game.moves(pos, &mut moves);
        let values = moves.into_iter().map(|mv| {
            let mut next = pos.clone();
            game.play(&mut next, mv);
            let value = negamax(game, &next);
            if game.turn(&next) == game.turn(pos) { value } else { -value }
        });
        values.max().expect("a move")
    }
    for (spec, value) in
        [("kalah:2,4", -10), ("kalah:2,4,capture=empty", -12), ("kalah:1,3", 6), ("kalah:3,2", 4)]
    {
        let game: Kalah = game(spec);
        assert_eq!(negamax(&game, &game.start()), value, "{spec}");
    }
}
