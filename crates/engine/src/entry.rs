//! Entries of the transposition table: the data word that a search stores under a key of [`crate::TranspositionTable`].
//!
//! ```text
//!                  63 … 48   47 … 32   31 … 16   15 … 11    10     9 8    7 … 0
//!   SearchEntry    [      value      ]  move        0      exact  bound   depth
//!   ProofEntry       lo        hi       move        0        0     0 1    rank
//! ```
//!
//! The low byte is what the table ranks entries by. No data word is 0, because no bound is.

use crate::Scored;
use parlor_core::{Value, is_finished};

/// Which side of the true value a stored value is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The true value is at most this.
    AtMost = 1,
    /// The true value is at least this.
    AtLeast = 2,
    /// It is the true value.
    Exact = 3,
}

/// The result of a search to some depth.
#[derive(Clone, Copy, Debug)]
pub struct SearchEntry {
    pub found: Scored,
    /// The best move, by a number of the caller's choice.
    pub mv: u16,
    pub bound: Bound,
    /// In plies, at most 255.
    pub depth: u32,
}

impl SearchEntry {
    /// The value of a finished game depends on the plies to its end: here counted from this position, not from the root.
    #[inline]
    pub fn pack(self, ply: usize) -> u64 {
        let value = self.found.value + from_here(self.found.value, ply);
        let flags = u64::from(self.found.exact) << 10 | (self.bound as u64) << 8 | u64::from(self.depth);
        (value as u32 as u64) << 32 | u64::from(self.mv) << 16 | flags
    }

    /// The entry as it is seen `ply` moves from the root.
    #[inline]
    pub fn unpack(data: u64, ply: usize) -> SearchEntry {
        let value = (data >> 32) as u32 as Value;
        let bound = match data >> 8 & 3 {
            1 => Bound::AtMost,
            2 => Bound::AtLeast,
            _ => Bound::Exact,
        };
        SearchEntry {
            found: Scored { value: value - from_here(value, ply), exact: data >> 10 & 1 == 1 },
            mv: (data >> 16) as u16,
            bound,
            depth: data as u32 & 0xFF,
        }
    }

    /// The result for a search of this depth, if the entry is sufficient. Only an exact result of a shallower search is; the
    /// caller decides about results of deeper searches.
    #[inline]
    pub fn answers(self, depth: u32, alpha: Value, beta: Value) -> Option<Scored> {
        let deep_enough = self.depth >= depth || self.found.exact;
        let enough = match self.bound {
            Bound::Exact => true,
            Bound::AtLeast => self.found.value >= beta,
            Bound::AtMost => self.found.value <= alpha,
        };
        (deep_enough && enough).then_some(self.found)
    }
}

/// The part of a value that depends on the plies before this position.
#[inline]
fn from_here(value: Value, ply: usize) -> Value {
    match is_finished(value) {
        false => 0,
        true if value > 0 => ply as Value,
        true => -(ply as Value),
    }
}

/// Proved bounds of a margin, without the banked part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProofEntry {
    pub lo: i16,
    pub hi: i16,
    /// The best move, by its number in listing order.
    pub mv: u16,
}

impl ProofEntry {
    /// Packs the entry. The rank is the work done, or in games with cycles the depth of the proof.
    pub fn pack(self, rank: u8) -> u64 {
        let bounds = u64::from(self.lo as u16) << 48 | u64::from(self.hi as u16) << 32;
        bounds | u64::from(self.mv) << 16 | 1 << 8 | u64::from(rank)
    }

    pub fn unpack(data: u64) -> ProofEntry {
        ProofEntry { lo: (data >> 48) as i16, hi: (data >> 32) as i16, mv: (data >> 16) as u16 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::{Margin, finished};

    #[test]
    fn a_search_entry_is_read_as_it_was_stored_at_any_ply() {
        for bound in [Bound::AtMost, Bound::AtLeast, Bound::Exact] {
            for (value, exact) in [(-77, false), (12, true)] {
                let entry = SearchEntry { found: Scored { value, exact }, mv: 513, bound, depth: 200 };
                let read = SearchEntry::unpack(entry.pack(3), 9);
                assert_eq!((read.found.value, read.found.exact), (value, exact));
                assert_eq!((read.mv, read.bound, read.depth), (513, bound, 200));
            }
        }
    }

    #[test]
    fn the_value_of_a_finished_game_is_relative_to_the_ply_of_the_reader() {
        for margin in [Margin(5), Margin(-5)] {
            let found = Scored { value: finished(margin, 10), exact: true };
            let entry = SearchEntry { found, mv: 0, bound: Bound::Exact, depth: 4 };
            assert_eq!(SearchEntry::unpack(entry.pack(6), 8).found.value, finished(margin, 12));
        }
    }

    #[test]
    fn a_shallower_value_answers_only_if_it_is_exact() {
        let answer = |exact: bool, depth: u32| {
            let found = Scored { value: 3, exact };
            SearchEntry { found, mv: 0, bound: Bound::AtLeast, depth }.answers(6, 1, 2).is_some()
        };
        assert_eq!([answer(false, 5), answer(true, 5), answer(false, 6)], [false, true, true]);
    }

    #[test]
    fn a_proof_entry_keeps_the_smallest_and_largest_bounds() {
        let data = ProofEntry { lo: i16::MIN, hi: i16::MAX, mv: u16::MAX }.pack(7);
        let ProofEntry { lo, hi, mv } = ProofEntry::unpack(data);
        assert_eq!((lo, hi, mv, data as u8), (i16::MIN, i16::MAX, u16::MAX, 7));
    }
}
