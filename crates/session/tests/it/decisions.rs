//! Moves, offers, claims, failures, and the endings that follow.

use crate::{FIRST, SECOND, connect, ending, oware, people, play, refusal, s};
use parlor_core::{Answer, Cause, Ending, Failure, Outcome};
use parlor_session::{Command, Corrupt, Event, EventKind, MoveInput, Policy, Refused, Session, Takebacks};
use std::time::Duration;

/// One seed on each side: the only moves carry both around the board, and the position returns after 12 moves.
const CIRCLING: &str = "1-0-0-0-0-0-1-0-0-0-0-0-23-23-S";
/// One row is empty, so repetition cannot be claimed.
const ONE_ROW: &str = "0-0-0-0-0-2-0-0-0-0-0-0-23-23-S";
const START: &str = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";

/// Makes this many first legal moves.
fn first_moves(session: &mut Session, count: usize) -> Vec<Event> {
    (0..count)
        .map_while(|_| {
            let text = session.board().moves().first()?.clone();
            Some(play(session, &text, s(0)))
        })
        .collect()
}

/// The ending of a game of programs in which the second side gives this answer.
fn answered(answer: Result<Answer, Failure>) -> (String, Option<String>) {
    let mut session = connect("free", Policy::engines());
    play(&mut session, "1", s(0));
    session.handle(SECOND, answer.into(), s(0)).expect("an event");
    (ending(&session), session.violation().map(|violation| violation.kind.to_string()))
}

#[test]
fn every_answer_and_failure_of_a_program_has_one_meaning() {
    let lost = |cause: &str, kind: &str| (format!("{cause} first"), Some(kind.to_string()));
    assert_eq!(answered(Ok(Answer::Move("9".into()))), lost("illegal", "illegal"));
    assert_eq!(answered(Ok(Answer::NoMove)), lost("illegal", "illegal"));
    assert_eq!(answered(Ok(Answer::Claim)), lost("illegal", "illegal"));
    assert_eq!(answered(Ok(Answer::Resign)), ("resigned first".into(), None));
    assert_eq!(answered(Err(Failure::Timeout(Duration::ZERO))), lost("timeout", "timeout"));
    assert_eq!(answered(Err(Failure::Crash("x".into()))), lost("crash", "crash"));
    assert_eq!(answered(Err(Failure::Start("x".into()))), lost("crash", "start"));
    assert_eq!(answered(Err(Failure::Garbage("x".into()))), lost("illegal", "garbage"));
}

#[test]
fn a_person_is_refused_where_a_program_loses() {
    let session = connect("free", people());
    assert!(matches!(refusal(&session, FIRST, Command::text("9")), Refused::IllegalMove(_)));
    assert!(matches!(refusal(&session, FIRST, Command::ClaimRepetition), Refused::NoClaim(_)));
    let mixed = connect("free", Policy::people([true, false]));
    let event = mixed.decide(FIRST, Command::text("9"), s(0)).expect("an event");
    let EventKind::End { ending, violation } = event.kind else { panic!("{event:?}") };
    assert_eq!(ending, Ending::lost_by(FIRST, Cause::Illegal));
    let reason = violation.expect("a violation").reason;
    assert!(reason.starts_with("played '9': ") && reason.ends_with("; legal: 1 2 3 4"), "{reason}");
}

#[test]
fn moves_come_as_text_or_as_a_path_and_only_from_the_side_to_move() {
    let mut session = connect("free", people());
    assert_eq!(refusal(&session, SECOND, Command::text("1")), Refused::NotYourTurn);
    let path = session.board().paths()[2].clone();
    let event = session.handle(FIRST, Command::Move(MoveInput::Path(path)), s(0)).expect("a move");
    assert_eq!(event.kind, EventKind::Move("3".into()));
    let nowhere = Command::Move(MoveInput::Path(vec![77]));
    assert!(matches!(refusal(&session, SECOND, nowhere), Refused::IllegalMove(_)));
}

#[test]
fn a_refused_command_and_a_mere_decision_change_nothing() {
    let mut session = connect("10s", people());
    play(&mut session, "1", s(0));
    let before = (session.record(), session.remaining(s(5)), session.offer());
    for command in [Command::text("9"), Command::text("2"), Command::Resign, Command::Abandon] {
        let _ = session.decide(SECOND, command, s(5));
    }
    assert_eq!((session.record(), session.remaining(s(5)), session.offer()), before);
}

#[test]
fn programs_end_at_the_second_occurrence_and_people_do_not() {
    let mut programs = oware(CIRCLING, Policy::engines());
    assert_eq!(first_moves(&mut programs, 40).len(), 12);
    assert_eq!(ending(&programs), "cycle draw");
    let mut people = oware(CIRCLING, people());
    first_moves(&mut people, 23);
    assert!(!people.policy().points_out_repetition(people.board()), "the second occurrence has passed");
    first_moves(&mut people, 1);
    assert!(people.policy().points_out_repetition(people.board()), "the third occurrence");
    first_moves(&mut people, 40);
    assert_eq!(ending(&people), "none");
}

#[test]
fn a_claim_with_right_is_an_offer_and_ends_the_game_when_it_is_accepted() {
    for policy in [people(), Policy::engines()] {
        let mut session = oware(START, policy);
        session.handle(FIRST, Command::ClaimRepetition, s(0)).expect("an offer");
        assert_eq!(ending(&session), "none");
        assert_eq!(refusal(&session, FIRST, Command::Accept), Refused::OwnOffer);
        session.handle(SECOND, Command::Accept, s(0)).expect("accepted");
        assert_eq!(ending(&session), "cycle draw");
    }
}

#[test]
fn a_declined_claim_cannot_be_repeated_in_the_same_position() {
    for (policy, ends) in [(people(), "none"), (Policy::engines(), "illegal second")] {
        let mut session = oware(START, policy);
        session.handle(FIRST, Command::ClaimRepetition, s(0)).expect("an offer");
        session.handle(SECOND, Command::Decline, s(0)).expect("declined");
        assert_eq!((ending(&session).as_str(), session.board().turn()), ("none", FIRST), "the game goes on");
        let again = session.handle(FIRST, Command::ClaimRepetition, s(0));
        assert_eq!(again.is_err(), ends == "none");
        assert_eq!(ending(&session), ends);
    }
    let mut session = oware(START, people());
    session.handle(FIRST, Command::ClaimRepetition, s(0)).expect("an offer");
    session.handle(SECOND, Command::Decline, s(0)).expect("declined");
    first_moves(&mut session, 2);
    session.handle(FIRST, Command::ClaimRepetition, s(0)).expect("another position");
}

#[test]
fn a_claim_where_a_row_is_empty_is_without_right() {
    let session = oware(ONE_ROW, people());
    assert!(matches!(refusal(&session, FIRST, Command::ClaimRepetition), Refused::NoClaim(_)));
    assert_eq!(refusal(&session, SECOND, Command::ClaimRepetition), Refused::NotYourTurn);
    let mut programs = oware(ONE_ROW, Policy::engines());
    programs.handle(FIRST, Command::ClaimRepetition, s(0)).expect("an event");
    assert_eq!(ending(&programs), "illegal second");
}

#[test]
fn a_takeback_goes_to_the_own_decision_or_to_the_last_move() {
    let with = |takebacks| {
        let mut session = connect("free", Policy { takebacks, ..people() });
        first_moves(&mut session, 4);
        session
    };
    let mut own = with(Takebacks::OwnDecision);
    own.handle(SECOND, Command::OfferTakeback, s(0)).expect("an offer");
    own.handle(FIRST, Command::Accept, s(0)).expect("accepted");
    assert_eq!(own.board().ply(), 3);
    own.handle(SECOND, Command::OfferTakeback, s(0)).expect("an offer");
    own.handle(FIRST, Command::Accept, s(0)).expect("accepted");
    assert_eq!(own.board().ply(), 1);
    let mut last = with(Takebacks::LastMove);
    for ply in [3, 2, 1, 0] {
        let side = last.board().turn();
        last.handle(side, Command::OfferTakeback, s(0)).expect("an offer");
        last.handle(side.other(), Command::Accept, s(0)).expect("accepted");
        assert_eq!(last.board().ply(), ply);
    }
    assert_eq!(refusal(&last, FIRST, Command::OfferTakeback), Refused::NothingToTakeBack);
    assert_eq!(refusal(&with(Takebacks::None), FIRST, Command::OfferTakeback), Refused::NoTakebacks);
}

#[test]
fn an_offer_is_declined_withdrawn_or_dropped_by_the_next_move() {
    let mut session = connect("free", people());
    first_moves(&mut session, 2);
    for by in [SECOND, FIRST] {
        session.handle(FIRST, Command::OfferTakeback, s(0)).expect("an offer");
        session.handle(by, Command::Decline, s(0)).expect("closed");
        assert_eq!((session.offer(), session.board().ply()), (None, 2));
    }
    session.handle(FIRST, Command::OfferTakeback, s(0)).expect("an offer");
    first_moves(&mut session, 1);
    assert_eq!(refusal(&session, SECOND, Command::Accept), Refused::NothingOffered);
    assert_eq!(refusal(&session, SECOND, Command::Decline), Refused::NothingOffered);
}

#[test]
fn drivers_end_games_and_players_abort_early_ones() {
    let ends = |command: Command, plies: usize| {
        let mut session = connect("free", people());
        first_moves(&mut session, plies);
        let refused = session.handle(FIRST, command, s(0)).err();
        refused.map_or_else(|| ending(&session), |refused| format!("{refused:?}"))
    };
    assert_eq!(ends(Command::Adjudicate(Some(Outcome::win(SECOND))), 1), "adjudicated second");
    assert_eq!(ends(Command::Abandon, 3), "abandoned *");
    assert_eq!(ends(Command::Abort, 1), "abandoned *");
    assert_eq!(ends(Command::Abort, 2), "TooLateToAbort");
    assert_eq!(ends(Command::Resign, 2), "resigned second");
}

#[test]
fn a_finished_game_refuses_every_command() {
    let mut session = connect("1s", people());
    session.handle(FIRST, Command::Resign, s(0)).expect("the end");
    for command in
        [Command::text("1"), Command::Resign, Command::OfferTakeback, Command::TimeUp, Command::Abandon]
    {
        assert_eq!(refusal(&session, SECOND, command), Refused::Over);
    }
}

fn end(cause: Cause, outcome: Option<Outcome>) -> Event {
    let ending = Ending { cause, outcome };
    Event { kind: EventKind::End { ending, violation: None }, at: s(0), left: [None; 2] }
}

#[test]
fn a_stored_end_that_follows_from_the_moves_changes_nothing() {
    let mut session = oware(CIRCLING, Policy::engines());
    first_moves(&mut session, 12);
    let before = session.record();
    session.apply(&end(Cause::Cycle, Some(Outcome::DRAW))).expect("it applies");
    assert_eq!(session.record(), before);
    session.apply(&end(Cause::Cycle, Some(Outcome::DRAW))).expect("once more");
    assert_eq!(session.record(), before);
    let other = end(Cause::Resigned, Some(Outcome::win(FIRST)));
    assert_eq!(session.apply(&other), Err(Corrupt("the game has ended already".into())));
}

#[test]
fn logs_of_builds_that_ended_games_later_go_on() {
    let mut people = oware(CIRCLING, people());
    let events = first_moves(&mut people, 14);
    let mut programs = oware(CIRCLING, Policy::engines());
    for event in &events {
        programs.apply(event).expect("it applies");
    }
    assert_eq!((programs.board().ply(), ending(&programs)), (14, "cycle draw".to_string()));
    programs.apply(&end(Cause::Resigned, Some(Outcome::win(FIRST)))).expect("the log is right");
    assert_eq!(ending(&programs), "resigned first");
}

#[test]
fn a_damaged_log_is_refused() {
    let mut session = connect("free", people());
    let event = |kind| Event { kind, at: s(0), left: [None; 2] };
    assert!(session.apply(&event(EventKind::Move("9".into()))).is_err());
    assert!(session.apply(&event(EventKind::Takeback(0))).is_err());
}
