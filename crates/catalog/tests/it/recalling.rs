//! A solver resumes the proof of another solver: it finds the same value with less work.

use parlor_catalog::{DynSolver, Monotonic, Resources};
use parlor_core::{Bounds, Limits};
use std::sync::{Arc, atomic::AtomicBool};

/// Starts whose proof takes some ten thousands of nodes or more, for each solver.
const HARD: [&str; 5] = ["kalah:4,4", "connect:6,5", "connect:8,8,3", "amazons:4,4", "oware"];

fn solver(spec: &str) -> Box<dyn DynSolver> {
    let clock = Arc::new(Monotonic::start());
    let game = parlor_catalog::game(spec).expect("a game");
    game.solver(&Resources { memory: Some(8 << 20), ..Resources::with_clock(0, clock) }).expect("no tables")
}

fn solve(solver: &mut dyn DynSolver, spec: &str, nodes: Option<u64>) -> (Bounds, u64) {
    let board = parlor_catalog::game(spec).expect("a game").board();
    let limits = Limits { nodes, ..Limits::default() };
    let mut took = 0;
    let bounds = solver
        .solve(board.as_ref(), &limits, &AtomicBool::new(false), &mut |report| took = report.nodes)
        .expect("a record");
    (bounds, took)
}

#[test]
fn a_solver_recalls_the_proofs_of_another_solver() {
    for spec in &HARD[..4] {
        let board = parlor_catalog::game(spec).expect("a game").board();
        let mut first = solver(spec);
        let (value, nodes) = solve(first.as_mut(), spec, None);
        assert!(value.are_exact(), "{spec}: {value:?}");
        let mut second = solver(spec);
        let nothing = Bounds { lo: -value.lo.max(-value.lo), hi: value.lo.max(-value.lo) };
        let unproved = Bounds { lo: nothing.lo.min(value.lo), hi: nothing.hi.max(value.hi) };
        second.recall(board.as_ref(), unproved, &first.remembered()).expect("a record");
        let (again, fewer) = solve(second.as_mut(), spec, None);
        assert_eq!(again, value, "{spec}");
        assert!(fewer <= nodes, "{spec}: {fewer} nodes after {nodes}");
        let mut third = solver(spec);
        third.recall(board.as_ref(), value, &[]).expect("a record");
        let (known, _) = solve(third.as_mut(), spec, Some(1));
        assert_eq!(known, value, "{spec}: bounds that met before");
    }
}

#[test]
fn a_proof_starts_with_the_bounds_of_a_stopped_proof() {
    for spec in HARD {
        let board = parlor_catalog::game(spec).expect("a game").board();
        let mut first = solver(spec);
        let (stopped, _) = solve(first.as_mut(), spec, Some(3000));
        let mut second = solver(spec);
        second.recall(board.as_ref(), stopped, &first.remembered()).expect("a record");
        let (next, _) = solve(second.as_mut(), spec, Some(3000));
        assert!(next.lo >= stopped.lo && next.hi <= stopped.hi, "{spec}: {next:?} after {stopped:?}");
    }
}

#[test]
fn recalling_arbitrary_words_is_safe() {
    let words: Vec<u64> = (0..999_u64).map(|i| i.wrapping_mul(i) << (i % 50)).collect();
    for spec in HARD {
        let board = parlor_catalog::game(spec).expect("a game").board();
        let mut solver = solver(spec);
        let bounds = Bounds { lo: parlor_core::Margin(-300), hi: parlor_core::Margin(300) };
        // These words have no checksum, so the values may be wrong, but nothing may panic.
        solver.recall(board.as_ref(), bounds, &words).expect("a record");
        solve(solver.as_mut(), spec, Some(1000));
    }
}
