//! Time controls in games between programs, with a clock that only the players advance.

use crate::players::{Timed, Turn::Move, first_move, manual_clock, millis};
use parlor_catalog::{Manual, game};
use parlor_core::{Answer, Board, Failure, Limits, Player, Report};
use parlor_session::{Micros, Remaining, TimeControl, ViolationKind};
use parlor_tournament::{Entrant, Played, Referee, TournamentPlan};
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

fn time(text: &str) -> TimeControl {
    text.parse().expect("a time control")
}

/// Plays a game of four in a row between these players.
fn play(referee: &Referee, players: [&mut dyn Player; 2]) -> Played {
    let board = game("connect:7,6,4").expect("a game").board();
    referee.play(board, players, &AtomicBool::new(false), None)
}

/// Plays a game in which the first side uses these milliseconds for its moves and the second side none. Returns the
/// time limits of the first side's turns and the game.
fn timed(control: &str, takes: &[u64]) -> (Vec<u128>, Played) {
    let clock = manual_clock();
    let turns: Vec<_> = takes.iter().map(|&takes| Move(takes)).collect();
    let [mut first, mut second] = [Timed::new(&clock, &turns), Timed::new(&clock, &[])];
    let played = play(&Referee::new(time(control), clock), [&mut first, &mut second]);
    let limits = first.times().into_iter().take(takes.len()).collect();
    (limits, played)
}

/// Milliseconds and periods that the first side had left at the end.
fn left(played: &Played) -> (i64, u32) {
    let Remaining { time, periods } = played.remaining[0].expect("a clock");
    (time.as_millis(), periods)
}

fn violation(played: Played) -> Option<(ViolationKind, String)> {
    played.violation.map(|violation| (violation.kind, violation.reason))
}

#[test]
fn a_clock_starts_with_its_base_and_gets_the_increment_after_each_move() {
    let (limits, _) = timed("10s+60s", &[5000, 5000, 0]);
    assert_eq!(limits, [10_000, 65_000, 120_000]);
}

#[test]
fn a_clock_runs_down_over_the_whole_game() {
    let (limits, played) = timed("100ms+5ms", &[40, 40, 40, 40]);
    assert_eq!(limits, [100, 65, 30, 5], "40 ms fit into 30 ms and the margin, not into 5 ms and the margin");
    let reason = "took too long (40 ms; 5 ms left)".to_string();
    assert_eq!(violation(played), Some((ViolationKind::Timeout, reason)));
}

#[test]
fn an_answer_within_the_margin_counts_and_a_later_one_loses() {
    assert_eq!(timed("move=100ms", &[120]).1.violation, None);
    let (_, played) = timed("move=100ms", &[121]);
    assert_eq!(played.thought[0], millis(121));
    let reason = "took too long (121 ms; 100 ms allowed)".to_string();
    assert_eq!(violation(played), Some((ViolationKind::Timeout, reason)));
}

#[test]
fn a_simple_delay_passes_before_the_clock_runs() {
    let (limits, played) = timed("10s,delay=3s", &[2000, 8000, 0]);
    assert_eq!(limits, [13_000, 13_000, 8000]);
    assert_eq!(left(&played), (5000, 0));
}

#[test]
fn a_bronstein_delay_gives_back_what_was_used() {
    let (limits, played) = timed("10s,bronstein=3s", &[2000, 8000, 0]);
    assert_eq!(limits, [10_000, 10_000, 5000]);
    assert_eq!(left(&played), (5000, 0));
}

#[test]
fn byo_yomi_loses_a_period_for_each_that_is_used_up() {
    let (limits, played) = timed("10s,byoyomi=3x5s", &[4000, 13_000, 5000, 5001]);
    // The base time and one period, then one period for each move, because more time would use up a period.
    assert_eq!(limits, [15_000, 11_000, 5000, 5000]);
    assert_eq!((left(&played), violation(played)), ((0, 1), None));
    let (_, played) = timed("10s,byoyomi=3x5s", &[25_021]);
    let reason = "took too long (25021 ms; 25000 ms left)".to_string();
    assert_eq!(violation(played), Some((ViolationKind::Timeout, reason)));
}

#[test]
fn the_examples_of_the_documentation_hold() {
    for (control, expected) in [
        ("10s+2s", None),
        ("10s,delay=2s", Some((1000, 0))),
        ("10s,bronstein=2s", None),
        ("10s,byoyomi=3x5s", Some((0, 3))),
        ("move=8s", Some((8000, 0))),
    ] {
        let (_, played) = timed(control, &[5000, 8000]);
        let remaining = played.violation.is_none().then(|| left(&played));
        assert_eq!(remaining, expected, "{control}");
    }
}

/// A player that measures its own thinking time, while the referee's machine delays questions and answers.
struct SelfTimed(Arc<Manual>);

impl Player for SelfTimed {
    fn choose(
        &mut self,
        board: &dyn Board,
        _: &Limits,
        _: &AtomicBool,
        _: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure> {
        self.0.advance(millis(5000));
        Ok(first_move(board))
    }

    fn thought(&self) -> Option<Duration> {
        Some(millis(10))
    }
}

#[test]
fn delays_of_the_referee_are_charged_to_neither_side() {
    let clock = manual_clock();
    let [mut first, mut second] = [SelfTimed(clock.clone()), SelfTimed(clock.clone())];
    let played = play(&Referee::new(time("1s"), clock), [&mut first, &mut second]);
    assert_eq!(played.violation, None);
    let moves = played.record.moves.len() as u64;
    let used = [moves.div_ceil(2), moves / 2].map(|moves| Micros::from_millis(1000) - Micros(moves * 10_000));
    assert_eq!(played.remaining.map(|left| left.expect("a clock").time), used);
}

/// A plan with two players, each with its own time control and margin, if given.
fn plan(margin: Option<Duration>, own: [(Option<&str>, Option<u64>); 2]) -> TournamentPlan {
    let players = own.iter().zip(["one", "two"]).map(|((own_time, margin), name)| Entrant {
        name: name.into(),
        spec: "bad".into(),
        time: own_time.map(time),
        margin: margin.map(millis),
    });
    TournamentPlan {
        name: "a test".into(),
        games: vec!["connect:7,6,4".into()],
        time: time("move=100ms"),
        margin,
        players: players.collect(),
        ..TournamentPlan::default()
    }
}

/// Plays a game of this plan in which the players use these milliseconds for their first turn. Returns their time
/// limits and the game.
fn planned(plan: &TournamentPlan, players: [usize; 2], takes: [u64; 2]) -> (Vec<Vec<u128>>, Played) {
    let clock = manual_clock();
    let mut timed = takes.map(|takes| Timed::new(&clock, &[Move(takes)]));
    let [first, second] = &mut timed;
    let played = play(&Referee::of(plan, players, clock.clone()), [first, second]);
    (timed.iter().map(|player| player.times().into_iter().take(1).collect()).collect(), played)
}

#[test]
fn a_player_has_its_own_time_control_on_both_sides() {
    let plan = plan(None, [(Some("1s+1s"), None), (None, None)]);
    let (limits, played) = planned(&plan, [0, 1], [1000, 120]);
    assert_eq!((limits, played.violation), (vec![vec![1000], vec![100]], None));
    let (limits, played) = planned(&plan, [1, 0], [121, 0]);
    assert_eq!(limits[0], [100]);
    assert_eq!(violation(played).map(|(kind, _)| kind), Some(ViolationKind::Timeout));
}

#[test]
fn a_player_has_its_own_margin_or_that_of_the_plan_or_20_ms() {
    let loses = |plan: &TournamentPlan, takes: [u64; 2]| {
        planned(plan, [0, 1], takes).1.violation.map(|it| it.side.index())
    };
    let own = plan(Some(millis(50)), [(None, None), (None, Some(0))]);
    assert_eq!(loses(&own, [150, 100]), None);
    assert_eq!(loses(&own, [151, 0]), Some(0));
    assert_eq!(loses(&own, [0, 101]), Some(1));
    let usual = plan(None, [(None, None), (None, Some(300))]);
    assert_eq!(loses(&usual, [120, 400]), None);
    assert_eq!(loses(&usual, [121, 0]), Some(0));
    assert_eq!(loses(&usual, [0, 401]), Some(1));
}

#[test]
fn the_settings_of_a_player_are_part_of_the_fingerprint() {
    let usual = plan(None, [(None, None), (None, None)]).fingerprint();
    assert!(usual.contains("\ntime move=100ms\n") && !usual.contains("margin"), "{usual}");
    let own = plan(Some(millis(50)), [(Some("5m"), Some(30)), (None, None)]).fingerprint();
    assert!(
        own.contains("\nmargin 50ms\nplayer one = bad\ttime 5m+0ms\tmargin 30ms\nplayer two = bad"),
        "{own}"
    );
}

#[test]
fn fingerprints_write_clocks_as_older_builds_did() {
    let with = |text: &str| {
        TournamentPlan { time: time(text), ..plan(None, [(None, None), (None, None)]) }.fingerprint()
    };
    for (text, written) in
        [("10s", "10s+0ms"), ("3h+1m", "180m+1m"), ("move=2h", "move=120m"), ("free", "free")]
    {
        assert!(with(text).contains(&format!("\ntime {written}\n")), "{text}");
    }
}

#[test]
fn a_margin_is_at_most_10_seconds() {
    let own = plan(None, [(None, None), (None, Some(10_001))]);
    assert_eq!(
        own.check().expect_err("too long").0,
        "player 2: margin: 10.001s is not a time from 0ms to 10s"
    );
    let all = plan(Some(millis(60_000)), [(None, None), (None, None)]);
    assert_eq!(all.check().expect_err("too long").0, "margin: 1m is not a time from 0ms to 10s");
    plan(Some(millis(10_000)), [(None, None), (None, Some(0))]).check().expect("a good plan");
}
