//! The positions of Connect-N that several commands solve: reference positions with their values, and random positions.

use anyhow::{Context, Result};
use parlor_core::{Game, Match, split_moves};
use parlor_engine::Random;
use parlor_games::connect::{Column, Connect, Position};
use parlor_solvers::connect::ConnectSolver;
use std::{path::PathBuf, sync::atomic::AtomicBool};

/// Sets of a thousand positions of 7x6 in the reference folder, the easy ones first.
pub const SETS: [&str; 3] = ["L3_R1", "L2_R1", "L1_R2"];

/// The columns played, and the published value, if there is one.
pub type ReferencePosition = (String, Option<i32>);

/// The folder of published reference values (`PARLOR_REFERENCE`), if it is set.
pub fn reference() -> Option<PathBuf> {
    std::env::var_os("PARLOR_REFERENCE").map(PathBuf::from)
}

/// Reads a set of the reference folder; `None` if there is no folder.
pub fn reference_set(name: &str) -> Result<Option<Vec<ReferencePosition>>> {
    let Some(folder) = reference() else { return Ok(None) };
    let file = folder.join("connect-7x6").join(format!("{name}.txt"));
    let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    Ok(Some(lines.map(|(moves, value)| (moves.to_string(), value.trim().parse().ok())).collect()))
}

/// Random positions of unfinished games on boards of at most nine columns, one for each number of plies.
pub fn random(game: &Connect, plies: impl Iterator<Item = usize>, seed: u64) -> Vec<ReferencePosition> {
    let mut random = Random::new(seed);
    let walk = |plies| std::iter::repeat_with(|| random_walk(game, plies, &mut random)).flatten().next();
    plies.filter_map(walk).map(|moves| (moves, None)).collect()
}

/// The columns of a random game of this length, if it is not over by then.
fn random_walk(game: &Connect, plies: usize, random: &mut Random) -> Option<String> {
    let (mut pos, mut room, mut columns) = (game.start(), Vec::new(), String::new());
    for _ in 0..plies {
        let mv: Column = game.pick(&pos, &mut |n| random.below(n), &mut room)?;
        game.play(&mut pos, mv);
        columns.push(char::from(b'0' + mv.0));
    }
    game.result(&pos).is_none().then_some(columns)
}

pub fn after(game: &Connect, moves: &str) -> Result<Position> {
    let mut played = Match::new(game.clone());
    for mv in split_moves(moves, true) {
        played.play(&mv).with_context(|| moves.to_string())?;
    }
    Ok(played.position().clone())
}

/// The exact value for the side to move.
pub fn value(solver: &mut ConnectSolver, pos: &Position) -> i32 {
    solver.solve(pos, &AtomicBool::new(false), &mut |_, _| ()).lo.0.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_positions_are_unfinished_have_the_given_length_and_depend_on_the_seed_only() {
        let game = Connect::new(&[7, 6, 4]).expect("a size");
        let made = random(&game, 0..42, 7);
        assert_eq!(made.len(), 42);
        for (plies, (moves, value)) in made.iter().enumerate() {
            assert_eq!((moves.len(), *value), (plies, None));
            assert!(game.result(&after(&game, moves).expect("legal")).is_none());
        }
        assert_eq!(made, random(&game, 0..42, 7));
        assert_ne!(made, random(&game, 0..42, 8));
    }
}
