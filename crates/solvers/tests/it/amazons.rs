//! Who wins at Amazons: races and the solver against plain negamax on random endgames, known starts, stopped solves and best
//! lines. `cargo lab check amazons` compares many more.

use parlor_core::{Bounds, Game, Limits, Margin, Match, Notation, Report, Solve};
use parlor_engine::{Manual, Monotonic, Random};
use parlor_games::amazons::{Amazons, Position};
use parlor_solvers::amazons::endgames::{KnownWins, endgame, separated, wins};
use parlor_solvers::amazons::{AmazonsExpert, Racer, race};
use parlor_testkit::seed;
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

fn expert(threads: usize) -> AmazonsExpert {
    AmazonsExpert::new(16 << 20, threads, Arc::new(Monotonic::start()))
}

fn solve(expert: &mut AmazonsExpert, game: Amazons, pos: Position, limits: &Limits) -> (Bounds, Report) {
    let mut last = Report::default();
    let bounds = expert.solve(
        &Match::from_position(game, pos),
        limits,
        &AtomicBool::new(false),
        &mut |report: &Report| last = report.clone(),
    );
    (bounds, last)
}

fn margin(won: bool) -> Margin {
    Margin(if won { 1 } else { -1 })
}

#[test]
fn endgames_have_the_value_of_plain_negamax() {
    let mut random = Random::new(seed(3));
    let mut expert = expert(1);
    for _ in 0..600 {
        let empty = random.below(10);
        let (game, pos) = endgame(&mut random, empty);
        let truth = margin(wins(&game, &pos, &mut KnownWins::default()));
        let (bounds, report) = solve(&mut expert, game, pos, &Limits::default());
        assert_eq!(bounds, Bounds::exactly(truth), "{} {}", game.spec(), game.write_position(&pos));
        assert_eq!(report.proved, Some(bounds));
        assert_eq!(report.by_hash, game.columns() * game.rows() > 30);
    }
}

#[test]
fn small_boards_are_won_by_whom_they_should_be() {
    for ((columns, rows), first) in [((4, 4), false), ((5, 4), true), ((4, 5), false)] {
        let game = Amazons::sized(columns, rows).expect("a size");
        let (bounds, _) = solve(&mut expert(2), game, game.start(), &Limits::default());
        assert_eq!(bounds, Bounds::exactly(margin(first)), "{columns}x{rows}");
    }
}

#[test]
fn the_line_is_legal_and_ends_with_the_loser_stuck() {
    let mut random = Random::new(seed(4));
    for (columns, rows) in [(4, 4), (5, 4), (5, 5), (6, 6), (7, 8), (10, 10)] {
        let game = Amazons::sized(columns, rows).expect("a size");
        let pos = loop {
            let mut pos = game.start();
            let plies = (columns * rows).saturating_sub(8 + 12) as usize;
            let played = (0..plies).all(|_| {
                let mv = game.pick(&pos, &mut |n| random.below(n), &mut Vec::new());
                mv.is_some_and(|mv| {
                    game.play(&mut pos, mv);
                    true
                })
            });
            if played {
                break pos;
            }
        };
        let (bounds, report) = solve(&mut expert(1), game, pos, &Limits::default());
        let mut played = Match::from_position(game, pos);
        for mv in &report.line {
            played.play(mv).expect("a legal move");
        }
        assert!(played.ending().is_some(), "{}: the line ends the game", game.spec());
        let loser = game.turn(played.position());
        assert_eq!(bounds, Bounds::exactly(margin(loser != pos.turn)), "{}", game.spec());
    }
}

#[test]
fn several_threads_find_the_same() {
    let mut random = Random::new(seed(5));
    let game = Amazons::sized(5, 5).expect("a size");
    let [mut alone, mut crew] = [1, 2].map(expert);
    for _ in 0..12 {
        let mut pos = game.start();
        for _ in 0..5 {
            let mv = game.pick(&pos, &mut |n| random.below(n), &mut Vec::new()).expect("a turn");
            game.play(&mut pos, mv);
        }
        let [one, two] = [&mut alone, &mut crew].map(|expert| solve(expert, game, pos, &Limits::default()).0);
        assert_eq!(one, two, "{}", game.write_position(&pos));
    }
}

#[test]
fn a_stopped_solve_reports_sound_bounds_and_leaves_a_sound_table() {
    let mut random = Random::new(seed(6));
    let game = Amazons::sized(4, 5).expect("a size");
    let mut pos = game.start();
    for _ in 0..2 {
        let mv = game.pick(&pos, &mut |n| random.below(n), &mut Vec::new()).expect("a turn");
        game.play(&mut pos, mv);
    }
    let (truth, _) = solve(&mut expert(1), game, pos, &Limits::default());
    // Each reading advances this clock by a millisecond: the time limit passes after that many readings.
    let mut expert = AmazonsExpert::new(16 << 20, 1, Arc::new(Manual::stepping(Duration::from_millis(1))));
    for _ in 0..30 {
        let nodes = random.below(3000) as u64;
        let time = (random.below(2) == 0).then(|| Duration::from_millis(random.below(4) as u64));
        let (bounds, report) =
            solve(&mut expert, game, pos, &Limits { nodes: Some(nodes), time, ..Limits::default() });
        assert!(bounds.contain(truth.lo), "{bounds:?}");
        assert!(report.nodes <= nodes + 1000, "{} nodes", report.nodes);
    }
    assert_eq!(solve(&mut expert, game, pos, &Limits::default()).0, truth);
}

#[test]
fn a_flag_that_is_up_already_ends_it_at_once_on_the_largest_board() {
    let game = Amazons::sized(10, 10).expect("a size");
    let mut reports = 0;
    let bounds =
        expert(2).solve(&Match::new(game), &Limits::default(), &AtomicBool::new(true), &mut |_: &Report| {
            reports += 1;
        });
    assert_eq!(bounds, Bounds { lo: Margin(-1), hi: Margin(1) });
    assert_eq!(reports, 1);
}

#[test]
fn a_race_is_never_judged_wrongly() {
    let mut random = Random::new(seed(1));
    let mut judged = 0;
    for _ in 0..3000 {
        let empty = 1 + random.below(8);
        let (game, pos) = endgame(&mut random, empty);
        let budget = [0, 1, 20, 1_000_000][random.below(4)];
        if let Some(Margin(margin)) = race(&game, &pos, budget) {
            let won = wins(&game, &pos, &mut KnownWins::default());
            assert_eq!(margin, if won { 1 } else { -1 }, "{} {}", game.spec(), game.write_position(&pos));
            judged += 1;
        }
    }
    assert!(judged > 600, "only {judged} of 3000 were judged: the test tests little");
}

#[test]
fn where_the_queens_are_separated_every_race_is_decided() {
    let mut random = Random::new(seed(2));
    let mut checked = 0;
    while checked < 300 {
        let empty = 1 + random.below(10);
        let (game, pos) = endgame(&mut random, empty);
        if !separated(&game, &pos) {
            continue;
        }
        let won = wins(&game, &pos, &mut KnownWins::default());
        let told = race(&game, &pos, u64::MAX);
        let expected = Margin(if won { 1 } else { -1 });
        assert_eq!(told, Some(expected), "{} {}", game.spec(), game.write_position(&pos));
        checked += 1;
    }
}

#[test]
fn a_guard_that_can_shoot_back_has_its_hideout_for_itself() {
    let game = Amazons::sized(5, 4).expect("a size");
    let mut racer = Racer::new(&game);
    // Black's queen on b2 keeps four squares; White on d3 has two more to go to, and one of those behind is the guard's.
    let pos = game.parse_position("2**1/2*Q1/*q***/***** w").expect("a position");
    assert_eq!(racer.race(&pos, 1000), Some(Margin(-1)));
    let pos = game.parse_position("2**1/2*Q1/*q***/***** b").expect("a position");
    assert_eq!(racer.race(&pos, 1000), Some(Margin(1)));
}

#[test]
fn no_race_is_decided_while_both_sides_reach_every_square() {
    for (columns, rows) in [(4, 4), (5, 6), (10, 10)] {
        let game = Amazons::sized(columns, rows).expect("a size");
        assert_eq!(race(&game, &game.start(), 1000), None);
    }
}
