//! The moves of a position: those that lead to endings are looked up at once, the others are put in the order in which they
//! are searched. A move that captures much leaves little to search, and so does one after which the same side moves again;
//! what is likely to be cheap comes first, even where something else looks better.

use super::{
    board::{After, Node},
    search::Search,
};
use parlor_engine::prefetch;
use parlor_games::rows::beans;

/// Moves in the order in which they are searched.
pub(super) struct Children<const H: usize> {
    list: [After; H],
    count: usize,
}

impl<const H: usize> Default for Children<H> {
    #[inline(always)]
    fn default() -> Self {
        Children { list: [After::NONE; H], count: 0 }
    }
}

impl<const H: usize> Children<H> {
    #[inline(always)]
    pub fn all(&self) -> &[After] {
        &self.list[..self.count.min(H)]
    }

    /// Of equals the first stays first.
    #[inline(always)]
    fn insert(&mut self, after: After) {
        let mut at = self.count.min(H - 1);
        while at > 0 && self.list[at - 1].promise() < after.promise() {
            self.list[at] = self.list[at - 1];
            at -= 1;
        }
        self.list[at] = after;
        self.count += 1;
    }
}

impl After {
    const NONE: After = After { node: Node { own: 0, other: 0, beans: 0 }, gain: 0, again: false };

    #[inline(always)]
    fn promise(&self) -> i32 {
        2 * self.gain + if self.again { 64 } else { 0 }
    }
}

/// An ending that is on its way into the cache.
#[derive(Clone, Copy, Default)]
struct Ending {
    beans: u32,
    gain: i32,
    again: bool,
    at: usize,
}

impl<const H: usize> Search<'_, H> {
    /// The best value of the moves that end the game or lead to endings; the others are listed.
    #[inline(always)]
    pub(super) fn endings_after(&self, node: &Node, children: &mut Children<H>) -> i32 {
        let mut best = i32::MIN;
        let (mut endings, mut count) = ([Ending::default(); H], 0);
        let mut numbered = None;
        // From the pot outwards.
        for lane in (0..H).rev() {
            if node.own >> (8 * lane) & 0xFF == 0 {
                continue;
            }
            let after = self.rules.play(node, lane);
            if let Some(value) = after.node.over() {
                best = best.max(after.value(value));
            } else if let Some(layer) = self.endings.get(after.node.beans as usize) {
                let at = self.number(&after, node, &mut numbered);
                prefetch(layer, at);
                endings[count] =
                    Ending { beans: after.node.beans as u32, gain: after.gain, again: after.again, at };
                count += 1;
            } else {
                children.insert(after);
            }
        }
        for ending in &endings[..count.min(H)] {
            let value = i32::from(self.endings[ending.beans as usize][ending.at]);
            best = best.max(ending.gain + if ending.again { value } else { -value });
        }
        best
    }

    /// Where the position after a move stands. Most moves leave the other side's row as it was: its number is worked out once.
    #[inline(always)]
    fn number(&self, after: &After, before: &Node, numbered: &mut Option<(usize, u32)>) -> usize {
        let number = |row: u64| (beans(row), self.rules.rows.rank(row));
        let Node { own, other, .. } = after.node;
        let rows = if after.again { [own, other] } else { [other, own] };
        let mine = number(rows[0]);
        let theirs = if rows[1] == before.other {
            *numbered.get_or_insert_with(|| number(rows[1]))
        } else {
            number(rows[1])
        };
        self.rules.rows.index_of(if after.again { [mine, theirs] } else { [theirs, mine] }) as usize
    }
}
