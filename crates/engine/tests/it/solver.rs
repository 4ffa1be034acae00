//! Compares the solver and the deep search with plain negamax on thousands of random positions of several games, and the bounds
//! of a stopped solve with the true values.

use parlor_core::{
    Bounds, Evaluated, Evaluator, Game, Limits, Margin, Match, Notation, Solve, Value, finished, margin_of,
    parse_values, split_spec,
};
use parlor_engine::{AlphaBeta, Monotonic, NullWindowSolver, Random};
use parlor_games::{amazons::Amazons, connect::Connect, kalah::Kalah, oware::Oware};
use std::{
    collections::HashMap,
    sync::{Arc, atomic::AtomicBool},
};

fn game<G: Game>(spec: &str) -> G {
    let (name, rest) = split_spec(spec).expect("a spec");
    G::new(&parse_values(name, G::PARAMETERS, rest).expect("parameters")).expect("a game")
}

fn children<G: Game>(game: &G, pos: &G::Position) -> Vec<G::Position> {
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let after = |mv| {
        let mut next = pos.clone();
        game.play(&mut next, mv);
        next
    };
    moves.into_iter().map(after).collect()
}

/// The true value: plain negamax, memoised by whole positions for games that cannot cycle.
fn truth<G: Game>(game: &G, pos: &G::Position, memory: &mut HashMap<G::Position, Margin>) -> Margin {
    if let Some(margin) = game.result(pos) {
        return margin;
    }
    if let Some(&margin) = memory.get(pos) {
        return margin;
    }
    let values = children(game, pos).into_iter().map(|next| {
        let margin = truth(game, &next, memory);
        if game.turn(&next) == game.turn(pos) { margin } else { -margin }
    });
    let best = values.max().expect("a move");
    memory.insert(pos.clone(), best);
    best
}

/// Plain negamax to a depth, with the full history: a position that occurs for the second time ends the game.
fn plain<G: Game>(
    game: &G,
    evaluator: &impl Evaluator<G>,
    way: &mut Vec<G::Position>,
    depth: u32,
    ply: u32,
) -> Value {
    let pos = way.last().expect("a position").clone();
    if let Some(margin) = game.result(&pos) {
        return finished(margin, ply);
    }
    if ply > 0 && way[..way.len() - 1].contains(&pos) && game.repetition_payoff(&pos).is_some() {
        return finished(game.repetition_payoff(&pos).expect("a payment"), ply);
    }
    if depth == 0 {
        return evaluator.evaluate(game, &pos);
    }
    let mut best = -Value::MAX;
    for next in children(game, &pos) {
        let same = game.turn(&next) == game.turn(&pos);
        way.push(next);
        let value = plain(game, evaluator, way, depth - 1, ply + 1);
        way.pop();
        best = best.max(if same { value } else { -value });
    }
    best
}

/// A match after at most `plies` random moves, its last move not the end.
fn somewhere<G: Game>(game: &G, plies: usize, seed: u64) -> Match<G> {
    let mut random = Random::new(seed);
    let mut played = Match::new(game.clone());
    for _ in 0..random.below(plies + 1) {
        let Some(mv) = game.pick(played.position(), &mut |n| random.below(n), &mut Vec::new()) else { break };
        played.make(mv);
    }
    if played.ending().is_some() {
        played.undo();
    }
    played
}

fn clock() -> Arc<Monotonic> {
    Arc::new(Monotonic::start())
}

/// The bounds after at most `nodes` nodes, and the principal variation of the last report.
fn solved<G: Notation + Evaluated>(
    solver: &mut NullWindowSolver<G, G::Classic>,
    played: &Match<G>,
    nodes: Option<u64>,
) -> (Bounds, Vec<String>) {
    let mut line = Vec::new();
    let limits = Limits { nodes, ..Limits::default() };
    let bounds = solver.solve(played, &limits, &AtomicBool::new(false), &mut |report| {
        line.clone_from(&report.line);
    });
    (bounds, line)
}

fn check_solver<G: Notation + Evaluated>(spec: &str, plies: usize, positions: u64) {
    let game: G = game(spec);
    let mut memory = HashMap::new();
    let mut solver = NullWindowSolver::new(G::CLASSIC, 1 << 20, clock());
    for seed in 0..positions {
        let played = somewhere(&game, plies, seed);
        let want = truth(&game, played.position(), &mut memory);
        let place = game.write_position(played.position());
        let (bounds, line) = solved(&mut solver, &played, None);
        assert_eq!(bounds, Bounds::exactly(want), "{spec} {place}");
        let mut followed = played.clone();
        for text in &line {
            followed.play(text).unwrap_or_else(|why| panic!("{spec} {place}: line {line:?}: {why}"));
        }
        // The bounds of a stopped solve by a new solver must contain the true value.
        let mut hasty = NullWindowSolver::new(G::CLASSIC, 1 << 12, clock());
        let (bounds, _) = solved(&mut hasty, &played, Some(Random::new(seed).below(200) as u64));
        assert!(bounds.contain(want), "{spec} {place}: {bounds:?} without {want:?}");
    }
}

/// Solved values are those of plain negamax, and the bounds of a stopped solve contain them. One test per game, so that they
/// run in parallel.
#[test]
fn kalah_is_solved_as_by_plain_negamax() {
    check_solver::<Kalah>("kalah:3,2", 12, 800);
    check_solver::<Kalah>("kalah:2,3,capture=empty", 12, 400);
    check_solver::<Kalah>("kalah:4,2", 16, 200);
}

#[test]
fn connect_is_solved_as_by_plain_negamax() {
    check_solver::<Connect>("connect:4,4,3", 12, 800);
    check_solver::<Connect>("connect:3,4,4", 8, 300);
    check_solver::<Connect>("connect:4,4,4", 12, 300);
}

#[test]
fn amazons_is_solved_as_by_plain_negamax() {
    check_solver::<Amazons>("amazons:4", 8, 60);
}

/// Margins from the start that several programs agree on, for both capture rules.
#[test]
fn the_known_values_of_small_starts_are_found() {
    for (size, usual, empty) in [
        ("1,3", 6, 6),
        ("1,4", -2, -2),
        ("2,2", -2, -2),
        ("2,4", -10, -12),
        ("2,6", 8, 8),
        ("3,4", 2, 2),
        ("3,6", -8, -10),
        ("4,2", 6, 6),
        ("4,3", 6, 8),
        ("5,2", 2, 0),
        ("6,1", 2, 2),
        ("6,2", 6, 10),
    ] {
        for (rule, want) in [("opposite", usual), ("empty", empty)] {
            let game: Kalah = game(&format!("kalah:{size},capture={rule}"));
            let mut solver = NullWindowSolver::new(Kalah::CLASSIC, 16 << 20, clock());
            let (bounds, _) = solved(&mut solver, &Match::new(game), None);
            assert_eq!(bounds, Bounds::exactly(Margin(want)), "{size} {rule}");
        }
    }
    for (size, want) in [("4,4", 0), ("5,4", 0), ("4,5", 0)] {
        let mut solver = NullWindowSolver::new(Connect::CLASSIC, 16 << 20, clock());
        let (bounds, _) = solved(&mut solver, &Match::new(game::<Connect>(&format!("connect:{size}"))), None);
        assert_eq!(bounds, Bounds::exactly(Margin(want)), "{size}");
    }
}

/// Boards that do not fit an exact key are solved by two hashes.
#[test]
fn a_board_of_more_than_64_bits_is_solved_too() {
    let game: Connect = game("connect:30,3,3");
    let mut played = Match::new(game);
    for text in ["1", "5", "2"] {
        played.play(text).expect("a move");
    }
    played.play("30").expect("a move");
    let mut solver = NullWindowSolver::new(Connect::CLASSIC, 1 << 20, clock());
    let mut by_hash = false;
    let bounds = solver.solve(&played, &Limits::default(), &AtomicBool::new(false), &mut |report| {
        by_hash = report.by_hash;
    });
    assert_eq!((bounds, by_hash), (Bounds::exactly(Margin(43)), true));
}

/// The true value of a game with cycles, by negamax with the full history; `None` if it takes too long.
fn truth_on_the_way<G: Game>(game: &G, way: &mut Vec<G::Position>, left: &mut u64) -> Option<Margin> {
    let pos = way.last().expect("a position").clone();
    if let Some(margin) = game.result(&pos) {
        return Some(margin);
    }
    *left = left.checked_sub(1)?;
    let mut best: Option<Margin> = None;
    for next in children(game, &pos) {
        let same = game.turn(&next) == game.turn(&pos);
        let repeated = way.contains(&next);
        way.push(next.clone());
        let margin = match game.repetition_payoff(&next).filter(|_| repeated && game.result(&next).is_none())
        {
            Some(margin) => Some(margin),
            None => truth_on_the_way(game, way, left),
        };
        way.pop();
        let margin = if same { margin? } else { -margin? };
        best = best.max(Some(margin));
    }
    best
}

#[test]
fn endings_of_games_with_cycles_are_solved_as_the_referee_pays_them() {
    for spec in ["oware", "oware:rules=awari"] {
        let game: Oware = game(spec);
        let values = game.scoring_variant();
        let mut solver = NullWindowSolver::new(Oware::CLASSIC, 1 << 20, clock());
        let mut checked = 0;
        for seed in 0..1000 {
            let played = somewhere(&game, 300, seed);
            let mut way: Vec<_> = played.positions().to_vec();
            let Some(want) = truth_on_the_way(&values, &mut way, &mut 5_000) else { continue };
            let place = game.write_position(played.position());
            let (bounds, _) = solved(&mut solver, &played, Some(20_000));
            assert!(bounds.contain(want), "{spec} {place}: {bounds:?} without {want:?}");
            checked += u32::from(bounds.are_exact());
        }
        assert!(checked > 50, "{spec}: only {checked} endings were solved");
    }
}

fn check_search<G: Notation + Evaluated>(
    spec: &str,
    depth: u32,
    plies: usize,
    positions: u64,
    threads: usize,
) {
    check_search_with::<G, _>(&|| G::CLASSIC, spec, depth, plies, positions, threads);
}

fn check_search_with<G: Notation, E: Evaluator<G>>(
    evaluator: &impl Fn() -> E,
    spec: &str,
    depth: u32,
    plies: usize,
    positions: u64,
    threads: usize,
) {
    let game: G = game(spec);
    for seed in 0..positions {
        let played = somewhere(&game, plies, seed);
        let want = plain(&game, &evaluator(), &mut played.positions().to_vec(), depth, 0);
        let mut search = AlphaBeta::new(evaluator(), clock());
        (search.memory, search.threads) = (1 << 18, threads);
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let found = search.run(&played, &limits, &AtomicBool::new(false), &mut |_| ());
        let place = game.write_position(played.position());
        assert_eq!(found.value(), want, "{spec} {place} depth {depth}");
        let mut after = played.clone();
        after.make(found.moves[0].mv);
        let same = game.turn(after.position()) == game.turn(played.position());
        let own = plain(&game, &evaluator(), &mut after.positions().to_vec(), depth - 1, 1);
        assert_eq!(if same { own } else { -own }, want, "{spec} {place}: the move is worth the value");
        if found.exact {
            assert!(found.proved(game.bounds(played.position())).contain(margin_of(want)));
        }
        check_all_moves(&game, &evaluator(), &played, depth, &mut search);
    }
}

/// With an endless width every move gets its own exact value.
fn check_all_moves<G: Notation, E: Evaluator<G>>(
    game: &G,
    evaluator: &E,
    played: &Match<G>,
    depth: u32,
    search: &mut AlphaBeta<G, E>,
) {
    search.forget();
    search.width = Value::MAX;
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let found = search.run(played, &limits, &AtomicBool::new(false), &mut |_| ());
    for judged in &found.moves {
        let mut after = played.clone();
        after.make(judged.mv);
        let same = game.turn(after.position()) == game.turn(played.position());
        let own = plain(game, evaluator, &mut after.positions().to_vec(), depth - 1, 1);
        assert_eq!(judged.value, if same { own } else { -own }, "{} {:?}", game.spec(), judged.mv);
        assert_eq!(judged.line.first(), Some(&judged.mv));
    }
    search.width = 0;
}

#[test]
fn deep_search_has_the_values_of_plain_negamax() {
    check_search::<Kalah>("kalah:6,4", 5, 40, 200, 1);
    check_search::<Kalah>("kalah:3,3,capture=empty", 7, 20, 300, 1);
    check_search::<Kalah>("kalah:4,2", 9, 16, 100, 1);
    check_search::<Connect>("connect:7,6,4", 5, 36, 100, 1);
    check_search::<Connect>("connect:4,4,3", 8, 12, 300, 1);
    check_search::<Amazons>("amazons:4", 3, 8, 60, 1);
    check_search::<Amazons>("amazons:5", 1, 20, 20, 1);
}

/// At the very edge of the width a value may be a bound: levels choose among the moves above it.
#[test]
fn moves_within_the_width_of_the_best_have_their_exact_value() {
    let game: Kalah = game("kalah:6,4");
    let limits = Limits { depth: Some(4), ..Limits::default() };
    let (mut second_best, mut bounds_only) = (0, 0);
    for seed in 0..200 {
        let played = somewhere(&game, 30, seed);
        let mut search = AlphaBeta::new(Kalah::STRONG, clock());
        (search.memory, search.width) = (1 << 18, 40);
        let found = search.run(&played, &limits, &AtomicBool::new(false), &mut |_| ());
        for judged in found.moves.iter().skip(1) {
            let mut after = played.clone();
            after.make(judged.mv);
            let same = game.turn(after.position()) == game.turn(played.position());
            let own = plain(&game, &Kalah::STRONG, &mut after.positions().to_vec(), 3, 1);
            let own = if same { own } else { -own };
            if judged.value > found.value() - search.width {
                assert_eq!(judged.value, own, "{}", game.write_position(played.position()));
                second_best += 1;
            } else {
                assert!(own <= judged.value, "{}", game.write_position(played.position()));
                bounds_only += u32::from(own < judged.value);
            }
        }
    }
    assert!(second_best > 50 && bounds_only > 50, "{second_best} exact, {bounds_only} bounds");
}

#[test]
fn deep_search_with_a_strong_judgement_has_the_values_of_plain_negamax_too() {
    for (spec, depth, plies) in [
        ("connect:7,6,4", 5, 36),
        ("connect:4,4,3", 8, 12),
        ("connect:6,5,5", 5, 25),
        ("connect:10,7,4", 3, 50),
    ] {
        check_search_with::<Connect, _>(&|| Connect::STRONG, spec, depth, plies, 60, 1);
    }
    for (spec, depth, plies) in
        [("kalah:6,4", 5, 40), ("kalah:3,3,capture=empty", 7, 20), ("kalah:9,3", 4, 30)]
    {
        check_search_with::<Kalah, _>(&|| Kalah::STRONG, spec, depth, plies, 60, 1);
    }
}

#[test]
fn deep_search_sees_what_stood_before_in_games_with_cycles() {
    check_search::<Oware>("oware", 5, 200, 150, 1);
    check_search::<Oware>("oware:rules=awari", 5, 200, 100, 1);
    // Late in a game few moves are left, and repetitions come within the depth.
    for depth in [8, 13] {
        let game: Oware = game("oware");
        let late: Vec<u64> = (0..4000_u64)
            .filter(|&seed| {
                let played = somewhere(&game, 400, seed);
                game.count(played.position()) <= 2 && played.moves().len() > 60
            })
            .collect();
        for &seed in late.iter().take(if depth == 8 { 200 } else { 30 }) {
            let played = somewhere(&game, 400, seed);
            let want = plain(&game, &Oware::CLASSIC, &mut played.positions().to_vec(), depth, 0);
            let mut search = AlphaBeta::new(Oware::CLASSIC, clock());
            search.memory = 1 << 18;
            let limits = Limits { depth: Some(depth), ..Limits::default() };
            let found = search.run(&played, &limits, &AtomicBool::new(false), &mut |_| ());
            assert_eq!(found.value(), want, "{} depth {depth}", game.write_position(played.position()));
        }
    }
}

#[test]
fn several_threads_find_the_same_values() {
    check_search::<Kalah>("kalah:6,4", 5, 40, 30, 3);
    check_search::<Connect>("connect:4,4,3", 8, 12, 30, 2);
    let game: Kalah = game("kalah:3,2");
    let mut memory = HashMap::new();
    for seed in 0..50 {
        let played = somewhere(&game, 12, seed);
        let want = truth(&game, played.position(), &mut memory);
        let mut solver = NullWindowSolver::new(Kalah::CLASSIC, 1 << 16, clock());
        solver.threads = 3;
        assert_eq!(solved(&mut solver, &played, None).0, Bounds::exactly(want));
    }
}

#[test]
fn one_thread_with_a_limit_of_nodes_is_the_same_every_time() {
    let game: Kalah = game("kalah:6,4");
    let found = || {
        let mut search = AlphaBeta::new(Kalah::CLASSIC, clock());
        let limits = Limits { nodes: Some(30_000), ..Limits::default() };
        search.run(&Match::new(game.clone()), &limits, &AtomicBool::new(false), &mut |_| ())
    };
    assert_eq!(found(), found());
}

#[test]
fn solver_and_search_visit_hardly_any_nodes_after_the_stop_flag() {
    // The flag is read every 32 positions or children: far below five milliseconds in every game.
    const HARDLY: u64 = 100;
    fn check<G: Notation + Evaluated>(spec: &str, depth: u32) {
        let played = Match::new(game::<G>(spec));
        let stop = AtomicBool::new(false);
        let mut told = 0;
        let mut search = AlphaBeta::new(G::CLASSIC, clock());
        let found = search.run(&played, &Limits::default(), &stop, &mut |report| {
            if report.depth == depth {
                told = report.nodes;
                stop.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        });
        assert!(
            told > 0 && found.nodes <= told + HARDLY && !found.moves.is_empty(),
            "{spec}: {told} {found:?}"
        );
        let mut solver = NullWindowSolver::new(G::CLASSIC, 1 << 20, clock());
        let mut nodes = 0;
        let bounds = solver.solve(&played, &Limits::default(), &stop, &mut |report| nodes = report.nodes);
        assert!(!bounds.are_exact() && nodes <= HARDLY, "{spec}: {nodes}");
    }
    check::<Kalah>("kalah:6,4", 6);
    check::<Connect>("connect:7,6,4", 6);
    check::<Oware>("oware", 6);
    check::<Amazons>("amazons:10,10", 1);
}
