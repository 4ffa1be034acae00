//! The children of a node, looked at together with other threads (`../shared/searching.rs`).

use super::{
    kernel::Kernel,
    search::{Node, Search},
    shape::Shape,
};
use crate::shared::{CurrentlySearching, Key, OpenQuestion, Slot, Word};

/// With fewer vacant cells than this threads do not look after each other: it would cost more than it saves.
pub(super) const SHARED: i32 = 20;

impl<W: Word + Key, S: Shape, K: Kernel> Search<'_, W, S, K> {
    /// The best of the children, looked at together with other threads.
    pub(super) fn look_together(
        &mut self,
        searching: &CurrentlySearching,
        node: &Node<W>,
        slot: Slot<W>,
        first: usize,
        beta: i32,
    ) -> i32 {
        let count = self.children.len() - first;
        self.path.push(OpenQuestion { slot, beta });
        let mut best = i32::MIN;
        let mut looked = 0_u64;
        // Those that nobody is at, then the rest. Everybody begins with the first, which is likely to be the answer.
        'rounds: for put_off in [false, true] {
            for i in 0..count {
                let child = self.children[self.child(first, i)];
                if looked >> i & 1 == 1 || !put_off && i > 0 && searching.contains(child.slot) {
                    continue;
                }
                searching.insert(child.slot);
                let value = -self.kernel.descend(self, child.node(node), child.slot, 1 - beta, child.seen);
                searching.remove(child.slot);
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
                if let Some(answer) = (OpenQuestion { slot, beta }).answer(self.table) {
                    best = answer;
                    break 'rounds;
                }
            }
        }
        self.path.pop();
        best
    }

    /// Looks whether a question on the way down was answered by somebody else; if so, everything below it is given up.
    pub(super) fn look_up(&mut self) {
        let answered = self.path.iter().position(|asked| asked.answer(self.table).is_some());
        if let Some(depth) = answered {
            (self.stopped, self.overtaken) = (true, depth + 1);
        }
    }
}
