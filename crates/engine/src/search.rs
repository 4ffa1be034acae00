//! The search that all games share: deeper and deeper alpha-beta over one table, on any number of threads.
//!
//! It knows a game only by its rules, an evaluator and perhaps an oracle, extends and leaves out nothing, and with one thread and a limit of
//! nodes or depth it is deterministic. See [`crate::worker`] for what a value proves.

use crate::{
    Clock, Deadline, Table,
    worker::{INFINITE, Root, Worker},
};
use parlor_play::{
    Bounds, Evaluator, Game, Limits, Match, Notation, Oracle, Report, Value, is_finished, margin_of,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

/// Deeper than this no search goes.
pub(crate) const DEEPEST: u32 = 200;

/// Searches, and remembers in a table what it found.
pub struct Search<G: Game, E> {
    /// Judges the leaves and orders the moves.
    pub evaluator: E,
    /// Knows some positions, such as an endgame table: nothing is searched below them.
    pub oracle: Option<Arc<dyn Oracle<G>>>,
    /// Threads, at least 1.
    pub threads: usize,
    /// The table's size in bytes.
    pub memory: usize,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// Moves less than this worse than the best still get their exact value; others may only get a bound that is no higher.
    pub width: Value,
    table: Option<Table>,
}

/// A move at the root with what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged<M> {
    /// The move.
    pub mv: M,
    /// Its worth for the side that makes it. Exact for the best, and for those less than the width below it; else not more.
    pub value: Value,
    /// What is expected to follow, the move first.
    pub line: Vec<M>,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<M> {
    /// The moves, best first; none only where the game is over.
    pub moves: Vec<Judged<M>>,
    /// The depth of the last search that was not cut short by a limit.
    pub depth: u32,
    /// Positions looked at.
    pub nodes: u64,
    /// Whether every line was searched to its end: then the values are those of the game.
    pub whole: bool,
}

impl<M> Found<M> {
    /// The best value.
    pub fn value(&self) -> Value {
        self.moves.first().map_or(0, |best| best.value)
    }

    /// What the value proves of the margin, beyond what was known: all, if every line was searched to its end; a won or lost
    /// game at least, if it was found to be one.
    pub fn proved(&self, known: Bounds) -> Bounds {
        let (value, margin) = (self.value(), margin_of(self.value()));
        match value {
            _ if self.whole => Bounds::exactly(margin),
            _ if !is_finished(value) => known,
            0.. => Bounds { lo: margin.max(known.lo), ..known },
            _ => Bounds { hi: margin.min(known.hi), ..known },
        }
    }
}

impl<G: Notation, E: Evaluator<G>> Search<G, E> {
    /// A search with one thread and 64 MiB.
    pub fn new(evaluator: E, clock: Arc<dyn Clock>) -> Self {
        Search { evaluator, oracle: None, threads: 1, memory: 64 << 20, clock, width: 0, table: None }
    }

    /// Forgets what was found before. A search that is limited by nodes or depth then depends on nothing but its question.
    pub fn forget(&mut self) {
        self.table = None;
    }

    /// Searches the match's position. It stops at the limits or when told, but it always has a move
    /// to give while the game goes on.
    pub fn run(
        &mut self,
        played: &Match<G>,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Found<G::Move> {
        let memory = self.memory.min(useful_memory(limits));
        let table = &*self.table.get_or_insert_with(|| Table::new(memory, false));
        let deadline = Deadline::after(limits.time, self.clock.clone(), stop);
        let (halt, others) = (AtomicBool::new(false), AtomicU64::new(0));
        let oracle = self.oracle.as_deref();
        let mut worker = Worker::new(played, &self.evaluator, oracle, table, deadline);
        worker.most_nodes = limits.nodes.unwrap_or(u64::MAX);
        let deepest = limits.depth.unwrap_or(DEEPEST).clamp(1, DEEPEST);
        std::thread::scope(|scope| {
            for number in 1..self.threads.max(1) {
                let (evaluator, clock, halt, others) = (&self.evaluator, &self.clock, &halt, &others);
                scope.spawn(move || {
                    let deadline = Deadline::after(None::<Duration>, clock.clone(), halt);
                    let mut helper = Worker::new(played, evaluator, oracle, table, deadline);
                    help(&mut helper, played, deepest, number);
                    others.fetch_add(helper.nodes, Ordering::Relaxed);
                });
            }
            let mut found = lead(&mut worker, played, deepest, self.width, report);
            halt.store(true, Ordering::Relaxed);
            found.nodes = worker.nodes;
            found
        })
    }
}

/// How large a table such a search could fill: clearing more memory than that only takes time.
fn useful_memory(limits: &Limits) -> usize {
    let by_nodes = limits.nodes.map_or(usize::MAX, |nodes| (nodes as usize).saturating_mul(64));
    let by_time = limits.time.map_or(usize::MAX, |time| (time.as_millis() as usize).saturating_mul(64 << 10));
    let by_depth = if limits.depth.is_some() { 16 << 20 } else { usize::MAX };
    by_nodes.min(by_time).min(by_depth)
}

/// The thread that answers: deeper and deeper, reporting each depth.
fn lead<G: Notation, E: Evaluator<G>>(
    worker: &mut Worker<'_, G, E>,
    played: &Match<G>,
    deepest: u32,
    width: Value,
    report: &mut dyn FnMut(&Report),
) -> Found<G::Move> {
    let (game, pos) = (played.game(), played.position());
    let mut roots = worker.roots(pos);
    let mut found = Found { moves: judged(&roots), depth: 0, nodes: 0, whole: roots.is_empty() };
    for depth in 1..=deepest {
        if roots.is_empty() {
            break;
        }
        let whole = deepen(worker, pos, &mut roots, depth, width, found.value());
        // A depth that was cut short may still have a better best move. But where moves are compared with one another, their
        // values must be of one depth.
        let comparable = whole.is_some() || width == 0 || depth == 1;
        if comparable && roots.iter().any(|root| root.depth == depth) {
            found.moves = judged(&roots);
        }
        let Some(whole) = whole else { break };
        found = Found { depth, nodes: worker.nodes, whole, ..found };
        let line = found.moves[0].line.iter().map(|&mv| game.write_move(mv)).collect();
        let known = Bounds { lo: -game.largest_margin(), hi: game.largest_margin() };
        let proved = Some(found.proved(known)).filter(|&bounds| bounds != known);
        let value = found.value();
        report(&Report { depth, nodes: worker.nodes, value, line, proved, by_hash: true });
        if whole || worker.stopped() {
            break;
        }
    }
    found
}

fn judged<M: Copy>(roots: &[Root<M>]) -> Vec<Judged<M>> {
    roots.iter().map(|root| Judged { mv: root.mv, value: root.value, line: root.line.clone() }).collect()
}

/// One depth, and whether every line came to its end; none if it was cut short by a limit.
fn deepen<G: Game, E: Evaluator<G>>(
    worker: &mut Worker<'_, G, E>,
    pos: &G::Position,
    roots: &mut [Root<G::Move>],
    depth: u32,
    width: Value,
    guess: Value,
) -> Option<bool> {
    if width > 0 || depth < 3 || is_finished(guess) {
        return worker.root(pos, roots, depth, -INFINITE, INFINITE, width).map(|found| found.whole);
    }
    // A narrow window around the last value, opened where the value turns out to lie outside.
    let slack = (guess.abs() / 64).max(1);
    let (mut alpha, mut beta) = (guess - slack, guess + slack);
    let before = roots.to_vec();
    loop {
        let found = worker.root(pos, roots, depth, alpha, beta, 0)?;
        if found.value <= alpha {
            // All that is known are bounds, and they tell nothing of the order.
            roots.clone_from_slice(&before);
            alpha = -INFINITE;
        } else if found.value >= beta {
            beta = INFINITE;
        } else {
            return Some(found.whole);
        }
    }
}

/// A thread that only fills the table: it begins elsewhere, so that it meets other positions than the one that leads.
fn help<G: Game, E: Evaluator<G>>(
    worker: &mut Worker<'_, G, E>,
    played: &Match<G>,
    deepest: u32,
    number: usize,
) {
    let pos = played.position();
    let mut roots = worker.roots(pos);
    for depth in 1 + (number as u32 & 1)..=deepest {
        let by = number.min(roots.len().saturating_sub(1));
        roots[by.min(1)..].rotate_left(by.saturating_sub(1));
        if roots.is_empty() || worker.root(pos, &mut roots, depth, -INFINITE, INFINITE, 0).is_none() {
            return;
        }
    }
}
