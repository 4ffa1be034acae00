//! Counts how often each position of a game has occurred, one position at a time and without scanning the game.
//!
//! Positions are found by a hash and compared before they are counted, so a collision of hashes changes no count.

use crate::mix;
use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hash, Hasher},
};

/// Counts of the positions of a game, in the order in which they occurred.
#[derive(Clone, Debug, Default)]
pub(crate) struct Occurrences {
    entries: Vec<Entry>,
    /// The number of the latest position with each hash.
    latest: HashMap<u64, u32, BuildHasherDefault<Identity>>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u64,
    /// The number of the latest earlier position with the same hash.
    earlier: Option<u32>,
    count: u32,
}

impl Occurrences {
    /// Counts the next position; `positions` are all positions of the game, the new one last.
    pub fn push<P: Eq + Hash>(&mut self, positions: &[P]) {
        let Some(now) = positions.last() else { return };
        let mut hasher = PositionHasher::default();
        now.hash(&mut hasher);
        self.push_hashed(hasher.finish(), positions);
    }

    fn push_hashed<P: Eq>(&mut self, hash: u64, positions: &[P]) {
        let number = self.entries.len();
        let earlier = self.latest.insert(hash, number as u32);
        let mut candidate = earlier;
        let mut count = 1;
        while let Some(other) = candidate {
            let entry = self.entries[other as usize];
            if positions[other as usize] == positions[number] {
                count += entry.count;
                break;
            }
            candidate = entry.earlier;
        }
        self.entries.push(Entry { hash, earlier, count });
    }

    /// Removes the position that was pushed last.
    pub fn pop(&mut self) {
        let Some(entry) = self.entries.pop() else { return };
        match entry.earlier {
            Some(earlier) => self.latest.insert(entry.hash, earlier),
            None => self.latest.remove(&entry.hash),
        };
    }

    /// How often the last position has occurred, this time included.
    pub fn last(&self) -> usize {
        self.entries.last().map_or(0, |entry| entry.count as usize)
    }
}

/// Hashes positions without protection against chosen collisions: equal hashes only cost a comparison.
#[derive(Clone, Copy, Debug, Default)]
struct PositionHasher(u64);

impl Hasher for PositionHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = mix([self.0, number]);
    }
}

/// Takes a number that is a hash already.
#[derive(Clone, Copy, Debug, Default)]
struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, &byte| hash << 8 | u64::from(byte));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_with_the_same_hash_are_counted_apart() {
        let positions = [1, 2, 1, 3, 2, 1, 1];
        let mut occurrences = Occurrences::default();
        let mut counts = Vec::new();
        for end in 1..=positions.len() {
            occurrences.push_hashed(7, &positions[..end]);
            counts.push(occurrences.last());
        }
        assert_eq!(counts, [1, 1, 2, 1, 2, 3, 4]);
        occurrences.pop();
        occurrences.pop();
        assert_eq!(occurrences.last(), 2);
        occurrences.push_hashed(7, &[1, 2, 1, 3, 2, 3]);
        assert_eq!(occurrences.last(), 2);
    }
}
