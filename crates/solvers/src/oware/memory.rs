//! What a search keeps of a position in the table that its threads share.
//!
//! ```text
//!   63 … 32  18 … 16   10   9 8    7 … 0
//!   value    pit       whole bound depth
//! ```

use parlor_core::{Value, is_finished};
use parlor_engine::Valued;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    AtMost = 1,
    AtLeast = 2,
    Exact = 3,
}

/// What is known of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub found: Valued,
    pub pit: u8,
    pub bound: Bound,
    pub depth: u32,
}

impl Entry {
    /// Finished games are worth less the later they end: here counted from this position, not from the root.
    #[inline]
    pub fn pack(self, ply: usize) -> u64 {
        let value = self.found.value + from_here(self.found.value, ply);
        let flags = u64::from(self.found.whole) << 10 | (self.bound as u64) << 8 | u64::from(self.depth);
        (value as u32 as u64) << 32 | u64::from(self.pit) << 16 | flags
    }

    #[inline]
    pub fn unpack(data: u64, ply: usize) -> Entry {
        let value = (data >> 32) as u32 as Value;
        let bound = match data >> 8 & 3 {
            1 => Bound::AtMost,
            2 => Bound::AtLeast,
            _ => Bound::Exact,
        };
        Entry {
            found: Valued { value: value - from_here(value, ply), whole: data >> 10 & 1 == 1 },
            pit: (data >> 16) as u8,
            bound,
            depth: data as u32 & 0xFF,
        }
    }

    /// The answer to a search of this depth, if it is one: of less depth only what is whole holds. Whether more depth will
    /// do is the caller's concern.
    #[inline]
    pub fn answers(self, depth: u32, alpha: Value, beta: Value) -> Option<Valued> {
        let deep_enough = self.depth >= depth || self.found.whole;
        let enough = match self.bound {
            Bound::Exact => true,
            Bound::AtLeast => self.found.value >= beta,
            Bound::AtMost => self.found.value <= alpha,
        };
        (deep_enough && enough).then_some(self.found)
    }
}

/// How much of a value is owed to the plies before this position.
#[inline]
fn from_here(value: Value, ply: usize) -> Value {
    match is_finished(value) {
        false => 0,
        true if value > 0 => ply as Value,
        true => -(ply as Value),
    }
}
