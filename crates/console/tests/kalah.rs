//! Kalah at the terminal: the messages, prompts and pauses of its page.

mod common;

use common::{game_at, played, transcript};

#[test]
fn the_game_of_two_bad_players_is_told_step_by_step() {
    let said = transcript(game_at("kalah:3,2", "0,1,2/2,0,0 0/0 s", ["bad", "bad"]), &["", "", "", "", ""]);
    let steps = [
        "South plays 1.",
        "South captures 3 beans.",
        "North plays 2.",
        "South plays 2.",
        "North plays 1.",
        "Sweeping 1 bean into South's pot.",
        "The winner is South (4 to 1).",
    ];
    let told: Vec<&str> =
        said.lines().filter_map(|line| steps.iter().find(|step| line.ends_with(*step))).copied().collect();
    assert_eq!(told, steps, "{said}");
}

#[test]
fn the_board_is_shown_before_a_capture_and_before_the_sweep_too() {
    let said = transcript(game_at("kalah:3,2", "0,1,2/2,0,0 0/0 s", ["bad", "bad"]), &["", "", "", "", ""]);
    let boards = said.matches("North\n").count();
    // The start, four moves, one more before the capture and one more before the sweep.
    assert_eq!(boards, 7, "{said}");
    let capture = said.find("captures").expect("a capture");
    let shown = said[..capture].rfind("( 0) ( 1) ( 1)").expect("the board as it was sown");
    assert!(shown > said.find("South plays 1.").expect("the move"));
}

#[test]
fn two_computers_wait_for_enter_before_each_move_unless_asked_not_to() {
    let mut sitting = game_at("kalah:3,2", "0,1,2/2,0,0 0/0 s", ["bad", "bad"]);
    let said = transcript(sitting, &["", "", "", "", ""]);
    assert_eq!(said.matches("Press Enter for the next move.").count(), 4);
    sitting = game_at("kalah:3,2", "0,1,2/2,0,0 0/0 s", ["bad", "bad"]);
    sitting.lobby.pause = false;
    assert!(!transcript(sitting, &[]).contains("Enter"));
}

#[test]
fn the_end_of_input_in_a_pause_lets_the_game_run_on() {
    let said = transcript(game_at("kalah:3,2", "0,1,2/2,0,0 0/0 s", ["bad", "bad"]), &[]);
    assert_eq!(said.matches("Press Enter").count(), 1);
    assert!(said.contains("The winner is South (4 to 1)."), "{said}");
}

#[test]
fn a_person_is_asked_again_until_the_hole_is_valid_and_told_why() {
    let (said, record) = played(
        game_at("kalah:3,2", "2,2,2/0,2,2 0/0 s", ["human", "bad"]),
        &["x", "7", "1", "", "-1", "99999999999999999999", "2"],
    );
    for reason in [
        "'x' is not a number; holes are numbered from 1 to 3.",
        "There is no hole 7; holes are numbered from 1 to 3.",
        "Hole 1 is empty.",
        "'' is not a number",
        "There is no hole -1",
    ] {
        assert!(said.contains(reason), "{reason}\n{said}");
    }
    assert_eq!(record.moves[0], "2");
}

#[test]
fn the_end_of_input_at_a_move_resigns() {
    let (said, record) = played(game_at("kalah:6,4", "", ["human@Anna", "bad"]), &["3"]);
    assert!(said.contains("Anna gets another turn."), "{said}");
    assert!(said.contains("Anna resigns.") && said.contains("The winner is North."), "{said}");
    assert_eq!(
        record.ending.map(|e| (e.cause.to_string(), e.outcome.map(|o| o.to_string()))),
        Some(("resigned".into(), Some("second".into())))
    );
    assert_eq!(record.tag("First"), Some("Anna"));
}

#[test]
fn q_asks_and_then_resigns() {
    let (said, record) =
        played(game_at("kalah:6,4", "", ["human", "human"]), &["q", "n", "q", "perhaps", "y"]);
    assert_eq!(said.matches("Do you give up? (y/n)").count(), 3, "{said}");
    assert!(said.contains("Please answer y for yes or n for no."));
    assert!(record.ending.is_some() && record.moves.is_empty());
}

#[test]
fn undo_takes_back_to_the_persons_last_choice() {
    let (_, record) =
        played(game_at("kalah:6,4", "", ["human", "bad"]), &["undo", "1", "undo", "2", "q", "y"]);
    assert_eq!(record.moves.first().map(String::as_str), Some("2"));
    let (said, record) =
        played(game_at("kalah:6,4", "", ["human", "human"]), &["1", "1", "undo", "n", "q", "y"]);
    assert!(said.contains("North, do you agree?") && said.contains("The move stands."), "{said}");
    assert_eq!(record.moves, ["1", "1"]);
}

#[test]
fn a_draw_is_told_with_what_each_has() {
    let said = transcript(game_at("kalah:3,0", "", ["bad", "bad"]), &[]);
    assert!(said.contains("The game is a draw (0 each)."), "{said}");
}

#[test]
fn a_flag_falls_for_whoever_thinks_too_long() {
    let mut sitting = game_at("kalah:6,4", "", ["human", "bad"]);
    sitting.lobby.control = Some("2ms".parse().expect("a clock"));
    let (said, record) = played(sitting, &["1", "1", "1", "1"]);
    assert!(said.contains("South's time is up.") && said.contains("The winner is North."), "{said}");
    assert_eq!(record.ending.map(|e| e.cause.to_string()).as_deref(), Some("timeout"));
}

#[test]
fn a_wide_board_is_drawn_narrow_on_40_columns() {
    for spec in ["kalah:6,4", "kalah:12,12", "oware", "amazons", "connect"] {
        let mut sitting = game_at(spec, "", ["human", "bad"]);
        sitting.term.width = 40;
        let said = transcript(sitting, &["help"]);
        let widest = said
            .lines()
            .filter(|l| !l.contains(", ") && !l.contains("undo"))
            .map(|l| l.chars().count())
            .max();
        assert!(widest <= Some(62) && !said.contains("columns wide"), "{spec}: {widest:?}\n{said}");
        assert!(
            said.lines().filter(|l| l.starts_with("  ") && !l.contains(' ')).all(|l| l.chars().count() <= 40)
        );
    }
    let mut sitting = game_at("connect:30,3,4", "", ["human", "bad"]);
    sitting.term.width = 40;
    assert!(
        transcript(sitting, &[])
            .contains("The board is 63 columns wide and this terminal 40: make it wider.")
    );
}
