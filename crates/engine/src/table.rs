//! The transposition table of the general searches, shared by any number of threads, in a fixed amount of memory.
//!
//! It has no locks (Hyatt and Mann, "A lock-less transposition table implementation for parallel search chess engines",
//! 2002). An entry is two words, three where keys are hashes; each word but the data is stored xored with the data, so that
//! an entry that two threads wrote at once, or that belongs to another position, does not match its key and is ignored.
//!
//! ```text
//!   [ key ^ data ] [ data ]                     exact keys
//!   [ key ^ data ] [ data ] [ check ^ data' ]   hashed keys: both hashes must agree
//! ```
//!
//! The caller defines the data (see `entry.rs`), except for the low byte, which is the rank of the entry: of the two slots of a
//! key, the first keeps the higher rank and the second is always replaced. The table is independent of the game.

use crate::{ZeroedMemory, prefetch};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The key of a position: a word, and for hashed keys a second, independent one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    pub word: u64,
    /// Compared only by tables for hashed keys.
    pub check: u64,
}

/// Transposition table shared by threads.
///
/// # Examples
///
/// ```
/// use parlor_engine::{Key, TranspositionTable};
///
/// let table = TranspositionTable::new(1 << 16, true);
/// let key = Key { word: 17, check: 42 };
/// table.store(key, 0x2A01);
/// assert_eq!(table.probe(key), Some(0x2A01));
/// assert_eq!(table.probe(Key { word: 17, check: 43 }), None, "another position");
/// ```
#[derive(Debug)]
pub struct TranspositionTable {
    words: ZeroedMemory<AtomicU64>,
    /// Words per entry.
    stride: usize,
    /// How far a product is shifted to give the number of a pair of entries.
    shift: u32,
}

impl TranspositionTable {
    /// A table of at most this many bytes (never fewer than 16 entries). `checks` means that keys are hashes.
    pub fn new(bytes: usize, checks: bool) -> TranspositionTable {
        let stride = if checks { 3 } else { 2 };
        let pairs = (bytes / (2 * stride * 8)).max(8);
        let bits = pairs.ilog2();
        let words = ZeroedMemory::zeroed(stride << (bits + 1));
        TranspositionTable { words, stride, shift: 64 - bits }
    }

    pub fn capacity(&self) -> u64 {
        (self.words.len() / self.stride) as u64
    }

    /// A larger table with the same entries.
    pub fn grown(&self, bytes: usize) -> TranspositionTable {
        let larger = TranspositionTable::new(bytes, self.checks());
        self.entries().for_each(|(key, data)| larger.store(key, data));
        larger
    }

    fn entries(&self) -> impl Iterator<Item = (Key, u64)> {
        let slots = self.words.chunks_exact(self.stride);
        slots.map(|words| [0, 1, self.stride - 1].map(|i| words[i].load(Relaxed))).filter_map(
            |[word, data, check]| {
                let check = if self.checks() { check ^ data.rotate_left(32) } else { 0 };
                (data != 0).then_some((Key { word: word ^ data, check }, data))
            },
        )
    }

    /// The entries with at least this rank, three words each, for [`TranspositionTable::learn`].
    pub fn ranked(&self, rank: u8) -> Vec<u64> {
        let ranked = self.entries().filter(|&(_, data)| data as u8 >= rank);
        ranked.flat_map(|(Key { word, check }, data)| [word, check, data]).collect()
    }

    /// Stores entries that [`TranspositionTable::ranked`] of another table with keys of the same kind returned.
    pub fn learn(&self, words: &[u64]) {
        let (entries, _) = words.as_chunks::<3>();
        entries
            .iter()
            .filter(|[_, _, data]| *data != 0)
            .for_each(|&[word, check, data]| self.store(Key { word, check }, data));
    }

    /// Whether the table stores the second word of keys.
    pub fn checks(&self) -> bool {
        self.stride == 3
    }

    pub fn clear(&self) {
        self.words.iter().for_each(|word| word.store(0, Relaxed));
    }

    /// The indices of the two slots of a key.
    #[inline]
    fn slots(&self, key: Key) -> [usize; 2] {
        // Exact keys are not random: the product spreads them.
        let mixed = (key.word ^ key.word >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let pair = (mixed >> self.shift) as usize;
        [2 * pair * self.stride, (2 * pair + 1) * self.stride]
    }

    #[inline]
    fn read(&self, slot: usize, key: Key) -> Option<u64> {
        let data = self.words[slot + 1].load(Relaxed);
        let fits = self.words[slot].load(Relaxed) == key.word ^ data
            && (self.stride == 2 || self.words[slot + 2].load(Relaxed) == key.check ^ data.rotate_left(32));
        (fits && data != 0).then_some(data)
    }

    /// Prefetches the slots of a key.
    #[inline]
    pub fn prefetch(&self, key: Key) {
        prefetch(&self.words, self.slots(key)[0]);
    }

    /// The data stored under the key.
    #[inline]
    pub fn probe(&self, key: Key) -> Option<u64> {
        self.slots(key).into_iter().find_map(|slot| self.read(slot, key))
    }

    /// Stores data, which must not be 0, under the key. Of the two slots the first keeps the entry with the higher rank (the
    /// low byte of the data), the second is always replaced.
    #[inline]
    pub fn store(&self, key: Key, data: u64) {
        let [first, second] = self.slots(key);
        let slot = if self.read(first, key).is_some() {
            first
        } else if self.read(second, key).is_some() {
            second
        } else if self.words[first + 1].load(Relaxed) as u8 <= data as u8 {
            first
        } else {
            second
        };
        self.words[slot].store(key.word ^ data, Relaxed);
        self.words[slot + 1].store(data, Relaxed);
        if self.stride == 3 {
            self.words[slot + 2].store(key.check ^ data.rotate_left(32), Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use std::sync::atomic::AtomicBool;

    fn key(word: u64) -> Key {
        Key { word, check: !word }
    }

    #[test]
    fn what_was_stored_last_under_a_key_is_found() {
        for checks in [false, true] {
            let table = TranspositionTable::new(1 << 16, checks);
            assert_eq!(table.probe(key(0)), None);
            for word in 0..500 {
                table.store(key(word), word << 8 | 1);
                assert_eq!(table.probe(key(word)), Some(word << 8 | 1));
            }
            let larger = table.grown(1 << 20);
            assert!(
                (0..500).all(|word| table
                    .probe(key(word))
                    .is_none_or(|data| larger.probe(key(word)) == Some(data)))
            );
            assert!(larger.capacity() > table.capacity());
            let learned = TranspositionTable::new(1 << 18, checks);
            learned.learn(&table.ranked(1));
            assert!((0..500).all(|word| {
                table.probe(key(word)).is_none_or(|data| learned.probe(key(word)) == Some(data))
            }));
            assert!(table.ranked(2).is_empty());
            table.clear();
            assert!((0..500).all(|word| table.probe(key(word)).is_none()));
        }
    }

    #[test]
    fn a_hash_that_collides_is_not_believed() {
        let table = TranspositionTable::new(1 << 10, true);
        table.store(Key { word: 7, check: 1 }, 99);
        assert_eq!(table.probe(Key { word: 7, check: 2 }), None);
        assert_eq!(table.probe(Key { word: 7, check: 1 }), Some(99));
    }

    #[test]
    fn the_higher_rank_stays_when_much_else_comes_by() {
        let table = TranspositionTable::new(1, false);
        table.store(key(1), 0xFF);
        let mut random = Random::new(1);
        (0..1000).for_each(|_| table.store(key(random.bits()), 0x100));
        assert_eq!(table.probe(key(1)), Some(0xFF));
    }

    /// Every thread writes only data that follow from the key; data that are read must follow from it too.
    #[test]
    fn torn_entries_are_ignored() {
        for checks in [false, true] {
            let table = TranspositionTable::new(256, checks);
            let wrong = AtomicBool::new(false);
            let of = |word: u64| (word.wrapping_mul(0x1234_5677) << 8) | 1;
            std::thread::scope(|scope| {
                for seed in 0..4 {
                    let (table, wrong) = (&table, &wrong);
                    scope.spawn(move || {
                        let mut random = Random::new(seed);
                        for _ in 0..100_000 {
                            let word = random.bits() >> 54;
                            table.store(key(word), of(word));
                            let other = random.bits() >> 54;
                            if table.probe(key(other)).is_some_and(|data| data != of(other)) {
                                wrong.store(true, Relaxed);
                            }
                        }
                    });
                }
            });
            assert!(!wrong.into_inner());
        }
    }
}
