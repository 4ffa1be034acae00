//! Random games by our rules in OpenSpiel's notation, with the player to move and the legal actions of each step.
//!
//! If OpenSpiel splits a turn into several actions (from, to, arrow), so does this: the legal actions of a step are
//! the next elements of the legal moves that begin with the actions so far.

use parlor_core::{Game, Side, View};
use parlor_engine::Random;
use parlor_games::{
    amazons::{Amazons, Shot, Square},
    connect::{Column, Connect},
    kalah::{Hole, Kalah},
    oware::{Oware, Pit},
};
use serde_json::{Value, json};
use std::collections::HashSet;

/// Games of both Parlor and OpenSpiel, by their names in OpenSpiel.
pub const NAMES: [&str; 4] = ["mancala", "connect_four", "oware", "amazons"];

/// Columns, levels and checkers in a row.
const CONNECT_SIZES: [[u32; 3]; 7] =
    [[7, 6, 4], [6, 5, 4], [5, 4, 3], [8, 7, 5], [9, 6, 4], [4, 8, 4], [3, 3, 3]];
const AMAZONS_SIZES: [u32; 3] = [6, 8, 10];

/// Plays one random game. `number` selects the size and is part of the seed.
pub fn play(name: &str, number: u64, seed: u64) -> Value {
    let mut random = Random::new(parlor_core::mix([seed, number]));
    let turn = number as usize;
    match name {
        "mancala" => {
            transcript("mancala", &build::<Kalah>(&[6, 4, 0]), &mut random, |_, side, Hole(hole)| {
                vec![if side == Side::First { hole.into() } else { 14 - u16::from(hole) }]
            })
        }
        "connect_four" => {
            let size @ [columns, levels, n] = CONNECT_SIZES[turn % CONNECT_SIZES.len()];
            let theirs = format!("connect_four(rows={levels},columns={columns},x_in_row={n})");
            transcript(&theirs, &build::<Connect>(&size), &mut random, |_, _, Column(column)| {
                vec![u16::from(column) - 1]
            })
        }
        "oware" => {
            transcript("oware", &build::<Oware>(&[0]), &mut random, |_, _, Pit(pit)| vec![u16::from(pit) % 6])
        }
        _ => {
            let size = AMAZONS_SIZES[turn % AMAZONS_SIZES.len()];
            let theirs = format!("amazons(board_size={size})");
            transcript(&theirs, &build::<Amazons>(&[size, size]), &mut random, three_actions)
        }
    }
}

fn build<G: Game>(values: &[u32]) -> G {
    G::new(values).expect("a size that the game has")
}

/// Cells are numbered from the top left.
fn three_actions(game: &Amazons, _: Side, shot: Shot) -> Vec<u16> {
    let cell = |square: Square| (game.rows() - 1 - square.rank()) * game.columns() + square.file();
    [shot.from, shot.to, shot.arrow].map(|square| cell(square) as u16).to_vec()
}

/// Plays a random game, which ends when a position occurs for the second time.
fn transcript<G: View>(
    theirs: &str,
    game: &G,
    random: &mut Random,
    actions: fn(&G, Side, G::Move) -> Vec<u16>,
) -> Value {
    let (mut pos, mut steps, mut seen) = (game.start(), Vec::new(), HashSet::new());
    let mut moves = Vec::new();
    let (margin, scores) = loop {
        if let Some(margin) = game.result(&pos) {
            // If seeds are left on the board, in OpenSpiel each player collects those on their own row.
            break (margin, game.settled_scores(&pos).or_else(|| game.scores(&pos)));
        }
        if !seen.insert(pos.clone())
            && let Some(margin) = game.repetition_payoff(&pos)
        {
            break (margin, game.settled_scores(&pos));
        }
        let side = game.turn(&pos);
        moves.clear();
        game.moves(&pos, &mut moves);
        let mv = moves[random.below(moves.len())];
        let paths: Vec<Vec<u16>> = moves.iter().map(|&mv| actions(game, side, mv)).collect();
        push_steps(&mut steps, side, &actions(game, side, mv), &paths);
        game.play(&mut pos, mv);
    };
    let margin = if game.turn(&pos) == Side::First { margin } else { -margin };
    json!({ "game": theirs, "steps": steps, "sign": margin.0.signum(), "scores": scores })
}

/// A step is [player, action, legal actions in order].
fn push_steps(steps: &mut Vec<Value>, side: Side, played: &[u16], paths: &[Vec<u16>]) {
    for (i, action) in played.iter().enumerate() {
        let open = paths.iter().filter(|path| path[..i] == played[..i]);
        let mut legal: Vec<u16> = open.map(|path| path[i]).collect();
        legal.sort_unstable();
        legal.dedup();
        steps.push(json!([side.index(), action, legal]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_is_played_to_its_end_and_is_the_same_for_a_seed() {
        for name in NAMES {
            let transcript = play(name, 4, 1);
            assert!(transcript["steps"].as_array().is_some_and(|steps| steps.len() > 4), "{transcript}");
            assert_eq!(transcript, play(name, 4, 1));
            assert_ne!(transcript, play(name, 4, 2));
        }
    }

    #[test]
    fn a_turn_of_three_parts_is_three_steps() {
        let transcript = play("amazons", 0, 1);
        assert_eq!(transcript["steps"][0][2], json!([24, 29, 31, 34]));
        let players: Vec<u64> = (0..6).filter_map(|i| transcript["steps"][i][0].as_u64()).collect();
        assert_eq!(players, [0, 0, 0, 1, 1, 1]);
    }
}
