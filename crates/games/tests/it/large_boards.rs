//! Large boards of Connect-N and Kalah against the laws, the slow reference rules, and the representation of small boards.

use crate::common::{check_against, check_laws, check_same, check_whole_game, game};
use crate::reference::{connect::SlowConnect, kalah::SlowKalah};
use parlor_core::{Audience, Board, Evaluated, Evaluator, Game, LARGE, Match, Notation};
use parlor_games::{
    connect::{Connect, LargeConnect},
    kalah::{Kalah, LargeKalah},
};

#[test]
fn the_laws_hold_on_large_connect_boards() {
    check_laws::<LargeConnect>(&["connect:64,64,5", "connect:64,127,1000"], 1);
    check_laws::<LargeConnect>(&["connect:20,20,5", "connect:12,10,4"], 5);
    check_laws::<LargeConnect>(&["connect:7,6,4", "connect:1,1,1", "connect:1,127,9", "connect:64,1,4"], 10);
}

#[test]
fn the_laws_hold_on_large_kalah_boards() {
    check_laws::<Kalah>(&["kalah:12,1000", "kalah:16,1000,capture=empty", "kalah:9,1000"], 5);
    check_laws::<LargeKalah>(&["kalah:64,255", "kalah:64,4", "kalah:17,963", "kalah:33,1,capture=empty"], 2);
    check_laws::<LargeKalah>(&["kalah:6,4", "kalah:1,1", "kalah:3,0"], 20);
}

#[test]
fn large_boards_play_as_the_slow_reference_does() {
    check_against::<SlowConnect, LargeConnect>(&["connect:64,64,5", "connect:64,127,6"], 2);
    check_against::<SlowConnect, LargeConnect>(&["connect:20,20,5", "connect:12,10,4", "connect:18,7,3"], 10);
    check_against::<SlowKalah, Kalah>(&["kalah:12,1000", "kalah:3,1000", "kalah:16,1000"], 5);
    check_against::<SlowKalah, LargeKalah>(&["kalah:64,255", "kalah:64,3", "kalah:20,800,capture=empty"], 5);
}

#[test]
fn small_boards_are_the_same_game_in_both_representations() {
    check_same::<Connect, LargeConnect>(
        &["connect:7,6,4", "connect:9,9,5", "connect:4,4,1", "connect:2,2,3"],
        20,
    );
    check_same::<Kalah, LargeKalah>(
        &["kalah:6,4", "kalah:3,2,capture=empty", "kalah:12,12", "kalah:16,1000"],
        20,
    );
}

#[test]
fn a_whole_game_on_64_by_64_is_recorded_and_replayed() {
    let won = check_whole_game::<LargeConnect>("connect:64,64,5", 1);
    assert!(won.moves().len() < 4096);
    let tied = check_whole_game::<LargeConnect>("connect:64,64,65", 2);
    assert_eq!(tied.moves().len(), 4096, "65 in a row do not fit, so the board is filled");
    assert_eq!(tied.result().map(|outcome| outcome.to_string()).as_deref(), Some("draw"));
}

#[test]
fn a_whole_game_of_kalah_with_32640_beans_is_recorded_and_replayed() {
    let played = check_whole_game::<LargeKalah>("kalah:64,255", 3);
    assert_eq!(played.position().board().total_beans(), 32_640);
    check_whole_game::<Kalah>("kalah:12,1000", 4);
}

#[test]
fn more_than_32767_beans_are_refused_with_the_limit() {
    for (values, total) in [([64, 500, 0], 64_000), ([17, 1000, 0], 34_000), ([64, 256, 1], 32_768)] {
        let error = LargeKalah::new(&values).expect_err("too many beans").0;
        assert!(error.contains(&format!("are {total} beans; a board holds at most 32767")), "{error}");
    }
    assert!(LargeKalah::new(&[64, 255, 0]).is_ok() && Kalah::new(&[16, 1000, 0]).is_ok());
}

#[test]
fn columns_of_two_digits_are_separated_by_spaces() {
    let game: LargeConnect = game("connect:20,20,5");
    assert!(!game.run_together());
    let mut played = Match::new(game);
    for mv in parlor_core::split_moves("10 3 10,20", false) {
        played.play(&mv).expect("legal");
    }
    assert_eq!(played.record().moves, ["10", "3", "10", "20"]);
}

#[test]
fn a_row_through_the_far_corner_wins() {
    let mut played = Match::new(game::<LargeConnect>("connect:64,64,4"));
    for mv in "64 63 64 63 64 63 64".split(' ') {
        played.play(mv).expect("legal");
    }
    assert_eq!(played.result().map(|outcome| outcome.to_string()).as_deref(), Some("first by 2045"));
}

#[test]
fn a_board_wider_than_the_terminal_has_one_character_a_cell() {
    let mut board = Match::new(game::<LargeConnect>("connect:64,64,5"));
    Match::play(&mut board, "64").expect("legal");
    let audience = Audience { names: ["Red", "Black"], width: 80 };
    let picture = board.draw(audience);
    assert_eq!(picture.width(), 66);
    let text = picture.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 64 + 3);
    assert_eq!(lines[63], format!("|{}R|", ".".repeat(63)));
    assert!(lines[65].ends_with("6666") && lines[66].ends_with("1234"), "{text}");
}

#[test]
fn kalah_with_64_holes_fits_80_characters() {
    let board = Match::new(game::<LargeKalah>("kalah:64,255"));
    let picture = board.draw(Audience { names: ["South", "North"], width: 80 });
    assert!(picture.width() <= 80, "{picture}");
    assert!(picture.to_string().contains("  63  64\n 255 255 255 255\n 255 255 255 255\nSouth"), "{picture}");
}

#[test]
fn estimates_of_large_boards_stay_below_a_finished_game() {
    fn check<G: Notation + Evaluated>(spec: &str) {
        let played = check_whole_game::<G>(spec, 5);
        let (game, open) = (played.game(), played.positions().iter().rev().skip(1).step_by(97));
        for pos in open.take(20) {
            let value = G::STRONG.evaluate(game, pos);
            assert!(value.abs() < LARGE, "{spec} '{}': {value}", game.write_position(pos));
        }
    }
    check::<LargeConnect>("connect:64,64,8");
    check::<LargeConnect>("connect:64,127,20");
    check::<LargeKalah>("kalah:64,255");
}
