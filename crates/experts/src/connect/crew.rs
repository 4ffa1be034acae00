//! Several threads in one search. They share the table, walk the same tree, and keep out of each other's way: a move that
//! somebody else is at is put off until the others are done, when its answer usually stands in the table. And whoever works
//! below a position that somebody else has answered meanwhile gives up and goes back to it.

use super::{
    kernel::Kernel,
    search::{Node, Search},
    shape::{Shape, Word},
    table::{Place, Proved},
};
use std::sync::atomic::{AtomicU64, Ordering};

/// With fewer vacant cells than this threads do not look after each other: it would cost more than it saves.
pub(super) const SHARED: i32 = 20;

const SLOTS: usize = 1 << 12;

/// Who is where. A wrong answer only costs time: a move is put off for nothing, or looked at twice.
pub(super) struct Crew {
    slots: Vec<AtomicU64>,
}

impl Crew {
    pub fn new() -> Crew {
        Crew { slots: (0..SLOTS).map(|_| AtomicU64::new(0)).collect() }
    }

    fn slot<W: Word>(&self, place: Place<W>) -> &AtomicU64 {
        &self.slots[place.mark() as usize % SLOTS]
    }

    fn is_at<W: Word>(&self, place: Place<W>) -> bool {
        self.slot(place).load(Ordering::Relaxed) == place.mark()
    }

    fn enter<W: Word>(&self, place: Place<W>) {
        self.slot(place).store(place.mark(), Ordering::Relaxed);
    }

    fn leave<W: Word>(&self, place: Place<W>) {
        // Whoever came into the slot later stays there.
        let _ = self.slot(place).compare_exchange(place.mark(), 0, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// A question on the way down that is not answered yet.
#[derive(Clone, Copy)]
pub(super) struct Asked<W> {
    place: Place<W>,
    beta: i32,
}

impl<W: Word, S: Shape, K: Kernel> Search<'_, W, S, K> {
    /// The best of the children, looked at together with other threads.
    pub(super) fn look_together(
        &mut self,
        crew: &Crew,
        node: &Node<W>,
        place: Place<W>,
        first: usize,
        beta: i32,
    ) -> i32 {
        let count = self.children.len() - first;
        self.path.push(Asked { place, beta });
        let mut best = i32::MIN;
        let mut looked = 0_u64;
        // Those that nobody is at, then the rest. Everybody begins with the first, which is likely to be the answer.
        'rounds: for put_off in [false, true] {
            for i in 0..count {
                let child = self.children[self.child(first, i)];
                if looked >> i & 1 == 1 || !put_off && i > 0 && crew.is_at(child.place) {
                    continue;
                }
                crew.enter(child.place);
                let value = -self.kernel.descend(self, child.node(node), child.place, 1 - beta, child.seen);
                crew.leave(child.place);
                let overtaken = self.stopped && self.overtaken == self.path.len();
                if overtaken {
                    (self.stopped, self.overtaken) = (false, 0);
                } else if self.stopped {
                    break 'rounds;
                } else {
                    best = best.max(value);
                    looked |= 1 << i;
                }
                if best >= beta {
                    break 'rounds;
                }
                if let Some(answer) = self.answered(place, beta) {
                    best = answer;
                    break 'rounds;
                }
            }
        }
        self.path.pop();
        best
    }

    /// What the table has to say to a question, if it settles it.
    fn answered(&self, place: Place<W>, beta: i32) -> Option<i32> {
        match self.table.find(place)? {
            Proved { lo, .. } if lo >= beta => Some(lo),
            Proved { hi, .. } if hi < beta => Some(hi),
            _ => None,
        }
    }

    /// Looks whether a question on the way down was answered by somebody else; if so, everything below it is given up.
    pub(super) fn look_up(&mut self) {
        let answered = self.path.iter().position(|asked| self.answered(asked.place, asked.beta).is_some());
        if let Some(depth) = answered {
            (self.stopped, self.overtaken) = (true, depth + 1);
        }
    }
}
