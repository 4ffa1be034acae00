//! Boards of every game of the catalogue: moves by path and by text, and occurrences of positions.

use parlor_core::Board;
use parlor_engine::Random;
use parlor_fifth_game::games;
use parlor_testkit::seed;

/// Positions with more legal moves are compared in part: looking each path up lists all of them.
const MOST_MOVES: usize = 200;

fn check_paths(board: &dyn Board) {
    let (moves, paths) = (board.moves(), board.paths());
    let step = moves.len().div_ceil(MOST_MOVES).max(1);
    for (text, path) in moves.iter().zip(&paths).step_by(step) {
        assert_eq!(board.check_path(path).as_ref(), Ok(text), "{}", board.position());
        let [mut by_path, mut by_text] = [board.clone_box(), board.clone_box()];
        assert_eq!(by_path.check_path(path), by_text.check(text), "{}", board.position());
        assert_eq!(by_path.play_path(path), by_text.play(text), "{}", board.position());
        assert_eq!(by_path.record(), by_text.record(), "{} {text}", board.position());
        assert_eq!(by_path.position(), by_text.position(), "{} {text}", board.position());
    }
}

#[test]
fn a_move_by_its_path_equals_the_move_by_its_text_in_every_game() {
    for entry in games() {
        let mut random = Random::new(seed(20));
        let mut board = entry.build("").expect("the usual game").board();
        for _ in 0..40 {
            check_paths(board.as_ref());
            let moves = board.moves();
            let Some(text) = moves.get(random.below(moves.len())) else { break };
            board.play(text).expect("legal");
        }
    }
}

#[test]
fn a_path_that_is_no_legal_move_changes_nothing() {
    for entry in games() {
        let mut board = entry.build("").expect("the usual game").board();
        let before = board.record();
        for path in [&[][..], &[u16::MAX], &[0, 0, 0, 0, 0]] {
            let illegal = board.play_path(path).expect_err("no such move");
            assert_eq!(illegal.0, "these cells are not a legal move", "{}", entry.name);
        }
        assert_eq!(board.record(), before);
    }
}

#[test]
fn occurrences_equal_a_slow_count_while_moves_are_made_and_taken_back() {
    for entry in games() {
        let mut random = Random::new(seed(21));
        for _ in 0..20 {
            let mut board = entry.build("").expect("the usual game").board();
            let mut seen = vec![board.position()];
            for _ in 0..300 {
                let moves = board.moves();
                let back = moves.is_empty() || random.below(4) == 0;
                if back && board.undo().is_some() {
                    seen.pop();
                } else if let Some(text) = moves.get(random.below(moves.len())) {
                    board.play(text).expect("legal");
                    seen.push(board.position());
                }
                let slow = seen.iter().filter(|position| Some(*position) == seen.last()).count();
                assert_eq!(board.occurrences(), slow, "{} {}", board.spec(), board.move_list());
            }
        }
    }
}
