//! Monte Carlo tree search of Amazons: what it calls proven is true, limits hold, and with a node limit alone it is
//! deterministic.

use parlor_core::{Game, Limits, Match, Report, is_finished};
use parlor_engine::{Manual, Monotonic, Random, Searcher};
use parlor_games::amazons::{Amazons, Territory};
use parlor_solvers::amazons::Strategist;
use parlor_solvers::amazons::endgames::{KnownWins, endgame, wins};
use parlor_testkit::seed;
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

fn strategist() -> Strategist {
    Strategist::new(Territory::USUAL, Arc::new(Monotonic::start()))
}

#[test]
fn what_is_certain_is_true_and_late_positions_are_decided() {
    let (mut random, mut decided, mut asked) = (Random::new(seed(3)), 0, 0);
    for _ in 0..60 {
        let (game, pos) = endgame(&mut random, 8);
        if game.result(&pos).is_some() {
            continue;
        }
        let played = Match::from_position(game, pos);
        let mut known = KnownWins::default();
        let won = wins(&game, &pos, &mut known);
        let limits = Limits { nodes: Some(200_000), ..Limits::default() };
        let mut last: Option<Report> = None;
        let found = strategist()
            .run(&played, &limits, &AtomicBool::new(false), &mut |report| last = Some(report.clone()));
        asked += 1;
        let best = &found.moves[0];
        if is_finished(best.value) {
            decided += 1;
            assert_eq!(best.value > 0, won, "{pos:?}");
            let proved =
                last.and_then(|report| report.proved).expect("a certain value is reported as proved");
            assert_eq!(proved.lo.0 > 0, won);
        }
        if won {
            let mut next = pos;
            game.play(&mut next, best.mv);
            assert!(!wins(&game, &next, &mut known), "a won game is not given away");
        }
    }
    assert!(asked > 40 && decided == asked, "{decided} of {asked}");
}

#[test]
fn nodes_alone_give_the_same_answer_every_time() {
    let game = Amazons::sized(10, 10).expect("a size");
    let limits = Limits { nodes: Some(20_000), ..Limits::default() };
    let answer = |strategist: &mut Strategist| {
        strategist.run(&Match::new(game), &limits, &AtomicBool::new(false), &mut |_| ())
    };
    let mut one = strategist();
    let first = answer(&mut one);
    one.forget();
    assert_eq!(answer(&mut one), first);
    assert_eq!(answer(&mut strategist()), first);
    assert!(first.nodes < 20_000 + 200 && first.moves.len() > 20);
}

#[test]
fn a_turn_takes_no_longer_than_its_time() {
    for (columns, rows) in [(4, 4), (7, 10), (10, 10)] {
        let game = Amazons::sized(columns, rows).expect("a size");
        // Every reading advances this clock by a millisecond.
        let clock = Arc::new(Manual::stepping(Duration::from_millis(1)));
        let mut strategist = Strategist::new(Territory::USUAL, clock.clone());
        let limits = Limits { time: Some(Duration::from_millis(50)), ..Limits::default() };
        let found = strategist.run(&Match::new(game), &limits, &AtomicBool::new(false), &mut |_| ());
        assert!(!found.moves.is_empty());
        assert!(clock.shown() <= Duration::from_millis(50), "{:?}", clock.shown());
    }
}

#[test]
fn told_to_stop_it_still_has_a_turn() {
    let game = Amazons::sized(10, 10).expect("a size");
    let found = strategist().run(&Match::new(game), &Limits::default(), &AtomicBool::new(true), &mut |_| ());
    assert!(!found.moves.is_empty());
}

#[test]
fn little_memory_and_several_threads_do_no_harm() {
    let game = Amazons::sized(10, 10).expect("a size");
    let mut strategist = strategist();
    (strategist.memory, strategist.threads) = (100_000, 3);
    let limits = Limits { time: Some(Duration::from_millis(200)), ..Limits::default() };
    let mut played = Match::new(game);
    for _ in 0..4 {
        let found = strategist.run(&played, &limits, &AtomicBool::new(false), &mut |_| ());
        played.make(found.moves[0].mv);
    }
}
