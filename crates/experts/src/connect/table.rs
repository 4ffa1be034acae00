//! The table of proved bounds: one word an entry, eight entries a cache line, shared between threads without locks.
//!
//! ```text
//!   63            …            14 13    …    7 6    …    0
//!   [ tag: the rest of the key  ] [  lo + 64  ] [ hi + 64  ]
//! ```
//!
//! A board of 64 bits is told exactly by line and tag, so nothing is ever mistaken for something else. An entry is written
//! and read as a whole, so that threads cannot see half of one.

use super::shape::Word;
use parlor_engine::{Memory, prefetch};
use std::sync::atomic::{AtomicU64, Ordering};

const ENTRIES: usize = 8;
/// Fewer lines would leave tags too long for an entry.
const FEWEST_LINE_BITS: u32 = 14;

/// What is proved of a position, seen by the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Proved {
    pub lo: i32,
    pub hi: i32,
}

/// Proved bounds by key.
pub(super) struct Table {
    entries: Memory<AtomicU64>,
    line_bits: u32,
}

impl Table {
    /// A table of at most so many MiB, at least one.
    pub fn new(mib: usize) -> Table {
        let lines = (mib.max(1) << 20) / (8 * ENTRIES);
        let line_bits = lines.ilog2().clamp(FEWEST_LINE_BITS, 40);
        Table { entries: Memory::zeroed(ENTRIES << line_bits), line_bits }
    }

    /// How many entries there are.
    pub fn len(&self) -> u64 {
        self.entries.len() as u64
    }

    /// Takes over all that another table knows. Its keys must be such that line and tag tell them exactly.
    pub fn take_over(&self, other: &Table) {
        for (i, entry) in other.entries.iter().enumerate() {
            let entry = entry.load(Ordering::Relaxed);
            if entry != 0 {
                let mixed = ((i / ENTRIES) as u64) << (64 - other.line_bits) | entry >> 14;
                let line = (mixed >> (64 - self.line_bits)) as usize;
                let place = Place { first: line * ENTRIES, tag: mixed & (u64::MAX >> self.line_bits) };
                self.keep(place, proved(entry));
            }
        }
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.entries.iter().for_each(|entry| entry.store(0, Ordering::Relaxed));
    }

    /// Where a key belongs.
    #[inline(always)]
    pub fn place(&self, key: impl Word) -> Place {
        let (line, tag) = key.scatter(self.line_bits);
        Place { first: line * ENTRIES, tag }
    }

    /// Starts to bring the place into the cache.
    #[inline(always)]
    pub fn expect(&self, place: Place) {
        prefetch(&self.entries, place.first);
    }

    #[inline(always)]
    fn line(&self, place: Place) -> &[AtomicU64] {
        self.entries.get(place.first..place.first + ENTRIES).unwrap_or(&[])
    }

    /// What is known.
    #[inline(always)]
    pub fn find(&self, place: Place) -> Option<Proved> {
        for entry in self.line(place) {
            let entry = entry.load(Ordering::Relaxed);
            if entry >> 14 == place.tag && entry != 0 {
                return Some(proved(entry));
            }
        }
        None
    }

    /// Remembers bounds: over older ones of the same position, else in a free entry, else over one that the tag chooses.
    #[inline(always)]
    pub fn keep(&self, place: Place, proved: Proved) {
        let line = self.line(place);
        let word = place.tag << 14 | ((proved.lo + 64) as u64) << 7 | (proved.hi + 64) as u64;
        let mut chosen = place.tag as usize % ENTRIES;
        for (i, entry) in line.iter().enumerate() {
            let entry = entry.load(Ordering::Relaxed);
            if entry == 0 || entry >> 14 == place.tag {
                chosen = i;
                break;
            }
        }
        if let Some(entry) = line.get(chosen) {
            entry.store(word, Ordering::Relaxed);
        }
    }
}

#[inline(always)]
fn proved(entry: u64) -> Proved {
    Proved { lo: (entry >> 7 & 127) as i32 - 64, hi: (entry & 127) as i32 - 64 }
}

/// Where a key belongs in a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    first: usize,
    tag: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_found_again_and_replaced_by_newer_ones() {
        let table = Table::new(1);
        let place = table.place(12345_u64);
        assert_eq!(table.find(place), None);
        table.keep(place, Proved { lo: -21, hi: 3 });
        assert_eq!(table.find(place), Some(Proved { lo: -21, hi: 3 }));
        table.keep(place, Proved { lo: 1, hi: 1 });
        assert_eq!(table.find(place), Some(Proved { lo: 1, hi: 1 }));
        assert_eq!(table.find(table.place(12346_u64)), None);
    }

    #[test]
    fn a_larger_table_takes_over_what_a_smaller_one_knows() {
        let small = Table::new(1);
        let keys = (1..10_000_u64).map(|i| i * 0x1234_5678_9ABC);
        keys.clone()
            .for_each(|key| small.keep(small.place(key), Proved { lo: -(key as i32 % 7).abs(), hi: 7 }));
        let large = Table::new(4);
        large.take_over(&small);
        for key in keys {
            assert_eq!(large.find(large.place(key)), small.find(small.place(key)));
        }
    }

    #[test]
    fn a_full_line_forgets_and_never_confuses() {
        let table = Table::new(1);
        for key in 0..200_000_u64 {
            table.keep(table.place(key), Proved { lo: (key % 40) as i32 - 20, hi: 21 });
        }
        let found =
            (0..200_000_u64).filter_map(|key| table.find(table.place(key)).map(|proved| (key, proved)));
        let mut count = 0;
        for (key, proved) in found {
            assert_eq!(proved.lo, (key % 40) as i32 - 20);
            count += 1;
        }
        assert!(count > 100_000, "{count}");
    }

    #[test]
    fn wide_keys_have_tags_that_fit() {
        for key in [1_u128, 1 << 127, u128::MAX, 0xDEAD_BEEF << 70] {
            assert!(key.scatter(25).1 < 1 << 50 && key.scatter(25).0 < 1 << 25);
        }
    }
}
