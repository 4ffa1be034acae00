//! The empty board of 7x6: compares one thread of our solver with another program, and two threads with two
//! processes on the same machine, which show the largest possible gain of two threads.

use super::{
    connect::{MIB, solve},
    grouped, yes_no,
};
use crate::peers::{Peer, Solved};
use anyhow::{Context, Result};
use parlor_core::Game;
use parlor_games::connect::Connect;
use parlor_solvers::connect::ConnectSolver;
use std::process::{Command, Stdio};

/// Number of measurements of our solver, of which the best counts.
const ROUNDS: usize = 3;

pub fn empty_board(peer: &mut Peer) -> Result<()> {
    println!("the empty board; ours the best of {ROUNDS}, no book, a table of at most {MIB} MiB");
    let (mut one, mut two, mut apart) = (nothing(), nothing(), f64::INFINITY);
    for _ in 0..ROUNDS {
        one = quicker(one, ours(1)?);
        two = quicker(two, ours(2)?);
        apart = apart.min(side_by_side()?);
    }
    let theirs = peer.solve("", true)?;
    for (name, solved) in [("ours, 1 thread", one), ("ours, 2 threads", two), (peer.name, theirs)] {
        let ratio = solved.seconds / one.seconds;
        println!(
            "{name:<16} value {:>2} {:>9.2} s {:>15} nodes {ratio:>7.2}",
            solved.value,
            solved.seconds,
            grouped(solved.nodes)
        );
    }
    let (threads, processes) = (one.seconds / two.seconds, 2.0 * one.seconds / apart);
    println!("at most 1/14 of {}'s time? {}", peer.name, yes_no(theirs.seconds >= 14.0 * one.seconds));
    println!(
        "two threads gain {threads:.2}; two processes, each with a board of its own, gain {processes:.2} \
         (both in {apart:.2} s); at least 0.8 of that? {}",
        yes_no(threads >= 0.8 * processes)
    );
    Ok(())
}

fn nothing() -> Solved {
    Solved { seconds: f64::INFINITY, ..Solved::default() }
}

fn quicker(one: Solved, other: Solved) -> Solved {
    if other.seconds < one.seconds { other } else { one }
}

/// Solves the empty board in this process.
pub fn ours(threads: usize) -> Result<Solved> {
    let game = Connect::new(&[7, 6, 4])?;
    solve(&game, &mut ConnectSolver::new(&game, MIB, threads), "", false)
}

/// The seconds until two processes, started together, have both solved the empty board.
fn side_by_side() -> Result<f64> {
    let start = || {
        let program = std::env::current_exe()?;
        Command::new(program).args(["bench", "connect", "--alone=1"]).stdout(Stdio::piped()).spawn()
    };
    let both = [start()?, start()?];
    let mut slower = 0.0_f64;
    for child in both {
        let output = child.wait_with_output()?;
        let seconds = String::from_utf8_lossy(&output.stdout).trim().parse::<f64>();
        slower = slower.max(seconds.context("a process of our own gave no time")?);
    }
    Ok(slower)
}
