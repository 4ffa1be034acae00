//! Tests of the classic players.

use parlor_catalog::{DynGame, Manual, Resources, game};
use parlor_core::{Answer, Board, Limits, Record};
use parlor_engine::Random;
use parlor_fifth_game::games;
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

fn answer(game: &dyn DynGame, player: &str, board: &dyn Board) -> Answer {
    let spec = player.parse().expect("a player spec");
    let mut player = game.player(&spec, &Resources::seeded(1)).expect("a player");
    player.choose(board, &Limits::default(), &AtomicBool::new(false), &mut |_| ()).expect("an answer")
}

fn at(spec: &str, position: &str, player: &str) -> Answer {
    let game = game(spec).expect("a game");
    let board = game.board_at(position).expect("a position");
    answer(game.as_ref(), player, board.as_ref())
}

fn plays(text: &str) -> Answer {
    Answer::Move(text.to_string())
}

/// Specs of every kind of player that answer quickly.
const QUICK: [&str; 6] =
    ["bad", "random", "minimax:depth=2", "minimax:time=5ms", "beam:width=4,depth=3", "beam:time=5ms"];

#[test]
fn on_kalah_3_0_every_player_answers_none() {
    for player in QUICK {
        let game = game("kalah:3,0").expect("a game");
        assert_eq!(answer(game.as_ref(), player, game.board().as_ref()), Answer::NoMove, "{player}");
    }
}

#[test]
fn with_south_2_set_to_3_and_north_3_set_to_2_bad_north_plays_3_and_minimax_south_plays_2() {
    assert_eq!(at("kalah:3,0", "0,0,2/0,3,0 0/0 n", "bad"), plays("3"));
    assert_eq!(at("kalah:3,0", "0,0,2/0,3,0 0/0 s", "minimax:depth=4"), plays("2"));
    assert_eq!(at("kalah:3,0", "0,0,2/0,3,0 0/0 s", "minimax:time=20ms"), plays("2"));
}

#[test]
fn kalah_3_2_with_south_minimax_and_north_bad_ends_8_to_4_with_every_hole_empty() {
    let game = game("kalah:3,2").expect("a game");
    let board = play_out(game.as_ref(), ["minimax:depth=30", "bad"]);
    assert_eq!(board.position(), "0,0,0/0,0,0 4/8 n".replace(" n", &board.position()[15..]));
    assert_eq!(board.scores(), Some([8, 4]));
}

/// Plays a complete game of two players, which ends by repetition like a game of programs.
fn play_out(game: &dyn DynGame, players: [&str; 2]) -> Box<dyn Board> {
    let spec = game.spec();
    let mut board = game.board();
    let mut seats = players.map(|player| {
        let spec = player.parse().expect("a player spec");
        game.player(&spec, &Resources::seeded(5)).expect("a player")
    });
    for _ in 0..2000 {
        if board.ending().is_some() || board.repetition_payoff().is_some() && board.occurrences() > 1 {
            return board;
        }
        let player = &mut seats[board.turn().index()];
        let answer = player.choose(board.as_ref(), &Limits::default(), &AtomicBool::new(false), &mut |_| ());
        let Ok(Answer::Move(text)) = answer else { panic!("{spec} {players:?}: {answer:?}") };
        board.play(&text).unwrap_or_else(|why| panic!("{spec} {players:?} {text}: {why}"));
    }
    panic!("{spec} {players:?}: no end");
}

#[test]
fn every_pair_of_classic_players_finishes_every_game() {
    for entry in games() {
        let small = entry.game(entry.small()).expect("a size");
        let own = entry
            .kinds
            .iter()
            .map(|kind| kind.name)
            .filter(|name| !["minimax", "beam", "engine", "perfect"].contains(name));
        let players: Vec<&str> = QUICK.into_iter().filter(|p| p.contains(':')).chain(own).collect();
        for first in &players {
            for second in &players {
                play_out(small.as_ref(), [first, second]);
            }
        }
    }
}

#[test]
fn minimax_takes_a_win_in_one_and_stops_a_loss_in_one_on_every_connect_size() {
    for (columns, levels) in (1..=7_usize).flat_map(|c| (1..=6_usize).map(move |l| (c, l))) {
        for n in 1..=columns.max(levels).min(5) {
            let spec = format!("connect:{columns},{levels},{n}");
            let game = game(&spec).expect("a game");
            let mut random = Random::new(columns as u64 * 10 + levels as u64);
            for _ in 0..25 {
                let board = random_board(game.as_ref(), &mut random);
                if board.ending().is_none() {
                    check_threats(game.as_ref(), board.as_ref());
                }
            }
        }
    }
}

fn random_board(game: &dyn DynGame, random: &mut Random) -> Box<dyn Board> {
    let mut board = game.board();
    for _ in 0..random.below(board.info().cells.len()) {
        let moves = board.moves();
        if moves.is_empty() {
            break;
        }
        board.play(&moves[random.below(moves.len())]).expect("legal");
    }
    board
}

/// The moves after which the side that makes them has won.
fn wins(game: &dyn DynGame, record: &Record) -> Vec<String> {
    let board = game.replay(record).expect("it replays");
    let side = board.turn();
    let won = |text: &String| {
        let mut next = game.replay(record).expect("it replays");
        next.play(text).expect("legal");
        next.ending().and_then(|ending| ending.outcome).and_then(|outcome| outcome.winner) == Some(side)
    };
    board.moves().into_iter().filter(won).collect()
}

fn check_threats(game: &dyn DynGame, board: &dyn Board) {
    let record = board.record();
    let here = format!("{} {}", record.game, board.position());
    let own = wins(game, &record);
    for player in ["minimax:depth=1", "minimax:depth=2", "minimax:depth=4"] {
        let Answer::Move(chosen) = answer(game, player, board) else { panic!("{here}: no move") };
        if !own.is_empty() {
            assert!(own.contains(&chosen), "{here} {player}: {chosen} does not win");
        } else if player != "minimax:depth=1" {
            let safe = |text: &String| {
                let mut next = record.clone();
                next.moves.push(text.clone());
                wins(game, &next).is_empty()
            };
            let blocks: Vec<String> = board.moves().into_iter().filter(safe).collect();
            assert!(blocks.is_empty() || blocks.contains(&chosen), "{here} {player}: {chosen} loses in one");
        }
    }
}

#[test]
fn the_timed_player_answers_a_legal_move_before_its_deadline() {
    let usual = games().map(|entry| entry.build("").expect("the usual game"));
    for game in usual.chain(["kalah:6,6", "kalah:12,12"].map(|spec| game(spec).expect("a game"))) {
        let spec = game.spec();
        for player in ["minimax", "minimax:time=100ms", "beam:time=50ms,depth=4", "minimax:time=1ms"] {
            let clock = Arc::new(Manual::stepping(Duration::from_micros(500)));
            let resources = Resources::with_clock(1, clock.clone());
            let mut thinker = game.player(&player.parse().expect("a spec"), &resources).expect("a player");
            let board = game.board();
            let answer =
                thinker.choose(board.as_ref(), &Limits::default(), &AtomicBool::new(false), &mut |_| ());
            let Ok(Answer::Move(text)) = answer else { panic!("{spec} {player}: {answer:?}") };
            assert!(board.check(&text).is_ok(), "{spec} {player}: {text}");
            let time = match player {
                "minimax" => Duration::from_secs(5),
                "beam:time=50ms,depth=4" => Duration::from_millis(50),
                "minimax:time=1ms" => Duration::from_millis(1),
                _ => Duration::from_millis(100),
            };
            assert!(clock.shown() <= time, "{spec} {player}: {:?}", clock.shown());
        }
    }
}

#[test]
fn a_stopped_player_answers_a_legal_move() {
    for entry in games() {
        let game = entry.build("").expect("a game");
        for kind in &entry.kinds {
            let mut player = game.player(&kind.plain(), &Resources::seeded(1)).expect("a player");
            let board = game.board();
            let answer =
                player.choose(board.as_ref(), &Limits::default(), &AtomicBool::new(true), &mut |_| ());
            let Ok(Answer::Move(text)) = answer else { panic!("{} {}: {answer:?}", entry.name, kind.name) };
            assert!(board.check(&text).is_ok());
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_game() {
    let moves = |seed: u64| {
        let game = game("oware").expect("a game");
        let mut board = game.board();
        let mut payoff =
            game.player(&"payoff".parse().expect("a spec"), &Resources::seeded(seed)).expect("a player");
        for _ in 0..20 {
            let answer =
                payoff.choose(board.as_ref(), &Limits::default(), &AtomicBool::new(false), &mut |_| ());
            let Ok(Answer::Move(text)) = answer else { break };
            board.play(&text).expect("legal");
        }
        board.record().moves
    };
    assert_eq!(moves(1), moves(1));
    assert_ne!(moves(1), moves(2));
}

#[test]
fn errors_of_player_specs_state_what_is_expected() {
    let game = game("kalah").expect("a game");
    for (spec, part) in [
        ("smart", "there is no player 'smart' for kalah; the players are human, bad, random, minimax, beam"),
        ("payoff", "there is no player 'payoff' for kalah"),
        ("minimax:width=3", "unknown option 'width'; it takes depth=, time="),
        ("bad:depth=3", "it takes no options"),
        ("minimax:depth=0", "depth '0' is not a number from 1 to 400"),
        ("minimax:depth=x", "depth 'x' is not a number"),
        ("minimax:time=5", "time '5' is not a time; expected one like 500ms, 5s or 2m"),
        ("minimax:depth=1,depth=2", "duplicate option depth"),
    ] {
        let spec = spec.parse().expect("the form is right");
        let error = game.player(&spec, &Resources::seeded(1)).err().expect("it is refused").to_string();
        assert!(error.contains(part), "{error}");
    }
}
