//! The general solver: the exact margin of a position in any game, by a sequence of null-window proof searches ("is it at
//! least g?"). The windows narrow the bounds of the rules from the outside in, so that a stopped solve has the narrowest
//! sound bounds. See [`crate::prover`] for what an answer proves.
//!
//! Nothing is estimated: the evaluator only orders moves. If the keys of positions are exact, so is the proof; otherwise two
//! independent hashes must agree, and the report says so.

use crate::{Clock, Deadline, TranspositionTable, lazy_smp, prover::Prover};
use parlor_core::{Bounds, Evaluator, Game, Limits, Margin, Match, Notation, Oracle, Report, Solve, Value};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

/// Lines may be thousands of moves long. The stack is only reserved; memory is used as far as lines go.
const STACK: usize = 256 << 20;

/// The initial size of the table in bytes. It grows with the work, because clearing memory takes longer than easy positions.
const FIRST_TABLE: usize = 1 << 20;

/// The general solver, for every game. It keeps its table between calls.
///
/// # Examples
///
/// ```
/// use parlor_core::{Bounds, Evaluated, Limits, Margin, Match, Solve};
/// use parlor_engine::{Monotonic, NullWindowSolver};
/// use parlor_games::kalah::Kalah;
/// use std::sync::{Arc, atomic::AtomicBool};
///
/// let mut solver = NullWindowSolver::new(Kalah::CLASSIC, 1 << 20, Arc::new(Monotonic::start()));
/// let game = Match::new(Kalah::sized(3, 3)?);
/// let (stop, mut line) = (AtomicBool::new(false), Vec::new());
/// let bounds = solver.solve(&game, &Limits::default(), &stop, &mut |report| line.clone_from(&report.line));
/// assert_eq!(bounds, Bounds::exactly(Margin(2)));
/// assert!(game.check(&line[0]).is_ok(), "the line of best play");
/// # Ok::<(), parlor_core::BadParams>(())
/// ```
pub struct NullWindowSolver<G: Game, E> {
    pub evaluator: E,
    /// Supplies known values, for instance from an endgame table.
    pub oracle: Option<Arc<dyn Oracle<G>>>,
    /// At least 1.
    pub threads: usize,
    /// Size of the transposition table in bytes.
    pub memory: usize,
    pub clock: Arc<dyn Clock>,
    /// Whether it uses iterative deepening, as it always does in games with cycles, instead of searching to the end of the
    /// game at once: for boards so large that the positions of one line would take too much memory.
    pub deepens: bool,
    table: Option<TranspositionTable>,
    /// Bounds proved earlier for the last position of a match.
    root: Option<(Vec<G::Position>, Bounds)>,
}

/// Proofs of fewer than two to this power nodes are not saved: repeating them is faster.
const HARD: u8 = 10;

impl<G: Game, E> NullWindowSolver<G, E> {
    /// A solver with one thread and a table of this many bytes, allocated on first use.
    pub fn new(evaluator: E, memory: usize, clock: Arc<dyn Clock>) -> Self {
        NullWindowSolver {
            evaluator,
            oracle: None,
            threads: 1,
            memory,
            clock,
            deepens: false,
            table: None,
            root: None,
        }
    }
}

/// The next question "is it at least this?": half way to the nearer end of the likely values, where it is easy to answer,
/// rather than in the middle. Values differ by multiples of `step` from `lo`.
fn next_question(bounds: Bounds, step: i16) -> Margin {
    let (lo, hi) = (i32::from(bounds.lo.0), i32::from(bounds.hi.0));
    let middle = (lo + hi) / 2;
    let asked = match middle {
        ..=0 if lo / 2 < middle => lo / 2,
        1.. if hi / 2 > middle => hi / 2,
        _ => middle,
    };
    let steps = (asked - lo).div_euclid(i32::from(step)).max(0) + 1;
    Margin((lo + steps * i32::from(step)).min(hi) as i16)
}

impl<G: Notation, E: Evaluator<G> + 'static> Solve<G> for NullWindowSolver<G, E> {
    fn solve(
        &mut self,
        played: &Match<G>,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Bounds {
        let game = played.game().scoring_variant();
        let pos = played.position();
        let exact = game.exact_key(pos);
        if self.table.as_ref().is_none_or(|table| table.checks() == exact) {
            self.table = Some(TranspositionTable::new(self.memory.min(FIRST_TABLE), !exact));
        }
        let mut work = Work {
            game: &game,
            played,
            evaluator: &self.evaluator,
            oracle: self.oracle.as_deref(),
            table: self.table.get_or_insert_with(|| TranspositionTable::new(FIRST_TABLE, !exact)),
            memory: self.memory,
            clock: &self.clock,
            threads: self.threads.max(1),
            deepens: self.deepens,
            most_nodes: limits.nodes.unwrap_or(u64::MAX),
            nodes: 0,
            horizon: 1,
        };
        let deadline = Deadline::after(limits.time, self.clock.clone(), stop);
        let mut bounds = match game.result(pos) {
            Some(margin) => Bounds::exactly(margin),
            None => game.bounds(pos),
        };
        if let Some((_, proved)) = self.root.as_ref().filter(|(line, _)| line == played.positions()) {
            bounds = bounds.and(*proved);
        }
        let report_of = |bounds: Bounds, nodes: u64, line: Vec<String>| {
            let value = Value::from(if bounds.are_exact() { bounds.lo.0 } else { 0 });
            Report { depth: 0, nodes, value, line, proved: Some(bounds), by_hash: !exact }
        };
        while !bounds.are_exact() {
            let asked = next_question(bounds, G::STEP);
            let Some(found) = work.ask(asked, &deadline) else { break };
            let narrower = bounds.and(found);
            if narrower == bounds {
                break;
            }
            bounds = narrower;
            report(&report_of(bounds, work.nodes, Vec::new()));
        }
        let line = if limits.value_only { Vec::new() } else { work.line(bounds.lo) };
        let line = line.into_iter().map(|mv| game.write_move(mv)).collect();
        report(&report_of(bounds, work.nodes, line));
        bounds
    }

    fn remembered(&self) -> Vec<u64> {
        self.table.as_ref().map_or_else(Vec::new, |table| table.ranked(HARD))
    }

    fn recall(&mut self, played: &Match<G>, proved: Bounds, words: &[u64]) {
        self.root = Some((played.positions().to_vec(), proved));
        if !words.is_empty() {
            let exact = played.game().scoring_variant().exact_key(played.position());
            // Three words per entry, and the same amount of free space.
            let bytes = (16 * words.len()).max(FIRST_TABLE).min(self.memory.max(FIRST_TABLE));
            let table = TranspositionTable::new(bytes, !exact);
            table.learn(words);
            self.table = Some(table);
        }
    }
}

struct Work<'a, G: Game, E> {
    game: &'a G,
    played: &'a Match<G>,
    evaluator: &'a E,
    oracle: Option<&'a dyn Oracle<G>>,
    table: &'a mut TranspositionTable,
    memory: usize,
    clock: &'a Arc<dyn Clock>,
    threads: usize,
    deepens: bool,
    most_nodes: u64,
    nodes: u64,
    /// The depth of the last search, if it deepens iteratively.
    horizon: u32,
}

impl<G: Game, E: Evaluator<G>> Work<'_, G, E> {
    fn prover<'b>(&'b self, deadline: Deadline<'b>) -> Prover<'b, G, E> {
        let positions = self.played.positions();
        let mut prover = Prover::new(self.game, positions, self.evaluator, self.oracle, self.table, deadline);
        prover.deepens |= self.deepens;
        prover
    }

    /// Decides whether the margin is at least `asked`: bounds that prove or refute it; `None` if a limit came first. If the
    /// table is too small, the search is repeated with a larger one that keeps its entries.
    fn ask(&mut self, asked: Margin, deadline: &Deadline<'_>) -> Option<Bounds> {
        loop {
            let left = self.most_nodes.saturating_sub(self.nodes);
            let grows = self.table.capacity() * 64 <= self.memory as u64;
            let room = if grows { 2 * self.table.capacity() } else { u64::MAX };
            let begun = self.nodes;
            let found = self.ask_within(asked, deadline, left.min(room));
            if found.is_some() || !grows || room >= left || self.nodes - begun < room {
                return found;
            }
            *self.table = self.table.grown(self.memory.min(4 * 24 * self.table.capacity() as usize));
        }
    }

    fn ask_within(&mut self, asked: Margin, deadline: &Deadline<'_>, most_nodes: u64) -> Option<Bounds> {
        let (this, helped) = (&*self, AtomicU64::new(0));
        let lead = || {
            let mut prover = this.prover(deadline.clone());
            prover.most_nodes = most_nodes;
            let mut horizon = this.horizon;
            let found = prover.ask(this.played.position(), asked, &mut horizon);
            (found, prover.nodes, horizon)
        };
        let main = || {
            thread::scope(|scope| {
                let leader = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, lead);
                leader.ok().and_then(|leader| leader.join().ok()).unwrap_or((None, 0, this.horizon))
            })
        };
        let (found, nodes, horizon) = lazy_smp(this.threads, STACK, this.clock, main, |deadline, number| {
            let mut prover = this.prover(deadline);
            prover.shuffle(number as u64);
            prover.ask(this.played.position(), asked, &mut this.horizon.clone());
            helped.fetch_add(prover.nodes, Ordering::Relaxed);
        });
        self.horizon = horizon;
        self.nodes += nodes + helped.into_inner();
        found
    }

    /// The principal variation as far as the table has it: moves that preserve at least this margin.
    fn line(&self, margin: Margin) -> Vec<G::Move> {
        let never = AtomicBool::new(false);
        let mut prover = self.prover(Deadline::after(None::<Duration>, self.clock.clone(), &never));
        prover.line(self.played.position(), margin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_margin_can_be_found_whatever_the_step() {
        for step in [1, 2] {
            for (lo, hi) in [(-18, 18), (0, 2), (-2, 0), (-48, 48), (2, 40), (-40, -2), (-1, 1)] {
                for value in (lo..=hi).step_by(step as usize) {
                    let mut bounds = Bounds { lo: Margin(lo), hi: Margin(hi) };
                    for _ in 0..64 {
                        if bounds.are_exact() {
                            break;
                        }
                        let Margin(asked) = next_question(bounds, step);
                        assert!(asked > bounds.lo.0 && asked <= bounds.hi.0, "{bounds:?} {asked}");
                        if value >= asked {
                            bounds.lo = Margin(asked);
                        } else {
                            bounds.hi = Margin(asked - step);
                        }
                    }
                    assert_eq!(bounds, Bounds::exactly(Margin(value)));
                }
            }
        }
    }
}
