//! Connect-N for other N: the exact value of every board from 1x1 to 6x6 for rows of any length. Boards with few
//! cells are also solved by plain negamax, which uses only the rules and no code of the solver. The results are
//! stored with the tests of the solver; a value that differs from the stored one or from negamax is an error.

use super::ended;
use crate::{positions, workspace};
use anyhow::{Context, Result, bail};
use parlor_core::Game;
use parlor_games::connect::{Connect, Position};
use parlor_solvers::connect::ConnectSolver;
use std::{
    collections::HashMap,
    fmt::Write,
    fs,
    path::PathBuf,
    sync::{Mutex, PoisonError},
    thread,
    time::Instant,
};

/// Most columns, and most levels.
const LARGEST: u32 = 6;
/// Negamax solves boards of at most this many cells.
const PLAIN: u32 = 20;
const MIB: usize = 1024;

struct Solved {
    n: u32,
    columns: u32,
    levels: u32,
    value: i32,
    /// Value by negamax, if it was computed.
    plain: Option<i32>,
    seconds: f64,
}

/// Solves all boards and prints the values. With `keep` the stored values are replaced, otherwise compared.
pub fn tables(rows: &[u32], keep: bool) -> Result<()> {
    let began = Instant::now();
    let solved = solve_all(rows);
    for &n in rows {
        grid(n, &solved);
    }
    println!("* also by plain negamax; all in {:.1} s", began.elapsed().as_secs_f64());
    for board in solved.iter().filter(|board| board.seconds > 10.0) {
        println!("{}x{} with {} took {:.1} s", board.columns, board.levels, board.n, board.seconds);
    }
    if let Some(board) = solved.iter().find(|board| board.plain.is_some_and(|plain| plain != board.value)) {
        bail!("{} is solved as {}, but negamax says {:?}", board.line(), board.value, board.plain);
    }
    let text: String = solved.iter().map(|board| board.line() + "\n").collect();
    if keep {
        return fs::write(file(), format!("{HEADER}\n{text}")).context("the values cannot be kept");
    }
    let kept = fs::read_to_string(file()).unwrap_or_default();
    // There may be no stored values for a row length.
    let is_kept = |line: &str| kept.lines().any(|other| other == line);
    let known = |board: &Solved| kept.lines().any(|line| line.starts_with(&format!("{} ", board.n)));
    match solved.iter().find(|board| known(board) && !is_kept(&board.line())) {
        None => Ok(()),
        Some(board) => bail!("'{}' is not what {} says", board.line(), file().display()),
    }
}

const HEADER: &str = "# Connect-N from the empty board: n, columns, levels, value, result for the first player, last ply of a perfect game.
# Written by 'cargo lab prove connect --rows 3,5 --keep'.";

fn file() -> PathBuf {
    workspace::root().join("crates/solvers/tests/it/data/rows.txt")
}

impl Solved {
    fn line(&self) -> String {
        let Solved { n, columns, levels, value, .. } = self;
        let (result, last) = ended(*value, (columns * levels) as i32);
        format!("{n} {columns} {levels} {value} {result} {last}")
    }
}

/// All boards, on two threads, the large ones first.
fn solve_all(rows: &[u32]) -> Vec<Solved> {
    let sizes = (1..=LARGEST).flat_map(|columns| (1..=LARGEST).map(move |levels| (columns, levels)));
    let mut boards: Vec<_> =
        rows.iter().flat_map(|&n| sizes.clone().map(move |(columns, levels)| (n, columns, levels))).collect();
    boards.sort_by_key(|(_, columns, levels)| columns * levels);
    let (queue, done) = (Mutex::new(boards), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(board) = { queue.lock().unwrap_or_else(PoisonError::into_inner).pop() } {
                    let solved = solve(board);
                    done.lock().unwrap_or_else(PoisonError::into_inner).extend(solved);
                }
            });
        }
    });
    let mut solved = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    solved.sort_by_key(|board: &Solved| (board.n, board.columns, board.levels));
    solved
}

fn solve((n, columns, levels): (u32, u32, u32)) -> Option<Solved> {
    let game = Connect::new(&[columns, levels, n]).ok()?;
    let began = Instant::now();
    let value = positions::value(&mut ConnectSolver::new(&game, MIB, 1), &game.start());
    let seconds = began.elapsed().as_secs_f64();
    let asked = columns * levels <= PLAIN;
    let plain = asked.then(|| negamax(&game, &game.start(), &mut HashMap::new()));
    Some(Solved { n, columns, levels, value, plain, seconds })
}

/// Plain negamax by the rules alone, with a memory of all positions.
fn negamax(game: &Connect, pos: &Position, memory: &mut HashMap<Position, i32>) -> i32 {
    if let Some(margin) = game.result(pos) {
        return margin.0.into();
    }
    if let Some(&value) = memory.get(pos) {
        return value;
    }
    let (mut moves, mut best) = (Vec::new(), i32::MIN);
    game.moves(pos, &mut moves);
    for mv in moves {
        let mut next = pos.clone();
        game.play(&mut next, mv);
        best = best.max(-negamax(game, &next, memory));
    }
    memory.insert(pos.clone(), best);
    best
}

/// Prints a table, columns from left to right and levels from top to bottom: value, result with last ply, and a
/// star if negamax agrees.
fn grid(n: u32, solved: &[Solved]) {
    println!("{n} in a row: value, result for the first player, last ply of a perfect game");
    let heads = (1..=LARGEST).fold(String::new(), |line, columns| line + &format!("{columns:>11}"));
    println!("levels {heads}  columns");
    for levels in (1..=LARGEST).rev() {
        let mut line = format!("{levels:>6} ");
        for board in solved.iter().filter(|board| board.n == n && board.levels == levels) {
            let (result, last) = ended(board.value, (board.columns * levels) as i32);
            let star = if board.plain == Some(board.value) { '*' } else { ' ' };
            let _ = write!(line, "{:>5} {result} {last:>2}{star}", board.value);
        }
        println!("{line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negamax_solves_the_smallest_boards() {
        for ([columns, levels, n], value) in [([1, 1, 1], 1), ([2, 1, 2], 0), ([3, 1, 2], 1), ([2, 2, 2], 1)]
        {
            let game = Connect::new(&[columns, levels, n]).expect("a size");
            assert_eq!(
                negamax(&game, &game.start(), &mut HashMap::new()),
                value,
                "{columns}x{levels} with {n}"
            );
        }
    }
}
