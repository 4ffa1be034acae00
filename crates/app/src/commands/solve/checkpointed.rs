//! Proofs of hours and days: solved in stretches, after each of which what is proved is kept in a folder. The same command
//! goes on with it, whatever ended the last run.

use super::{SolveResult, spell};
use crate::{args::SolveOptions, error::CommandError, stdio};
use parlor_catalog::{Checkpoint, Checkpoints, Solving};
use parlor_core::{Board, Bounds, Limits, Report};
use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

/// The first stretch; each is twice as long as the one before.
const FIRST: Duration = Duration::from_secs(4);
/// Stretches grow up to this: what a sudden end costs at most. Only one in which hardly anything was looked at, because a
/// table was being made, is followed by a longer one: what a stretch leaves half made is begun anew.
const USUAL: Duration = Duration::from_secs(64);
/// A run with fewer positions counts as idle.
const FEW: u64 = 1_000_000;

/// A proof with checkpoints in a folder.
struct Proof<'a> {
    board: &'a dyn Board,
    kept: Checkpoints,
    options: &'a SolveOptions,
    begun: Instant,
    /// Positions and time of earlier runs.
    before: (u64, Duration),
    nodes: u64,
    bounds: Bounds,
}

/// Solves the position, or goes on with it, until it is solved, stopped, or out of time.
pub fn solve(
    solver: &mut dyn Solving,
    board: &dyn Board,
    options: &SolveOptions,
    dir: &Path,
    stop: &AtomicBool,
    report: &mut dyn FnMut(&Report, Duration),
) -> Result<SolveResult, CommandError> {
    let kept = solver.checkpoints(dir, board)?;
    let everything = Bounds { lo: parlor_core::Margin(i16::MIN), hi: parlor_core::Margin(i16::MAX) };
    let mut proof = Proof {
        board,
        kept,
        options,
        begun: Instant::now(),
        before: (0, Duration::ZERO),
        nodes: 0,
        bounds: everything,
    };
    proof.take_up(solver)?;
    let mut stretch = if proof.bounds.are_exact() { USUAL } else { FIRST };
    loop {
        let nodes = proof.nodes;
        let mut last = proof.stretch(solver, stretch, stop, report)?;
        proof.keep(solver)?;
        if proof.bounds.are_exact() && last.line.is_empty() {
            // There was no time left for best play.
            last = proof.stretch(solver, USUAL, stop, report)?;
        }
        let over = proof.options.time.is_some_and(|time| proof.begun.elapsed() >= time);
        if proof.bounds.are_exact() || over || stop.load(Ordering::Relaxed) {
            return Ok(SolveResult { bounds: proof.bounds, last, seconds: proof.time().as_secs_f64() });
        }
        let idle = proof.nodes - nodes < FEW;
        stretch = if idle { 2 * stretch } else { (2 * stretch).min(USUAL.max(stretch)) };
        let so_far = format!("{} positions, {}", proof.nodes + proof.before.0, spell(proof.time()));
        stdio::remark(&format!("saved to {} after {so_far}", dir.display()));
    }
}

impl Proof<'_> {
    /// Time of all runs together.
    fn time(&self) -> Duration {
        self.before.1 + self.begun.elapsed()
    }

    /// Goes on where the last run was, if there was one.
    fn take_up(&mut self, solver: &mut dyn Solving) -> Result<(), CommandError> {
        if let Some(last) = self.kept.last()? {
            (self.before, self.bounds) = ((last.nodes, last.time), last.bounds);
            solver.recall(self.board, last.bounds, &last.words)?;
            let (Bounds { lo, hi }, spent) = (last.bounds, spell(last.time));
            let known = match last.bounds.are_exact() {
                true => "already solved".to_string(),
                false => format!("resuming: value between {} and {}", lo.0, hi.0),
            };
            stdio::remark(&format!("{known} after {} positions, {spent}", last.nodes));
        }
        Ok(())
    }

    /// Works for so long, and remembers what it has come to.
    fn stretch(
        &mut self,
        solver: &mut dyn Solving,
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
        // The next stretch begins where this one ended.
        solver.recall(self.board, self.bounds, &[])?;
        Ok(last)
    }

    fn keep(&self, solver: &dyn Solving) -> Result<(), CommandError> {
        let (nodes, words) = (self.before.0 + self.nodes, solver.remembered());
        Ok(self.kept.keep(&Checkpoint { bounds: self.bounds, nodes, time: self.time(), words })?)
    }
}
