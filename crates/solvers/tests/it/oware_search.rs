//! The search of Oware against plain negamax with the whole way in view, and what it may never give away.

use parlor_core::{Evaluated, Evaluator, Game, Indexed, LARGE, Limits, Match, Notation, Value, finished};
use parlor_engine::{Monotonic, Random, Searcher};
use parlor_games::oware::{Oware, Position, RuleSet};
use parlor_solvers::oware::{Audit, OwareSearcher, SMALL, audit, small_table};
use std::sync::{Arc, atomic::AtomicBool};

const RULES: [RuleSet; 2] = [RuleSet::Abapa, RuleSet::Awari];

fn bare() -> OwareSearcher {
    let mut expert = OwareSearcher::without_endings(Arc::new(Monotonic::start()));
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

/// Plain negamax to a depth: a position that occurs for the second time ends the game.
fn plain(game: &Oware, way: &mut Vec<Position>, depth: u32, ply: u32) -> Value {
    let pos = *way.last().expect("a position");
    if let Some(margin) = game.result(&pos) {
        return finished(margin, ply);
    }
    if ply > 0 && way[..way.len() - 1].contains(&pos) {
        return finished(game.repetition_payoff(&pos).expect("a payment"), ply);
    }
    if depth == 0 {
        return Oware::STRONG.evaluate(game, &pos);
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
        let account = audit(&plan, 0..60);
        assert!(account.faults.is_empty(), "{:#?}", account.faults);
        assert!(account.endings > 10 && account.moves > 10, "{account:?}");
    }
}

#[test]
fn a_limit_of_nodes_gives_the_same_every_time() {
    for rules in RULES {
        let played = somewhere(&Oware::by(rules), 30, 7);
        let found = || {
            let mut expert = OwareSearcher::new(rules, Arc::new(Monotonic::start()), None);
            let limits = Limits { nodes: Some(50_000), ..Limits::default() };
            expert.run(&played, &limits, &AtomicBool::new(false), &mut |_| ())
        };
        let once = found();
        assert_eq!(once, found());
        assert!(once.depth > 5 && once.nodes <= 50_000 + 12, "{once:?}");
    }
}

#[test]
fn helpers_change_no_value() {
    let game = Oware::by(RuleSet::Abapa);
    for seed in 0..20 {
        let played = somewhere(&game, 60, seed);
        let limits = Limits { depth: Some(7), ..Limits::default() };
        let value = |threads| {
            let mut expert = bare();
            expert.threads = threads;
            expert.run(&played, &limits, &AtomicBool::new(false), &mut |_| ()).value()
        };
        assert_eq!(value(1), value(3), "{}", game.write_position(played.position()));
    }
}

/// The rule sets pay cycles differently, so their tables must not be mixed up.
#[test]
fn each_rule_set_has_a_small_table_of_its_own() {
    let tables = RULES.map(|rules| small_table(rules).expect("a table"));
    assert_eq!(tables.each_ref().map(|table| table.family().rules()), RULES);
    assert_eq!(tables.each_ref().map(|table| table.top()), [SMALL; 2]);
}
