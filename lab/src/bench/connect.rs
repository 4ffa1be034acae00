//! `cargo lab bench connect`: compares our solver of four in a row on 7x6 with BitBully and connect-four-ai in one
//! run, with one thread and without opening books. Only the call of the solver is timed. In the sets L3_R1 and
//! L2_R1 the table is kept from one position to the next; in L1_R2 it is cleared (untimed). For the quick sets the
//! best of several rounds counts.

use super::empty::empty_board;
use crate::{
    peers::{Peer, Solved},
    positions::{self, ReferencePosition, SETS},
};
use anyhow::{Result, bail};
use parlor_core::Game;
use parlor_games::connect::Connect;
use parlor_solvers::connect::ConnectSolver;
use std::time::Instant;

/// Largest size of our transposition table, in MiB.
pub(super) const MIB: usize = 1024;

/// A set of positions, which are solved in order.
struct Set {
    name: &'static str,
    positions: Vec<ReferencePosition>,
    clear: bool,
    rounds: usize,
}

/// Mean seconds and nodes per position of a set.
#[derive(Clone, Copy, Default)]
struct Needed {
    micros: f64,
    nodes: f64,
}

/// Runs the comparison. `most` limits the positions of each set; `empty` adds the empty board, which takes the
/// others minutes.
pub fn measure(most: usize, empty: bool) -> Result<()> {
    let game = Connect::new(&[7, 6, 4])?;
    let mut peers = [Peer::bitbully()?, Peer::connect_four_ai()?];
    println!("7x6, four in a row; one thread, no book; mean of each position, the best of the rounds");
    println!(
        "{:<7} {:>5} {:>2}  {:<16} {:>12} {:>12} {:>7}",
        "set", "of", "x", "program", "us", "nodes", "ratio"
    );
    for set in sets(&game, most)? {
        let mut ours = ConnectSolver::new(&game, MIB, 1);
        let mut best = [Needed::NOTHING; 3];
        // The programs take turns, so that a slow phase of the machine affects all of them.
        for _ in 0..set.rounds {
            best[0].improve(round(&set, &mut |moves, clear| solve(&game, &mut ours, moves, clear))?);
            for (best, peer) in best[1..].iter_mut().zip(&mut peers) {
                best.improve(round(&set, &mut |moves, clear| peer.solve(moves, clear))?);
            }
        }
        for (name, needed) in ["ours", peers[0].name, peers[1].name].into_iter().zip(best) {
            row(&set, name, needed, best[0]);
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

/// Solves all positions of a set once.
fn round(set: &Set, solve: &mut dyn FnMut(&str, bool) -> Result<Solved>) -> Result<Needed> {
    let (mut seconds, mut nodes) = (0.0, 0);
    for (i, (moves, value)) in set.positions.iter().enumerate() {
        // A round starts with an empty table. The set says whether the table is kept from then on.
        let solved = solve(moves, set.clear || i == 0)?;
        if value.is_some_and(|value| value != solved.value) {
            bail!("{}: {moves} was solved as {}, but its value is {value:?}", set.name, solved.value);
        }
        seconds += solved.seconds;
        nodes += solved.nodes;
    }
    let count = set.positions.len() as f64;
    Ok(Needed { micros: seconds * 1e6 / count, nodes: nodes as f64 / count })
}

impl Needed {
    const NOTHING: Needed = Needed { micros: f64::INFINITY, nodes: 0.0 };

    fn improve(&mut self, other: Needed) {
        if other.micros < self.micros {
            *self = other;
        }
    }
}

pub(super) fn solve(game: &Connect, solver: &mut ConnectSolver, moves: &str, clear: bool) -> Result<Solved> {
    let pos = positions::after(game, moves)?;
    if clear {
        solver.clear();
    }
    let (before, began) = (solver.nodes(), Instant::now());
    let value = positions::value(solver, &pos);
    Ok(Solved { value, nodes: solver.nodes() - before, seconds: began.elapsed().as_secs_f64() })
}

/// The sets of the reference folder, or generated positions if there is no folder.
fn sets(game: &Connect, most: usize) -> Result<Vec<Set>> {
    let kinds = [(false, 25, 28..38), (false, 25, 16..27), (true, 1, 12..14)];
    if positions::reference().is_none() {
        println!(
            "PARLOR_REFERENCE is not set: the positions are random ones of our own, with about as many moves"
        );
    }
    let mut sets = Vec::new();
    for (name, (clear, rounds, plies)) in SETS.into_iter().zip(kinds) {
        let made = || positions::random(game, plies.cycle().take(1000), 76);
        let mut positions = positions::reference_set(name)?.unwrap_or_else(made);
        positions.truncate(most.min(if clear { most / 5 + 1 } else { most }));
        sets.push(Set { name, positions, clear, rounds });
    }
    Ok(sets)
}
