//! Tests of the players `engine` and `perfect`: levels, limits, proved values.

use parlor_catalog::{DynGame, Manual, Resources, game};
use parlor_core::{Answer, Board, Limits, Outcome, Player, Side};
use parlor_engine::Random;
use parlor_fifth_game::games;
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

fn resources(seed: u64) -> Resources {
    // A clock that does not run: the moves must depend on node counts only.
    Resources::with_clock(seed, Arc::new(Manual::stepping(Duration::ZERO)))
}

fn answer(game: &dyn DynGame, player: &str, board: &dyn Board, limits: &Limits, seed: u64) -> String {
    let mut player = game.player(&player.parse().expect("a spec"), &resources(seed)).expect("a player");
    match player.choose(board, limits, &AtomicBool::new(false), &mut |_| ()) {
        Ok(Answer::Move(text)) => text,
        other => panic!("{other:?}"),
    }
}

/// Plays a complete game, which ends by repetition like a game of programs.
fn play_out(game: &dyn DynGame, players: [&str; 2], seed: u64) -> Outcome {
    let spec = game.spec();
    let mut board = game.board();
    let mut seats = players.map(|player| {
        game.player(&player.parse().expect("a player spec"), &resources(seed)).expect("a player")
    });
    while board.ending().is_none() {
        if let Some(outcome) = board.repetition_payoff().filter(|_| board.occurrences() > 1) {
            return outcome;
        }
        let player = &mut seats[board.turn().index()];
        let answer = player.choose(board.as_ref(), &Limits::default(), &AtomicBool::new(false), &mut |_| ());
        let Ok(Answer::Move(text)) = answer else { panic!("{spec} {players:?}: {answer:?}") };
        board.play(&text).unwrap_or_else(|why| panic!("{spec} {players:?} {text}: {why}"));
    }
    board.ending().and_then(|ending| ending.outcome).expect("an outcome")
}

#[test]
fn every_level_plays_every_game_to_its_end() {
    for entry in games() {
        let small = entry.game(entry.small()).expect("a size");
        for level in 1..=7 {
            play_out(small.as_ref(), [&format!("engine:level={level}"), "random"], level);
        }
        play_out(small.as_ref(), ["engine:depth=2", "engine:nodes=300"], 1);
        play_out(small.as_ref(), ["engine:nodes=1", "engine:nodes=200,threads=2"], 1);
    }
}

#[test]
fn a_level_answers_the_same_whatever_was_asked_before_and_other_seeds_vary_it() {
    for entry in games() {
        let game = entry.build("").expect("a game");
        let mut board = game.board();
        let mut kept =
            game.player(&"engine:level=4".parse().expect("a spec"), &resources(3)).expect("a player");
        for _ in 0..4 {
            if board.ending().is_some() {
                break;
            }
            let again = answer(game.as_ref(), "engine:level=4", board.as_ref(), &Limits::default(), 3);
            let said = kept.choose(board.as_ref(), &Limits::default(), &AtomicBool::new(false), &mut |_| ());
            assert_eq!(said, Ok(Answer::Move(again.clone())), "{}", entry.name);
            board.play(&again).expect("legal");
        }
        let beginning = |seed| {
            let mut board = game.board();
            for _ in 0..6 {
                if board.ending().is_some() {
                    break;
                }
                let text = answer(game.as_ref(), "engine:level=1", board.as_ref(), &Limits::default(), seed);
                board.play(&text).expect("legal");
            }
            board.position()
        };
        assert!((0..9).any(|seed| beginning(seed) != beginning(9)), "{}: always the same game", entry.name);
    }
}

#[test]
fn a_win_in_one_is_taken_and_a_loss_in_one_stopped_at_every_level() {
    let game = game("connect").expect("a game");
    for level in 2..=7 {
        let player = format!("engine:level={level}");
        for seed in 0..5 {
            for (moves, want) in [("112233", "4"), ("1122335", "4"), ("4141417", "1")] {
                let mut board = game.board();
                for word in game.split(moves) {
                    board.play(&word).expect("legal");
                }
                let said = answer(game.as_ref(), &player, board.as_ref(), &Limits::default(), seed);
                assert_eq!(said, want, "level {level} after {moves}");
            }
        }
    }
}

#[test]
fn higher_levels_win_more_often() {
    // Counted over several games, because one game is random.
    let mut wins = [0, 0];
    for spec in ["kalah:6,4", "connect", "oware", "amazons:5"] {
        for seed in 0..6 {
            let players = ["engine:level=1", "engine:level=5"];
            let order = if seed % 2 == 0 { players } else { [players[1], players[0]] };
            let outcome = play_out(game(spec).expect("a game").as_ref(), order, seed);
            if let Some(winner) = outcome.winner {
                let strong = (winner == Side::Second) == (seed % 2 == 0);
                wins[usize::from(strong)] += 1;
            }
        }
    }
    assert!(wins[1] >= 3 * wins[0].max(1), "level 1 against level 5: {wins:?}");
}

#[test]
fn an_engine_uses_the_chosen_evaluation_and_beginners_the_simple_one() {
    let game = game("connect").expect("a game");
    let first = |player: &str| answer(game.as_ref(), player, game.board().as_ref(), &Limits::default(), 1);
    assert_eq!(first("engine:depth=4"), "4", "the middle looks best");
    assert_eq!(
        first("engine:depth=4,eval=classic"),
        "1",
        "nothing is seen, so the first move is as good as any"
    );
    for seed in 0..5 {
        let said =
            |player: &str| answer(game.as_ref(), player, game.board().as_ref(), &Limits::default(), seed);
        assert_eq!(said("engine:level=3"), said("engine:level=3,eval=classic"));
        assert_eq!(said("engine:level=4"), said("engine:level=4,eval=strong"));
    }
    let wrong =
        game.player(&"engine:eval=good".parse().expect("a spec"), &resources(1)).err().expect("refused");
    assert!(wrong.to_string().contains("'good' is not one of strong, classic"), "{wrong}");
}

#[test]
fn limits_of_the_referee_hold() {
    let game = game("kalah").expect("a game");
    let clock = Arc::new(Manual::stepping(Duration::from_micros(10)));
    let resources = Resources::with_clock(1, clock.clone());
    let limits = Limits { time: Some(Duration::from_millis(100)), ..Limits::default() };
    for player in ["engine:level=10", "engine:time=1h", "perfect", "perfect:time=1h"] {
        let mut player = game.player(&player.parse().expect("a spec"), &resources).expect("a player");
        let begun = clock.shown();
        let said = player.choose(game.board().as_ref(), &limits, &AtomicBool::new(false), &mut |_| ());
        let taken = clock.shown() - begun;
        assert!(said.is_ok() && taken <= Duration::from_millis(100), "{taken:?}");
    }
    let stop = AtomicBool::new(true);
    for player in ["engine:level=10", "engine:level=9", "perfect"] {
        let mut player = game.player(&player.parse().expect("a spec"), &resources).expect("a player");
        let said = player.choose(game.board().as_ref(), &Limits::default(), &stop, &mut |_| ());
        assert!(matches!(said, Ok(Answer::Move(_))), "told to stop at once it still answers: {said:?}");
    }
}

#[test]
fn perfect_never_loses_proved_value() {
    // The value of the start for the first side, by the solver; perfect has to get at least that against every opponent.
    for (spec, value) in [("connect:5,4,4", 0), ("connect:4,4,3", 1), ("kalah:3,3", 1), ("kalah:4,3", 1)] {
        for (seed, other) in
            (0..8).flat_map(|seed| ["random", "minimax:depth=3", "perfect"].map(|p| (seed, p)))
        {
            let outcome = play_out(game(spec).expect("a game").as_ref(), ["perfect", other], seed);
            let got = outcome.winner.map_or(0, |winner| if winner == Side::First { 1 } else { -1 });
            assert!(got >= value, "{spec} against {other}: {outcome}");
            if other == "perfect" {
                assert_eq!(got, value, "{spec}");
            }
        }
    }
    // Here the second side has the better of it.
    for (seed, other) in (0..8).flat_map(|seed| ["random", "minimax:depth=2"].map(|p| (seed, p))) {
        let game = game("amazons:4").expect("a game");
        let outcome = play_out(game.as_ref(), [other, "perfect"], seed);
        assert_eq!(outcome.winner, Some(Side::Second), "against {other}");
    }
}

/// A random opening of a few moves; fewer where the game is over by then.
fn opening(game: &dyn DynGame, random: &mut Random) -> Box<dyn Board> {
    let mut board = game.board();
    for _ in 0..4 + random.below(6) {
        let moves = board.moves();
        let Some(text) = moves.get(random.below(moves.len())) else { break };
        board.play(text).expect("legal");
    }
    board
}

/// Plays on to the end; gives the margin that the first of the two players gets, who has this side.
fn margin_of(mut board: Box<dyn Board>, side: Side, mut players: [&mut dyn Player; 2]) -> i16 {
    while board.ending().is_none() {
        let player = &mut players[usize::from(board.turn() != side)];
        let said = player.choose(board.as_ref(), &Limits::default(), &AtomicBool::new(false), &mut |_| ());
        let Ok(Answer::Move(text)) = said else { panic!("{said:?}") };
        board.play(&text).expect("legal");
    }
    let outcome = board.ending().and_then(|ending| ending.outcome).expect("an outcome");
    let by = outcome.by.unwrap_or(0) as i16;
    if outcome.winner == Some(side) { by } else { -by }
}

/// From random openings of small boards: a won game is won, by no less than its value, and a drawn one is not lost.
#[test]
fn perfect_gets_the_value_of_random_openings() {
    let mut won = 0;
    for spec in ["connect:6,4,4", "connect:5,5,4", "connect:4,5,3", "connect:6,4,5"] {
        let game = game(spec).expect("a game");
        let small = Resources { memory: Some(1 << 20), ..resources(1) };
        let mut solver = game.solver(&small).expect("no tables");
        let player = |spec: &str, seed| {
            game.player(&spec.parse().expect("a spec"), &resources(seed)).expect("a player")
        };
        let mut perfect = player("perfect", 1);
        for seed in 0..24 {
            let board = opening(game.as_ref(), &mut Random::new(seed));
            let moves = board.move_list();
            let bounds =
                solver.solve(board.as_ref(), &Limits::default(), &AtomicBool::new(false), &mut |_| ());
            let value = bounds.expect("a record").lo.0;
            let side = if value < 0 { board.turn().other() } else { board.turn() };
            let mut other =
                player(["random", "minimax:depth=4", "engine:nodes=500"][seed as usize % 3], seed);
            let got = margin_of(board, side, [perfect.as_mut(), other.as_mut()]);
            assert!(got >= value.abs(), "{spec} {moves}: {got}, not {value}");
            won += u32::from(value != 0);
        }
    }
    assert!(won > 30, "only {won} of the openings were won");
}

#[test]
fn perfect_takes_the_largest_margin_in_random_endings() {
    let game = game("kalah:3,2").expect("a game");
    let resources = Resources { memory: Some(1 << 20), ..resources(1) };
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let mut board = game.board();
        for _ in 0..random.below(8) {
            let moves = board.moves();
            let Some(text) = moves.get(random.below(moves.len())) else { break };
            board.play(text).expect("legal");
        }
        if board.ending().is_some() {
            continue;
        }
        let mut solver = game.solver(&resources).expect("no tables");
        let mut value = |board: &dyn Board| {
            let bounds = solver.solve(board, &Limits::default(), &AtomicBool::new(false), &mut |_| ());
            bounds.expect("a record").lo.0
        };
        let (before, side) = (value(board.as_ref()), board.turn());
        let text = answer(game.as_ref(), "perfect", board.as_ref(), &Limits::default(), seed);
        board.play(&text).expect("legal");
        let after = value(board.as_ref());
        assert_eq!(if board.turn() == side { after } else { -after }, before, "{}", board.position());
    }
}

#[test]
fn analysis_of_the_first_plies_of_four_in_a_row_is_proved_from_the_book() {
    let resources = Resources { memory: Some(64 << 20), ..resources(1) };
    let game = game("connect").expect("a game");
    // So long that only a proof of every move can end the analysis in time.
    let limits = Limits { time: Some(Duration::from_secs(1_000_000)), ..Limits::default() };
    let mut analyst = game.analyst(&resources).expect("no tables");
    let found = analyst.analyze(&game.board().record(), &limits, &AtomicBool::new(false));
    let found = found.expect("a record");
    assert!(found.iter().all(|judgement| judgement.proved.are_exact()));
    let told: Vec<(&str, i16)> = found.iter().map(|j| (j.mv.as_str(), j.value.0)).collect();
    assert_eq!(told, [("4", 1), ("3", 0), ("5", 0), ("2", -1), ("6", -1), ("1", -2), ("7", -2)]);
    assert!(found.iter().all(|judgement| judgement.line.len() >= 38), "best play to the end");
}

#[test]
fn analysis_lists_every_move_with_its_value_best_first() {
    let resources = Resources { memory: Some(1 << 20), ..resources(1) };
    let mut proved = 0;
    for entry in games() {
        let (game, spec) = (entry.game(entry.small()).expect("a size"), entry.small());
        let board = game.board();
        let limits = Limits { depth: Some(4), nodes: Some(500_000), ..Limits::default() };
        let mut analyst = game.analyst(&resources).expect("no tables");
        let found = analyst.analyze(&board.record(), &limits, &AtomicBool::new(false)).expect("a record");
        assert_eq!(found.len(), board.moves().len());
        assert!(found.is_sorted_by(|one, next| one.value >= next.value), "{spec}");
        let nodes = Limits { nodes: Some(100_000), ..Limits::default() };
        let bounds = game
            .solver(&resources)
            .expect("no tables")
            .solve(board.as_ref(), &nodes, &AtomicBool::new(false), &mut |_| ())
            .expect("a record");
        if bounds.are_exact() {
            assert!(found.iter().all(|judgement| judgement.proved.are_exact()), "{spec}");
            assert_eq!(found[0].value, bounds.lo, "{spec}: the best move is worth the position");
            proved += 1;
        }
        let mut told = found.iter().map(|judgement| judgement.mv.clone()).collect::<Vec<_>>();
        let mut moves = board.moves();
        told.sort();
        moves.sort();
        assert_eq!(told, moves);
    }
    assert!(proved >= 3, "only {proved} games have a size that is solved quickly");
}

#[test]
fn the_best_move_is_exact_when_only_the_value_of_the_position_is_proved() {
    let resources = Resources { memory: Some(1 << 20), ..resources(1) };
    let game = game("kalah:5,3").expect("a game");
    for most in [40_000, 50_000, 60_000] {
        let limits = Limits { depth: Some(4), nodes: Some(most), ..Limits::default() };
        let mut solver = game.solver(&resources).expect("no tables");
        let bounds = solver
            .solve(game.board().as_ref(), &limits, &AtomicBool::new(false), &mut |_| ())
            .expect("a record");
        let mut analyst = game.analyst(&resources).expect("no tables");
        let found =
            analyst.analyze(&game.board().record(), &limits, &AtomicBool::new(false)).expect("a record");
        assert!(bounds.are_exact(), "{most} nodes prove the position");
        assert_eq!(found[0].proved, bounds, "{most} nodes: the best move has the value of the position");
        assert!(found.iter().all(|analysis| analysis.proved.hi <= bounds.hi), "{most} nodes");
        assert!(!found.iter().all(|analysis| analysis.proved.are_exact()), "{most} nodes leave a move open");
    }
}

#[test]
fn analysis_of_a_game_without_margins_gives_chances_to_all_moves() {
    let resources = Resources { memory: Some(1 << 20), ..resources(1) };
    let game = game("amazons:6").expect("a game");
    let board = game.board();
    let limits = Limits { nodes: Some(300), ..Limits::default() };
    let mut analyst = game.analyst(&resources).expect("no tables");
    let found = analyst.analyze(&board.record(), &limits, &AtomicBool::new(false)).expect("a record");
    assert_eq!(found.len(), board.moves().len());
    let chances: Vec<f32> =
        found.iter().map(|judgement| judgement.chance.expect("nothing is proved")).collect();
    assert!(chances.is_sorted_by(|one, next| one >= next), "the best first");
    assert!(chances.iter().all(|chance| (0.0..=1.0).contains(chance)));
    assert!(chances[0] > chances[chances.len() - 1] + 0.2, "some moves are bad");
    let again = game.analyst(&resources).expect("no tables").analyze(
        &board.record(),
        &limits,
        &AtomicBool::new(false),
    );
    assert_eq!(again.expect("a record"), found);
}
