//! What is around the search in every solver: a deadline, several threads until the first of them has the answer, the report of
//! what is proved, and the principal variation. It knows no game.

use super::{
    searching::{CurrentlySearching, SearchThread},
    transposition::{Key, TranspositionTable},
};
use parlor_core::{Bounds, Game, Limits, Margin, Notation, Report, Value};
use parlor_engine::{Clock, Deadline};
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

/// The interval at which the clock is read while a solver works.
const TICK: Duration = Duration::from_millis(1);
/// The interval at which the stop flag of a race is read: many questions take less than a millisecond.
const SHORT_TICK: Duration = Duration::from_micros(200);

/// Runs `work`, which stops when its flag is set: when the caller's flag is, or when the time is over. Where there are limits
/// the flag is another one than the caller's, and `work` may set it.
pub(crate) fn with_deadline<T>(
    limits: &Limits,
    clock: &Arc<dyn Clock>,
    stop: &AtomicBool,
    work: impl FnOnce(&AtomicBool) -> T,
) -> T {
    if limits.time.is_none() && limits.nodes.is_none() {
        return work(stop);
    }
    let deadline = Deadline::after(limits.time, clock.clone(), stop);
    let (halt, done) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        let timer = scope.spawn(|| {
            while !done.load(Relaxed) && !deadline.is_over() {
                thread::park_timeout(TICK);
            }
            halt.store(true, Relaxed);
        });
        let found = work(&halt);
        done.store(true, Relaxed);
        timer.thread().unpark();
        found
    })
}

/// Asks all threads the same question over one table: the first that has the answer, was stopped or reached its part of
/// `most_nodes` stops the others. Returns the answer and the nodes of all threads. A single thread is the caller's own.
pub(crate) fn race<K: Key, T: Send>(
    threads: usize,
    table: &TranspositionTable,
    most_nodes: u64,
    stop: &AtomicBool,
    ask: impl Fn(SearchThread<'_, K>) -> (Option<T>, u64) + Sync,
) -> (Option<T>, u64) {
    let most_nodes = (most_nodes / threads.max(1) as u64).max(1);
    if threads <= 1 {
        return ask(SearchThread::new(table, stop, most_nodes, None));
    }
    let (answer, nodes, done) = (Mutex::new(None), AtomicU64::new(0), AtomicBool::new(false));
    let (searching, caller) = (CurrentlySearching::new(), thread::current());
    let work = || {
        let (found, took) = ask(SearchThread::new(table, &done, most_nodes, Some(&searching)));
        nodes.fetch_add(took, Relaxed);
        if found.is_some() {
            *answer.lock().unwrap_or_else(PoisonError::into_inner) = found;
        }
        done.store(true, Relaxed);
        caller.unpark();
    };
    thread::scope(|scope| {
        (0..threads).for_each(|_| {
            scope.spawn(work);
        });
        while !done.load(Relaxed) {
            if stop.load(Relaxed) {
                done.store(true, Relaxed);
            }
            thread::park_timeout(SHORT_TICK);
        }
    });
    (answer.into_inner().unwrap_or_else(PoisonError::into_inner), nodes.into_inner())
}

/// The report of a proof that took this many nodes.
pub(crate) fn proof_report(proved: Bounds, nodes: u64, line: Vec<String>, by_hash: bool) -> Report {
    let value = Value::from(if proved.are_exact() { proved.lo.0 } else { 0 });
    Report { depth: 0, nodes, value, line, proved: Some(proved), by_hash }
}

/// All legal moves, each with the position after it.
pub(crate) fn successors<G: Game>(game: &G, pos: &G::Position) -> Vec<(G::Move, G::Position)> {
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let after = |mv| {
        let mut next = pos.clone();
        game.play(&mut next, mv);
        (mv, next)
    };
    moves.into_iter().map(after).collect()
}

/// The principal variation of a position with this value: to the end of the game, or until `keep` finds no move. `keep` gets a
/// position and its value, seen by the side to move, and returns a move that keeps the value, with the position after it.
pub(crate) fn principal_variation<G: Notation>(
    game: &G,
    pos: &G::Position,
    value: Margin,
    mut keep: impl FnMut(&G::Position, Margin) -> Option<(G::Move, G::Position)>,
) -> Vec<String> {
    let (mut pos, mut value, mut line) = (pos.clone(), value, Vec::new());
    while game.result(&pos).is_none() {
        let Some((mv, next)) = keep(&pos, value) else { break };
        line.push(game.write_move(mv));
        value = if game.turn(&next) == game.turn(&pos) { value } else { -value };
        pos = next;
    }
    line
}
