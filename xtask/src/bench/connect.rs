//! `cargo xtask bench connect`: our solver of four in a row on 7x6 beside BitBully and connect-four-ai, in one run, one
//! thread, no opening books. Each library is timed around its own call. The sets L3_R1 and L2_R1 keep the table from one
//! position to the next, L1_R2 clears it (untimed). The best of several rounds counts for the quick sets.

use super::{
    empty::empty_board,
    peers::{Peer, Solved},
};
use anyhow::{Result, bail};
use parlor_engine::Random;
use parlor_experts::connect::Solver;
use parlor_games::connect::Connect;
use parlor_play::{Game, Match, split_moves};
use std::{path::PathBuf, sync::atomic::AtomicBool, time::Instant};

/// The most memory for our table, in MiB.
pub(super) const MIB: usize = 1024;

/// Positions to be solved one after another.
struct Set {
    name: &'static str,
    /// Moves, and the value where it is known from outside.
    positions: Vec<(String, Option<i32>)>,
    clear: bool,
    rounds: usize,
}

/// What a program needed for a set.
#[derive(Clone, Copy, Default)]
struct Needed {
    micros: f64,
    nodes: f64,
}

/// `most` limits the positions of each set; `empty` adds the empty board, which takes the others minutes.
pub fn measure(most: usize, empty: bool) -> Result<()> {
    let game = Connect::new(&[7, 6, 4])?;
    let mut peers = [Peer::bitbully()?, Peer::connect_four_ai()?];
    println!("7x6, four in a row; one thread, no book; mean of each position, the best of the rounds");
    println!(
        "{:<7} {:>5} {:>2}  {:<16} {:>12} {:>12} {:>7}",
        "set", "of", "x", "program", "us", "nodes", "ratio"
    );
    for set in sets(&game, most)? {
        let mut ours = Solver::new(&game, MIB, 1);
        let own = repeat(&set, &mut |moves, clear| Ok(solve(&game, &mut ours, moves, clear)))?;
        row(&set, "ours", own, own);
        for peer in &mut peers {
            let needed = repeat(&set, &mut |moves, clear| peer.solve(moves, clear))?;
            row(&set, peer.name, needed, own);
        }
    }
    if empty { empty_board(&mut peers[0]) } else { Ok(()) }
}

fn row(set: &Set, name: &str, needed: Needed, own: Needed) {
    println!(
        "{:<7} {:>5} {:>2}  {name:<16} {:>12.2} {:>12.1} {:>7.2}",
        set.name,
        set.positions.len(),
        set.rounds,
        needed.micros,
        needed.nodes,
        needed.micros / own.micros
    );
}

fn repeat(set: &Set, solve: &mut dyn FnMut(&str, bool) -> Result<Solved>) -> Result<Needed> {
    let mut best = Needed { micros: f64::INFINITY, nodes: 0.0 };
    for _ in 0..set.rounds {
        let (mut seconds, mut nodes) = (0.0, 0);
        for (i, (moves, value)) in set.positions.iter().enumerate() {
            // A round begins with an empty table; whether it is kept from then on, the set says.
            let solved = solve(moves, set.clear || i == 0)?;
            if value.is_some_and(|value| value != solved.value) {
                bail!("{}: {moves} was solved as {}, but is worth {value:?}", set.name, solved.value);
            }
            seconds += solved.seconds;
            nodes += solved.nodes;
        }
        let count = set.positions.len() as f64;
        if seconds * 1e6 / count < best.micros {
            best = Needed { micros: seconds * 1e6 / count, nodes: nodes as f64 / count };
        }
    }
    Ok(best)
}

pub(super) fn solve(game: &Connect, solver: &mut Solver, moves: &str, clear: bool) -> Solved {
    let mut played = Match::new(game.clone());
    for mv in split_moves(moves, true) {
        // The sets hold legal moves only; a wrong value would tell.
        let _ = played.play(&mv);
    }
    if clear {
        solver.clear();
    }
    let before = solver.nodes();
    let began = Instant::now();
    let bounds = solver.solve(played.position(), &AtomicBool::new(false), &mut |_, _| ());
    Solved {
        value: bounds.lo.0.into(),
        nodes: solver.nodes() - before,
        seconds: began.elapsed().as_secs_f64(),
    }
}

/// The sets of the reference folder, or, without one, positions of our own making.
fn sets(game: &Connect, most: usize) -> Result<Vec<Set>> {
    let kinds = [("L3_R1", false, 5, 28..38), ("L2_R1", false, 5, 16..27), ("L1_R2", true, 1, 12..14)];
    let folder = std::env::var_os("PARLOR_REFERENCE").map(PathBuf::from);
    if folder.is_none() {
        println!(
            "PARLOR_REFERENCE is not set: the positions are random ones of our own, with about as many moves"
        );
    }
    let mut sets = Vec::new();
    for (name, clear, rounds, plies) in kinds {
        let mut positions = match &folder {
            Some(folder) => read(&folder.join("connect-7x6").join(format!("{name}.txt")))?,
            None => made(game, plies, 1000),
        };
        positions.truncate(most.min(if clear { most / 5 + 1 } else { most }));
        sets.push(Set { name, positions, clear, rounds });
    }
    Ok(sets)
}

fn read(file: &std::path::Path) -> Result<Vec<(String, Option<i32>)>> {
    let text = std::fs::read_to_string(file)?;
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    Ok(lines.map(|(moves, value)| (moves.to_string(), value.trim().parse().ok())).collect())
}

/// Random positions of unfinished games.
fn made(game: &Connect, plies: std::ops::Range<usize>, count: usize) -> Vec<(String, Option<i32>)> {
    let mut random = Random::new(76);
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut played = Match::new(game.clone());
        for _ in 0..plies.start + random.below(plies.len()) {
            let Some(mv) = game.pick(played.position(), &mut |n| random.below(n), &mut Vec::new()) else {
                break;
            };
            played.make(mv);
        }
        if played.ending().is_none() {
            positions.push((played.record().moves.concat(), None));
        }
    }
    positions
}
