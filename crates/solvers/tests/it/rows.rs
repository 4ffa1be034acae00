//! Rows of three and of five on every board from 1x1 to 6x6: the kept values of `data/rows.txt` against the solver, best play
//! against the kept last ply, and small boards against plain negamax. Boards that take longer belong to
//! `cargo lab prove connect --rows 3,5`.

use parlor_core::{Bounds, Game, Limits, Margin, Match, Solve};
use parlor_engine::Monotonic;
use parlor_games::connect::{Connect, Position};
use parlor_solvers::connect::{ConnectExpert, ConnectSolver};
use std::{
    collections::HashMap,
    sync::{Arc, atomic::AtomicBool},
};

/// A line of the data: what is kept of an empty board.
struct Kept {
    game: Connect,
    n: u32,
    cells: u32,
    value: Margin,
    result: char,
    last: usize,
}

fn kept() -> Vec<Kept> {
    let read = |line: &'static str| {
        let words: Vec<&str> = line.split(' ').collect();
        let &[n, columns, levels, value, result, last] = words.as_slice() else { panic!("{line}") };
        let [n, columns, levels] = [n, columns, levels].map(|word| word.parse().expect("a measure"));
        Kept {
            game: Connect::new(&[columns, levels, n]).expect("a size"),
            n,
            cells: columns * levels,
            value: Margin(value.parse().expect("a value")),
            result: result.chars().next().expect("a letter"),
            last: last.parse().expect("a ply"),
        }
    };
    let lines = include_str!("data/rows.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(read).collect()
}

/// Negamax with a table of exact values.
fn negamax(game: &Connect, pos: &Position, memory: &mut HashMap<Position, Margin>) -> Margin {
    if let Some(margin) = game.result(pos) {
        return margin;
    }
    if let Some(&value) = memory.get(pos) {
        return value;
    }
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let after = |mv| {
        let mut next = pos.clone();
        game.play(&mut next, mv);
        next
    };
    let value = moves.into_iter().map(|mv| -negamax(game, &after(mv), memory)).max().expect("a move");
    memory.insert(pos.clone(), value);
    value
}

#[test]
fn every_board_up_to_six_by_six_is_kept_for_both_rows() {
    let boards = kept();
    for n in [3, 5] {
        assert_eq!(boards.iter().filter(|board| board.n == n).count(), 36);
    }
    for board in &boards {
        let want = ['l', 'd', 'w'][(board.value.0.signum() + 1) as usize];
        assert_eq!(board.result, want, "{}", board.game.spec());
    }
}

#[test]
fn kept_values_are_solved_again() {
    for board in kept().iter().filter(|board| board.n == 3 || board.cells <= 25) {
        let mut solver = ConnectSolver::new(&board.game, 16, 1);
        let bounds = solver.solve(&board.game.start(), &AtomicBool::new(false), &mut |_, _| ());
        assert_eq!(bounds, Bounds::exactly(board.value), "{}", board.game.spec());
    }
}

#[test]
fn kept_values_of_small_boards_are_those_of_plain_negamax() {
    for board in kept().iter().filter(|board| board.cells <= 15) {
        let value = negamax(&board.game, &board.game.start(), &mut HashMap::new());
        assert_eq!(value, board.value, "{}", board.game.spec());
    }
}

#[test]
fn best_play_ends_at_the_kept_ply_with_the_kept_result() {
    for board in kept().iter().filter(|board| board.n == 3 || board.cells <= 20) {
        let mut played = Match::new(board.game.clone());
        let mut expert = ConnectExpert::new(16 << 20, 1, Arc::new(Monotonic::start()));
        let mut line = Vec::new();
        expert.solve(&played, &Limits::default(), &AtomicBool::new(false), &mut |report| {
            line.clone_from(&report.line);
        });
        for mv in &line {
            played.play(mv).expect("a line of legal moves");
        }
        assert_eq!(line.len(), board.last, "{}: {line:?}", board.game.spec());
        // Seen by the side that would move next.
        let sign = if line.len() % 2 == 0 { 1 } else { -1 };
        let want = Margin(sign * board.value.0);
        assert_eq!(board.game.result(played.position()), Some(want), "{}", board.game.spec());
    }
}
