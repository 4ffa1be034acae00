//! Exact 63-bit keys of Oware positions with their scores, without hashing. (A key that must cover the history mixes in a
//! hash: see [`super::search`].)
//!
//! ```text
//!   63   62 … 54  53 … 48   47     …      0
//!    0   [large]  [score]  [twelve nibbles]
//! ```
//!
//! A nibble is a pit's seeds modulo 16, both rows interleaved. Of 48 seeds at most three sixteens can be missing from the
//! nibbles: which pits have them is one of 455 multisets of at most three pits out of twelve, a number of nine bits
//! (combinatorial number system). The score is that of the side to move; that of the other side is what is missing to 48.

use super::board::{Node, PITS};

const NIBBLES: u64 = 0x0000_0F0F_0F0F_0F0F;
const SIXTEENS: u64 = 0x0000_3030_3030_3030;

/// The key of a position in which the side to move has banked `score` seeds.
#[inline(always)]
pub(super) fn key(node: &Node, score: u64) -> u64 {
    let nibbles = node.own & NIBBLES | (node.other & NIBBLES) << 4;
    let large = if (node.own | node.other) & SIXTEENS == 0 { 0 } else { large_pits_number(node) };
    nibbles | score << 48 | large << 54
}

/// The rank of the multiset of pits with sixteen or more seeds: p1 <= p2 <= p3, pits counted from 1, 0 for no pit. A pit with
/// 32 seeds counts twice.
#[cold]
fn large_pits_number(node: &Node) -> u64 {
    let mut chosen = [0_u64; 3];
    let mut many = 0;
    for pit in 0..2 * PITS {
        let row = if pit < PITS { node.own } else { node.other };
        for _ in 0..row >> (8 * (pit % PITS) + 4) & 3 {
            chosen[many % 3] = pit as u64 + 1;
            many += 1;
        }
    }
    chosen.sort_unstable();
    // Made strictly ascending, the three form a set, numbered by the combinatorial number system.
    let [a, b, c] = [chosen[0], chosen[1] + 1, chosen[2] + 2];
    a + b * (b - 1) / 2 + c * (c - 1) * (c - 2) / 6
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn sixteens_anywhere_have_a_number_of_their_own_in_nine_bits() {
        let mut known = HashMap::new();
        let node = |pits: [u64; 12]| {
            let row = |pits: &[u64]| pits.iter().rev().fold(0, |row, seeds| row << 8 | seeds);
            Node { own: row(&pits[..6]), other: row(&pits[6..]) }
        };
        for one in 0..=12 {
            for two in 0..=12 {
                for three in 0..=12 {
                    let mut pits = [0_u64; 12];
                    for pit in [one, two, three].into_iter().filter(|&pit| pit < 12) {
                        pits[pit] += 16;
                    }
                    let key = key(&node(pits), 0);
                    assert!(key >> 63 == 0, "{pits:?}");
                    assert_eq!(*known.entry(key).or_insert(pits), pits);
                }
            }
        }
        assert_eq!(known.len(), 455);
    }

    #[test]
    fn scores_and_seeds_are_told_apart() {
        let node = Node { own: 0x0102_0304_0506, other: 0x0600_0000_1F01 };
        assert_ne!(key(&node, 3), key(&node, 4));
        assert_ne!(key(&node, 3), key(&Node { own: node.other, other: node.own }, 3));
    }
}
