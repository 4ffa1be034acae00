//! The search of positions close to the endgame tables, for which nothing is stored: it fetches the entries of several positions
//! at the same time.

use super::{Begun, KalahSearch, Node};

impl<const H: usize> KalahSearch<'_, H> {
    /// Like `descend`, for positions close to the endgame tables.
    pub(super) fn near(&mut self, node: &Node, beta: i32, cut: bool) -> i32 {
        self.expand(0, node, beta);
        if !self.thread.count_node() {
            return 0;
        }
        self.near_expanded(0, 1, beta, cut)
    }

    /// The same for the position expanded at this place; places from `free` on are unused.
    fn near_expanded(&mut self, at: usize, free: usize, beta: i32, cut: bool) -> i32 {
        let best = self.expanded[at].endings(self.endings);
        if best >= beta || self.expanded[at].children.count == 0 {
            return best;
        }
        if !cut {
            return best.max(self.near_children(at, 0, free, beta));
        }
        let first = self.begin(at, 0, free, beta);
        best.max(self.near_first(at, &first, free + 1, beta))
    }

    /// Expands the position after a move, unless the number of beans settles its value.
    #[inline(always)]
    fn begin(&mut self, at: usize, child: usize, place: usize, beta: i32) -> Begun {
        let after = self.expanded[at].children.list[child];
        let settled = after.near_value(beta);
        if settled.is_none() {
            self.expand(place, &after.node, after.beta(beta));
        }
        Begun { after, settled, place }
    }

    /// The best of the moves of a position whose first is expected to reach `beta`, and is begun.
    fn near_first(&mut self, at: usize, first: &Begun, free: usize, beta: i32) -> i32 {
        let Begun { after, settled, place } = *first;
        let value = settled.unwrap_or_else(|| {
            self.thread.count_node();
            self.near_expanded(place, free, after.beta(beta), after.again)
        });
        let best = after.value(value);
        if best >= beta || self.thread.stopped {
            best
        } else {
            best.max(self.near_children(at, 1, free, beta))
        }
    }

    /// The best of the moves from number `from` on, none of which is expected to reach `beta`. So all of them will be searched,
    /// and after most of them the first reply decides. First all positions after one of the moves are expanded, then those after
    /// their first replies, so that the endgame entries of several positions are fetched at the same time.
    fn near_children(&mut self, at: usize, from: usize, mut free: usize, beta: i32) -> i32 {
        let count = self.expanded[at].children.count.min(H);
        let mut begun = [Begun::NONE; H];
        for (child, begun) in begun.iter_mut().enumerate().take(count).skip(from) {
            *begun = self.begin(at, child, free, beta);
            free += 1;
        }
        let (mut values, mut replies) = ([None; H], [Begun::NONE; H]);
        for child in from..count {
            let Begun { after, settled, place } = begun[child];
            if settled.is_some() {
                values[child] = settled;
                continue;
            }
            self.thread.count_node();
            let (beta, endings) = (after.beta(beta), self.expanded[place].endings(self.endings));
            if endings >= beta || self.expanded[place].children.count == 0 {
                values[child] = Some(endings);
                continue;
            }
            self.expanded[place].best = endings;
            if !after.again {
                replies[child] = self.begin(place, 0, free, beta);
                free += 1;
            }
        }
        let mut best = i32::MIN;
        for child in from..count {
            let Begun { after, place, .. } = begun[child];
            let value = values[child].unwrap_or_else(|| {
                let (below, endings) = (after.beta(beta), self.expanded[place].best);
                endings.max(if after.again {
                    self.near_children(place, 0, free, below)
                } else {
                    self.near_first(place, &replies[child], free, below)
                })
            });
            best = best.max(after.value(value));
            if best >= beta || self.thread.stopped {
                break;
            }
        }
        best
    }
}
