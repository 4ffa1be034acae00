//! The referee against players that misbehave.

use parlor_arena::{Control, FoulKind, Referee};
use parlor_catalog::{Manual, Monotonic, Tools, game};
use parlor_play::{Answer, Cause, Failure, Limits, Outcome, Player, Record, Report, Side};
use parlor_testkit::Scripted;
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

fn referee(control: Control, clock: &Arc<Manual>) -> Referee {
    Referee::new(control, clock.clone())
}

fn still() -> Arc<Manual> {
    Arc::new(Manual::stepping(Duration::ZERO))
}

/// How a game of Kalah ends in which the first side answers this.
fn ends(
    answer: impl FnMut(&Record) -> Result<Answer, Failure> + Send,
) -> (Cause, Option<Outcome>, Option<FoulKind>) {
    let game = game("kalah:3,2").expect("a game");
    let mut bad =
        game.player(&"bad".parse().expect("a spec"), &parlor_catalog::Setting::seeded(1)).expect("bad");
    let mut scripted = Scripted(answer);
    let played = referee(Control::Free, &still()).play(
        game.board(),
        [&mut scripted, bad.as_mut()],
        &AtomicBool::new(false),
        None,
    );
    let ending = played.record.ending.expect("an end");
    (ending.cause, ending.outcome, played.foul.map(|foul| foul.kind))
}

#[test]
fn whoever_fails_loses_and_the_record_says_by_what() {
    let lost = Some(Outcome::win(Side::Second));
    let illegal = (Cause::Illegal, lost, Some(FoulKind::Illegal));
    assert_eq!(ends(|_| Ok(Answer::Move("9".into()))), illegal);
    assert_eq!(ends(|_| Ok(Answer::NoMove)), illegal);
    assert_eq!(ends(|_| Ok(Answer::Claim)), illegal);
    assert_eq!(ends(|_| Ok(Answer::Resign)), (Cause::Resigned, lost, None));
    assert_eq!(ends(|_| Err(Failure::Crash("gone".into()))), (Cause::Crash, lost, Some(FoulKind::Crash)));
    assert_eq!(ends(|_| Err(Failure::Start("no".into()))), (Cause::Crash, lost, Some(FoulKind::Start)));
    assert_eq!(ends(|_| Err(Failure::Garbage("?".into()))), (Cause::Illegal, lost, Some(FoulKind::Garbage)));
    let late = Failure::Timeout(Duration::ZERO);
    assert_eq!(ends(|_| Err(late.clone())), (Cause::Timeout, lost, Some(FoulKind::Timeout)));
    assert_eq!(ends(|_| panic!("on purpose")), (Cause::Crash, lost, Some(FoulKind::Crash)));
}

/// Cannot be started.
struct Absent;

impl Player for Absent {
    fn ready(&mut self, _game: &str) -> Result<(), Failure> {
        Err(Failure::Start("not here".to_string()))
    }

    fn choose(
        &mut self,
        _: &Record,
        _: &Limits,
        _: &AtomicBool,
        _: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure> {
        panic!("nobody asks who is not here")
    }
}

#[test]
fn a_player_that_cannot_be_started_loses_before_the_first_move() {
    let game = game("kalah").expect("a game");
    let setting = parlor_catalog::Setting::seeded(1);
    let mut bad = game.player(&"bad".parse().expect("a spec"), &setting).expect("bad");
    let stop = AtomicBool::new(false);
    let played =
        referee(Control::Free, &still()).play(game.board(), [bad.as_mut(), &mut Absent], &stop, None);
    let ending = played.record.ending.expect("an end");
    assert_eq!((ending.cause, ending.outcome), (Cause::Crash, Some(Outcome::win(Side::First))));
    let foul = played.foul.expect("a foul");
    assert_eq!((foul.side, foul.kind), (Side::Second, FoulKind::Start));
    assert_eq!(foul.why, "could not be started: not here");
    assert!(played.record.moves.is_empty());
}

#[test]
fn an_answer_after_time_and_grace_loses_on_time() {
    let game = game("kalah:3,2").expect("a game");
    for (late, cause) in [(119, Cause::Normal), (121, Cause::Timeout)] {
        let clock = still();
        let slow = clock.clone();
        let mut first = Scripted(move |record: &Record| {
            slow.advance(Duration::from_millis(late));
            let board = parlor_catalog::game(&record.game).expect("a game").replay(record).expect("a record");
            Ok(Answer::Move(board.moves()[0].clone()))
        });
        let mut bad =
            game.player(&"bad".parse().expect("a spec"), &parlor_catalog::Setting::seeded(1)).expect("bad");
        let control = Control::Move(Duration::from_millis(100));
        let stop = AtomicBool::new(false);
        let played = referee(control, &clock).play(game.board(), [&mut first, bad.as_mut()], &stop, None);
        assert_eq!(played.record.ending.expect("an end").cause, cause, "{late}");
        assert!(played.thought[0] >= Duration::from_millis(late) && played.thought[1].is_zero());
    }
}

#[test]
fn a_game_that_is_stopped_is_abandoned() {
    let game = game("kalah").expect("a game");
    let setting = parlor_catalog::Setting::seeded(1);
    let mut players = [0, 1].map(|_| game.player(&"bad".parse().expect("a spec"), &setting).expect("bad"));
    let [first, second] = &mut players;
    let stop = AtomicBool::new(true);
    let played =
        referee(Control::Free, &still()).play(game.board(), [first.as_mut(), second.as_mut()], &stop, None);
    assert_eq!(
        played.record.ending.map(|ending| (ending.cause, ending.outcome)),
        Some((Cause::Abandoned, None))
    );
}

#[test]
fn a_position_that_returns_ends_the_game_and_every_record_replays() {
    let game = game("oware").expect("a game");
    let mut cycles = 0;
    for seed in 0..40 {
        let setting = parlor_catalog::Setting::seeded(seed);
        // One seed each, far apart: they run round and round, unless one is caught.
        let board = game.board_at("1-0-0-0-0-0-1-0-0-0-0-0-23-23-S").expect("a position");
        let mut players =
            [0, 1].map(|_| game.player(&"random".parse().expect("a spec"), &setting).expect("one"));
        let [first, second] = &mut players;
        let played = referee(Control::Free, &still()).play(
            board,
            [first.as_mut(), second.as_mut()],
            &AtomicBool::new(false),
            None,
        );
        let ending = played.record.ending.expect("an end");
        cycles += u32::from(ending.cause == Cause::Cycle);
        game.replay(&played.record).expect("it replays");
    }
    assert!(cycles > 0);
}

#[test]
fn a_clock_runs_down_over_the_whole_game() {
    let game = game("connect:7,6,4").expect("a game");
    let clock = still();
    let (slow, told) = (clock.clone(), Arc::new(std::sync::Mutex::new(Vec::new())));
    struct Clocked(Arc<Manual>, Arc<std::sync::Mutex<Vec<Duration>>>);
    impl Player for Clocked {
        fn choose(
            &mut self,
            record: &Record,
            limits: &Limits,
            _: &AtomicBool,
            _: &mut dyn FnMut(&Report),
        ) -> Result<Answer, Failure> {
            self.1.lock().expect("a list").push(limits.time.expect("a clock"));
            self.0.advance(Duration::from_millis(40));
            let board = parlor_catalog::game(&record.game).expect("a game").replay(record).expect("a record");
            Ok(Answer::Move(board.moves()[0].clone()))
        }
    }
    let mut first = Clocked(slow, told.clone());
    let mut second = game
        .player(&"random:seed=3".parse().expect("a spec"), &parlor_catalog::Setting::seeded(1))
        .expect("random");
    let control = "100ms+5ms".parse().expect("a control");
    let stop = AtomicBool::new(false);
    let played = referee(control, &clock).play(game.board(), [&mut first, second.as_mut()], &stop, None);
    let told: Vec<u128> = told.lock().expect("a list").iter().map(Duration::as_millis).collect();
    assert_eq!(
        told,
        [100, 65, 30, 5],
        "30 ms and the grace were enough for 40 ms, the increment alone is not"
    );
    assert_eq!(played.foul.map(|foul| foul.kind), Some(FoulKind::Timeout));
}

/// Plays the first legal move, and says that it used this much processor time for it.
struct Measured(Duration);

impl Player for Measured {
    fn choose(
        &mut self,
        record: &Record,
        _: &Limits,
        _: &AtomicBool,
        _: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure> {
        let board = game(&record.game).expect("a game").replay(record).expect("a record");
        Ok(Answer::Move(board.moves()[0].clone()))
    }

    fn cpu_time(&self) -> Option<Duration> {
        Some(self.0)
    }
}

/// A game between this player and one of ours, at most half a second of processor time a move.
fn measured(cpu: Duration) -> parlor_arena::Played {
    let game = game("kalah:3,2").expect("a game");
    let bad = game.player(&"bad".parse().expect("a spec"), &parlor_catalog::Setting::seeded(1));
    let cpu_limit = Some(Duration::from_millis(500));
    let referee = Referee { cpu_limit, ..referee(Control::Free, &still()) };
    let stop = AtomicBool::new(false);
    referee.play(game.board(), [&mut Measured(cpu), bad.expect("bad").as_mut()], &stop, None)
}

#[test]
fn too_much_processor_time_loses_on_time() {
    let played = measured(Duration::from_millis(612));
    let foul = played.foul.expect("a failure");
    assert_eq!((foul.side, foul.kind), (Side::First, FoulKind::Timeout));
    assert_eq!(foul.why, "used too much processor time (612 ms; 500 ms are allowed)");
    assert_eq!(played.record.ending.map(|ending| ending.cause), Some(Cause::Timeout));
    assert_eq!(played.cpu, [Some(Duration::from_millis(612)), None]);
}

#[test]
fn processor_time_within_the_limit_is_recorded_with_each_move() {
    let played = measured(Duration::from_millis(500));
    assert_eq!(played.foul, None);
    assert_eq!(played.record.comments[&1], "0.000s cpu 0.500s");
    let written = played.record.to_string();
    assert_eq!(Record::parse(&written).map(|record| record.comments), Ok(played.record.comments));
    assert_eq!(played.cpu[1], None, "it is not measured of our own players");
}

#[test]
fn a_proved_game_ends_and_the_winner_is_the_proved_one() {
    let game = game("connect:4,4,3").expect("a game");
    let tools = Tools { memory: 1 << 20, threads: 1, clock: Arc::new(Monotonic::start()), tables: None };
    let mut prover = game.solver(&tools).expect("no tables");
    let mut players = [0, 1].map(|seed| {
        let setting = parlor_catalog::Setting::seeded(seed);
        game.player(&"random".parse().expect("a spec"), &setting).expect("random")
    });
    let [first, second] = &mut players;
    let stop = AtomicBool::new(false);
    let played = referee(Control::Free, &still()).play(
        game.board(),
        [first.as_mut(), second.as_mut()],
        &stop,
        Some(prover.as_mut()),
    );
    let ending = played.record.ending.expect("an end");
    assert_eq!(ending.cause, Cause::Adjudicated);
    assert_eq!(played.record.moves.len(), 1, "so small a game is solved after the first move");
    game.replay(&played.record).expect("it replays");
    assert!(played.record.to_string().contains("[Termination \"adjudicated\"]"));
}
