//! The deep search above the leaves: iterative deepening with aspiration windows, the search of the root moves (principal
//! variation search with null windows), and Lazy SMP, shared by all alpha-beta searches. [`Searcher`] is the interface that
//! players use: [`AlphaBeta`] searches any game, others know one game.
//!
//! The general search is alpha-beta over one transposition table, on any number of threads. It uses only the rules of a game,
//! an evaluator and perhaps an oracle, without extensions and reductions; with one thread and a limit of nodes or depth it is
//! deterministic. See [`crate::worker`] for what a value proves.

use crate::{Clock, Deadline, TranspositionTable, worker::Worker};
use parlor_core::{
    Bounds, Evaluator, Game, LARGE, Limits, Match, Notation, Oracle, Report, Value, is_finished, margin_of,
};
use std::{
    cmp::Reverse,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// The largest search depth in plies.
pub const DEEPEST: u32 = 200;
/// The stack of a helper thread that searches at most [`DEEPEST`] plies, in bytes.
pub const HELPER_STACK: usize = 2 << 20;
pub const INFINITE: Value = Value::MAX;

/// A deep search for one game.
pub trait Searcher<G: Game>: Send {
    /// Searches the match's position. It stops at the limits or when `stop` is set, but it always returns a move while the
    /// game is not over.
    fn run(
        &mut self,
        played: &Match<G>,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> SearchResult<G::Move>;

    /// Clears the results of earlier searches. A search that is limited by nodes or depth then depends only on the match.
    fn forget(&mut self);

    /// Sets the width: moves less than `width` worse than the best get their exact value; others may get only an upper bound.
    fn widen(&mut self, width: Value);
}

/// A move at the root with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoredMove<M> {
    pub mv: M,
    /// The value for the side that makes the move. Exact for the best and for those less than the width below it; otherwise an
    /// upper bound.
    pub value: Value,
    /// Principal variation, starting with the move.
    pub line: Vec<M>,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult<M> {
    /// The moves, best first; empty only if the game is over.
    pub moves: Vec<ScoredMove<M>>,
    /// The depth of the last search that was not cut short by a limit.
    pub depth: u32,
    pub nodes: u64,
    /// Whether every line was searched to the end of the game: then the values are exact.
    pub exact: bool,
}

impl<M> SearchResult<M> {
    pub fn value(&self) -> Value {
        self.moves.first().map_or(0, |best| best.value)
    }

    /// Bounds of the margin that the value proves, intersected with `known`: the exact margin if every line was searched to its
    /// end; otherwise at least a win or a loss, if one was found.
    pub fn proved(&self, known: Bounds) -> Bounds {
        let (value, margin) = (self.value(), margin_of(self.value()));
        match value {
            _ if self.exact => Bounds::exactly(margin),
            _ if !is_finished(value) => known,
            0.. => Bounds { lo: margin.max(known.lo), ..known },
            _ => Bounds { hi: margin.min(known.hi), ..known },
        }
    }
}

/// A value, and whether it depends only on finished games.
#[derive(Clone, Copy, Debug)]
pub struct Scored {
    pub value: Value,
    /// Whether no line on which the value depends ends at a static evaluation.
    pub exact: bool,
}

/// A search window and a depth.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Remaining depth in plies.
    pub depth: u32,
    /// Lower bound of the search window.
    pub alpha: Value,
    /// Upper bound of the search window.
    pub beta: Value,
    /// Whether to search with a null window first, to find out whether the value is above alpha.
    pub scout: bool,
}

/// One thread's search of the root moves.
pub trait RootSearch<M> {
    /// The root moves before the search, the most promising first.
    fn moves(&mut self) -> Vec<M>;
    /// The value of a root move for the side that makes it; `None` if a limit is reached.
    fn search_move(&mut self, mv: M, window: Window) -> Option<Scored>;
    /// The principal variation after the move that was searched last.
    fn line(&self) -> &[M];
    /// Whether a limit of the search has been reached.
    fn stopped(&mut self) -> bool;
    fn nodes(&self) -> u64;
    /// Whether all legal moves are root moves. If not, upper bounds are not proved.
    fn has_all(&self) -> bool {
        true
    }
}

/// A move at the root while it is being searched.
#[derive(Clone, Debug)]
struct Root<M> {
    mv: M,
    value: Value,
    line: Vec<M>,
    /// Depth of the search that found the value.
    depth: u32,
}

fn roots<M: Copy>(thread: &mut impl RootSearch<M>) -> Vec<Root<M>> {
    let moves = thread.moves().into_iter();
    moves.map(|mv| Root { mv, value: -LARGE, line: vec![mv], depth: 0 }).collect()
}

/// Iterative deepening on the main thread. Reports each finished depth.
pub fn main_search<G: Notation>(
    thread: &mut impl RootSearch<G::Move>,
    game: &G,
    deepest: u32,
    width: Value,
    report: &mut dyn FnMut(&Report),
) -> SearchResult<G::Move> {
    let mut roots = roots(thread);
    let mut found = SearchResult { moves: scored_moves(&roots), depth: 0, nodes: 0, exact: roots.is_empty() };
    for depth in 1..=deepest {
        if roots.is_empty() {
            break;
        }
        let exact = deepen(thread, &mut roots, depth, width, found.value());
        // An interrupted depth may still have found a better move. But if moves are compared with one another, their values
        // must be of the same depth.
        let comparable = exact.is_some() || width == 0 || depth == 1;
        if comparable && roots.iter().any(|root| root.depth == depth) {
            found.moves = scored_moves(&roots);
        }
        let Some(exact) = exact else { break };
        found = SearchResult { depth, nodes: thread.nodes(), exact: exact && thread.has_all(), ..found };
        let line = found.moves[0].line.iter().map(|&mv| game.write_move(mv)).collect();
        let known = Bounds { lo: -game.largest_margin(), hi: game.largest_margin() };
        let proved = found.proved(known);
        let proved = if thread.has_all() { proved } else { Bounds { hi: known.hi, ..proved } };
        let proved = Some(proved).filter(|&bounds| bounds != known);
        let value = found.value();
        report(&Report { depth, nodes: thread.nodes(), value, line, proved, by_hash: true });
        if exact || thread.stopped() {
            break;
        }
    }
    found.nodes = thread.nodes();
    found
}

fn scored_moves<M: Copy>(roots: &[Root<M>]) -> Vec<ScoredMove<M>> {
    roots.iter().map(|root| ScoredMove { mv: root.mv, value: root.value, line: root.line.clone() }).collect()
}

/// Searches one depth. Returns whether every line reached the end of the game; `None` if a limit interrupted it.
fn deepen<M: Copy>(
    thread: &mut impl RootSearch<M>,
    roots: &mut [Root<M>],
    depth: u32,
    width: Value,
    guess: Value,
) -> Option<bool> {
    if width > 0 || depth < 3 || is_finished(guess) {
        return search(thread, roots, depth, -INFINITE, INFINITE, width).map(|found| found.exact);
    }
    // Aspiration window around the value of the last depth, widened if the value lies outside.
    let slack = (guess.abs() / 64).max(1);
    let (mut alpha, mut beta) = (guess - slack, guess + slack);
    let before = roots.to_vec();
    loop {
        let found = search(thread, roots, depth, alpha, beta, 0)?;
        if found.value <= alpha {
            // All values are bounds and say nothing about the order.
            roots.clone_from_slice(&before);
            alpha = -INFINITE;
        } else if found.value >= beta {
            beta = INFINITE;
        } else {
            return Some(found.exact);
        }
    }
}

/// Searches the root moves within a window and sorts them best first, even if a limit interrupts it (`None`). Moves less than
/// `width` worse than the best get their exact value.
fn search<M: Copy>(
    thread: &mut impl RootSearch<M>,
    roots: &mut [Root<M>],
    depth: u32,
    alpha: Value,
    beta: Value,
    width: Value,
) -> Option<Scored> {
    let mut best: Option<Value> = None;
    let mut exact = true;
    let mut cut = false;
    for root in roots.iter_mut() {
        let floor = best.map_or(alpha, |best| alpha.max(best.saturating_sub(width)));
        let scout = width == 0 && best.is_some();
        let Some(found) = thread.search_move(root.mv, Window { depth, alpha: floor, beta, scout }) else {
            cut = true;
            break;
        };
        (root.value, root.depth) = (found.value, depth);
        if found.value > floor || best.is_none() {
            root.line = vec![root.mv];
            root.line.extend_from_slice(thread.line());
        }
        exact &= found.exact;
        best = Some(best.map_or(found.value, |best| best.max(found.value)));
        if found.value >= beta {
            break;
        }
    }
    // Stable among equal values: a move that was only shown to be no better does not pass the best.
    roots.sort_by_key(|root| Reverse(if root.depth == depth { (1, root.value) } else { (0, -LARGE) }));
    if cut { None } else { best.map(|value| Scored { value, exact }) }
}

/// A helper thread of Lazy SMP, which only fills the transposition table. It starts with other moves and depths than the main
/// thread, so that it visits other positions.
pub fn helper_search<M: Copy>(thread: &mut impl RootSearch<M>, deepest: u32, number: usize) {
    let mut roots = roots(thread);
    for depth in 1 + (number as u32 & 1)..=deepest {
        let by = number.min(roots.len().saturating_sub(1));
        roots[by.min(1)..].rotate_left(by.saturating_sub(1));
        if roots.is_empty() || search(thread, &mut roots, depth, -INFINITE, INFINITE, 0).is_none() {
            return;
        }
    }
}

/// Lazy SMP: `main` searches on the caller's thread, and `threads - 1` helpers search the same root until it is done. They
/// share nothing but the transposition table. A helper gets a deadline and its number, from 1 on. A helper that cannot be
/// started is left out.
pub fn lazy_smp<T>(
    threads: usize,
    stack: usize,
    clock: &Arc<dyn Clock>,
    main: impl FnOnce() -> T,
    helper: impl Fn(Deadline<'_>, usize) + Sync,
) -> T {
    let halt = AtomicBool::new(false);
    thread::scope(|scope| {
        for number in 1..threads {
            let (halt, helper) = (&halt, &helper);
            let work = move || helper(Deadline::after(None, clock.clone(), halt), number);
            let _ = thread::Builder::new().stack_size(stack).spawn_scoped(scope, work);
        }
        let found = main();
        halt.store(true, Ordering::Relaxed);
        found
    })
}

/// The memory in bytes that a search of this many nodes can fill with entries of a transposition table
/// or edges of a tree.
pub fn memory_for_nodes(nodes: u64) -> usize {
    usize::try_from(nodes).unwrap_or(usize::MAX).saturating_mul(64)
}

/// The size in bytes of the largest table that a search within these limits could fill: clearing more memory only takes time.
/// If there is a node limit, the time is ignored, so that the answer of a search with a node limit does not depend on the clock
/// unless the clock ends it.
pub fn useful_memory(limits: &Limits) -> usize {
    let by_time = |time: Duration| (time.as_millis() as usize).saturating_mul(64 << 10);
    let by_clock = limits.time.map_or(usize::MAX, by_time);
    let by_depth = if limits.depth.is_some() { 16 << 20 } else { usize::MAX };
    limits.nodes.map_or(by_clock, memory_for_nodes).min(by_depth)
}

/// Alpha-beta search of any game over one transposition table, on any number of threads.
///
/// # Examples
///
/// ```
/// use parlor_core::{Evaluated, Game, Limits, Match, Notation};
/// use parlor_engine::{AlphaBeta, Monotonic};
/// use parlor_games::connect::{Column, Connect};
/// use std::sync::{Arc, atomic::AtomicBool};
///
/// let game = Connect::new(&[7, 6, 4])?;
/// let pos = game.parse_position("7/7/7/7/bbb4/rrr4 r")?;
/// let mut search = AlphaBeta::new(Connect::STRONG, Arc::new(Monotonic::start()));
/// let limits = Limits { depth: Some(3), ..Limits::default() };
/// let found = search.run(&Match::from_position(game, pos), &limits, &AtomicBool::new(false), &mut |_| ());
/// assert_eq!(found.moves[0].mv, Column(4), "four in a row");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AlphaBeta<G: Game, E> {
    /// Evaluates the leaves and orders the moves.
    pub evaluator: E,
    /// Known values of some positions, such as an endgame table: nothing is searched below them.
    pub oracle: Option<Arc<dyn Oracle<G>>>,
    /// At least 1.
    pub threads: usize,
    /// Size of the transposition table in bytes.
    pub memory: usize,
    pub clock: Arc<dyn Clock>,
    /// Moves less than this worse than the best still get their exact value; others may get only an upper bound.
    pub width: Value,
    table: Option<TranspositionTable>,
}

impl<G: Notation, E: Evaluator<G>> AlphaBeta<G, E> {
    /// A search with one thread and 64 MiB.
    pub fn new(evaluator: E, clock: Arc<dyn Clock>) -> Self {
        AlphaBeta { evaluator, oracle: None, threads: 1, memory: 64 << 20, clock, width: 0, table: None }
    }

    /// Clears the results of earlier searches. A search that is limited by nodes or depth then depends only on the match.
    pub fn forget(&mut self) {
        self.table = None;
    }

    /// Searches the match's position. It stops at the limits or when `stop` is set, but it always returns a move while the
    /// game is not over.
    pub fn run(
        &mut self,
        played: &Match<G>,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> SearchResult<G::Move> {
        let memory = self.memory.min(useful_memory(limits));
        let table = &*self.table.get_or_insert_with(|| TranspositionTable::new(memory, false));
        let deadline = Deadline::after(limits.time, self.clock.clone(), stop);
        let oracle = self.oracle.as_deref();
        let mut worker = Worker::new(played, &self.evaluator, oracle, table, deadline);
        worker.most_nodes = limits.nodes.unwrap_or(u64::MAX);
        let deepest = limits.depth.unwrap_or(DEEPEST).clamp(1, DEEPEST);
        let (evaluator, width) = (&self.evaluator, self.width);
        let main = || main_search(&mut worker, played.game(), deepest, width, report);
        lazy_smp(self.threads, HELPER_STACK, &self.clock, main, |deadline, number| {
            helper_search(&mut Worker::new(played, evaluator, oracle, table, deadline), deepest, number);
        })
    }
}

impl<G: Notation, E: Evaluator<G>> Searcher<G> for AlphaBeta<G, E> {
    fn run(
        &mut self,
        played: &Match<G>,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> SearchResult<G::Move> {
        AlphaBeta::run(self, played, limits, stop, report)
    }

    fn forget(&mut self) {
        AlphaBeta::forget(self);
    }

    fn widen(&mut self, width: Value) {
        self.width = width;
    }
}
