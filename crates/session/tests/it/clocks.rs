//! The meaning of each time control.

use crate::{FIRST, SECOND, connect, connect_timed, ending, people, play, s};
use parlor_core::Side;
use parlor_session::{Command, Micros, Policy, Refused, Remaining, Session, Takebacks, ViolationKind};

/// The remaining time of both sides, in milliseconds.
fn left(session: &Session, now: Micros) -> [i64; 2] {
    session.remaining(now).map(|left| left.map_or(-1, |left| left.time.as_millis()))
}

/// Plays moves of both sides, each after the given number of seconds; returns the time of the last one.
fn moves(session: &mut Session, seconds: &[u64]) -> Micros {
    let mut now = s(0);
    for (number, seconds) in seconds.iter().enumerate() {
        now = now + s(*seconds);
        play(session, ["1", "2", "1", "2", "3", "3"][number], now);
    }
    now
}

#[test]
fn an_increment_is_added_after_each_own_move() {
    let mut session = connect("10s+60s", Policy::engines());
    assert_eq!(session.limits(s(0)).time, Some(s(10).into()), "the base is for the first timed move");
    let now = moves(&mut session, &[4, 5, 6]);
    assert_eq!(left(&session, now), [10_000 - 4_000 + 60_000 - 6_000 + 60_000, 10_000 - 5_000 + 60_000]);
}

#[test]
fn a_base_of_zero_starts_with_the_increment() {
    for control in ["0s+5s", "0s,bronstein=5s"] {
        assert_eq!(left(&connect(control, Policy::engines()), s(0)), [5000, 5000], "{control}");
    }
}

#[test]
fn a_clock_of_people_stands_until_the_first_move() {
    let mut session = connect("10s+2s", people());
    assert_eq!((session.deadline(), session.running()), (None, None));
    play(&mut session, "1", s(7));
    assert_eq!(left(&session, s(7)), [10_000, 10_000], "the first move is neither charged nor rewarded");
    assert_eq!(session.deadline(), Some((SECOND, s(17))));
    play(&mut session, "1", s(11));
    assert_eq!(left(&session, s(12)), [9_000, 8_000]);
}

#[test]
fn a_simple_delay_passes_before_the_clock_runs() {
    let mut session = connect("10s,delay=3s", Policy::engines());
    assert_eq!(left(&session, s(2)), [10_000, 10_000]);
    assert_eq!(session.deadline(), Some((FIRST, s(13) + Micros(20_000))));
    let now = moves(&mut session, &[2, 8]);
    assert_eq!(left(&session, now), [10_000, 5_000]);
}

#[test]
fn a_bronstein_delay_gives_back_what_was_used() {
    let mut session = connect("10s,bronstein=3s", Policy::engines());
    assert_eq!(left(&session, s(2)), [8_000, 10_000], "the clock runs at once");
    assert_eq!(session.deadline(), Some((FIRST, s(10) + Micros(20_000))));
    let now = moves(&mut session, &[2, 8]);
    assert_eq!(left(&session, now), [10_000, 5_000]);
}

#[test]
fn byo_yomi_loses_only_whole_periods() {
    let mut session = connect("10s,byoyomi=3x5s", Policy::engines());
    let remaining =
        |session: &Session, side: Side, now| session.remaining(now)[side.index()].expect("a clock");
    assert_eq!(session.deadline(), Some((FIRST, s(25) + Micros(20_000))));
    let limits = session.limits(s(0));
    assert_eq!(limits.time, Some(s(15).into()), "more would cost a period");
    assert_eq!(limits.clocks.map(|clocks| clocks.left), Some([s(15).into(); 2]));
    assert_eq!(session.limits(s(12)).time, Some(s(3).into()), "the rest of the first period");
    // 10 s of base time, a period, and part of the next one.
    let now = moves(&mut session, &[17, 4]);
    assert_eq!(remaining(&session, FIRST, now), Remaining { time: s(0), periods: 2 });
    assert_eq!(remaining(&session, SECOND, now), Remaining { time: s(6), periods: 3 });
    let limits = session.limits(now);
    assert_eq!((limits.time, limits.clocks), (Some(s(5).into()), None), "a period for the move");
    assert_eq!(limits.deadline, Some((s(10) + Micros(20_000)).into()), "but two before the game is lost");
    assert_eq!(session.limits(now + s(3)).time, Some(s(2).into()), "the rest of it within the turn");
    assert_eq!(session.limits(now + s(6)).time, Some(s(4).into()), "the rest of the last one");
    // A period used to its end is not lost.
    play(&mut session, "3", now + s(5));
    assert_eq!(remaining(&session, FIRST, now + s(5)), Remaining { time: s(0), periods: 2 });
    let late = session.decide(SECOND, Command::text("3"), now + s(5) + s(22)).expect("an event");
    session.apply(&late).expect("it applies");
    assert_eq!(ending(&session), "timeout first");
}

#[test]
fn time_per_move_begins_anew_with_each_move() {
    let mut session = connect("move=3d", people());
    play(&mut session, "1", s(0));
    let day = 86_400;
    assert_eq!(session.deadline(), Some((SECOND, s(3 * day))));
    assert_eq!(session.limits(s(0)).time, None, "no engine thinks for days");
    play(&mut session, "1", s(2 * day));
    assert_eq!(left(&session, s(2 * day)), [3 * day as i64 * 1000; 2]);
    assert_eq!(session.deadline(), Some((FIRST, s(5 * day))));
    session.handle(FIRST, Command::TimeUp, s(5 * day)).expect("time is up");
    assert_eq!(ending(&session), "timeout second");
}

#[test]
fn a_takeback_that_passes_the_turn_on_does_not_shorten_the_next_move() {
    let mut session = connect("move=60s", Policy { takebacks: Takebacks::LastMove, ..people() });
    play(&mut session, "1", s(0));
    play(&mut session, "1", s(5));
    session.handle(FIRST, Command::OfferTakeback, s(15)).expect("an offer");
    session.handle(SECOND, Command::Accept, s(15)).expect("a takeback");
    assert_eq!(session.board().turn(), SECOND);
    play(&mut session, "2", s(20));
    assert_eq!(session.deadline(), Some((FIRST, s(80))), "its whole time for a new move");
}

#[test]
fn a_takeback_to_the_own_decision_does_not_give_time_back() {
    let mut session = connect("move=60s", people());
    for at in [0, 1, 2, 3] {
        play(&mut session, "1", s(at));
    }
    session.handle(FIRST, Command::OfferTakeback, s(13)).expect("an offer");
    session.handle(SECOND, Command::Accept, s(13)).expect("a takeback");
    assert_eq!((session.board().ply(), session.deadline()), (2, Some((FIRST, s(63)))));
}

#[test]
fn sides_may_have_different_time_controls() {
    let mut session = connect_timed(["1s", "nodes=50"], Policy::engines());
    assert_eq!(session.limits(s(0)).time, Some(s(1).into()));
    play(&mut session, "1", s(1));
    assert_eq!((session.limits(s(1)).nodes, session.limits(s(1)).time), (Some(50), None));
    assert_eq!((session.deadline(), left(&session, s(9))), (None, [0, -1]));
}

#[test]
fn limits_contain_the_increment_of_each_side() {
    let clocks = |controls: [&str; 2]| {
        let session = connect_timed(controls, Policy::engines());
        session.limits(s(0)).clocks.map(|clocks| (clocks.left, clocks.increment)).expect("clocks")
    };
    let seconds = |first, second| [s(first).into(), s(second).into()];
    assert_eq!(clocks(["10s+1s", "20s+2s"]), (seconds(10, 20), seconds(1, 2)));
    assert_eq!(clocks(["10s,delay=3s", "20s,bronstein=4s"]), (seconds(13, 20), seconds(3, 4)));
    assert_eq!(clocks(["10s+1s", "nodes=50"]), (seconds(10, 10), seconds(1, 1)), "it has no clock");
}

#[test]
fn an_answer_within_the_grace_is_in_time_and_one_after_it_is_not() {
    let grace = Micros(20_000);
    let mut session = connect("1s+1s", Policy::engines());
    let late = session.decide(FIRST, Command::text("1"), s(1) + grace + Micros(1)).expect("an event");
    let mut lost = connect("1s+1s", Policy::engines());
    lost.apply(&late).expect("it applies");
    assert_eq!(ending(&lost), "timeout second");
    assert_eq!(lost.violation().map(|v| (v.side, v.kind)), Some((FIRST, ViolationKind::Timeout)));
    assert_eq!(lost.violation().map(|v| v.reason.as_str()), Some("took too long (1020 ms; 1000 ms left)"));
    play(&mut session, "1", s(1) + grace);
    assert_eq!(left(&session, s(1) + grace), [1000, 1000], "the overrun is not carried over");
}

#[test]
fn whatever_comes_after_the_time_loses_on_time() {
    let mut session = connect("1s", people());
    play(&mut session, "1", s(0));
    for (by, command) in [
        (SECOND, Command::Resign),
        (FIRST, Command::Resign),
        (SECOND, Command::Fail(ViolationKind::Crash, "crashed".into())),
        (FIRST, Command::OfferTakeback),
        (SECOND, Command::text("9")),
    ] {
        let mut session = connect("1s", people());
        play(&mut session, "1", s(0));
        session.handle(by, command.clone(), s(2)).expect("an event");
        assert_eq!(ending(&session), "timeout first", "{command:?}");
    }
    assert_eq!(session.decide(SECOND, Command::TimeUp, Micros(999_999)), Err(Refused::TimeLeft));
}

#[test]
fn a_paused_clock_charges_nothing_and_has_no_deadline() {
    let mut session = connect("2s", Policy::engines());
    session.clock_mut().pause(Micros(500_000));
    assert_eq!((session.deadline(), left(&session, s(60))), (None, [1500, 2000]));
    session.clock_mut().resume(s(60));
    assert_eq!(session.deadline(), Some((FIRST, s(60) + Micros(1_520_000))));
    play(&mut session, "1", s(61));
    assert_eq!(left(&session, s(61)), [500, 2000]);
}

#[test]
fn time_that_passed_before_a_session_was_restored_counts_at_once() {
    let mut session = connect("move=3d", people());
    play(&mut session, "1", s(0));
    session.clock_mut().charge_elapsed(s(4 * 86_400));
    session.handle(SECOND, Command::text("1"), s(0)).expect("an event");
    assert_eq!(ending(&session), "timeout first");
}

#[test]
fn an_open_offer_does_not_stop_the_clock() {
    let mut session = connect("10s", people());
    play(&mut session, "1", s(0));
    play(&mut session, "1", s(1));
    session.handle(FIRST, Command::OfferTakeback, s(3)).expect("an offer");
    assert_eq!(left(&session, s(5)), [6_000, 9_000]);
    session.handle(SECOND, Command::Accept, s(5)).expect("a takeback");
    assert_eq!(
        left(&session, s(5)),
        [6_000, 10_000],
        "the side that asked gets no time back, the other one does"
    );
    assert_eq!((session.board().ply(), session.deadline()), (0, Some((FIRST, s(11)))), "the clock runs on");
}

#[test]
fn a_session_restored_from_its_events_is_the_same_and_charges_nothing_for_the_time_between() {
    let mut session = connect("10s+0s", people());
    let mut events = vec![play(&mut session, "1", s(0)), play(&mut session, "1", s(3))];
    session.handle(FIRST, Command::OfferTakeback, s(3)).expect("an offer");
    events.push(session.handle(SECOND, Command::Accept, s(4)).expect("a takeback"));
    events.push(play(&mut session, "2", s(5)));
    let mut again = connect("10s+0s", people());
    for mut event in events {
        event.at = s(900);
        again.apply(&event).expect("it applies");
    }
    assert_eq!((again.record(), left(&again, s(900))), (session.record(), left(&session, s(5))));
}

#[test]
fn repeated_takebacks_give_no_time_and_cost_the_other_side_none() {
    let mut session = connect("10s+3s", people());
    play(&mut session, "1", s(0));
    let mut now = s(0);
    for _ in 0..5 {
        // The second side thinks for 2 s, and the first one takes its move back and makes it again.
        now = now + s(2);
        session.handle(FIRST, Command::OfferTakeback, now).expect("an offer");
        session.handle(SECOND, Command::Accept, now).expect("a takeback");
        play(&mut session, "1", now);
    }
    let [first, second] = left(&session, now);
    assert!(first <= 13_000, "one increment at most: {first}");
    assert_eq!(second, 10_000);
}

#[test]
fn an_answer_within_the_grace_keeps_the_last_period() {
    let mut session = connect("0s,byoyomi=1x5s", Policy::engines());
    play(&mut session, "1", s(5) + Micros(10_000));
    assert_eq!(session.remaining(s(6))[0], Some(Remaining { time: s(0), periods: 1 }));
}
