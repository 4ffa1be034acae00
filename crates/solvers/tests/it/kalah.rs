//! Kalah's solver against plain negamax, against known values, and stopped at any moment.

use parlor_core::{Bounds, Evaluated, Game, Indexed, Limits, Margin, Match, Notation, Report, Solve};
use parlor_engine::{Monotonic, NullWindowSolver, Random};
use parlor_games::kalah::{Kalah, Position};
use parlor_solvers::kalah::KalahExpert;
use parlor_testkit::seed;
use std::{
    collections::HashMap,
    sync::{Arc, atomic::AtomicBool},
};

fn game(holes: u32, beans: u32, capture: u32) -> Kalah {
    Kalah::new(&[holes, beans, capture]).expect("a game")
}

fn expert(memory: usize, threads: usize) -> KalahExpert {
    let clock = Arc::new(Monotonic::start());
    let general = NullWindowSolver::new(Kalah::CLASSIC, 1 << 20, clock.clone());
    KalahExpert::new(memory, threads, clock, None, Box::new(general))
}

fn solve(expert: &mut KalahExpert, played: &Match<Kalah>) -> (Bounds, Vec<String>) {
    let mut line = Vec::new();
    let mut keep = |report: &Report| line.clone_from(&report.line);
    let bounds = expert.solve(played, &Limits::default(), &AtomicBool::new(false), &mut keep);
    (bounds, line)
}

/// The margin seen by the side to move. Positions are remembered whole, pots included.
fn negamax(game: &Kalah, pos: &Position, known: &mut HashMap<Position, i16>) -> i16 {
    if let Some(Margin(margin)) = game.result(pos) {
        return margin;
    }
    if let Some(&value) = known.get(pos) {
        return value;
    }
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let value = moves.into_iter().map(|mv| {
        let mut next = pos.clone();
        game.play(&mut next, mv);
        let value = negamax(game, &next, known);
        if game.turn(&next) == game.turn(pos) { value } else { -value }
    });
    let value = value.max().expect("a move");
    known.insert(pos.clone(), value);
    value
}

/// A match some random moves in, not over yet, with few enough beans in play for plain negamax.
fn some_moves_in(game: &Kalah, random: &mut Random) -> Option<Match<Kalah>> {
    let mut played = Match::new(game.clone());
    let few = |pos: &Position| game.layer(pos) <= 8;
    for _ in 0..40 {
        if few(played.position()) && random.below(3) == 0 {
            break;
        }
        let mv = game.pick(played.position(), &mut |n| random.below(n), &mut Vec::new())?;
        played.make(mv);
    }
    (game.result(played.position()).is_none() && few(played.position())).then_some(played)
}

#[test]
fn random_positions_of_every_small_game_equal_plain_negamax() {
    let mut random = Random::new(seed(4));
    for (holes, beans) in [(1, 6), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1), (5, 1), (6, 1), (8, 1)] {
        for capture in [0, 1] {
            let game = game(holes, beans, capture);
            let mut expert = expert(1 << 20, 1 + random.below(2));
            let mut known = HashMap::new();
            for _ in 0..60 {
                let Some(played) = some_moves_in(&game, &mut random) else { continue };
                let value = negamax(&game, played.position(), &mut known);
                let (bounds, line) = solve(&mut expert, &played);
                assert_eq!(
                    bounds,
                    Bounds::exactly(Margin(value)),
                    "{}",
                    game.write_position(played.position())
                );
                ends_with(&game, &played, &line, value);
            }
        }
    }
}

/// The line is legal, and gives what was promised.
fn ends_with(game: &Kalah, played: &Match<Kalah>, line: &[String], value: i16) {
    let mut end = Match::from_position(game.clone(), played.position().clone());
    for mv in line {
        end.play(mv).expect("a legal move");
    }
    let Margin(result) = game.result(end.position()).expect("played to the end");
    let same = game.turn(end.position()) == game.turn(played.position());
    assert_eq!(if same { result } else { -result }, value);
}

#[test]
fn starts_have_their_known_values() {
    let cells = [
        (1, 6, 0, 0),
        (2, 4, -10, -12),
        (2, 6, 8, 8),
        (3, 4, 2, 2),
        (3, 6, -8, -10),
        (4, 3, 6, 8),
        (5, 2, 2, 0),
        (5, 3, 6, 8),
        (6, 2, 6, 10),
        (6, 3, 2, 2),
    ];
    for (holes, beans, opposite, empty) in cells {
        for (capture, value) in [(0, opposite), (1, empty)] {
            let game = game(holes, beans, capture);
            let (bounds, _) = solve(&mut expert(32 << 20, 2), &Match::new(game.clone()));
            assert_eq!(bounds, Bounds::exactly(Margin(value)), "{}", game.spec());
        }
    }
}

#[test]
fn a_stopped_solver_gives_bounds_that_contain_the_value() {
    let game = game(6, 3, 0);
    for nodes in [1, 1000, 20_000, 100_000] {
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let bounds = expert(8 << 20, 1).solve(
            &Match::new(game.clone()),
            &limits,
            &AtomicBool::new(false),
            &mut |_| (),
        );
        assert!(bounds.contain(Margin(2)), "{nodes}: {bounds:?}");
    }
    let told = AtomicBool::new(true);
    let bounds = expert(8 << 20, 2).solve(&Match::new(game), &Limits::default(), &told, &mut |_| ());
    assert!(bounds.contain(Margin(2)) && !bounds.are_exact());
}

#[test]
fn a_solve_in_stretches_of_few_nodes_finishes() {
    // More nodes than the windows next to 0 may take, so that it continues at a guess.
    let mut expert = expert(1 << 20, 1);
    let limits = Limits { nodes: Some(100_000), ..Limits::default() };
    let played = Match::new(game(6, 3, 0));
    let mut stretch = || expert.solve(&played, &limits, &AtomicBool::new(false), &mut |_| ());
    let all = std::iter::repeat_with(&mut stretch).take(100).find(|bounds| bounds.are_exact());
    assert_eq!(all, Some(Bounds::exactly(Margin(2))));
}

#[test]
fn boards_too_large_for_its_words_are_solved_all_the_same() {
    let game = game(9, 1, 0);
    let mut played = Match::new(game.clone());
    let mut random = Random::new(seed(7));
    while let Some(mv) = game.pick(played.position(), &mut |n| random.below(n), &mut Vec::new()) {
        if played.record().moves.len() > 24 {
            break;
        }
        played.make(mv);
    }
    let value = negamax(&game, played.position(), &mut HashMap::new());
    assert_eq!(solve(&mut expert(1 << 20, 1), &played).0, Bounds::exactly(Margin(value)));
}
