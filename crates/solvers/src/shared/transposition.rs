//! The transposition table of proved bounds: one word an entry, eight entries a cache line (a bucket), shared between threads
//! without locks.
//!
//! ```text
//!   63            …                VALUES      …                2 1  0
//!   [ tag: what the bucket leaves open of the key ] [ lo ] [ hi ] [work]
//!
//!   u64    Connect-N, 64-bit boards    tag 50 bits    lo, hi 6 bits each    work 2 bits    key exact
//!   u128   larger boards               tag 48 bits    lo, hi 7 bits each    work 2 bits    key hashed
//!   Exact  Amazons, 30 squares         tag 48 bits    lo, hi 7 bits each    work 2 bits    key exact; proof numbers as lo, hi
//!   Beans  Kalah                       tag 46 bits    lo, hi 8 bits each    work 2 bits    key exact
//! ```
//!
//! If bucket and tag together determine the key, there are no collisions. An entry is written and read as a whole, so that
//! threads cannot see half of one.
//!
//! A full bucket replaces the entry that took the least work. That makes a small table nearly as good as a large one, and a
//! table that fits into the processor's cache is several times faster than one that does not.

use parlor_core::{Bounds, Margin};
use parlor_engine::{ZeroedMemory, prefetch};
use std::{
    marker::PhantomData,
    sync::atomic::{AtomicU64, Ordering},
};

const ENTRIES: usize = 8;

/// The key of a position, with the layout of its entry.
pub(crate) trait Key: Copy {
    /// Number of bits of an entry for two values and two bits of work; the rest is for the tag.
    const VALUES: u32;
    /// Whether bucket and tag determine the key, in tables of any size.
    const EXACT: bool;
    /// The number of bits of bucket and tag together, for exact keys. A table has enough buckets for the rest to fit an entry.
    const BITS: u32;
    /// Maps the key to a bucket and a tag.
    fn scatter(self, bucket_bits: u32) -> (usize, u64);
}

impl Key for u64 {
    const VALUES: u32 = 14;
    const EXACT: bool = true;
    const BITS: u32 = 64;

    /// Multiplication by an odd number is invertible: the upper part is the bucket, the lower part is the tag.
    #[inline(always)]
    fn scatter(self, bucket_bits: u32) -> (usize, u64) {
        let mixed = self.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((mixed >> (64 - bucket_bits)) as usize, mixed & (u64::MAX >> bucket_bits))
    }
}

impl Key for u128 {
    const VALUES: u32 = 16;
    const EXACT: bool = false;
    /// Not exactly, but 62 bits or more (73 of a table of 2 GiB) of a word that was multiplied by an odd number.
    const BITS: u32 = 64;

    #[inline(always)]
    fn scatter(self, bucket_bits: u32) -> (usize, u64) {
        let mixed = self.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
        let mixed = mixed ^ mixed >> 71;
        ((mixed >> (128 - bucket_bits)) as usize, (mixed >> 28) as u64 & (u64::MAX >> Self::VALUES))
    }
}

/// Proved bounds of the value of a position, seen by the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProvedBounds {
    pub lo: i32,
    pub hi: i32,
}

/// Proved bounds by key.
pub(crate) struct TranspositionTable {
    entries: ZeroedMemory<AtomicU64>,
    bucket_bits: u32,
}

impl TranspositionTable {
    /// A table of at most this many MiB, but at least as many as its keys need.
    pub fn new<K: Key>(mib: usize) -> TranspositionTable {
        let buckets = (mib.max(1) << 20) / (8 * ENTRIES);
        let bucket_bits = buckets.ilog2().clamp(K::BITS + K::VALUES - 64, 40);
        TranspositionTable { entries: ZeroedMemory::zeroed(ENTRIES << bucket_bits), bucket_bits }
    }

    pub fn len(&self) -> u64 {
        self.entries.len() as u64
    }

    /// Copies all entries of another table, if keys are exact.
    pub fn copy_from<K: Key>(&self, other: &TranspositionTable) {
        let entries = other.entries.iter().map(|entry| entry.load(Ordering::Relaxed)).enumerate();
        for (i, entry) in entries.filter(|&(_, entry)| entry != 0) {
            self.put::<K>(i / ENTRIES, other.bucket_bits, entry);
        }
    }

    /// The entries that took the most work to prove: pairs of words for [`TranspositionTable::learn`].
    pub fn hard(&self) -> Vec<u64> {
        let entries = self.entries.iter().map(|entry| entry.load(Ordering::Relaxed)).enumerate();
        let hard = entries.filter(|&(_, entry)| entry != 0 && entry & 3 == 3);
        hard.flat_map(|(i, entry)| [(i / ENTRIES) as u64 | u64::from(self.bucket_bits) << 56, entry])
            .collect()
    }

    /// Stores the hard entries of another table, as far as this one can hold them.
    pub fn learn<K: Key>(&self, words: &[u64]) {
        let (pairs, _) = words.as_chunks::<2>();
        for &[bucket, entry] in pairs {
            self.put::<K>((bucket & (u64::MAX >> 8)) as usize, (bucket >> 56) as u32, entry);
        }
    }

    /// Stores an entry of another table in its slot of this one.
    fn put<K: Key>(&self, bucket: usize, bucket_bits: u32, entry: u64) {
        let (tag, values) = (entry >> K::VALUES, entry & ((1 << K::VALUES) - 1));
        let slot = if bucket_bits == self.bucket_bits && bucket >> bucket_bits == 0 {
            Slot { first: bucket * ENTRIES, tag, key: PhantomData }
        } else if K::EXACT && (1..K::BITS).contains(&bucket_bits) && bucket >> bucket_bits == 0 {
            let mixed = (bucket as u64) << (K::BITS - bucket_bits) | tag;
            let bucket = (mixed >> (K::BITS - self.bucket_bits)) as usize;
            let tag = mixed & (u64::MAX >> (64 - K::BITS + self.bucket_bits));
            Slot { first: bucket * ENTRIES, tag, key: PhantomData::<K> }
        } else {
            return;
        };
        self.write(slot, values);
    }

    pub fn clear(&self) {
        self.entries.iter().for_each(|entry| entry.store(0, Ordering::Relaxed));
    }

    #[inline(always)]
    pub fn slot<K: Key>(&self, key: K) -> Slot<K> {
        let (bucket, tag) = key.scatter(self.bucket_bits);
        Slot { first: bucket * ENTRIES, tag, key: PhantomData }
    }

    /// Prefetches the slot's cache line.
    #[inline(always)]
    pub fn prefetch<K: Key>(&self, slot: Slot<K>) {
        prefetch(&self.entries, slot.first);
    }

    #[inline(always)]
    fn bucket<K: Key>(&self, slot: Slot<K>) -> &[AtomicU64] {
        self.entries.get(slot.first..slot.first + ENTRIES).unwrap_or(&[])
    }

    /// The bounds stored for the position.
    #[inline(always)]
    pub fn probe<K: Key>(&self, slot: Slot<K>) -> Option<ProvedBounds> {
        for entry in self.bucket(slot) {
            let entry = entry.load(Ordering::Relaxed);
            if entry >> K::VALUES == slot.tag && entry != 0 {
                return Some(ProvedBounds::unpack::<K>(entry));
            }
        }
        None
    }

    /// Stores bounds that took this many nodes to prove.
    #[inline(always)]
    pub fn store<K: Key>(&self, slot: Slot<K>, proved: ProvedBounds, nodes: u64) {
        let class = u64::from(nodes >= 16) + u64::from(nodes >= 256) + u64::from(nodes >= 4096);
        self.write(slot, proved.pack::<K>() | class);
    }

    /// Replaces older bounds of the same position, else takes a free entry, else replaces one of those that took the least
    /// work; the tag chooses among equals.
    #[inline(always)]
    fn write<K: Key>(&self, slot: Slot<K>, values: u64) {
        let bucket = self.bucket(slot);
        let (mut chosen, mut least) = (0, u64::MAX);
        for (i, entry) in bucket.iter().enumerate() {
            let entry = entry.load(Ordering::Relaxed);
            if entry == 0 || entry >> K::VALUES == slot.tag {
                chosen = i;
                break;
            }
            let rank = (entry & 3) * ENTRIES as u64 + (i as u64 + slot.tag) % ENTRIES as u64;
            if rank < least {
                (chosen, least) = (i, rank);
            }
        }
        if let Some(entry) = bucket.get(chosen) {
            entry.store(slot.tag << K::VALUES | values, Ordering::Relaxed);
        }
    }
}

impl From<Bounds> for ProvedBounds {
    fn from(Bounds { lo, hi }: Bounds) -> Self {
        ProvedBounds { lo: lo.0.into(), hi: hi.0.into() }
    }
}

impl From<ProvedBounds> for Bounds {
    fn from(ProvedBounds { lo, hi }: ProvedBounds) -> Self {
        Bounds { lo: Margin(lo as i16), hi: Margin(hi as i16) }
    }
}

impl ProvedBounds {
    /// The answer to "is the value at least `beta`?": `lo` if it is, `hi` if it is not; `None` if that is open.
    #[inline(always)]
    pub fn answer(self, beta: i32) -> Option<i32> {
        if self.lo >= beta {
            Some(self.lo)
        } else if self.hi < beta {
            Some(self.hi)
        } else {
            None
        }
    }

    /// Whether the value is at least `beta`; `None` if that is open.
    pub fn is_at_least(self, beta: i32) -> Option<bool> {
        self.answer(beta).map(|value| value >= beta)
    }

    /// The intersection of both intervals.
    #[inline(always)]
    pub fn and(self, other: ProvedBounds) -> ProvedBounds {
        ProvedBounds { lo: self.lo.max(other.lo), hi: self.hi.min(other.hi) }
    }

    /// The bounds after a fail-soft search with the null window below `beta` has returned `value`.
    #[inline(always)]
    pub fn after(self, value: i32, beta: i32) -> ProvedBounds {
        if value >= beta {
            ProvedBounds { lo: self.lo.max(value), ..self }
        } else {
            ProvedBounds { hi: self.hi.min(value.max(self.lo)), ..self }
        }
    }

    #[inline(always)]
    fn pack<K: Key>(self) -> u64 {
        let (bits, half) = (K::VALUES / 2 - 1, 1 << (K::VALUES / 2 - 2));
        ((self.lo + half) as u64) << (bits + 2) | ((self.hi + half) as u64) << 2
    }

    #[inline(always)]
    fn unpack<K: Key>(entry: u64) -> ProvedBounds {
        let (bits, half) = (K::VALUES / 2 - 1, 1 << (K::VALUES / 2 - 2));
        let value = |shift: u32| (entry >> shift & ((1 << bits) - 1)) as i32 - half;
        ProvedBounds { lo: value(bits + 2), hi: value(2) }
    }
}

/// The place of a key in a table: its bucket and its tag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot<K> {
    first: usize,
    tag: u64,
    /// The kind of key decides the layout of the entry.
    key: PhantomData<K>,
}

impl<K: Key> Slot<K> {
    /// A nearly unique number of the slot.
    pub fn id(self) -> u64 {
        self.tag ^ (self.first as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_found_again_and_replaced_by_newer_ones() {
        let table = TranspositionTable::new::<u64>(1);
        let slot = table.slot(12345_u64);
        assert_eq!(table.probe(slot), None);
        table.store(slot, ProvedBounds { lo: -21, hi: 3 }, 5);
        assert_eq!(table.probe(slot), Some(ProvedBounds { lo: -21, hi: 3 }));
        table.store(slot, ProvedBounds { lo: 1, hi: 1 }, 5000);
        assert_eq!(table.probe(slot), Some(ProvedBounds { lo: 1, hi: 1 }));
        assert_eq!(table.probe(table.slot(12346_u64)), None);
    }

    #[test]
    fn a_larger_table_takes_over_what_a_smaller_one_knows() {
        let small = TranspositionTable::new::<u64>(1);
        let keys = (1..10_000_u64).map(|i| i * 0x1234_5678_9ABC);
        keys.clone().for_each(|key| {
            small.store(small.slot(key), ProvedBounds { lo: -(key as i32 % 7).abs(), hi: 7 }, key % 9999);
        });
        let large = TranspositionTable::new::<u64>(4);
        large.copy_from::<u64>(&small);
        for key in keys {
            assert_eq!(large.probe(large.slot(key)), small.probe(small.slot(key)));
        }
    }

    #[test]
    fn what_was_hard_is_learned_by_tables_of_any_size_where_keys_are_exact() {
        let table = TranspositionTable::new::<u64>(2);
        let keys = (1..3_000_u64).map(|i| i * 0x1234_5678_9ABC);
        let proved = |key: u64| ProvedBounds { lo: -((key % 7) as i32), hi: 7 };
        keys.clone().for_each(|key| table.store(table.slot(key), proved(key), 4000 + key % 200));
        for mib in [1, 2, 8] {
            let other = TranspositionTable::new::<u64>(mib);
            other.learn::<u64>(&table.hard());
            for key in keys.clone() {
                let hard = 4000 + key % 200 >= 4096;
                assert_eq!(other.probe(other.slot(key)), hard.then(|| proved(key)), "{mib} MiB, key {key}");
            }
        }
        let wide = TranspositionTable::new::<u128>(1);
        (1..100_u128).for_each(|key| wide.store(wide.slot(key << 70), ProvedBounds { lo: 0, hi: 1 }, 5000));
        let [same, other] = [1, 16].map(TranspositionTable::new::<u128>);
        same.learn::<u128>(&wide.hard());
        other.learn::<u128>(&wide.hard());
        let found = |table: &TranspositionTable| {
            (1..100_u128).filter(|&key| table.probe(table.slot(key << 70)).is_some()).count()
        };
        assert_eq!((found(&same), found(&other)), (99, 0), "hashed keys only at the same slot");
    }

    #[test]
    fn words_that_mean_nothing_are_left() {
        let table = TranspositionTable::new::<u64>(1);
        table.learn::<u64>(&[u64::MAX, u64::MAX, 7, 7, 1 << 56, 3, 9]);
        assert!(table.hard().len() <= 4);
    }

    #[test]
    fn a_full_bucket_forgets_and_never_confuses() {
        let table = TranspositionTable::new::<u64>(1);
        for key in 0..200_000_u64 {
            table.store(table.slot(key), ProvedBounds { lo: (key % 40) as i32 - 20, hi: 21 }, key % 300);
        }
        let found =
            (0..200_000_u64).filter_map(|key| table.probe(table.slot(key)).map(|proved| (key, proved)));
        let mut count = 0;
        for (key, proved) in found {
            assert_eq!(proved.lo, (key % 40) as i32 - 20);
            count += 1;
        }
        assert!(count > 100_000, "{count}");
    }

    #[test]
    fn a_full_bucket_replaces_what_took_the_least_work() {
        let table = TranspositionTable::new::<u64>(1);
        let hard = ProvedBounds { lo: 1, hi: 1 };
        let bucket = |key: u64| key.scatter(table.bucket_bits).0;
        let mut same = (1..).filter(|&key: &u64| bucket(key) == bucket(1));
        let kept = same.next().expect("a key");
        table.store(table.slot(kept), hard, 100_000);
        same.take(100).for_each(|key| table.store(table.slot(key), ProvedBounds { lo: 0, hi: 3 }, 10));
        assert_eq!(table.probe(table.slot(kept)), Some(hard));
    }

    #[test]
    fn the_largest_values_fit() {
        let narrow = ProvedBounds { lo: -32, hi: 31 };
        assert_eq!(ProvedBounds::unpack::<u64>(narrow.pack::<u64>()), narrow);
        let wide = ProvedBounds { lo: -64, hi: 63 };
        assert_eq!(ProvedBounds::unpack::<u128>(wide.pack::<u128>()), wide);
    }

    #[test]
    fn wide_keys_have_tags_that_fit() {
        for key in [1_u128, 1 << 127, u128::MAX, 0xDEAD_BEEF << 70] {
            assert!(key.scatter(25).1 < 1 << (64 - u128::VALUES) && key.scatter(25).0 < 1 << 25);
        }
    }
}
