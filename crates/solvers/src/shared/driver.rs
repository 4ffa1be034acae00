//! The driver around the search in every solver: a deadline, several threads until the first of them has the answer, the
//! report of what is proved, and the principal variation. It knows no game.
//!
//! Threads cooperate on one tree over one transposition table by ABDADA (J.-C. Weill, "The ABDADA distributed minimax search
//! algorithm", ICCA Journal 19(1), 1996), with its flags in a small table of their own instead of the transposition table's
//! entries:
//!
//! - A thread defers a move that another thread is searching until its other moves are done: by then the answer is usually
//!   in the transposition table.
//! - A thread that searches below a position for which another thread has stored the answer unwinds to that position.

use super::transposition::{Key, Slot, TranspositionTable};
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

/// Runs `work` with a stop flag that is set when the caller's flag is set or the time is over. With limits the flag is separate
/// from the caller's, and `work` may set it.
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

/// Runs the same search on all threads over one table: the first that finishes, is stopped or reaches its share of `most_nodes`
/// stops the others. Returns the answer and the nodes of all threads. A single thread runs on the caller's thread.
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
/// position and its value, seen by the side to move, and returns a move that preserves the value, with the position after it.
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

/// The number of positions that can be marked as being searched.
const SIZE: usize = 1 << 12;
/// The number of nodes between two checks of the limits.
const STRIDE: u64 = 1024;

/// The "currently searching" table. A collision only costs time: a move is deferred without reason, or searched twice.
struct CurrentlySearching {
    ids: Vec<AtomicU64>,
}

impl CurrentlySearching {
    fn new() -> Self {
        CurrentlySearching { ids: (0..SIZE).map(|_| AtomicU64::new(0)).collect() }
    }

    fn id<K: Key>(&self, slot: Slot<K>) -> &AtomicU64 {
        &self.ids[slot.id() as usize % SIZE]
    }
}

/// A question on the path to the current node that this thread has not answered yet: is the value at least `beta`?
#[derive(Clone, Copy)]
pub(crate) struct OpenQuestion<K> {
    pub slot: Slot<K>,
    pub beta: i32,
}

impl<K: Key> OpenQuestion<K> {
    /// The answer, if the transposition table has it now.
    #[inline]
    fn answer(&self, table: &TranspositionTable) -> Option<i32> {
        table.probe(self.slot)?.answer(self.beta)
    }
}

/// One thread of a search: its limits, and what it shares with the other threads.
pub(crate) struct SearchThread<'a, K> {
    pub table: &'a TranspositionTable,
    stop: &'a AtomicBool,
    pub nodes: u64,
    most_nodes: u64,
    /// Whether the search unwinds; what it returns then means nothing.
    pub stopped: bool,
    /// `None` for a single thread.
    searching: Option<&'a CurrentlySearching>,
    path: Vec<OpenQuestion<K>>,
    /// While it unwinds: the number of questions of the path that are left when it arrives. 0 ends the search.
    unwinds_to: usize,
}

impl<'a, K: Key> SearchThread<'a, K> {
    fn new(
        table: &'a TranspositionTable,
        stop: &'a AtomicBool,
        most_nodes: u64,
        searching: Option<&'a CurrentlySearching>,
    ) -> Self {
        let path = Vec::new();
        SearchThread { table, stop, nodes: 0, most_nodes, stopped: false, searching, path, unwinds_to: 0 }
    }

    /// A thread that works alone, until it is stopped.
    #[cfg(test)]
    pub fn alone(table: &'a TranspositionTable, stop: &'a AtomicBool) -> Self {
        SearchThread::new(table, stop, u64::MAX, None)
    }

    /// Whether other threads search the same tree.
    #[inline(always)]
    pub fn has_others(&self) -> bool {
        self.searching.is_some()
    }

    /// The value, unless the search was stopped, and the number of nodes.
    pub fn outcome<T>(&self, value: T) -> (Option<T>, u64) {
        ((!self.stopped).then_some(value), self.nodes)
    }

    #[inline(always)]
    fn limit_reached(&self) -> bool {
        self.nodes >= self.most_nodes || self.stop.load(Relaxed)
    }

    /// Whether the search has to stop, checked now. Once true, it stays true.
    #[inline(always)]
    pub fn is_over(&mut self) -> bool {
        self.stopped |= self.limit_reached();
        self.stopped
    }

    /// Counts a node; the limits are checked once in [`STRIDE`] nodes. Returns whether to go on.
    #[inline(always)]
    pub fn count_node(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes.is_multiple_of(STRIDE) {
            self.poll();
        }
        !self.stopped
    }

    /// Stops at a limit, or below a question that another thread has answered.
    #[cold]
    fn poll(&mut self) {
        if self.limit_reached() {
            (self.stopped, self.unwinds_to) = (true, 0);
        } else if !self.stopped
            && let Some(answered) = self.path.iter().position(|asked| asked.answer(self.table).is_some())
        {
            (self.stopped, self.unwinds_to) = (true, answered + 1);
        }
    }

    /// Whether the search has unwound to the last question of the path, from which it then continues.
    fn has_unwound(&mut self) -> bool {
        let arrived = self.stopped && self.unwinds_to == self.path.len();
        if arrived {
            (self.stopped, self.unwinds_to) = (false, 0);
        }
        arrived
    }

    /// Whether a thread is searching the position.
    #[inline]
    pub fn is_searched(&self, slot: Option<Slot<K>>) -> bool {
        let at = self.searching.zip(slot);
        at.is_some_and(|(searching, slot)| searching.id(slot).load(Relaxed) == slot.id())
    }

    /// Begins the search of a position.
    #[inline]
    pub fn enter(&self, slot: Option<Slot<K>>) {
        if let Some((searching, slot)) = self.searching.zip(slot) {
            searching.id(slot).store(slot.id(), Relaxed);
        }
    }

    /// Ends the search of a position. An entry that another position has replaced stays.
    #[inline]
    pub fn leave(&self, slot: Option<Slot<K>>) {
        if let Some((searching, slot)) = self.searching.zip(slot) {
            let _ = searching.id(slot).compare_exchange(slot.id(), 0, Relaxed, Relaxed);
        }
    }
}

/// The best value of the first `count` children of a node, or one that is at least `beta`. `slot` is where a child belongs in
/// the table, `value` searches it; both count the children in the order of the search. With a `question`, which is that of the
/// node, the thread cooperates with the others. If the search was stopped, the value means nothing.
#[inline(always)]
pub(crate) fn best_child<'a, K: Key + 'a, S: AsMut<SearchThread<'a, K>>>(
    search: &mut S,
    question: Option<OpenQuestion<K>>,
    count: usize,
    beta: i32,
    slot: impl Fn(&S, usize) -> Option<Slot<K>>,
    mut value: impl FnMut(&mut S, usize) -> i32,
) -> i32 {
    if let Some(question) = question {
        return best_child_with_others(search, question, count, slot, value);
    }
    let mut best = i32::MIN;
    for i in 0..count {
        best = best.max(value(search, i));
        if best >= beta || search.as_mut().stopped {
            break;
        }
    }
    best
}

/// Like [`best_child`], with other threads: first the children that no thread is searching, then the rest. All threads begin
/// with the first child, which is likely to be the answer.
#[inline(never)]
fn best_child_with_others<'a, K: Key + 'a, S: AsMut<SearchThread<'a, K>>>(
    search: &mut S,
    question: OpenQuestion<K>,
    count: usize,
    slot: impl Fn(&S, usize) -> Option<Slot<K>>,
    mut value: impl FnMut(&mut S, usize) -> i32,
) -> i32 {
    search.as_mut().path.push(question);
    let (mut best, mut searched) = (i32::MIN, 0_u64);
    'rounds: for deferred in [false, true] {
        for i in 0..count {
            let slot = slot(search, i);
            if searched >> i & 1 == 1 || !deferred && i > 0 && search.as_mut().is_searched(slot) {
                continue;
            }
            search.as_mut().enter(slot);
            let value = value(search, i);
            let thread = search.as_mut();
            thread.leave(slot);
            if !thread.stopped {
                best = best.max(value);
                searched |= 1 << i;
            } else if !thread.has_unwound() {
                break 'rounds;
            }
            if best >= question.beta {
                break 'rounds;
            }
            if let Some(answer) = question.answer(thread.table) {
                best = answer;
                break 'rounds;
            }
        }
    }
    search.as_mut().path.pop();
    best
}
