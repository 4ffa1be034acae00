//! The searches against plain ones of a few lines, on random positions of several games.

use parlor_core::{
    Evaluated, Evaluator, Game, Limits, Match, Notation, Value, finished, parse_values, split_spec,
};
use parlor_engine::{Beam, Minimax, Monotonic, MoveChooser, Random, SearchContext};
use parlor_games::{amazons::Amazons, connect::Connect, kalah::Kalah, oware::Oware};
use std::sync::{Arc, atomic::AtomicBool};

fn game<G: Game>(spec: &str) -> G {
    let (name, rest) = split_spec(spec).expect("a spec");
    G::new(&parse_values(name, G::PARAMETERS, rest).expect("parameters")).expect("a game")
}

fn children<G: Game>(game: &G, pos: &G::Position) -> Vec<(G::Move, G::Position)> {
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let after = |mv| {
        let mut next = pos.clone();
        game.play(&mut next, mv);
        (mv, next)
    };
    moves.into_iter().map(after).collect()
}

/// Minimax without pruning.
fn plain<G: Evaluated>(game: &G, pos: &G::Position, depth: u32, ply: u32) -> Value {
    if let Some(margin) = game.result(pos) {
        return finished(margin, ply);
    }
    if depth == 0 {
        return G::CLASSIC.evaluate(game, pos);
    }
    let values = children(game, pos).into_iter().map(|(_, next)| {
        let value = plain(game, &next, depth - 1, ply + 1);
        if game.turn(&next) == game.turn(pos) { value } else { -value }
    });
    values.max().expect("a move")
}

/// The first of the best moves, by [`plain`].
fn plain_choice<G: Evaluated>(game: &G, pos: &G::Position, depth: u32) -> Option<G::Move> {
    let mut best: Option<(G::Move, Value)> = None;
    for (mv, next) in children(game, pos) {
        let value = plain(game, &next, depth - 1, 1);
        let value = if game.turn(&next) == game.turn(pos) { value } else { -value };
        if best.is_none_or(|(_, before)| value > before) {
            best = Some((mv, value));
        }
    }
    best.map(|(mv, _)| mv)
}

fn chosen<G: Notation>(chooser: &mut impl MoveChooser<G>, played: &Match<G>) -> Option<G::Move> {
    let (limits, stop) = (Limits::default(), AtomicBool::new(false));
    chooser.choose(played, &mut SearchContext { limits: &limits, stop: &stop, report: &mut |_| () })
}

fn check<G: Notation + Evaluated>(spec: &str, depth: u32, positions: u64) {
    let game: G = game(spec);
    for seed in 0..positions {
        let mut random = Random::new(seed);
        let mut played = Match::new(game.clone());
        for _ in 0..random.below(40) {
            let Some(mv) = game.pick(played.position(), &mut |n| random.below(n), &mut Vec::new()) else {
                break;
            };
            played.make(mv);
        }
        if played.ending().is_some() {
            played.undo();
        }
        let want = plain_choice(&game, played.position(), depth);
        let clock = Arc::new(Monotonic::start());
        let mut minimax =
            Minimax { evaluator: G::CLASSIC, depth: Some(depth), time: None, clock: clock.clone() };
        let place = game.write_position(played.position());
        assert_eq!(chosen(&mut minimax, &played), want, "{spec} {place} depth {depth}");
        check_beam(&game, &played, depth, want);
    }
}

/// A beam that is wide enough is minimax, except for ties: it searches the best-evaluated moves
/// first.
fn check_beam<G: Notation + Evaluated>(game: &G, played: &Match<G>, depth: u32, want: Option<G::Move>) {
    let clock = Arc::new(Monotonic::start());
    let mut beam = Beam { evaluator: G::CLASSIC, width: 1_000_000, depth, time: None, clock };
    let pos = played.position();
    let worth = |mv: Option<G::Move>| {
        let mut next = pos.clone();
        game.play(&mut next, mv.expect("a move"));
        let value = plain(game, &next, depth - 1, 1);
        if game.turn(&next) == game.turn(pos) { value } else { -value }
    };
    let place = game.write_position(pos);
    assert_eq!(worth(chosen(&mut beam, played)), worth(want), "beam {} {place}", game.spec());
}

#[test]
fn pruned_search_chooses_what_plain_minimax_chooses() {
    check::<Kalah>("kalah:6,4", 4, 60);
    check::<Kalah>("kalah:3,3,capture=empty", 6, 60);
    check::<Kalah>("kalah:4,2", 12, 10);
    check::<Connect>("connect:7,6,4", 4, 60);
    check::<Connect>("connect:4,4,3", 6, 60);
    check::<Oware>("oware", 4, 60);
    check::<Oware>("oware:rules=awari", 4, 40);
    check::<Amazons>("amazons:4", 2, 20);
    check::<Amazons>("amazons:6", 1, 10);
}

#[test]
fn a_narrow_beam_keeps_the_best_looking_moves_only() {
    let game: Amazons = game("amazons:5");
    let played = Match::new(game);
    let clock = Arc::new(Monotonic::start());
    let mut narrow = Beam { evaluator: Amazons::CLASSIC, width: 1, depth: 3, time: None, clock };
    // With one child, the best-evaluated move is chosen, regardless of deeper values.
    assert_eq!(chosen(&mut narrow, &played), plain_choice(played.game(), played.position(), 1));
}
