//! Tests of clocks at the terminal: charged times, the clock in the prompt, time forfeits.

use crate::common::{Prepared, ending, game_at, played, settings, transcript};
use parlor_console::{NoArchive, ScriptedTerminal};
use parlor_core::Side;
use parlor_session::Micros;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// A game of Kalah in which each line takes a second to type.
fn timed(control: &str, players: [&'static str; 2]) -> Prepared {
    game_at("kalah:6,4", "", players).timed(control, SECOND)
}

#[test]
fn the_first_move_is_not_charged_and_the_base_is_for_the_first_timed_move() {
    let said = transcript(timed("10s+60s", ["human", "human"]), &["help", "1", "1", "1"]);
    // Both start with the base. The increment comes with each timed move.
    assert_eq!(said.matches("South [0:10], hole").count(), 3, "{said}");
    assert!(said.contains("North [0:10], hole") && said.contains("North [1:09], hole"), "{said}");
}

#[test]
fn all_input_in_a_turn_is_charged_to_one_clock() {
    let lines = ["1", "help", "moves", "board", "x", "", "q", "n", "1", "2"];
    let said = transcript(timed("20s+1s", ["human", "bad"]), &lines);
    for left in ["0:19", "0:18", "0:17", "0:16", "0:15"] {
        assert_eq!(said.matches(&format!("South [{left}], hole")).count(), 1, "{left}: {said}");
    }
    assert_eq!(said.matches("South [0:14]").count(), 0, "two lines went into the question: {said}");
    // Then each move takes a second and brings one.
    assert_eq!(said.matches("South [0:13], hole").count(), 3, "{said}");
}

#[test]
fn a_takeback_does_not_give_time_back() {
    let said = transcript(timed("20s+1s", ["human", "bad"]), &["1", "help", "undo", "help", "2"]);
    // The takeback leads to the first move; the clock, which has been started, runs on.
    let after = said.split("taken back").nth(1).expect("a takeback");
    for left in ["0:18", "0:17"] {
        assert!(after.contains(&format!("South [{left}], hole")), "{left}: {said}");
    }
}

#[test]
fn time_runs_out_within_a_turn_also_at_a_question() {
    for lines in [vec!["1", "help", "board", "x", "1"], vec!["1", "board", "q", "perhaps", "n"]] {
        let (said, record) = played(timed("3s", ["human", "bad"]), &lines);
        assert!(
            said.contains("South ran out of time.") && said.contains("The winner is North."),
            "{lines:?}: {said}"
        );
        assert_eq!(ending(&record), ("timeout".into(), "second".into()));
    }
}

#[test]
fn the_clock_of_the_side_that_asks_runs_while_the_other_person_answers() {
    let said = transcript(timed("10s", ["human", "human"]), &["1", "1", "undo", "", "", "n"]);
    assert!(said.contains("South [6.0s]"), "the undo took a second and the answer three: {said}");
}

#[test]
fn an_offer_that_is_not_answered_in_time_loses_on_time() {
    let lines = ["1", "1", "undo", "", "", "", "", "y"];
    let (said, record) = played(timed("3s", ["human", "human"]), &lines);
    assert_eq!(said.matches("North, do you agree?").count(), 2, "{said}");
    assert!(said.contains("South ran out of time."), "{said}");
    assert_eq!(ending(&record), ("timeout".into(), "second".into()));
}

#[test]
fn the_prompt_shows_every_time_control() {
    for (control, shown) in [
        ("1m,byoyomi=3x30s", "South [1:00 +3x0:30], hole"),
        ("0s,byoyomi=3x30s", "South [0:30 x3], hole"),
        ("5m,delay=3s", "South [5:00 delay 3.0s], hole"),
        ("5m,bronstein=3s", "South [5:00], hole"),
        ("move=71h", "South [2d 23h], hole"),
        ("free", "South, hole"),
    ] {
        let said = transcript(timed(control, ["human", "bad"]), &[]);
        assert!(said.contains(shown), "{control}: {said}");
    }
}

#[test]
fn a_period_of_byo_yomi_is_lost_when_it_is_used_up() {
    let lines = ["1", "", "", "", "2"];
    let said = transcript(timed("1s,byoyomi=3x2s", ["human", "bad"]), &lines);
    for shown in ["1.0s +3x2.0s", "2.0s x3", "1.0s x3", "0.0s x3"] {
        assert!(said.contains(&format!("South [{shown}], hole")), "{shown}: {said}");
    }
    assert!(said.contains("South [2.0s x2], hole"), "a move leaves the period as it was: {said}");
}

#[test]
fn time_per_move_begins_anew_with_each_move() {
    let lines = ["1", "help", "2", "3"];
    let said = transcript(timed("move=30s", ["human", "bad"]), &lines);
    assert!(said.contains("South [0:29], hole"), "{said}");
    assert!(said.matches("South [0:30], hole").count() >= 3, "{said}");
}

#[test]
fn the_remaining_times_are_available_at_the_end() {
    let clock = game_at("kalah:6,4", "", ["human", "human"]).timed("10s+2s", SECOND);
    let game = parlor_catalog::game("kalah:6,4").expect("a game");
    let mut archive = NoArchive;
    let mut term = ScriptedTerminal::typing(&["1", "1", "q", "y"]);
    term.pace = clock.term.pace;
    let settings = clock.settings;
    let seats = Side::BOTH.map(|side| {
        settings.participant(game.as_ref(), &"human".parse().expect("a spec"), side).expect("a person")
    });
    let mut session = settings.session(game.board(), seats, &mut archive);
    session.play(&mut term).expect("nothing fails");
    let left = session.remaining().map(|left| left.map(|left| left.time));
    assert_eq!(left, [Some(Micros(8_000_000)), Some(Micros(11_000_000))], "{}", term.output);
}

#[test]
fn without_a_time_control_there_are_no_clocks() {
    let game = parlor_catalog::game("kalah:3,2").expect("a game");
    let (settings, mut archive) = (settings(), NoArchive);
    let seats = Side::BOTH.map(|side| {
        settings.participant(game.as_ref(), &"human".parse().expect("a spec"), side).expect("a person")
    });
    let mut session = settings.session(game.board(), seats, &mut archive);
    session.play(&mut ScriptedTerminal::typing(&[])).expect("nothing fails");
    assert_eq!(session.remaining(), [None, None]);
}
