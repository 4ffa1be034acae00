//! Proof-number search on one thread: df-pn (A. Nagai, "Df-pn algorithm for searching AND/OR trees and its applications",
//! 2002), a depth-first search by proof numbers (`numbers.rs`) over the transposition table and a stack, with the 1 + ε trick
//! (Pawlewicz and Lew, "Improving depth-first PN-search: 1+ε trick", 2007). With many empty squares a wrong guess about the
//! best turn costs more than returning to it later; `search.rs` searches positions with few.
//!
//! The side to move wins if any child is lost, so the number of a win is the smallest loss number of a child; it loses if all
//! children are won, so the number of a loss is the sum of their win numbers.
//!
//! ```text
//!   win  = min loss(child)      the child with the least is searched next, until its number exceeds that of the second best
//!   loss = sum win(child)       or until a number of this position reaches its limit
//! ```

use super::{
    key::Keyed,
    numbers::{INFINITE, Numbers},
    search::{AmazonsSearch, Child},
    state::State,
};
use crate::shared::Slot;

/// Positions with at most this many empty squares are searched depth first.
const SMALL: u32 = 13;
/// The 1 + ε trick, with ε = 1 / `PATIENCE`: a child is searched until its number exceeds that of the second best by this
/// fraction, because switching at every small difference would list the same children repeatedly.
const PATIENCE: u64 = 4;

/// The numbers of a position, computed from those of its open children.
struct BestChildren {
    numbers: Numbers,
    /// The child to search next, and the number of the second best.
    chosen: usize,
    second: u64,
}

impl<W: Keyed> AmazonsSearch<'_, W> {
    /// Searches a position until the winner is proved or one of the numbers reaches its limit.
    pub(super) fn prove(&mut self, state: State<W>, slot: Option<Slot<W::Key>>, limits: Numbers) -> Numbers {
        if self.thread.is_over() {
            return limits;
        }
        self.thread.enter(slot);
        let numbers = if state.board.empty.ones() <= SMALL {
            Numbers::proved(self.wins(&state, slot))
        } else {
            self.prove_by_children(&state, slot, limits)
        };
        self.thread.leave(slot);
        numbers
    }

    fn prove_by_children(
        &mut self,
        state: &State<W>,
        slot: Option<Slot<W::Key>>,
        limits: Numbers,
    ) -> Numbers {
        let (begun, first) = (self.thread.nodes, self.children.len());
        let mut numbers = Numbers::WON;
        if !self.list(state) {
            self.number(first);
            numbers = self.search_children(first, slot, limits);
        }
        self.children.truncate(first);
        self.store(slot, numbers, self.thread.nodes - begun);
        numbers
    }

    /// Sets the numbers of every child: from the table, or initial ones.
    fn number(&mut self, first: usize) {
        for i in first..self.children.len() {
            let Child { slot, order_score, .. } = self.children[i];
            let known = slot.and_then(|slot| self.thread.table.probe(slot)).map(Numbers::unpack);
            self.children[i].numbers = known.unwrap_or_else(|| Numbers::initial(order_score));
        }
    }

    /// Searches one child after another until the position is proved or a limit is reached.
    fn search_children(&mut self, first: usize, slot: Option<Slot<W::Key>>, limits: Numbers) -> Numbers {
        loop {
            let BestChildren { numbers, chosen, second } = self.best_children(first);
            let done =
                numbers.decided().is_some() || numbers.win >= limits.win || numbers.loss >= limits.loss;
            if done || self.thread.stopped {
                return numbers;
            }
            let child = self.children[chosen];
            let others = numbers.loss - child.numbers.win;
            // Slightly higher than now, in spite of the rounding of numbers in the table.
            let below = Numbers {
                win: limits.loss.saturating_sub(others).max(child.numbers.win + 1),
                loss: limits.win.min(second + second / PATIENCE + 1).max(child.numbers.loss + 1),
            };
            self.children[chosen].numbers = self.prove(child.state, child.slot, below);
            // Another thread may have proved it in the meantime.
            if self.thread.has_others()
                && let Some(won) = self.known(slot)
            {
                return Numbers::proved(won);
            }
        }
    }

    /// Combines the numbers of the children. In the selection, a child that another thread is searching counts twice (virtual
    /// loss).
    fn best_children(&self, first: usize) -> BestChildren {
        let mut best = BestChildren { numbers: Numbers::LOST, chosen: first, second: INFINITE };
        let mut least = INFINITE;
        for (i, child) in self.children.iter().enumerate().skip(first) {
            match child.numbers.decided() {
                Some(true) => continue,
                Some(false) => return BestChildren { numbers: Numbers::WON, ..best },
                None => (),
            }
            let Numbers { win, loss } = child.numbers;
            best.numbers.win = best.numbers.win.min(loss);
            best.numbers.loss = (best.numbers.loss + win).min(INFINITE - 1);
            let seems = if self.thread.is_searched(child.slot) { 2 * loss } else { loss };
            if seems < least {
                (best.chosen, best.second, least) = (i, least, seems);
            } else {
                best.second = best.second.min(seems);
            }
        }
        best
    }
}
