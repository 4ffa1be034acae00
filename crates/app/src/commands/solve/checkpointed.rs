//! Solves with checkpoints, for proofs that take hours or days. The search runs in stretches of limited time and saves the proved
//! bounds after each of them. The same command resumes an interrupted proof.

use super::{SolveResult, duration_text};
use crate::{args::SolveOptions, error::CommandError, stdio};
use parlor_catalog::{Checkpoint, Checkpoints, DynSolver};
use parlor_core::{Board, Bounds, Limits, Report};
use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

/// Duration of the first stretch. Each stretch is twice as long as the one before.
const FIRST_STRETCH: Duration = Duration::from_secs(4);
/// Maximum duration of a stretch, which is the most that a crash can lose. Stretches grow further while they are idle, because
/// an interrupted computation of a table starts over in the next stretch.
const MAX_STRETCH: Duration = Duration::from_secs(64);
/// A stretch with fewer nodes counts as idle: it spent its time on a table.
const IDLE_NODES: u64 = 1_000_000;

/// A proof with checkpoints in a folder.
struct CheckpointedProof<'a> {
    board: &'a dyn Board,
    checkpoints: Checkpoints,
    options: &'a SolveOptions,
    begun: Instant,
    /// Nodes and time of earlier runs.
    before: (u64, Duration),
    nodes: u64,
    bounds: Bounds,
}

/// Starts or resumes the proof, until it is finished, stopped, or out of time.
pub fn solve(
    solver: &mut dyn DynSolver,
    board: &dyn Board,
    options: &SolveOptions,
    dir: &Path,
    stop: &AtomicBool,
    report: &mut dyn FnMut(&Report, Duration),
) -> Result<SolveResult, CommandError> {
    let checkpoints = solver.checkpoints(dir, board)?;
    let unknown = Bounds { lo: parlor_core::Margin(i16::MIN), hi: parlor_core::Margin(i16::MAX) };
    let mut proof = CheckpointedProof {
        board,
        checkpoints,
        options,
        begun: Instant::now(),
        before: (0, Duration::ZERO),
        nodes: 0,
        bounds: unknown,
    };
    proof.resume(solver)?;
    let mut stretch = if proof.bounds.are_exact() { MAX_STRETCH } else { FIRST_STRETCH };
    loop {
        let nodes = proof.nodes;
        let mut last = proof.stretch(solver, stretch, stop, report)?;
        proof.save(solver)?;
        if proof.bounds.are_exact() && last.line.is_empty() {
            // The value is proved, but the principal variation is missing.
            last = proof.stretch(solver, MAX_STRETCH, stop, report)?;
        }
        let over = proof.options.time.is_some_and(|time| proof.begun.elapsed() >= time);
        if proof.bounds.are_exact() || over || stop.load(Ordering::Relaxed) {
            return Ok(SolveResult { bounds: proof.bounds, last, seconds: proof.time().as_secs_f64() });
        }
        let idle = proof.nodes - nodes < IDLE_NODES;
        stretch = if idle { 2 * stretch } else { (2 * stretch).min(MAX_STRETCH.max(stretch)) };
        let so_far = format!("{} positions, {}", proof.nodes + proof.before.0, duration_text(proof.time()));
        stdio::remark(&format!("saved to {} after {so_far}", dir.display()));
    }
}

impl CheckpointedProof<'_> {
    /// Total time of all runs.
    fn time(&self) -> Duration {
        self.before.1 + self.begun.elapsed()
    }

    /// Restores the last checkpoint, if there is one.
    fn resume(&mut self, solver: &mut dyn DynSolver) -> Result<(), CommandError> {
        if let Some(last) = self.checkpoints.last()? {
            (self.before, self.bounds) = ((last.nodes, last.time), last.bounds);
            solver.recall(self.board, last.bounds, &last.words)?;
            let (Bounds { lo, hi }, spent) = (last.bounds, duration_text(last.time));
            let known = match last.bounds.are_exact() {
                true => "already solved".to_string(),
                false => format!("resuming: value between {} and {}", lo.0, hi.0),
            };
            stdio::remark(&format!("{known} after {} positions, {spent}", last.nodes));
        }
        Ok(())
    }

    /// Searches for one stretch of time.
    fn stretch(
        &mut self,
        solver: &mut dyn DynSolver,
        stretch: Duration,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report, Duration),
    ) -> Result<Report, CommandError> {
        let left = self.options.time.map(|time| time.saturating_sub(self.begun.elapsed()));
        let limits = Limits { time: Some(left.unwrap_or(stretch).min(stretch)), ..Limits::default() };
        let (before, time) = (self.before.0 + self.nodes, self.before.1);
        let (mut last, mut took) = (Report::default(), 0);
        let begun = self.begun;
        self.bounds = solver.solve(self.board, &limits, stop, &mut |news| {
            took = news.nodes;
            last = Report { nodes: before + news.nodes, ..news.clone() };
            report(&last, time + begun.elapsed());
        })?;
        self.nodes += took;
        // The next stretch starts with these bounds.
        solver.recall(self.board, self.bounds, &[])?;
        Ok(last)
    }

    fn save(&self, solver: &dyn DynSolver) -> Result<(), CommandError> {
        let (nodes, words) = (self.before.0 + self.nodes, solver.remembered());
        Ok(self.checkpoints.keep(&Checkpoint { bounds: self.bounds, nodes, time: self.time(), words })?)
    }
}
