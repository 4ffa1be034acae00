//! Records of Oware by both versions of rule 6: version 1 collected both rows once a player had 25 seeds.

use crate::common::game;
use parlor_core::{Board, Cause, Ending, Match, Outcome, Record, RecordVersion, Side};
use parlor_games::{kalah::Kalah, oware::Oware};

/// Player 1 captures 2 with f and has 25 to 12; a holds 2 seeds, F holds 9.
const START: &str = "2-0-0-0-0-1-1-0-0-0-0-9-23-12-S";

/// The game from `START` with this result, of version 2 or without a version.
fn text(version: &str, result: &str) -> String {
    format!(
        "[Game \"oware\"]{version}\n[Start \"{START}\"]\n[Result \"{result}\"] [Termination \"normal\"]\n\nf\n"
    )
}

const CURRENT: &str = " [Version \"2\"]";

fn replayed(text: &str) -> Result<Match<Oware>, String> {
    let record = Record::parse(text).map_err(|bad| bad.0)?;
    Match::replay(game("oware"), &record).map_err(|bad| bad.0)
}

fn outcome(text: &str) -> Outcome {
    Outcome::parse(text).expect("a result")
}

#[test]
fn a_game_of_version_1_keeps_the_result_it_was_written_with() {
    let written = text("", "first by 6");
    let played = replayed(&written).expect("it replays");
    assert_eq!(Board::ending(&played).and_then(|ending| ending.outcome), Some(outcome("first by 6")));
    assert_eq!(played.final_scores(), Some([27, 21]), "25 and 2, 12 and 9");
    assert_eq!(played.verdict(["Ada", "Ben"]).as_deref(), Some("The winner is Ada (27 to 21)."));
    assert_eq!(Board::record(&played).to_string(), written, "it is written back unchanged");
}

#[test]
fn a_game_of_version_1_may_differ_in_the_margin_and_not_in_the_winner() {
    for result in ["first by 13", "first by 6", "first by 5"] {
        assert!(replayed(&text("", result)).is_ok(), "{result}");
    }
    for result in ["second by 6", "draw", "first"] {
        let error = replayed(&text("", result)).expect_err(result);
        let part = format!("the record says '{result}' (normal), but its moves give 'first by 13' (normal)");
        assert!(error.contains(&part), "{error}");
    }
    let odd = replayed(&text("", "first by 5")).expect("it replays");
    assert_eq!(odd.final_scores(), None, "no scores are shown that do not agree with the result");
}

#[test]
fn a_game_of_version_2_has_the_result_of_the_rules() {
    let played = replayed(&text(CURRENT, "first by 13")).expect("it replays");
    assert_eq!(played.final_scores(), Some([25, 12]));
    assert_eq!(played.verdict(["Ada", "Ben"]).as_deref(), Some("The winner is Ada (25 to 12)."));
    assert!(replayed(&text(CURRENT, "first by 6")).is_err());
}

#[test]
fn a_margin_that_did_not_change_is_checked_in_version_1_too() {
    // Without a legal move both versions collect the rows.
    let stuck =
        "[Game \"oware\"]\n[Start \"0-0-0-0-0-1-0-1-0-0-0-0-23-23-S\"]\n[Result \"second by 4\"]\n\nf\n";
    assert!(replayed(stuck).is_err());
    assert!(replayed(&stuck.replace("by 4", "by 2")).is_ok());
    let kalah = "[Game \"kalah:3,2\"]\n[Start \"0,0,1/0,0,1 5/5 s\"]\n[Result \"RESULT\"]\n\n3\n";
    let replayed = |result: &str| {
        let record = Record::parse(&kalah.replace("RESULT", result)).expect("a record");
        Match::replay(game::<Kalah>("kalah:3,2"), &record).map(|_| ()).map_err(|bad| bad.0)
    };
    assert_eq!(replayed("draw"), Ok(()));
    assert!(replayed("first by 2").is_err());
}

#[test]
fn a_stored_result_is_kept_by_a_game_that_the_rules_have_ended() {
    let ended = || replayed(&text(CURRENT, "first by 13")).expect("it replays");
    let mut board: Box<dyn Board> = Box::new(ended());
    assert!(board.keep_result(outcome("first by 13")), "the result of today");
    assert_eq!(board.record().version, RecordVersion::V2);
    assert!(!board.keep_result(outcome("second by 6")) && !board.keep_result(Outcome::DRAW));
    assert_eq!(board.ending().and_then(|ending| ending.outcome), Some(outcome("first by 13")));
    assert!(board.keep_result(outcome("first by 6")));
    assert_eq!(board.final_scores(), Some([27, 21]));
    let again = replayed(&board.record().to_string()).expect("what is kept reads back");
    assert_eq!(Board::ending(&again), board.ending());
    let mut resigned = Match::new(game::<Oware>("oware"));
    assert!(!resigned.keep_result(outcome("first by 6")), "it goes on");
    resigned.close(Ending::lost_by(Side::Second, Cause::Resigned));
    assert!(!resigned.keep_result(outcome("first by 6")));
}

#[test]
fn a_game_that_is_played_on_is_of_version_2() {
    let mut played = replayed(&text("", "first by 6")).expect("it replays");
    played.undo();
    played.play("f").expect("legal");
    assert_eq!(played.record().to_string(), text(CURRENT, "first by 13"));
    let open = format!("[Game \"oware\"]\n[Start \"{START}\"]\n[Result \"*\"]\n");
    let mut open = replayed(&open).expect("it replays");
    assert_eq!(open.record().version, RecordVersion::V1);
    assert!(open.close(Ending::lost_by(Side::First, Cause::Resigned)));
    assert_eq!(open.record().version, RecordVersion::V2);
}

#[test]
fn after_a_surrender_the_scores_as_they_stand_are_there() {
    let start =
        format!("[Game \"oware\"]\n[Start \"{START}\"]\n[Result \"second\"] [Termination \"resigned\"]\n");
    let resigned = replayed(&start).expect("it replays");
    assert_eq!((resigned.final_scores(), resigned.scores()), (None, Some([23, 12])));
}
