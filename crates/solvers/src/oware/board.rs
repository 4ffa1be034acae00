//! Packed Oware boards, for the table builder and the search: two words of byte lanes, the mover's first. Scores are banked and
//! not part of the board.
//!
//! ```text
//!   byte    7   6   5   4   3   2   1   0
//!           0   0  [f] [e] [d] [c] [b] [a]        own;  the other row alike, A in the lowest byte
//! ```
//!
//! No byte holds more than 48, so that bytes can be added and compared side by side.

use parlor_games::oware::RuleSet;

/// Pits per side.
pub(super) const PITS: usize = 6;
pub(super) const SEEDS: usize = 48;

const TOPS: u64 = 0x0000_8080_8080_8080;
const EACH: u64 = 0x0000_0101_0101_0101;
const ALL: u64 = 0x0000_FFFF_FFFF_FFFF;
/// Added to a row, sets the top bit of every pit that has seeds.
const HAS_SEEDS: u64 = 127 * EACH;
/// Added to a row, sets the top bit of every pit that reaches the other row: pit a needs 6 seeds, pit f needs 1.
const FEEDS: u64 = 0x0000_7F7E_7D7C_7B7A;

/// A position, seen by the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub own: u64,
    pub other: u64,
}

/// The position after a move, seen by the side that moves next.
#[derive(Clone, Copy, Debug)]
pub(super) struct After {
    pub node: Node,
    /// Number of captured seeds.
    pub taken: u8,
}

/// The gains of both rows by a sowing, without the loss of the pit itself, and the bytes of the other row up to its last seed:
/// none if that falls on the own side.
#[derive(Clone, Copy)]
pub(super) struct Gain {
    pub own: u64,
    pub other: u64,
    pub through: u64,
}

pub(super) static GAINS: [[Gain; SEEDS + 1]; PITS] = gains();

const fn gains() -> [[Gain; SEEDS + 1]; PITS] {
    let mut table = [[Gain { own: 0, other: 0, through: 0 }; SEEDS + 1]; PITS];
    let mut pit = 0;
    while pit < PITS {
        let mut gain = Gain { own: 0, other: 0, through: 0 };
        let (mut at, mut seeds) = (pit, 1);
        while seeds <= SEEDS {
            at = (at + 1) % (2 * PITS);
            if at == pit {
                at = (at + 1) % (2 * PITS);
            }
            if at < PITS {
                gain.own += 1 << (8 * at);
                gain.through = 0;
            } else {
                gain.other += 1 << (8 * (at - PITS));
                gain.through = ALL >> (8 * (2 * PITS - 1 - at));
            }
            table[pit][seeds] = gain;
            seeds += 1;
        }
        pit += 1;
    }
    table
}

/// Number of seeds in a row.
#[inline(always)]
pub(super) fn seeds(row: u64) -> usize {
    (row.wrapping_mul(0x0101_0101_0101_0101) >> 56) as usize
}

/// The bytes of a row that are captured when the last seed fell at the end of `through`.
#[inline(always)]
pub(super) fn chain(row: u64, through: u64) -> u64 {
    // The bytes that hold neither 2 nor 3 get their top bit; the last such one up to the last seed ends the chain.
    let neither = ((row & 0x0000_FEFE_FEFE_FEFE) ^ (2 * EACH)) + HAS_SEEDS;
    let stop = neither & TOPS & through;
    let kept = u64::MAX >> (stop << 1 | 1).leading_zeros() >> 1;
    through & !kept
}

/// Whether each pit of a row has at least as many seeds as that of another.
#[inline(always)]
pub(super) fn covers(row: u64, part: u64) -> bool {
    ((row | TOPS) - part) & TOPS == TOPS
}

/// The pits without seeds, as the top bits of their bytes.
#[inline(always)]
pub(super) fn empty_pits(row: u64) -> u64 {
    !(row + HAS_SEEDS) & TOPS
}

impl Node {
    /// Own seeds minus the other side's: the payoff if each side takes its row.
    #[inline(always)]
    pub fn difference(&self) -> i8 {
        seeds(self.own) as i8 - seeds(self.other) as i8
    }

    /// The pits that have seeds, and that reach the other row if it is empty, as the top bits of their bytes. Empty if the game
    /// is over.
    #[inline(always)]
    pub fn movable(&self) -> u64 {
        let needed = if self.other == 0 { FEEDS } else { HAS_SEEDS };
        (self.own + needed) & TOPS
    }

    /// Sows a pit, which must have seeds.
    #[inline(always)]
    pub fn play(&self, pit: usize, rules: RuleSet) -> After {
        let count = self.own >> (8 * pit) & 0xFF;
        let gain = &GAINS[pit % PITS][count as usize % (SEEDS + 1)];
        let own = (self.own & !(0xFF << (8 * pit))) + gain.own;
        let other = self.other + gain.other;
        let mut chain = chain(other, gain.through);
        // A grand slam captures nothing here; `legal` decides whether the move is legal.
        if rules == RuleSet::Abapa && other & !chain == 0 {
            chain = 0;
        }
        After { node: Node { own: other & !chain, other: own }, taken: seeds(other & chain) as u8 }
    }

    /// Whether sowing a pit would capture everything in the other row.
    #[inline(always)]
    fn is_grand_slam(&self, pit: usize) -> bool {
        let gain = &GAINS[pit % PITS][(self.own >> (8 * pit) & 0xFF) as usize % (SEEDS + 1)];
        let other = self.other + gain.other;
        let chain = chain(other, gain.through);
        chain != 0 && other & !chain == 0
    }

    /// The pits that may be sown, as the top bits of their bytes.
    #[inline(always)]
    pub fn legal(&self, rules: RuleSet) -> u64 {
        let movable = self.movable();
        if rules == RuleSet::Abapa {
            return movable;
        }
        let slams = pits(movable).filter(|&pit| self.is_grand_slam(pit));
        let others = slams.fold(movable, |others, pit| others & !(0x80 << (8 * pit)));
        if others == 0 { movable } else { others }
    }

    /// Calls `each` with every legal move.
    #[inline(always)]
    pub fn moves(&self, rules: RuleSet, mut each: impl FnMut(After)) {
        pits(self.legal(rules)).for_each(|pit| each(self.play(pit, rules)));
    }

    /// Calls `each` with every predecessor by a move that captures nothing.
    ///
    /// ```text
    ///   other row, who has just moved    . . 0 x x x     sown from an empty pit: s seeds, one in each of the next s pits
    ///   own row                          x x . . . .     (and once more round the board from 12 on), all of which have some
    /// ```
    #[inline(always)]
    pub fn unmoves(&self, rules: RuleSet, mut each: impl FnMut(Node)) {
        // A side without seeds has not been fed: the move was illegal, or the game was over.
        if self.own == 0 {
            return;
        }
        for pit in pits(empty_pits(self.other)) {
            for (count, gain) in GAINS[pit % PITS].iter().enumerate().skip(1) {
                if !covers(self.other, gain.own) || !covers(self.own, gain.other) {
                    break;
                }
                let chain = chain(self.own, gain.through);
                if chain == 0 || rules == RuleSet::Abapa && self.own & !chain == 0 {
                    let own = self.other - gain.own + ((count as u64) << (8 * pit));
                    each(Node { own, other: self.own - gain.other });
                }
            }
        }
    }
}

/// The pits of a set, lowest first.
#[inline(always)]
pub(super) fn pits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let pit = (set != 0).then(|| set.trailing_zeros() as usize / 8);
        set &= set.wrapping_sub(1);
        pit
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::{Game, Indexed};
    use parlor_games::oware::{Oware, Position};
    use std::collections::{HashMap, HashSet};

    fn node(pos: &Position) -> Node {
        let [own, other] = pos.rows();
        Node { own, other }
    }

    fn all(game: &Oware, layer: u32) -> Vec<Position> {
        (0..game.len(layer)).map(|index| Indexed::position(game, layer, index).expect("a position")).collect()
    }

    #[test]
    fn moves_are_those_of_the_rules() {
        for rules in [RuleSet::Abapa, RuleSet::Awari] {
            let game = Oware::by(rules).family();
            for pos in (0..=6).flat_map(|layer| all(&game, layer)).filter(|pos| game.result(pos).is_none()) {
                let mut moves = Vec::new();
                game.moves(&pos, &mut moves);
                let mut found = Vec::new();
                node(&pos).moves(rules, |after| found.push(after));
                assert_eq!(found.len(), moves.len(), "{pos:?}");
                for (after, mv) in found.into_iter().zip(moves) {
                    let mut next = pos;
                    game.play(&mut next, mv);
                    if game.result(&next).is_none() {
                        assert_eq!(after.node, node(&next), "{pos:?} {mv:?}");
                        assert_eq!(i16::from(after.taken), -game.banked(&next).0, "{pos:?} {mv:?}");
                    } else {
                        let rest = i16::from(after.node.difference());
                        assert_eq!(rest - i16::from(after.taken), game.banked(&next).0, "{pos:?} {mv:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn unmoves_are_the_moves_that_capture_nothing_the_other_way_round() {
        for rules in [RuleSet::Abapa, RuleSet::Awari] {
            let game = Oware::by(rules).family();
            for layer in 1..=6 {
                let nodes: Vec<Node> = (0..game.len(layer))
                    .filter_map(|index| parlor_games::rows::Rows::of(PITS)?.pair(layer as usize, index))
                    .map(|[own, other]| Node { own, other })
                    .collect();
                let pair = |node: &Node| (node.own, node.other);
                let mut forwards: HashMap<_, HashSet<_>> = HashMap::new();
                for node in &nodes {
                    node.moves(rules, |after| {
                        if after.taken == 0 {
                            forwards.entry(pair(&after.node)).or_default().insert(pair(node));
                        }
                    });
                }
                for node in &nodes {
                    let mut before = HashSet::new();
                    node.unmoves(rules, |node| assert!(before.insert(pair(&node)), "twice: {node:?}"));
                    assert_eq!(before, forwards.remove(&pair(node)).unwrap_or_default(), "{node:?}");
                }
            }
        }
    }
}
