//! Which positions are being searched at the moment, so that threads on one tree and one transposition table do different
//! work. The idea is ABDADA (J.-C. Weill, "The ABDADA distributed minimax search algorithm", ICCA Journal 19(1), 1996), with
//! the flags in a small table of their own instead of the transposition table's entries: a thread defers a move that another
//! thread is searching until its other moves are done, when the answer is usually in the transposition table.

use super::transposition::{Key, Slot, TranspositionTable};
use std::sync::atomic::{AtomicU64, Ordering};

const SIZE: usize = 1 << 12;

/// The "currently searching" table. A collision only costs time: a move is deferred without reason, or searched twice.
pub(crate) struct CurrentlySearching {
    ids: Vec<AtomicU64>,
}

impl CurrentlySearching {
    pub fn new() -> Self {
        CurrentlySearching { ids: (0..SIZE).map(|_| AtomicU64::new(0)).collect() }
    }

    fn id<K: Key>(&self, slot: Slot<K>) -> &AtomicU64 {
        &self.ids[slot.id() as usize % SIZE]
    }

    pub fn contains<K: Key>(&self, slot: Slot<K>) -> bool {
        self.id(slot).load(Ordering::Relaxed) == slot.id()
    }

    pub fn insert<K: Key>(&self, slot: Slot<K>) {
        self.id(slot).store(slot.id(), Ordering::Relaxed);
    }

    /// Removes the position unless another one has replaced it.
    pub fn remove<K: Key>(&self, slot: Slot<K>) {
        let _ = self.id(slot).compare_exchange(slot.id(), 0, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// A question on the path to the current node that this thread has not answered yet: is the position worth `beta`?
#[derive(Clone, Copy)]
pub(crate) struct OpenQuestion<K> {
    pub slot: Slot<K>,
    pub beta: i32,
}

impl<K: Key> OpenQuestion<K> {
    /// The answer, if the transposition table has it by now.
    #[inline]
    pub fn answer(&self, table: &TranspositionTable) -> Option<i32> {
        table.probe(self.slot)?.answer(self.beta)
    }
}
