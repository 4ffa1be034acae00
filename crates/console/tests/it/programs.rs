//! Tests of programs at the terminal: violations, and claims that a person answers.

use crate::common::{ending, game_at, joined, played};
use parlor_core::{Answer, Board, Failure, Limits, Player, Report, Side};
use parlor_testkit::{DoesNotStart, Scripted};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

/// A program that gives the same answer each time.
fn always(answer: Result<Answer, Failure>) -> impl Player {
    Scripted(move |_: &dyn Board| answer.clone())
}

#[test]
fn a_program_with_an_invalid_claim_of_repetition_loses_at_once() {
    for opponent in ["human", "bad"] {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        let claims = Scripted(move |_: &dyn Board| {
            count.fetch_add(1, Ordering::Relaxed);
            Ok(Answer::Claim)
        });
        let mut prepared = game_at("kalah:6,4", "", [opponent, "human"]).with_program(Side::Second, claims);
        prepared.settings.pause = false;
        let (said, record) = played(prepared, &["1"]);
        assert_eq!(ending(&record), ("illegal".into(), "first".into()), "{said}");
        assert!(said.contains("North claimed repetition wrongly: "), "{said}");
        assert_eq!(asked.load(Ordering::Relaxed), 1);
    }
}

#[test]
fn a_valid_claim_of_a_program_is_offered_to_the_person() {
    let claims =
        || game_at("oware", "", ["human", "human"]).with_program(Side::Second, always(Ok(Answer::Claim)));
    let (said, record) = played(claims(), &["a", "y"]);
    let question = "Player 2 claims repetition: each player would keep the seeds on their own side.";
    assert!(said.contains(question) && said.contains("Player 1, do you agree? (y/n)"), "{said}");
    assert_eq!(ending(&record).0, "cycle");
    let (said, record) = played(claims(), &["a", "n"]);
    assert_eq!(said.matches(question).count(), 1, "{said}");
    assert!(said.contains("The game continues.\n"), "{said}");
    assert_eq!(
        ending(&record),
        ("illegal".into(), "first".into()),
        "it claims again in the same position: {said}"
    );
}

#[test]
fn the_clock_of_a_program_that_claims_runs_while_the_person_is_asked() {
    let claims = always(Ok(Answer::Claim));
    let prepared = game_at("oware", "", ["human", "human"]).with_program(Side::Second, claims);
    let (said, record) = played(prepared.timed("3s", Duration::from_secs(1)), &["a", "", "", "", "", "y"]);
    assert_eq!(ending(&record), ("timeout".into(), "first".into()), "{said}");
}

#[test]
fn a_program_that_does_not_start_loses_and_the_record_has_it() {
    let prepared =
        game_at("kalah:6,4", "", ["human", "human"]).with_program(Side::Second, DoesNotStart("no such file"));
    let (said, record) = played(prepared, &["1"]);
    assert_eq!((ending(&record), record.moves.len()), (("crash".into(), "first".into()), 0));
    assert!(said.contains("North could not be started: no such file.\nThe winner is South.\n"), "{said}");
}

#[test]
fn every_answer_and_failure_of_a_program_has_its_ending_and_its_reason() {
    for (answer, cause, reason) in [
        (
            Ok(Answer::Move("9".into())),
            "illegal",
            "North played '9': there is no hole 9; holes are numbered from 1 to 6; legal: 1 2 3 4 5 6.",
        ),
        (Ok(Answer::NoMove), "illegal", "North answered that it has no move."),
        (Ok(Answer::Resign), "resigned", "North resigns."),
        (Err(Failure::Timeout(Duration::from_millis(7))), "timeout", "North took too long (7 ms)."),
        (Err(Failure::Crash("it died".into())), "crash", "North crashed: it died."),
        (Err(Failure::Garbage("x".into())), "illegal", "North broke the protocol: x."),
    ] {
        let prepared =
            game_at("kalah:6,4", "", ["human", "human"]).with_program(Side::Second, always(answer));
        let (said, record) = played(prepared, &["1"]);
        assert!(joined(&said).contains(reason), "{reason}\n{said}");
        assert_eq!(ending(&record), (cause.to_string(), "first".into()));
    }
}

/// A program that plays the first hole and reports its thinking time.
struct Thinks(Duration);

impl Player for Thinks {
    fn choose(
        &mut self,
        _: &dyn Board,
        _: &Limits,
        _: &AtomicBool,
        _: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure> {
        Ok(Answer::Move("1".into()))
    }

    fn thought(&self) -> Option<Duration> {
        Some(self.0)
    }
}

#[test]
fn a_program_is_charged_for_its_thinking_time_only() {
    let game = |seconds| {
        let program = Thinks(Duration::from_secs(seconds));
        let prepared = game_at("kalah:6,4", "", ["human", "human"]).with_program(Side::Second, program);
        played(prepared.timed("5s", Duration::from_secs(1)), &["1", "help", "2"])
    };
    let (said, record) = game(6);
    assert!(said.contains("North took too long (6000 ms; 5000 ms left)."), "{said}");
    assert_eq!(ending(&record), ("timeout".into(), "first".into()));
    let (said, record) = game(5);
    assert_eq!((ending(&record).0.as_str(), record.moves.len()), ("timeout", 3), "{said}");
}
