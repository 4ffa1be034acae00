//! The Connect-N solver against plain negamax and published values. What it promises when it is stopped: `stopping.rs`.

use parlor_core::{Bounds, Game, Margin, Match, Notation, split_moves};
use parlor_engine::Random;
use parlor_games::connect::{Connect, Position};
use parlor_solvers::connect::ConnectSolver;
use std::{collections::HashMap, sync::atomic::AtomicBool};

fn game(columns: u32, levels: u32, n: u32) -> Connect {
    Connect::new(&[columns, levels, n]).expect("a size")
}

fn after(game: &Connect, moves: &str) -> Position {
    let mut played = Match::new(game.clone());
    for mv in split_moves(moves, true) {
        played.play(&mv).unwrap_or_else(|why| panic!("{moves}: {why}"));
    }
    played.position().clone()
}

/// Negamax with a table of exact values.
fn negamax(game: &Connect, pos: &Position, memory: &mut HashMap<Position, i16>) -> i16 {
    if let Some(margin) = game.result(pos) {
        return margin.0;
    }
    if let Some(&value) = memory.get(pos) {
        return value;
    }
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let value = moves.into_iter().map(|mv| {
        let mut next = pos.clone();
        game.play(&mut next, mv);
        -negamax(game, &next, memory)
    });
    let value = value.max().expect("a move");
    memory.insert(pos.clone(), value);
    value
}

fn exact(solver: &mut ConnectSolver, pos: &Position) -> i16 {
    let bounds = solver.solve(pos, &AtomicBool::new(false), &mut |_, _| ());
    assert_eq!(bounds.lo, bounds.hi, "it was not stopped");
    bounds.lo.0
}

/// Random positions with at most `vacant` cells left are solved by both.
fn check_random(columns: u32, levels: u32, n: u32, vacant: usize, positions: u64) {
    let game = game(columns, levels, n);
    let mut solver = ConnectSolver::new(&game, 1, 1);
    let mut memory = HashMap::new();
    let cells = (columns * levels) as usize;
    for seed in 0..positions {
        let mut random = Random::new(seed);
        let mut played = Match::new(game.clone());
        for _ in 0..cells.saturating_sub(random.below(vacant + 1)) {
            let Some(mv) = game.pick(played.position(), &mut |k| random.below(k), &mut Vec::new()) else {
                break;
            };
            played.make(mv);
        }
        if played.ending().is_some() {
            for _ in 0..=random.below(vacant) {
                played.undo();
            }
        }
        if cells - played.moves().len() > vacant {
            continue;
        }
        let want = negamax(&game, played.position(), &mut memory);
        let place = game.write_position(played.position());
        assert_eq!(exact(&mut solver, played.position()), want, "{} {place}", game.spec());
    }
}

#[test]
fn random_positions_of_every_kind_of_board_equal_plain_negamax() {
    for (columns, levels, n) in
        [(7, 6, 4), (6, 5, 4), (5, 5, 4), (4, 4, 4), (6, 7, 4), (8, 7, 4), (3, 8, 4), (7, 4, 4)]
    {
        check_random(columns, levels, n, 14, 400);
    }
    for (columns, levels, n) in
        [(7, 6, 3), (5, 5, 3), (6, 6, 5), (7, 6, 5), (4, 4, 2), (3, 3, 1), (6, 5, 6), (5, 4, 9)]
    {
        check_random(columns, levels, n, 12, 200);
    }
    // More than 64 bits, one column, one level.
    for (columns, levels, n) in
        [(9, 7, 4), (10, 9, 4), (12, 9, 5), (1, 20, 4), (20, 1, 4), (2, 31, 4), (64, 1, 3)]
    {
        check_random(columns, levels, n, 11, 60);
    }
}

#[test]
fn whole_small_boards_equal_plain_negamax() {
    for columns in 1..=5 {
        for levels in 1..=4 {
            for n in 1..=5 {
                let game = game(columns, levels, n);
                let want = negamax(&game, &game.start(), &mut HashMap::new());
                let mut solver = ConnectSolver::new(&game, 1, 1);
                assert_eq!(exact(&mut solver, &game.start()), want, "{}", game.spec());
            }
        }
    }
}

#[test]
fn boards_with_published_results_come_out_right() {
    // Result of four in a row by size: John Tromp's table.
    for (columns, levels, sign) in
        [(4, 4, 0), (5, 4, 0), (6, 4, -1), (4, 5, 0), (5, 5, 0), (4, 6, 0), (5, 6, 0)]
    {
        let game = game(columns, levels, 4);
        let mut solver = ConnectSolver::new(&game, 16, 1);
        assert_eq!(exact(&mut solver, &game.start()).signum(), sign, "{columns}x{levels}");
    }
}

#[test]
fn two_threads_find_the_same_value() {
    let game = game(5, 5, 4);
    let mut one = ConnectSolver::new(&game, 8, 1);
    let mut two = ConnectSolver::new(&game, 8, 2);
    for moves in ["", "3", "33", "32", "1533"] {
        let pos = after(&game, moves);
        assert_eq!(exact(&mut one, &pos), exact(&mut two, &pos), "{moves}");
    }
}

#[test]
fn a_finished_game_has_its_result() {
    let game = game(7, 6, 4);
    let pos = after(&game, "4455667");
    assert_eq!(
        ConnectSolver::new(&game, 1, 1).solve(&pos, &AtomicBool::new(false), &mut |_, _| ()),
        Bounds::exactly(Margin(-18))
    );
    let pos = after(&game, "445566");
    assert_eq!(exact(&mut ConnectSolver::new(&game, 1, 1), &pos), 18);
}

/// Positions with their values from outside, if the folder named by PARLOR_REFERENCE is there.
#[test]
fn reference_positions_have_their_values() {
    let Some(folder) = std::env::var_os("PARLOR_REFERENCE").map(std::path::PathBuf::from) else {
        // The tests above stand on their own data.
        return;
    };
    let game = game(7, 6, 4);
    for (set, most) in [("L3_R1", 1000), ("L2_R1", 1000), ("L1_R2", 30)] {
        let file = folder.join("connect-7x6").join(format!("{set}.txt"));
        let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let mut solver = ConnectSolver::new(&game, 64, 1);
        for line in text.lines().take(most) {
            let (moves, value) = line.split_once(' ').expect("moves and value");
            let want: i16 = value.trim().parse().expect("a value");
            assert_eq!(exact(&mut solver, &after(&game, moves)), want, "{set} {moves}");
        }
    }
}
