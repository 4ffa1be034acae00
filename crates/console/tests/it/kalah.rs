//! Tests of Kalah at the terminal: messages, prompts and pauses.

use crate::common::{ending, game_after, game_at, joined, played, read_answer, transcript};
use parlor_console::Input;

#[test]
fn prints_the_game_of_two_bad_players_step_by_step() {
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
fn two_computers_wait_for_enter_after_the_first_board_and_after_each_turns_board() {
    let watched = || game_at("kalah:3,2", "0,1,2/2,0,0 0/0 s", ["bad", "bad"]);
    let said = transcript(watched(), &["", "", "", "", ""]);
    let next = "Press Enter for the next turn, or type run (play to the end) or q (stop).";
    // The first board and three of the four turns; the last one waits before the result.
    assert_eq!(said.matches(next).count(), 4, "{said}");
    assert!(said.ends_with("Press Enter for the result. \nThe winner is South (4 to 1).\n"), "{said}");
    let mut quick = watched();
    quick.settings.pause = false;
    assert!(!transcript(quick, &[]).contains("Enter"));
}

#[test]
fn extra_turns_of_two_computers_do_not_pause() {
    // Hole 2 ends in South's pot, and South plays hole 3 in the same turn.
    let watched = game_at("kalah:3,2", "2,2,2/0,2,5 0/0 s", ["bad", "bad"]);
    let (said, record) = played(watched, &["", "run"]);
    assert_eq!(record.moves[..2], ["2", "3"], "{said}");
    let turns: Vec<&str> = said.split("Press Enter for the next turn").collect();
    assert!(turns[1].contains("South plays 2.") && turns[1].contains("South plays 3."), "{said}");
    assert!(turns[2].contains("North plays"), "{said}");
}

#[test]
fn a_game_of_two_computers_that_is_over_at_the_start_pauses_once() {
    let said = transcript(game_at("kalah:3,0", "", ["bad", "bad"]), &["", ""]);
    assert_eq!(said.matches("Press Enter for the result.").count(), 1, "{said}");
    assert_eq!(said.matches("Press Enter").count(), 1, "{said}");
}

#[test]
fn the_end_of_input_in_a_pause_lets_the_game_run_on() {
    let said = transcript(game_at("kalah:3,2", "0,1,2/2,0,0 0/0 s", ["bad", "bad"]), &[]);
    assert_eq!(said.matches("Press Enter").count(), 1);
    assert!(said.contains("The winner is South (4 to 1)."), "{said}");
}

#[test]
fn asks_a_person_again_until_the_hole_is_valid() {
    let (said, record) = played(
        game_at("kalah:3,2", "2,2,2/0,2,2 0/0 s", ["human", "bad"]),
        &["x", "7", "1", "", "-1", "99999999999999999999", "2"],
    );
    for reason in [
        "'x' is not a number; holes are numbered from 1 to 3.",
        "There is no hole 7; holes are numbered from 1 to 3.",
        "Hole 1 is empty.",
        "There is no hole -1",
        "There is no hole 99999999999999999999;",
    ] {
        assert!(said.contains(reason), "{reason}\n{said}");
    }
    assert!(!said.contains("''"), "an empty line is just asked again: {said}");
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
    assert_eq!(record.tag("First"), Some("human@Anna"));
}

#[test]
fn q_asks_and_then_resigns() {
    let (said, record) =
        played(game_at("kalah:6,4", "", ["human", "human"]), &["q", "n", "q", "perhaps", "y"]);
    assert_eq!(said.matches("Do you want to resign? (y/n)").count(), 3, "{said}");
    assert!(said.contains("Please answer y for yes or n for no."));
    assert!(record.ending.is_some() && record.moves.is_empty());
}

#[test]
fn undo_against_a_computer_goes_back_to_the_persons_own_last_decision() {
    let (_, record) =
        played(game_at("kalah:6,4", "", ["human", "bad"]), &["undo", "1", "undo", "2", "q", "y"]);
    assert_eq!(record.moves.first().map(String::as_str), Some("2"));
    // Hole 3 earns another turn: both moves are decisions of the person.
    let (said, record) =
        played(game_at("kalah:6,4", "", ["human", "bad"]), &["3", "1", "undo", "undo", "2", "q", "y"]);
    assert!(
        said.contains("Moves taken back: South 1, North 1.") && said.contains("Moves taken back: South 3."),
        "{said}"
    );
    assert_eq!(record.moves.first().map(String::as_str), Some("2"));
}

#[test]
fn undo_between_two_people_takes_back_one_move_at_a_time_as_often_as_there_are_moves() {
    let lines = ["1", "1", "2", "undo", "y", "undo", "y", "undo", "y", "undo", "q", "y"];
    let (said, record) = played(game_at("kalah:6,4", "", ["human", "human"]), &lines);
    for undone in ["Moves taken back: South 2.", "Moves taken back: North 1.", "Moves taken back: South 1."] {
        assert_eq!(said.matches(undone).count(), 1, "{undone}\n{said}");
    }
    assert!(said.contains("There is no move to take back."), "{said}");
    assert!(record.moves.is_empty(), "{said}");
}

#[test]
fn a_declined_takeback_leaves_the_move() {
    let (said, record) =
        played(game_at("kalah:6,4", "", ["human", "human"]), &["1", "1", "undo", "n", "q", "y"]);
    assert!(said.contains("North, do you agree?") && said.contains("The move is not taken back."), "{said}");
    assert_eq!(record.moves, ["1", "1"]);
}

#[test]
fn abort_ends_a_game_without_a_result_before_the_second_move() {
    let people = || game_at("kalah:6,4", "", ["human", "human"]);
    for lines in [&["abort"][..], &["1", "ABORT"]] {
        let (said, record) = played(people(), lines);
        assert_eq!(ending(&record), ("abandoned".into(), "*".into()), "{said}");
        assert!(said.ends_with("The game is unfinished.\n"), "{said}");
    }
    let (said, record) = played(people(), &["1", "1", "abort", "q", "y"]);
    assert!(
        joined(&said).contains("A game can be aborted only before its second move; resign instead."),
        "{said}"
    );
    assert_eq!(ending(&record).0, "resigned");
    assert!(transcript(people(), &["help"]).contains("abort    ends the game without a result"));
}

#[test]
fn a_draw_is_announced_with_both_scores() {
    let said = transcript(game_at("kalah:3,0", "", ["bad", "bad"]), &[]);
    assert!(said.contains("The game is a draw (0 each)."), "{said}");
}

#[test]
fn a_game_that_is_over_at_the_start_shows_its_last_move() {
    let said = transcript(game_after("kalah:1,1", &["1"], ["human", "human"]), &[]);
    assert!(said.contains("Sweeping 1 bean into North's pot.\n"), "{said}");
    assert!(said.contains("The game is a draw (1 each).") && !said.contains("Type help"), "{said}");
}

#[test]
fn moves_made_before_the_session_can_be_taken_back() {
    let prepared = game_after("kalah:6,4", &["1", "2"], ["human", "bad"]);
    let (said, record) = played(prepared, &["undo", "UNDO", "q", "y"]);
    assert!(said.contains("North agrees.\nMoves taken back: South 1, North 2.\n"), "{said}");
    assert!(said.contains("There is no move to take back.") && record.moves.is_empty(), "{said}");
}

#[test]
fn keywords_are_case_insensitive_and_odd_input_is_sanitised() {
    let long = "9x".repeat(200);
    let (said, _) = played(
        game_at("kalah:6,4", "", ["human", "bad"]),
        &["HELP", "Moves", "BOARD", &long, "\u{1b}[A\u{7}", "+1"],
    );
    assert!(said.contains("a move   the number of a hole with beans, 1-6\n"), "{said}");
    assert!(!said.contains("moves 1 lists"), "a move is one touch here: {said}");
    assert!(said.contains("6 moves: 1 2 3 4 5 6\n") && said.matches("North\n").count() == 2, "{said}");
    assert!(said.contains("'[A' is not a number") && !said.contains('\u{1b}'), "{said}");
    assert!(said.contains("9…' is not a number") && said.lines().all(|l| l.chars().count() <= 80), "{said}");
    assert!(said.contains("'+1' is not a number"), "{said}");
}

#[test]
fn in_a_pause_run_continues_and_q_ends_the_game() {
    let watched = || game_at("kalah:3,2", "0,1,2/2,0,0 0/0 s", ["bad", "bad"]);
    let (said, record) = played(watched(), &["", "Run"]);
    assert_eq!((said.matches("Press Enter").count(), record.moves.len()), (2, 4), "{said}");
    let (said, record) = played(watched(), &["", "q"]);
    assert!(said.contains("The game is unfinished."), "{said}");
    assert_eq!(record.ending.map(|e| e.cause.to_string()).as_deref(), Some("abandoned"));
    assert_eq!(record.moves.len(), 1);
}

#[test]
fn an_interruption_ends_the_game_at_every_prompt() {
    let line = |text: &str| Input::Line(text.to_string());
    for script in [
        vec![Input::Interrupted],
        vec![line("q"), Input::Interrupted],
        vec![line("1"), line("1"), line("undo"), Input::Interrupted],
    ] {
        let (said, record) = read_answer(game_at("kalah:6,4", "", ["human", "human"]), script);
        assert_eq!(record.ending.map(|e| e.cause.to_string()).as_deref(), Some("abandoned"), "{said}");
        assert!(said.ends_with("\nThe game is unfinished.\n"), "{said}");
    }
    let (_, record) = read_answer(game_at("kalah:6,4", "", ["bad", "bad"]), vec![Input::Interrupted]);
    assert_eq!(record.ending.map(|e| e.cause.to_string()).as_deref(), Some("abandoned"));
}

#[test]
fn the_end_of_input_at_a_question_says_no_and_the_game_goes_on_if_more_is_typed() {
    let line = |text: &str| Input::Line(text.to_string());
    let script = vec![line("q"), Input::End, line("1"), line("q"), line("y")];
    let (said, record) = read_answer(game_at("kalah:6,4", "", ["human", "human"]), script);
    assert_eq!(record.moves, ["1"], "{said}");
}

#[test]
fn long_names_are_cut_and_equal_names_get_their_side() {
    let long = "human@Wolfgang Amadeus Mozart the Younger";
    let said = transcript(game_at("kalah:6,4", "", [long, "bad"]), &[]);
    assert!(said.contains("Wolfgang Amadeus Mozart… resigns."), "{said}");
    let said = transcript(game_at("kalah:6,4", "", ["human@Bob", "bad@Bob"]), &["1"]);
    assert!(said.contains("Bob (South), hole (1-6):") && said.contains("Bob (North) plays 1."), "{said}");
}

#[test]
fn records_have_full_player_specs_and_the_callers_tags() {
    let mut prepared = game_at("kalah:3,2", "", ["human@Anna", "minimax:depth=2@Ann"]);
    prepared.settings.time = "5m+3s".parse().expect("a time control");
    prepared.settings.tags = vec![("Date".to_string(), "2026-01-31".to_string())];
    let (_, record) = played(prepared, &["1"]);
    let tags: Vec<String> = record.tags.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(
        tags,
        ["First=human@Anna", "Second=minimax:depth=2@Ann", "Date=2026-01-31", "Seed=1", "Clock=5m+3s"]
    );
}

#[test]
fn a_wide_board_is_drawn_narrow_on_40_columns() {
    for spec in ["kalah:6,4", "kalah:12,12"] {
        let mut session = game_at(spec, "", ["human", "bad"]);
        session.term.width = 40;
        let said = transcript(session, &["help", "x", "moves", "q"]);
        let widest = said.lines().max_by_key(|line| line.chars().count()).unwrap_or_default();
        assert!(widest.chars().count() <= 40 && !said.contains("columns wide"), "{spec}: {widest}\n{said}");
    }
    // Where the board fits only without its margin, it has none.
    let mut session = game_at("connect:19,3,4", "", ["human", "bad"]);
    session.term.width = 40;
    assert!(transcript(session, &[]).contains("\n| | |"));
    // Wider ones have one character a column.
    let mut session = game_at("connect:30,3,4", "", ["human", "bad"]);
    session.term.width = 40;
    let said = transcript(session, &[]);
    assert!(said.lines().all(|line| line.chars().count() <= 40) && !said.contains("columns wide"), "{said}");
    let mut session = game_at("connect:64,3,4", "", ["human", "bad"]);
    session.term.width = 40;
    let said = joined(&transcript(session, &[]));
    assert!(said.contains("but the terminal has 40: please widen it."), "{said}");
}
