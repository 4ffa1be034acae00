//! The referee against players that fail, claim, are stopped or use too much processor time.

use crate::players::{Timed, Turn, first_move, manual_clock, millis, player};
use parlor_catalog::{Monotonic, Resources, game};
use parlor_core::{Answer, Board, Cause, Failure, Limits, Offer, Outcome, Player, Record, Report, Side};
use parlor_session::{TimeControl, ViolationKind};
use parlor_testkit::{DoesNotStart, Scripted};
use parlor_tournament::{Played, Referee};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

fn untimed() -> Referee {
    Referee::new(TimeControl::Unlimited, manual_clock())
}

/// Plays a game from the standard start, or from this position.
fn play(referee: &Referee, spec: &str, start: Option<&str>, players: [&mut dyn Player; 2]) -> Played {
    let game = game(spec).expect("a game");
    let board = start.map_or_else(|| game.board(), |start| game.board_at(start).expect("a position"));
    let played = referee.play(board, players, &AtomicBool::new(false), None);
    game.replay(&played.record).expect("it replays");
    played
}

fn ending(played: &Played) -> (Cause, Option<Outcome>) {
    let ending = played.record.ending.expect("an end");
    (ending.cause, ending.outcome)
}

/// The ending of a game of Kalah in which the first side gives this answer.
fn ends(
    answer: impl FnMut(&dyn Board) -> Result<Answer, Failure> + Send,
) -> (Cause, Option<Outcome>, Option<ViolationKind>) {
    let game = game("kalah:3,2").expect("a game");
    let played =
        play(&untimed(), "kalah:3,2", None, [&mut Scripted(answer), player(game.as_ref(), "bad").as_mut()]);
    let (cause, outcome) = ending(&played);
    (cause, outcome, played.violation.map(|violation| violation.kind))
}

#[test]
fn a_failing_program_loses_and_the_record_has_the_cause() {
    let lost = Some(Outcome::win(Side::Second));
    let illegal = (Cause::Illegal, lost, Some(ViolationKind::Illegal));
    assert_eq!(ends(|_| Ok(Answer::Move("9".into()))), illegal);
    assert_eq!(ends(|_| Ok(Answer::NoMove)), illegal);
    assert_eq!(ends(|_| Ok(Answer::Claim)), illegal);
    assert_eq!(ends(|_| Ok(Answer::Resign)), (Cause::Resigned, lost, None));
    let crash = (Cause::Crash, lost, Some(ViolationKind::Crash));
    assert_eq!(ends(|_| Err(Failure::Crash("gone".into()))), crash);
    assert_eq!(ends(|_| panic!("on purpose")), crash);
    let start = (Cause::Crash, lost, Some(ViolationKind::Start));
    assert_eq!(ends(|_| Err(Failure::Start("no".into()))), start);
    let garbage = (Cause::Illegal, lost, Some(ViolationKind::Garbage));
    assert_eq!(ends(|_| Err(Failure::Garbage("?".into()))), garbage);
    let timeout = (Cause::Timeout, lost, Some(ViolationKind::Timeout));
    assert_eq!(ends(|_| Err(Failure::Timeout(Duration::ZERO))), timeout);
}

#[test]
fn a_player_that_cannot_be_started_loses_before_the_first_move() {
    let game = game("kalah").expect("a game");
    let played = play(
        &untimed(),
        "kalah",
        None,
        [player(game.as_ref(), "bad").as_mut(), &mut DoesNotStart("not here")],
    );
    assert_eq!(ending(&played), (Cause::Crash, Some(Outcome::win(Side::First))));
    let violation = played.violation.expect("a violation");
    assert_eq!((violation.side, violation.kind), (Side::Second, ViolationKind::Start));
    assert_eq!(violation.reason, "could not be started: not here");
    assert!(played.record.moves.is_empty());
}

#[test]
fn a_stopped_game_is_abandoned_however_late_the_answer_is() {
    let (clock, stop) = (manual_clock(), AtomicBool::new(false));
    let game = game("kalah").expect("a game");
    let mut stopped = Scripted(|board: &dyn Board| {
        stop.store(true, Ordering::Relaxed);
        clock.advance(millis(5000));
        Ok(first_move(board))
    });
    let referee = Referee::new("move=100ms".parse().expect("a time control"), clock.clone());
    let players: [&mut dyn Player; 2] = [&mut stopped, &mut *player(game.as_ref(), "bad")];
    let played = referee.play(game.board(), players, &stop, None);
    assert_eq!((ending(&played), played.violation), ((Cause::Abandoned, None), None));
}

/// A position of Oware with one seed per side, far apart: both circle the board unless one is captured.
const CIRCLING: &str = "1-0-0-0-0-0-1-0-0-0-0-0-23-23-S";

#[test]
fn a_repeated_position_ends_the_game() {
    let clock = manual_clock();
    let [mut one, mut other] = [Timed::new(&clock, &[]), Timed::new(&clock, &[])];
    let played = play(&untimed(), "oware", Some(CIRCLING), [&mut one, &mut other]);
    assert_eq!(ending(&played), (Cause::Cycle, Some(Outcome::DRAW)));
    assert_eq!(played.record.moves.len(), 12, "the second occurrence");
}

/// Plays Oware with a first side that claims repetition this many times before it moves. Returns the time limits of
/// its turns and the game.
fn claims(count: usize, opponent: Timed) -> (Vec<u128>, Played) {
    let clock = manual_clock();
    let mut turns = vec![Turn::Claim(1000); count];
    turns.push(Turn::Move(3000));
    let mut claiming = Timed::new(&clock, &turns);
    let referee = Referee::new("1m+1s".parse().expect("a time control"), clock);
    let played = play(&referee, "oware", None, [&mut claiming, &mut { opponent }]);
    (claiming.times(), played)
}

#[test]
fn a_valid_claim_ends_the_game_if_the_opponent_agrees() {
    let (_, played) = claims(1, Timed::new(&manual_clock(), &[]));
    assert_eq!((ending(&played), played.violation), ((Cause::Cycle, Some(Outcome::DRAW)), None));
}

#[test]
fn a_player_whose_claim_is_declined_is_asked_again_and_its_clock_runs_on() {
    let (times, played) = claims(1, Timed::new(&manual_clock(), &[]).declining());
    assert_eq!(times[..3], [60_000, 59_000, 57_000]);
    assert_ne!(ending(&played).0, Cause::Illegal);
    assert_eq!(played.record.comments[&1], "4.000s", "the move took the time of both answers");
    assert_eq!(played.thought[0], millis(4000));
}

#[test]
fn a_second_claim_in_the_same_position_loses() {
    let (_, played) = claims(2, Timed::new(&manual_clock(), &[]).declining());
    assert_eq!(ending(&played), (Cause::Illegal, Some(Outcome::win(Side::Second))));
    let violation = played.violation.expect("a violation");
    assert_eq!((violation.side, violation.kind), (Side::First, ViolationKind::Illegal));
    assert!(violation.reason.contains("declined in this position"), "{}", violation.reason);
}

/// Panics when it receives an offer.
struct PanicsAtOffers;

impl Player for PanicsAtOffers {
    fn choose(
        &mut self,
        board: &dyn Board,
        _: &Limits,
        _: &AtomicBool,
        _: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure> {
        Ok(first_move(board))
    }

    fn accepts(&mut self, _: &dyn Board, _: Offer) -> bool {
        panic!("on purpose")
    }
}

#[test]
fn a_player_that_panics_when_it_receives_an_offer_has_crashed() {
    let mut claiming = Timed::new(&manual_clock(), &[Turn::Claim(0)]);
    let played = play(&untimed(), "oware", None, [&mut claiming, &mut PanicsAtOffers]);
    assert_eq!(ending(&played), (Cause::Crash, Some(Outcome::win(Side::First))));
    assert_eq!(played.violation.map(|violation| violation.side), Some(Side::Second));
}

/// Plays the first legal move, and reports this much processor time for it.
struct Measured(Duration);

impl Player for Measured {
    fn choose(
        &mut self,
        board: &dyn Board,
        _: &Limits,
        _: &AtomicBool,
        _: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure> {
        Ok(first_move(board))
    }

    fn cpu_time(&self) -> Option<Duration> {
        Some(self.0)
    }
}

/// Plays a game between this player and one of ours, with at most 500 ms of processor time per move.
fn measured(cpu: Duration) -> Played {
    let game = game("kalah:3,2").expect("a game");
    let referee = Referee { cpu_limit: Some(millis(500)), ..untimed() };
    play(&referee, "kalah:3,2", None, [&mut Measured(cpu), player(game.as_ref(), "bad").as_mut()])
}

#[test]
fn too_much_processor_time_loses_on_time() {
    let played = measured(millis(612));
    assert_eq!(ending(&played).0, Cause::Timeout);
    assert_eq!(played.cpu, [Some(millis(612)), None]);
    let violation = played.violation.expect("a violation");
    assert_eq!((violation.side, violation.kind), (Side::First, ViolationKind::Timeout));
    assert_eq!(violation.reason, "used too much CPU time (612 ms; 500 ms allowed)");
}

#[test]
fn processor_time_within_the_limit_is_recorded_with_each_move() {
    let played = measured(millis(500));
    assert_eq!(played.violation, None);
    assert_eq!(played.record.comments[&1], "0.000s cpu 0.500s");
    let written = played.record.to_string();
    assert_eq!(Record::parse(&written).map(|record| record.comments), Ok(played.record.comments));
    assert_eq!(played.cpu[1], None, "it is not measured of our own players");
}

#[test]
fn a_game_ends_when_the_solver_proves_its_result() {
    let game = game("connect:4,4,3").expect("a game");
    let resources =
        Resources { memory: Some(1 << 20), ..Resources::with_clock(0, Arc::new(Monotonic::start())) };
    let mut prover = game.solver(&resources).expect("no tables");
    let mut players = [0, 1].map(|_| player(game.as_ref(), "random"));
    let [first, second] = &mut players;
    let stop = AtomicBool::new(false);
    let board = game.board();
    let played = untimed().play(board, [first.as_mut(), second.as_mut()], &stop, Some(prover.as_mut()));
    assert_eq!(ending(&played).0, Cause::Adjudicated);
    assert_eq!(played.record.moves.len(), 1, "so small a game is solved after the first move");
    game.replay(&played.record).expect("it replays");
    assert!(played.record.to_string().contains("[Termination \"adjudicated\"]"));
}
