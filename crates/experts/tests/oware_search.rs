//! The search of Oware against plain negamax with the whole way in view, and what it may never give away.

use parlor_engine::{Monotonic, Random, Think};
use parlor_experts::oware::{Audit, Expert, audit, small_table};
use parlor_games::oware::{Oware, Position, Prospects, RuleSet};
use parlor_play::{Evaluator, Game, Indexed, LARGE, Limits, Match, Notation, Value, finished};
use std::sync::{Arc, atomic::AtomicBool};

const RULES: [RuleSet; 2] = [RuleSet::Abapa, RuleSet::Awari];

fn bare() -> Expert {
    let mut expert = Expert::without_endings(Arc::new(Monotonic::start()));
    expert.memory = 1 << 18;
    expert
}

fn children(game: &Oware, pos: &Position) -> Vec<Position> {
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let after = |mv| {
        let mut next = *pos;
        game.play(&mut next, mv);
        next
    };
    moves.into_iter().map(after).collect()
}

/// Plain negamax to a depth: a position that stood before ends the game.
fn plain(game: &Oware, way: &mut Vec<Position>, depth: u32, ply: u32) -> Value {
    let pos = *way.last().expect("a position");
    if let Some(margin) = game.result(&pos) {
        return finished(margin, ply);
    }
    if ply > 0 && way[..way.len() - 1].contains(&pos) {
        return finished(game.settle(&pos).expect("a payment"), ply);
    }
    if depth == 0 {
        return Prospects.evaluate(game, &pos);
    }
    let mut best = -LARGE * 2;
    for next in children(game, &pos) {
        way.push(next);
        best = best.max(-plain(game, way, depth - 1, ply + 1));
        way.pop();
    }
    best
}

/// A match after at most `plies` random moves, its last move not the end.
fn somewhere(game: &Oware, plies: usize, seed: u64) -> Match<Oware> {
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

fn check(game: &Oware, played: &Match<Oware>, depth: u32) {
    let want = plain(game, &mut played.positions().to_vec(), depth, 0);
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let mut expert = bare();
    let found = expert.run(played, &limits, &AtomicBool::new(false), &mut |_| ());
    let place = game.write_position(played.position());
    assert_eq!(found.value(), want, "{place} depth {depth}");
    let mut after = played.positions().to_vec();
    let mut next = *played.position();
    game.play(&mut next, found.moves[0].mv);
    after.push(next);
    assert_eq!(-plain(game, &mut after, depth - 1, 1), want, "{place}: the move is worth the value");
    expert.forget();
    expert.widen(Value::MAX);
    let found = expert.run(played, &limits, &AtomicBool::new(false), &mut |_| ());
    assert_eq!(found.moves.len() as u64, game.count(played.position()));
    for judged in &found.moves {
        let mut next = *played.position();
        game.play(&mut next, judged.mv);
        *after.last_mut().expect("a position") = next;
        assert_eq!(judged.value, -plain(game, &mut after, depth - 1, 1), "{place} {:?}", judged.mv);
        let mut line = played.clone();
        judged.line.iter().for_each(|&mv| {
            line.play(&game.write_move(mv)).expect("a line of legal moves");
        });
    }
}

#[test]
fn values_are_those_of_plain_negamax_with_the_whole_way_in_view() {
    for rules in RULES {
        let game = Oware::by(rules);
        for seed in 0..200 {
            check(&game, &somewhere(&game, 200, seed), 5);
        }
        let game = game.to_the_last_seed();
        (0..60).for_each(|seed| check(&game, &somewhere(&game, 300, seed), 6));
    }
}

/// Late in a game few moves are left, and repetitions come into view.
#[test]
fn what_returns_is_seen_and_never_remembered_where_it_does_not_hold() {
    let mut checked = 0;
    for rules in RULES {
        let game = Oware::by(rules);
        for seed in 0..6000_u64 {
            let played = somewhere(&game, 400, seed);
            let late = played.moves().len() > 60 && game.count(played.position()) <= 2;
            let depth = if seed % 4 == 0 { 13 } else { 8 };
            let few = game.layer(played.position()) <= 6;
            if late && (depth == 8 || few) {
                check(&game, &played, if few && depth == 13 { 14 } else { depth });
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "only {checked} positions");
}

#[test]
fn nothing_that_is_proved_is_given_away() {
    for rules in RULES {
        let table = small_table(rules).expect("a table");
        let plan = Audit { rules, table, nodes: 1000, clock: Arc::new(Monotonic::start()) };
        let games = std::env::var("GAMES").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
        let account = audit(&plan, 0..games);
        eprintln!(
            "{rules:?} {} games {} endings {} moves {} faults",
            account.games,
            account.endings,
            account.moves,
            account.faults.len()
        );
        assert!(account.faults.is_empty(), "{:#?}", account.faults);
        assert!(account.endings > 20 && account.moves > 50, "{account:?}");
    }
}

#[test]
#[ignore]
fn speed() {
    for rules in RULES {
        let game = Oware::by(rules);
        let mut expert = Expert::without_endings(Arc::new(Monotonic::start()));
        for depth in [14, 16, 18] {
            expert.forget();
            let begun = std::time::Instant::now();
            let limits = Limits { depth: Some(depth), ..Limits::default() };
            let found = expert.run(&Match::new(game.clone()), &limits, &AtomicBool::new(false), &mut |_| ());
            let seconds = begun.elapsed().as_secs_f64();
            println!(
                "{rules:?} depth {depth} {} nodes {seconds:.3} s {:.1} M/s",
                found.nodes,
                found.nodes as f64 / seconds / 1e6
            );
        }
    }
}
