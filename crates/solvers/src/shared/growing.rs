//! A transposition table that starts small and grows with the work: easy positions stay in the processor's cache, and clearing
//! a large table would take longer than solving them.

use super::transposition::{Key, TranspositionTable};
use std::ops::Deref;

pub(crate) struct Growth {
    /// Size of the first table.
    pub first_mib: usize,
    /// Size ratio of consecutive tables.
    pub factor: usize,
    /// A table is outgrown after this many nodes for each of its entries.
    pub nodes_an_entry: u64,
}

pub(crate) struct GrowingTable {
    table: TranspositionTable,
    growth: Growth,
    mib: usize,
    most_mib: usize,
    /// Nodes searched with the current table.
    nodes: u64,
}

impl GrowingTable {
    pub fn new<K: Key>(growth: Growth, most_mib: usize) -> Self {
        let (mib, table) = (growth.first_mib, TranspositionTable::new::<K>(growth.first_mib));
        GrowingTable { table, mib, most_mib: most_mib.max(mib), growth, nodes: 0 }
    }

    /// Counts the nodes of a search with the current table.
    pub fn count(&mut self, nodes: u64) {
        self.nodes += nodes;
    }

    /// The number of nodes until the table is outgrown.
    pub fn room(&self) -> u64 {
        if self.mib >= self.most_mib {
            return u64::MAX;
        }
        (self.table.len() * self.growth.nodes_an_entry).saturating_sub(self.nodes)
    }

    /// Replaces the table by a larger one. The entries are copied if keys are exact, so that little is proved twice.
    pub fn grow<K: Key>(&mut self) {
        self.mib = (self.mib * self.growth.factor).min(self.most_mib);
        let larger = TranspositionTable::new::<K>(self.mib);
        larger.copy_from::<K>(&self.table);
        (self.table, self.nodes) = (larger, 0);
    }

    /// Stores the expensive entries of another table, with the same amount of free space.
    pub fn learn<K: Key>(&mut self, words: &[u64]) {
        while self.table.len() < 2 * words.len() as u64 && self.mib < self.most_mib {
            self.grow::<K>();
        }
        self.table.learn::<K>(words);
    }

    /// Removes all entries and returns to the first size.
    pub fn clear<K: Key>(&mut self) {
        if self.mib > self.growth.first_mib {
            self.mib = self.growth.first_mib;
            self.table = TranspositionTable::new::<K>(self.mib);
        } else {
            self.table.clear();
        }
        self.nodes = 0;
    }
}

impl Deref for GrowingTable {
    type Target = TranspositionTable;

    fn deref(&self) -> &TranspositionTable {
        &self.table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::ProvedBounds;

    fn table() -> GrowingTable {
        GrowingTable::new::<u64>(Growth { first_mib: 1, factor: 4, nodes_an_entry: 2 }, 8)
    }

    #[test]
    fn a_larger_table_has_the_entries_and_room_for_more_nodes() {
        let mut table = table();
        let (entries, bounds) = (table.len(), ProvedBounds { lo: -1, hi: 2 });
        table.store(table.slot(77_u64), bounds, 5);
        table.count(2 * entries + 1);
        assert_eq!(table.room(), 0);
        table.grow::<u64>();
        assert_eq!((table.len(), table.room()), (4 * entries, 8 * entries));
        table.grow::<u64>();
        assert_eq!((table.len(), table.room()), (8 * entries, u64::MAX), "the largest is never outgrown");
        assert_eq!(table.probe(table.slot(77_u64)), Some(bounds));
    }

    #[test]
    fn a_cleared_table_is_empty_and_small_again() {
        let mut table = table();
        let entries = table.len();
        for grown in [false, true] {
            if grown {
                table.grow::<u64>();
            }
            table.store(table.slot(77_u64), ProvedBounds { lo: 0, hi: 0 }, 5);
            table.count(9);
            table.clear::<u64>();
            assert_eq!((table.len(), table.room()), (entries, 2 * entries));
            assert_eq!(table.probe(table.slot(77_u64)), None);
        }
    }
}
