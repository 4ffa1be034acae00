//! The referee against players that misbehave, and whole matches.

use parlor_arena::{Duel, Referee, opening};
use parlor_catalog::{Clock, Manual, entries, game};
use parlor_play::{Answer, Cause, Failure, Limits, Outcome, Player, Record, Report, Side};
use std::{
    ops::ControlFlow,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

/// A player that does one thing, whatever it is asked.
struct Stubborn<F>(F);

impl<F: FnMut(&Record) -> Result<Answer, Failure> + Send> Player for Stubborn<F> {
    fn choose(
        &mut self,
        record: &Record,
        _: &Limits,
        _: &AtomicBool,
        _: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure> {
        (self.0)(record)
    }
}

fn referee(limits: Limits, clock: &Arc<Manual>) -> Referee {
    Referee::new(limits, clock.clone())
}

fn still() -> Arc<Manual> {
    Arc::new(Manual::stepping(Duration::ZERO))
}

/// How a game of Kalah ends in which the first side answers this.
fn ends(answer: impl FnMut(&Record) -> Result<Answer, Failure> + Send) -> (Cause, Option<Outcome>, bool) {
    let game = game("kalah:3,2").expect("a game");
    let mut bad =
        game.player(&"bad".parse().expect("a spec"), &parlor_catalog::Setting::seeded(1)).expect("bad");
    let mut stubborn = Stubborn(answer);
    let played = referee(Limits::default(), &still()).play(
        game.board(),
        [&mut stubborn, bad.as_mut()],
        &AtomicBool::new(false),
    );
    let ending = played.record.ending.expect("an end");
    (ending.cause, ending.outcome, played.failure.is_some())
}

#[test]
fn whoever_fails_loses_and_the_record_says_by_what() {
    let lost = Some(Outcome::win(Side::Second));
    assert_eq!(ends(|_| Ok(Answer::Move("9".into()))), (Cause::Illegal, lost, true));
    assert_eq!(ends(|_| Ok(Answer::NoMove)), (Cause::Illegal, lost, true));
    assert_eq!(ends(|_| Ok(Answer::Claim)), (Cause::Illegal, lost, true));
    assert_eq!(ends(|_| Ok(Answer::Resign)), (Cause::Resigned, lost, false));
    assert_eq!(ends(|_| Err(Failure::Crash("gone".into()))), (Cause::Crash, lost, true));
    assert_eq!(ends(|_| Err(Failure::Start("no".into()))), (Cause::Crash, lost, true));
    assert_eq!(ends(|_| Err(Failure::Garbage("?".into()))), (Cause::Illegal, lost, true));
    assert_eq!(ends(|_| Err(Failure::Timeout(Duration::ZERO))), (Cause::Timeout, lost, true));
    assert_eq!(ends(|_| panic!("on purpose")), (Cause::Crash, lost, true));
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
fn a_game_with_a_player_that_cannot_be_started_is_not_scored() {
    let game = game("kalah").expect("a game");
    let setting = parlor_catalog::Setting::seeded(1);
    let mut bad = game.player(&"bad".parse().expect("a spec"), &setting).expect("bad");
    let played = referee(Limits::default(), &still()).play(
        game.board(),
        [bad.as_mut(), &mut Absent],
        &AtomicBool::new(false),
    );
    let ending = played.record.ending.expect("an end");
    assert_eq!((ending.cause, ending.outcome), (Cause::Abandoned, None));
    assert_eq!(played.failure, Some((Side::Second, "could not be started: not here".to_string())));
    assert!(played.record.moves.is_empty());
}

#[test]
fn an_answer_after_time_and_grace_loses_on_time() {
    let game = game("kalah:3,2").expect("a game");
    for (late, cause) in [(119, Cause::Normal), (121, Cause::Timeout)] {
        let clock = still();
        let slow = clock.clone();
        let mut first = Stubborn(move |record: &Record| {
            slow.advance(Duration::from_millis(late));
            let board = parlor_catalog::game(&record.game).expect("a game").replay(record).expect("a record");
            Ok(Answer::Move(board.moves()[0].clone()))
        });
        let mut bad =
            game.player(&"bad".parse().expect("a spec"), &parlor_catalog::Setting::seeded(1)).expect("bad");
        let limits = Limits { time: Some(Duration::from_millis(100)), ..Limits::default() };
        let played =
            referee(limits, &clock).play(game.board(), [&mut first, bad.as_mut()], &AtomicBool::new(false));
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
        referee(Limits::default(), &still()).play(game.board(), [first.as_mut(), second.as_mut()], &stop);
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
        let played = referee(Limits::default(), &still()).play(
            board,
            [first.as_mut(), second.as_mut()],
            &AtomicBool::new(false),
        );
        let ending = played.record.ending.expect("an end");
        cycles += u32::from(ending.cause == Cause::Cycle);
        game.replay(&played.record).expect("it replays");
    }
    assert!(cycles > 0);
}

#[test]
fn openings_are_the_same_for_a_seed_and_never_end_the_game() {
    for entry in entries() {
        let game = entry.build("").expect("a game");
        for number in 0..20 {
            let (one, two) = (opening(game.as_ref(), 4, 7, number), opening(game.as_ref(), 4, 7, number));
            assert_eq!(one.record(), two.record());
            assert!(one.ending().is_none() && one.ply() == 4, "{}", entry.name);
        }
        let others: Vec<_> = (0..20).map(|n| opening(game.as_ref(), 4, 7, n).record().moves).collect();
        assert!(others.iter().any(|moves| *moves != others[0]), "{}", entry.name);
    }
    let tiny = game("connect:1,3,3").expect("a game");
    assert!(opening(tiny.as_ref(), 9, 1, 1).ending().is_none(), "a shorter opening where no long one exists");
    let over = game("kalah:3,0").expect("a game");
    assert_eq!(opening(over.as_ref(), 3, 1, 1).ply(), 0);
}

#[test]
fn a_match_is_pairs_of_games_and_the_same_for_a_seed() {
    let game = game("kalah:4,3").expect("a game");
    let run = |seed: u64| {
        let clock: Arc<dyn Clock> = still();
        let duel = Duel {
            game: game.as_ref(),
            players: ["engine:level=6", "random"].map(|spec| spec.parse().expect("a spec")),
            referee: Referee::new(Limits::default(), clock),
            rounds: 6,
            opening: 2,
            seed,
            tables: None,
        };
        let mut records = Vec::new();
        let tally = duel
            .run(&AtomicBool::new(false), &mut |game, _| {
                records.push(game.played.record.clone());
                ControlFlow::Continue(())
            })
            .expect("good players");
        (tally, records)
    };
    let (tally, records) = run(3);
    assert_eq!((tally.games(), tally.pairs.iter().sum::<u64>(), records.len()), (12, 6, 12));
    assert_eq!(records[0].moves[..2], records[1].moves[..2], "the same opening");
    assert_eq!(records[0].tag("First"), records[1].tag("Second"), "the sides are swapped");
    assert!(tally.wins >= 10, "{tally:?}");
    assert_eq!((tally, records), run(3));
    assert_ne!(run(3).1, run(4).1);
}
