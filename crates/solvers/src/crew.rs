//! Several threads in one search. They share the table, walk the same tree, and keep out of each other's way: a move that
//! somebody else is at is put off until the others are done, when its answer usually stands in the table. And whoever works
//! below a position that somebody else has answered meanwhile gives up and goes back to it.

use crate::proved::{Key, Place, Proved, Table};
use std::sync::atomic::{AtomicU64, Ordering};

const SLOTS: usize = 1 << 12;

/// Who is where. A wrong answer only costs time: a move is put off for nothing, or looked at twice.
pub(crate) struct Crew {
    slots: Vec<AtomicU64>,
}

impl Crew {
    pub fn new() -> Crew {
        Crew { slots: (0..SLOTS).map(|_| AtomicU64::new(0)).collect() }
    }

    fn slot<K: Key>(&self, place: Place<K>) -> &AtomicU64 {
        &self.slots[place.mark() as usize % SLOTS]
    }

    pub fn is_at<K: Key>(&self, place: Place<K>) -> bool {
        self.slot(place).load(Ordering::Relaxed) == place.mark()
    }

    pub fn enter<K: Key>(&self, place: Place<K>) {
        self.slot(place).store(place.mark(), Ordering::Relaxed);
    }

    pub fn leave<K: Key>(&self, place: Place<K>) {
        // Whoever came into the slot later stays there.
        let _ = self.slot(place).compare_exchange(place.mark(), 0, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// A question on the way down that is not answered yet.
#[derive(Clone, Copy)]
pub(crate) struct Asked<K> {
    pub place: Place<K>,
    pub beta: i32,
}

impl<K: Key> Asked<K> {
    /// What the table has to say to the question, if it settles it.
    #[inline]
    pub fn answered(&self, table: &Table) -> Option<i32> {
        match table.find(self.place)? {
            Proved { lo, .. } if lo >= self.beta => Some(lo),
            Proved { hi, .. } if hi < self.beta => Some(hi),
            _ => None,
        }
    }
}
