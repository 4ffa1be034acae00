//! Tests on boards too large for the fast representations: every player moves, and proved values are right.

use parlor_catalog::{DynGame, Manual, Resources, game};
use parlor_core::{Answer, Board, Limits};
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

/// The largest boards and some just beyond the fast representation.
const LARGE: [&str; 6] =
    ["connect:64,64,5", "connect:20,20,5", "connect:12,10,4", "kalah:64,255", "kalah:17,4", "kalah:12,1000"];

/// A clock that does not run: limits of nodes or depth end the search.
fn clock() -> Arc<Manual> {
    Arc::new(Manual::stepping(Duration::ZERO))
}

fn resources() -> Resources {
    Resources { memory: Some(4 << 20), ..Resources::with_clock(0, clock()) }
}

/// The game after this many moves that the player makes for both sides.
fn played_by(game: &dyn DynGame, player: &str, plies: usize) -> Box<dyn Board> {
    let resources = Resources::with_clock(3, clock());
    let mut player = game.player(&player.parse().expect("a player spec"), &resources).expect("a player");
    let limits = Limits { nodes: Some(500), ..Limits::default() };
    let mut board = game.board();
    for _ in 0..plies {
        let answer = player.choose(board.as_ref(), &limits, &AtomicBool::new(false), &mut |_| ());
        let Ok(Answer::Move(text)) = answer else { panic!("{}: {answer:?}", game.spec()) };
        board.play(&text).expect("legal");
    }
    board
}

#[test]
fn every_classic_player_plays_on_large_boards() {
    for spec in LARGE {
        let game = game(spec).expect("a game");
        for player in ["bad", "random", "minimax:depth=2", "beam:width=4,depth=2"] {
            assert_eq!(played_by(game.as_ref(), player, 4).record().moves.len(), 4, "{spec} {player}");
        }
    }
}

#[test]
fn the_engine_and_the_perfect_player_play_ten_moves_on_large_boards() {
    for spec in LARGE {
        let game = game(spec).expect("a game");
        for player in ["engine", "engine:level=2", "engine:eval=classic,threads=2", "perfect"] {
            let board = played_by(game.as_ref(), player, 10);
            let again = game.replay(&board.record()).expect("it replays");
            assert_eq!(
                (again.record().moves.len(), again.position()),
                (10, board.position()),
                "{spec} {player}"
            );
        }
    }
}

fn after(game: &dyn DynGame, moves: &str) -> Box<dyn Board> {
    let mut board = game.board();
    for mv in game.split(moves) {
        board.play(&mv).expect("legal");
    }
    board
}

#[test]
fn the_engine_takes_a_win_and_stops_a_loss_on_64_by_64() {
    let game = game("connect:64,64,4").expect("a game");
    let resources = Resources::with_clock(1, clock());
    for (moves, best) in [("10 11 10 11 10 11", "10"), ("10 30 10 31 10", "10"), ("64 1 64 1 64 1", "64")] {
        for player in ["engine:depth=3", "minimax:depth=2", "perfect"] {
            let mut player =
                game.player(&player.parse().expect("a player spec"), &resources).expect("a player");
            let limits = Limits { nodes: Some(5_000), ..Limits::default() };
            let board = after(game.as_ref(), moves);
            let answer = player.choose(board.as_ref(), &limits, &AtomicBool::new(false), &mut |_| ());
            assert_eq!(answer, Ok(Answer::Move(best.to_string())), "after {moves}");
        }
    }
}

#[test]
fn a_win_in_one_is_proved_on_64_by_64() {
    let game = game("connect:64,64,4").expect("a game");
    let board = after(game.as_ref(), "10 11 10 11 10 11");
    let mut solver = game.solver(&resources()).expect("no tables");
    let bounds = solver.solve(board.as_ref(), &Limits::default(), &AtomicBool::new(false), &mut |_| ());
    let bounds = bounds.expect("a record");
    assert_eq!((bounds.lo.0, bounds.hi.0), (2045, 2045), "4096 cells, six checkers played");
}

#[test]
fn a_stopped_proof_on_a_large_board_has_valid_bounds() {
    for spec in LARGE {
        let game = game(spec).expect("a game");
        let mut solver = game.solver(&resources()).expect("no tables");
        let limits = Limits { nodes: Some(2000), ..Limits::default() };
        let board = game.board();
        let bounds =
            solver.solve(board.as_ref(), &limits, &AtomicBool::new(false), &mut |_| ()).expect("a record");
        assert!(bounds.lo < bounds.hi, "{spec}: {bounds:?}");
    }
}

#[test]
fn the_end_of_a_game_on_a_large_board_is_solved_exactly() {
    let game = game("kalah:17,4").expect("a game");
    let empty = ["0"; 14].join(",");
    let board = game.board_at(&format!("{empty},0,1,2/{empty},2,0,1 60/70 s")).expect("a position");
    let mut solver = game.solver(&resources()).expect("no tables");
    let bounds = solver.solve(board.as_ref(), &Limits::default(), &AtomicBool::new(false), &mut |_| ());
    assert!(bounds.expect("a record").are_exact());
}

#[test]
fn analysis_covers_every_move_of_a_large_board() {
    for spec in ["connect:20,20,5", "kalah:17,4"] {
        let game = game(spec).expect("a game");
        let limits = Limits { nodes: Some(300), ..Limits::default() };
        let mut analyst = game.analyst(&resources()).expect("no tables");
        let board = game.board();
        let found = analyst.analyze(&board.record(), &limits, &AtomicBool::new(false)).expect("a record");
        assert_eq!(found.len(), board.moves().len(), "{spec}");
    }
}

#[test]
fn sizes_beyond_the_limits_are_refused_with_them() {
    for (spec, part) in [
        ("kalah:64,500", "2 x 64 holes with 500 beans each are 64000 beans; a board holds at most 32767"),
        ("kalah:65,1", "holes '65' is not a number from 1 to 64"),
        ("kalah:6,1001", "beans '1001' is not a number from 0 to 1000"),
        ("connect:65,6", "columns '65' is not a number from 1 to 64"),
        ("connect:7,128", "levels '128' is not a number from 1 to 127"),
    ] {
        let error = game(spec).err().expect(spec).0;
        assert!(error.contains(part), "{spec}: {error}");
    }
}

#[test]
fn tables_exist_for_small_boards_only() {
    assert!(game("kalah:6,4").expect("a game").tables().is_some());
    assert!(game("kalah:17,4").expect("a game").tables().is_none());
}
