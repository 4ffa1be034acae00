//! Kalah's search for play against plain negamax, the general search, and the solver.

use parlor_core::{
    Bounds, Evaluated, Evaluator, Game, Limits, Match, Notation, Report, Solve, Value, finished,
};
use parlor_engine::{AlphaBeta, Monotonic, NullWindowSolver, Random, SearchResult, Searcher};
use parlor_games::kalah::{Hole, Kalah, Position};
use parlor_solvers::kalah::{KalahExpert, KalahSearcher};
use parlor_testkit::seed;
use std::sync::{Arc, atomic::AtomicBool};

fn game(holes: u32, beans: u32, capture: u32) -> Kalah {
    Kalah::new(&[holes, beans, capture]).expect("a game")
}

fn searcher() -> KalahSearcher {
    let mut search = KalahSearcher::new(Arc::new(Monotonic::start()), None);
    // The evaluation that plain negamax and the general search use.
    search.network = None;
    search.memory = 1 << 18;
    search
}

fn to_depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn of_nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

fn run(search: &mut dyn Searcher<Kalah>, played: &Match<Kalah>, limits: &Limits) -> SearchResult<Hole> {
    search.run(played, limits, &AtomicBool::new(false), &mut |_| ())
}

fn successor(game: &Kalah, pos: &Position, mv: Hole) -> Position {
    let mut next = pos.clone();
    game.play(&mut next, mv);
    next
}

/// The value of a move by plain negamax, for the side that makes it.
fn move_value(game: &Kalah, pos: &Position, mv: Hole, depth: u32, ply: u32) -> Value {
    let next = successor(game, pos, mv);
    let value = negamax(game, &next, depth - 1, ply + 1);
    if game.turn(&next) == game.turn(pos) { value } else { -value }
}

fn negamax(game: &Kalah, pos: &Position, depth: u32, ply: u32) -> Value {
    if let Some(margin) = game.result(pos) {
        return finished(margin, ply);
    }
    if depth == 0 {
        return Kalah::STRONG.evaluate(game, pos);
    }
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    moves.into_iter().map(|mv| move_value(game, pos, mv, depth, ply)).max().expect("a move")
}

/// A match after at most `plies` random moves that is not over.
fn some_moves_in(game: &Kalah, plies: usize, random: &mut Random) -> Match<Kalah> {
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

const SIZES: [(u32, u32); 10] =
    [(1, 6), (2, 3), (3, 2), (3, 6), (4, 4), (5, 3), (6, 4), (6, 6), (7, 4), (8, 5)];

#[test]
fn values_to_a_depth_are_those_of_plain_negamax() {
    let mut random = Random::new(seed(1));
    for ((holes, beans), capture) in SIZES.iter().flat_map(|&size| [(size, 0), (size, 1)]) {
        let game = game(holes, beans, capture);
        let mut search = searcher();
        for round in 0..24 {
            let played = some_moves_in(&game, 40, &mut random);
            let depth = if round % 8 == 0 { 6 } else { 1 + round % 5 };
            let (pos, place) = (played.position(), game.write_position(played.position()));
            let want = negamax(&game, pos, depth, 0);
            search.widen(0);
            let found = run(&mut search, &played, &to_depth(depth));
            assert_eq!(found.value(), want, "{} {place} depth {depth}", game.spec());
            let best = found.moves[0].mv;
            let reached = found.depth;
            assert_eq!(move_value(&game, pos, best, reached, 0), want, "{place}: the move has the value");
            search.forget();
            search.widen(Value::MAX);
            let found = run(&mut search, &played, &to_depth(depth));
            assert_eq!(found.moves.len() as u64, game.count(pos));
            for scored in &found.moves {
                let want = move_value(&game, pos, scored.mv, found.depth, 0);
                assert_eq!(scored.value, want, "{place} {:?}", scored.mv);
                let mut line = played.clone();
                for &mv in &scored.line {
                    line.play(&game.write_move(mv)).expect("a legal move");
                }
            }
        }
    }
}

#[test]
fn values_to_a_depth_are_those_of_the_general_search() {
    let mut random = Random::new(seed(2));
    for ((holes, beans), capture) in [((6, 4), 0), ((6, 6), 1), ((4, 5), 0), ((8, 4), 0)] {
        let game = game(holes, beans, capture);
        for _ in 0..6 {
            let played = some_moves_in(&game, 30, &mut random);
            let mut general = AlphaBeta::new(Kalah::STRONG, Arc::new(Monotonic::start()));
            let want = general.run(&played, &to_depth(9), &AtomicBool::new(false), &mut |_| ());
            let mut search = searcher();
            for threads in [1, 2] {
                search.threads = threads;
                search.forget();
                let found = run(&mut search, &played, &to_depth(9));
                let place = game.write_position(played.position());
                assert_eq!(found.value(), want.value(), "{} {place}", game.spec());
            }
        }
    }
}

#[test]
fn a_node_limit_gives_the_same_result_every_time() {
    let mut random = Random::new(seed(3));
    for ((holes, beans), capture) in [((6, 4), 0), ((6, 6), 0), ((8, 3), 1)] {
        let game = game(holes, beans, capture);
        for _ in 0..4 {
            let played = some_moves_in(&game, 20, &mut random);
            let once = run(&mut searcher(), &played, &of_nodes(30_000));
            assert_eq!(once, run(&mut searcher(), &played, &of_nodes(30_000)));
            assert!(once.nodes <= 30_000 + 2 * u64::from(holes), "{once:?}");
            assert!(once.exact || once.depth > 5, "{once:?}");
        }
    }
}

/// The value of every report and result, and of every move that got one, lies within what is proved by the solver.
#[test]
fn nothing_that_a_selective_search_proves_is_wrong() {
    let mut random = Random::new(seed(4));
    let (mut decided, mut exact) = (0, 0);
    for ((holes, beans), capture) in
        [((6, 4), 0), ((6, 4), 1), ((6, 6), 0), ((4, 4), 0), ((3, 6), 1), ((8, 2), 0)]
    {
        let game = game(holes, beans, capture);
        let clock = Arc::new(Monotonic::start());
        let general = NullWindowSolver::new(Kalah::CLASSIC, 1 << 20, clock.clone());
        let mut expert = KalahExpert::new(16 << 20, 1, clock, None, Box::new(general));
        for round in 0..120 {
            let played = some_moves_in(&game, 200, &mut random);
            let solver_limits = of_nodes(400_000);
            let stop = AtomicBool::new(false);
            let truth = expert.solve(&played, &solver_limits, &stop, &mut |_| ());
            if !truth.are_exact() {
                continue;
            }
            let (place, all) = (game.write_position(played.position()), game.bounds(played.position()));
            let check = |proved: Bounds| {
                assert!(proved.contain(truth.lo), "{} {place}: {proved:?}, not {truth:?}", game.spec());
            };
            let mut search = searcher();
            search.widen(if round % 4 == 0 { Value::MAX } else { 0 });
            let mut report = |report: &Report| report.proved.into_iter().for_each(check);
            let limits = of_nodes([100, 1_000, 20_000][round % 3]);
            let found = search.run(&played, &limits, &stop, &mut report);
            let proved = found.proved(all);
            check(proved);
            decided += u32::from(proved != all && !found.exact);
            exact += u32::from(found.exact);
        }
    }
    assert!(decided > 20 && exact > 100, "{decided} decided, {exact} exact");
}

#[test]
fn boards_that_do_not_fit_are_searched_all_the_same() {
    for (holes, beans) in [(9, 2), (8, 8), (8, 20)] {
        let game = game(holes, beans, 0);
        let found = run(&mut searcher(), &Match::new(game.clone()), &to_depth(3));
        assert_eq!(found.value(), negamax(&game, &game.start(), 3, 0), "{}", game.spec());
    }
}

#[test]
fn a_finished_game_has_no_move() {
    let game = game(3, 2, 0);
    let pos = game.parse_position("0,0,0/0,0,0 7/5 s").expect("a position");
    let found = run(&mut searcher(), &Match::from_position(game, pos), &Limits::default());
    assert!(found.moves.is_empty() && found.exact);
}
