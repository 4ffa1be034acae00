//! The table of proved bounds: one word an entry, eight entries a cache line, shared between threads without locks.
//!
//! ```text
//!   63            …               VALUES      …                 2 1  0
//!   [ tag: what the line leaves open of the key ] [ lo ] [ hi ] [work]
//! ```
//!
//! Where line and tag together tell a key exactly, nothing is ever mistaken for something else. An entry is written and read
//! as a whole, so that threads cannot see half of one.
//!
//! A full line gives up what was the least work to find out. That makes a small table nearly as good as a large one, and a
//! table that fits into the processor's cache is several times faster than one that does not.

use parlor_engine::{Memory, prefetch};
use std::{
    marker::PhantomData,
    sync::atomic::{AtomicU64, Ordering},
};

const ENTRIES: usize = 8;

/// What a position is found by.
pub(crate) trait Key: Copy {
    /// How many bits of an entry are for two values and two bits more: what is left is for the tag.
    const VALUES: u32;
    /// Whether line and tag tell the key, in tables of any size.
    const EXACT: bool;
    /// How many bits line and tag have together, where they tell the key exactly. A table has so many lines that the rest
    /// fits into an entry.
    const BITS: u32;
    /// A line of the table and a tag.
    fn scatter(self, line_bits: u32) -> (usize, u64);
}

impl Key for u64 {
    const VALUES: u32 = 14;
    const EXACT: bool = true;
    const BITS: u32 = 64;

    /// Multiplying by an odd number loses nothing: the upper part names the line, the lower part is the tag.
    #[inline(always)]
    fn scatter(self, line_bits: u32) -> (usize, u64) {
        let mixed = self.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((mixed >> (64 - line_bits)) as usize, mixed & (u64::MAX >> line_bits))
    }
}

impl Key for u128 {
    const VALUES: u32 = 16;
    const EXACT: bool = false;
    /// Not exactly, but 62 bits or more (73 of a table of 2 GiB) of a word that was multiplied by an odd number.
    const BITS: u32 = 64;

    #[inline(always)]
    fn scatter(self, line_bits: u32) -> (usize, u64) {
        let mixed = self.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
        let mixed = mixed ^ mixed >> 71;
        ((mixed >> (128 - line_bits)) as usize, (mixed >> 28) as u64 & (u64::MAX >> Self::VALUES))
    }
}

/// What is proved of a position, seen by the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Proved {
    pub lo: i32,
    pub hi: i32,
}

/// Proved bounds by key.
pub(crate) struct Table {
    entries: Memory<AtomicU64>,
    line_bits: u32,
}

impl Table {
    /// A table of at most so many MiB, at least as many as its keys need.
    pub fn new<K: Key>(mib: usize) -> Table {
        let lines = (mib.max(1) << 20) / (8 * ENTRIES);
        let line_bits = lines.ilog2().clamp(K::BITS + K::VALUES - 64, 40);
        Table { entries: Memory::zeroed(ENTRIES << line_bits), line_bits }
    }

    /// How many entries there are.
    pub fn len(&self) -> u64 {
        self.entries.len() as u64
    }

    /// Takes over all that another table knows, where line and tag tell the key.
    pub fn take_over<K: Key>(&self, other: &Table) {
        let entries = other.entries.iter().map(|entry| entry.load(Ordering::Relaxed)).enumerate();
        for (i, entry) in entries.filter(|&(_, entry)| entry != 0) {
            self.put::<K>(i / ENTRIES, other.line_bits, entry);
        }
    }

    /// What took the most work to prove: pairs of words for [`Table::learn`].
    pub fn hard(&self) -> Vec<u64> {
        let entries = self.entries.iter().map(|entry| entry.load(Ordering::Relaxed)).enumerate();
        let hard = entries.filter(|&(_, entry)| entry != 0 && entry & 3 == 3);
        hard.flat_map(|(i, entry)| [(i / ENTRIES) as u64 | u64::from(self.line_bits) << 56, entry]).collect()
    }

    /// Learns what was hard for another table, as far as it can be put into this one.
    pub fn learn<K: Key>(&self, words: &[u64]) {
        let (pairs, _) = words.as_chunks::<2>();
        for &[line, entry] in pairs {
            self.put::<K>((line & (u64::MAX >> 8)) as usize, (line >> 56) as u32, entry);
        }
    }

    /// Puts an entry of another table where it belongs in this one.
    fn put<K: Key>(&self, line: usize, line_bits: u32, entry: u64) {
        let (tag, values) = (entry >> K::VALUES, entry & ((1 << K::VALUES) - 1));
        let place = if line_bits == self.line_bits && line >> line_bits == 0 {
            Place { first: line * ENTRIES, tag, key: PhantomData }
        } else if K::EXACT && (1..K::BITS).contains(&line_bits) && line >> line_bits == 0 {
            let mixed = (line as u64) << (K::BITS - line_bits) | tag;
            let line = (mixed >> (K::BITS - self.line_bits)) as usize;
            let tag = mixed & (u64::MAX >> (64 - K::BITS + self.line_bits));
            Place { first: line * ENTRIES, tag, key: PhantomData::<K> }
        } else {
            return;
        };
        self.write(place, values);
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.entries.iter().for_each(|entry| entry.store(0, Ordering::Relaxed));
    }

    /// Where a key belongs.
    #[inline(always)]
    pub fn place<K: Key>(&self, key: K) -> Place<K> {
        let (line, tag) = key.scatter(self.line_bits);
        Place { first: line * ENTRIES, tag, key: PhantomData }
    }

    /// Starts to bring the place into the cache.
    #[inline(always)]
    pub fn expect<K: Key>(&self, place: Place<K>) {
        prefetch(&self.entries, place.first);
    }

    #[inline(always)]
    fn line<K: Key>(&self, place: Place<K>) -> &[AtomicU64] {
        self.entries.get(place.first..place.first + ENTRIES).unwrap_or(&[])
    }

    /// What is known.
    #[inline(always)]
    pub fn find<K: Key>(&self, place: Place<K>) -> Option<Proved> {
        for entry in self.line(place) {
            let entry = entry.load(Ordering::Relaxed);
            if entry >> K::VALUES == place.tag && entry != 0 {
                return Some(Proved::unpack::<K>(entry));
            }
        }
        None
    }

    /// Remembers bounds that took so many nodes to prove.
    #[inline(always)]
    pub fn keep<K: Key>(&self, place: Place<K>, proved: Proved, nodes: u64) {
        let class = u64::from(nodes >= 16) + u64::from(nodes >= 256) + u64::from(nodes >= 4096);
        self.write(place, proved.pack::<K>() | class);
    }

    /// Writes over older bounds of the same position, else in a free entry, else over one of those that were the least work,
    /// the tag choosing among equals.
    #[inline(always)]
    fn write<K: Key>(&self, place: Place<K>, values: u64) {
        let line = self.line(place);
        let (mut chosen, mut least) = (0, u64::MAX);
        for (i, entry) in line.iter().enumerate() {
            let entry = entry.load(Ordering::Relaxed);
            if entry == 0 || entry >> K::VALUES == place.tag {
                chosen = i;
                break;
            }
            let rank = (entry & 3) * ENTRIES as u64 + (i as u64 + place.tag) % ENTRIES as u64;
            if rank < least {
                (chosen, least) = (i, rank);
            }
        }
        if let Some(entry) = line.get(chosen) {
            entry.store(place.tag << K::VALUES | values, Ordering::Relaxed);
        }
    }
}

impl Proved {
    #[inline(always)]
    fn pack<K: Key>(self) -> u64 {
        let (bits, half) = (K::VALUES / 2 - 1, 1 << (K::VALUES / 2 - 2));
        ((self.lo + half) as u64) << (bits + 2) | ((self.hi + half) as u64) << 2
    }

    #[inline(always)]
    fn unpack<K: Key>(entry: u64) -> Proved {
        let (bits, half) = (K::VALUES / 2 - 1, 1 << (K::VALUES / 2 - 2));
        let value = |shift: u32| (entry >> shift & ((1 << bits) - 1)) as i32 - half;
        Proved { lo: value(bits + 2), hi: value(2) }
    }
}

/// Where a key belongs in a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<K> {
    first: usize,
    tag: u64,
    /// What kind of key it is decides the layout of the entry.
    key: PhantomData<K>,
}

impl<K: Key> Place<K> {
    /// A number for the place and its key, hardly ever that of another.
    pub fn mark(self) -> u64 {
        self.tag ^ (self.first as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_found_again_and_replaced_by_newer_ones() {
        let table = Table::new::<u64>(1);
        let place = table.place(12345_u64);
        assert_eq!(table.find(place), None);
        table.keep(place, Proved { lo: -21, hi: 3 }, 5);
        assert_eq!(table.find(place), Some(Proved { lo: -21, hi: 3 }));
        table.keep(place, Proved { lo: 1, hi: 1 }, 5000);
        assert_eq!(table.find(place), Some(Proved { lo: 1, hi: 1 }));
        assert_eq!(table.find(table.place(12346_u64)), None);
    }

    #[test]
    fn a_larger_table_takes_over_what_a_smaller_one_knows() {
        let small = Table::new::<u64>(1);
        let keys = (1..10_000_u64).map(|i| i * 0x1234_5678_9ABC);
        keys.clone().for_each(|key| {
            small.keep(small.place(key), Proved { lo: -(key as i32 % 7).abs(), hi: 7 }, key % 9999);
        });
        let large = Table::new::<u64>(4);
        large.take_over::<u64>(&small);
        for key in keys {
            assert_eq!(large.find(large.place(key)), small.find(small.place(key)));
        }
    }

    #[test]
    fn what_was_hard_is_learned_by_tables_of_any_size_where_keys_are_exact() {
        let table = Table::new::<u64>(2);
        let keys = (1..3_000_u64).map(|i| i * 0x1234_5678_9ABC);
        let proved = |key: u64| Proved { lo: -((key % 7) as i32), hi: 7 };
        keys.clone().for_each(|key| table.keep(table.place(key), proved(key), 4000 + key % 200));
        for mib in [1, 2, 8] {
            let other = Table::new::<u64>(mib);
            other.learn::<u64>(&table.hard());
            for key in keys.clone() {
                let hard = 4000 + key % 200 >= 4096;
                assert_eq!(other.find(other.place(key)), hard.then(|| proved(key)), "{mib} MiB, key {key}");
            }
        }
        let wide = Table::new::<u128>(1);
        (1..100_u128).for_each(|key| wide.keep(wide.place(key << 70), Proved { lo: 0, hi: 1 }, 5000));
        let [same, other] = [1, 16].map(Table::new::<u128>);
        same.learn::<u128>(&wide.hard());
        other.learn::<u128>(&wide.hard());
        let found =
            |table: &Table| (1..100_u128).filter(|&key| table.find(table.place(key << 70)).is_some()).count();
        assert_eq!((found(&same), found(&other)), (99, 0), "hashed keys only at the same place");
    }

    #[test]
    fn words_that_mean_nothing_are_left() {
        let table = Table::new::<u64>(1);
        table.learn::<u64>(&[u64::MAX, u64::MAX, 7, 7, 1 << 56, 3, 9]);
        assert!(table.hard().len() <= 4);
    }

    #[test]
    fn a_full_line_forgets_and_never_confuses() {
        let table = Table::new::<u64>(1);
        for key in 0..200_000_u64 {
            table.keep(table.place(key), Proved { lo: (key % 40) as i32 - 20, hi: 21 }, key % 300);
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
    fn a_full_line_gives_up_what_was_the_least_work() {
        let table = Table::new::<u64>(1);
        let hard = Proved { lo: 1, hi: 1 };
        let line = |key: u64| key.scatter(table.line_bits).0;
        let mut same = (1..).filter(|&key: &u64| line(key) == line(1));
        let kept = same.next().expect("a key");
        table.keep(table.place(kept), hard, 100_000);
        same.take(100).for_each(|key| table.keep(table.place(key), Proved { lo: 0, hi: 3 }, 10));
        assert_eq!(table.find(table.place(kept)), Some(hard));
    }

    #[test]
    fn the_largest_values_fit() {
        let narrow = Proved { lo: -32, hi: 31 };
        assert_eq!(Proved::unpack::<u64>(narrow.pack::<u64>()), narrow);
        let wide = Proved { lo: -64, hi: 63 };
        assert_eq!(Proved::unpack::<u128>(wide.pack::<u128>()), wide);
    }

    #[test]
    fn wide_keys_have_tags_that_fit() {
        for key in [1_u128, 1 << 127, u128::MAX, 0xDEAD_BEEF << 70] {
            assert!(key.scatter(25).1 < 1 << (64 - u128::VALUES) && key.scatter(25).0 < 1 << 25);
        }
    }
}
