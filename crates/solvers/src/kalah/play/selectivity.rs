//! What the search for play leaves out without a depth limit: reductions of late moves, extra turns that take less than a ply, pruning
//! by the evaluation and by shallower searches.

use super::{PLY, PlaySearch, Standing, is_open};
use crate::kalah::search::After;
use parlor_core::{Value, is_finished};
use parlor_engine::Scored;

/// What a search without a depth limit does not search fully. Depths are in quarters of a ply.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Selectivity {
    /// The depth of a move that gives another turn.
    pub extra_turn: i32,
    /// Moves from this one on are searched less deep, if the remaining depth is at least `late_depth`.
    pub late: usize,
    pub late_depth: i32,
    pub reduction: i32,
    /// Up to this depth, a position is not searched if its evaluation is outside the window by a margin for every ply.
    pub static_depth: i32,
    /// The margin above the window, and the one below it.
    pub above: Value,
    pub below: Value,
    /// From this depth on, a search that is shallower by `probe_reduction` decides if its value is outside the window by
    /// `probe_margin`.
    pub probe_depth: i32,
    pub probe_reduction: i32,
    pub probe_margin: Value,
}

impl Selectivity {
    /// Tuned by matches of Kalah(6,6) with 15,000 and 50,000 nodes per move.
    pub const USUAL: Selectivity = Selectivity {
        extra_turn: 2,
        late: 2,
        late_depth: 3 * PLY,
        reduction: PLY,
        static_depth: 3 * PLY,
        above: 48,
        below: 32,
        probe_depth: 5 * PLY,
        probe_reduction: 2 * PLY,
        probe_margin: 24,
    };
}

impl<const H: usize> PlaySearch<'_, H> {
    /// ProbCut (Buro, 1995): the value of a shallower search, if it is so far outside the window that a deeper one most likely is,
    /// too. Only the side of the window on which the evaluation lies is tried.
    pub(super) fn by_shallow_search(
        &mut self,
        at: &Standing,
        selectivity: &Selectivity,
        depth: i32,
        ply: usize,
        alpha: Value,
        beta: Value,
    ) -> Option<Option<Scored>> {
        let value = self.static_value(at);
        let (depth, margin) = (depth - selectivity.probe_reduction, selectivity.probe_margin);
        if value >= beta {
            let bound = beta + margin;
            let found = self.searched(at, depth, ply, bound - 1, bound)?;
            return Some((found.value >= bound).then_some(found));
        }
        let bound = alpha - margin;
        let found = self.searched(at, depth, ply, bound, bound + 1)?;
        Some((found.value <= bound).then_some(found))
    }

    /// The value of a position that is not searched, because it is decided, or because its evaluation is far outside the
    /// window.
    #[inline(always)]
    pub(super) fn pruned(
        &mut self,
        at: &Standing,
        selectivity: &Selectivity,
        depth: i32,
        ply: usize,
        alpha: Value,
        beta: Value,
    ) -> Option<Scored> {
        if at.banked.abs() > at.node.beans
            && let Some(found) = Self::outside(at, ply, alpha, beta)
        {
            return Some(found);
        }
        if depth > selectivity.static_depth || is_open(alpha, beta) || is_finished(alpha) || is_finished(beta)
        {
            return None;
        }
        let value = self.static_value(at);
        let outside = value - selectivity.above * depth / PLY >= beta
            || value + selectivity.below * depth / PLY <= alpha;
        outside.then_some(Scored { value, exact: false })
    }

    /// The depth that a move takes, and the depth by which it is reduced at first.
    #[inline(always)]
    pub(in super::super) fn costs(&self, after: &After, number: usize, depth: i32) -> (i32, i32) {
        let Some(selectivity) = self.terms.selectivity else { return (PLY, 0) };
        if after.again {
            return (selectivity.extra_turn, 0);
        }
        let late = number >= selectivity.late && depth >= selectivity.late_depth && after.gain < 2;
        (PLY, if late { selectivity.reduction } else { 0 })
    }
}
