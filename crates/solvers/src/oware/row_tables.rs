//! What a sowing does to one row, in tables by the numbers of rows. A move changes the row of the mover by the pit and its
//! seeds alone, and the other row by the *gift* alone: the number of seeds that it gets, and whether the last one is among them.
//! So for one row of the mover and one of its moves, all rows of the other side are mapped by one table.

use super::board::{GAINS, PITS, SEEDS, chain, covers, empty_pits, pits, seeds};
use parlor_games::{oware::RuleSet, rows::Rows};
use std::{array::from_fn, sync::OnceLock};

/// More than the number of seeds that the other row can get by one sowing.
const GIVEN: usize = 32;
/// Number of gifts, used or not.
pub(super) const GIFTS: usize = 2 * GIVEN;
/// No row.
pub(super) const NONE: u32 = u32::MAX;

/// What the other row gets by a sowing. Seeds fall from its first pit on, once more from there after the sixth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gift {
    pub given: usize,
    /// Whether the last seed of the sowing is among them, so that it can capture.
    pub last: bool,
}

impl Gift {
    /// The gift of a sowing, and what it does to the mover's row.
    fn of(row: u64, pit: usize, count: usize) -> (Gift, u64) {
        let gain = &GAINS[pit][count];
        let gift = Gift { given: seeds(gain.other), last: gain.through != 0 };
        (gift, (row & !(0xFF << (8 * pit))) + gain.own)
    }

    fn from_number(number: usize) -> Gift {
        Gift { given: number / 2, last: number % 2 == 1 }
    }

    pub fn number(self) -> usize {
        2 * self.given + usize::from(self.last)
    }

    /// The seeds by pit, and the bytes up to the last one (none if it falls elsewhere).
    fn gain(self) -> (u64, u64) {
        let pit = |pit: usize| (self.given / PITS + usize::from(pit < self.given % PITS)) as u64;
        let row = (0..PITS).map(|at| pit(at) << (8 * at)).sum();
        let through = if self.last { u64::MAX >> (8 * (7 - (self.given - 1) % PITS)) } else { 0 };
        (row, through)
    }
}

/// A move backwards from the row of the side that has moved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unmove {
    /// The number of the row before it.
    pub before: u32,
    /// Its number by depth.
    pub by_depth: u32,
}

/// All moves backwards with one gift from rows with one number of seeds.
#[derive(Debug)]
pub(super) struct Unmoves {
    /// By row: where its moves begin. One more at the end.
    begins: Vec<u32>,
    moves: Vec<Unmove>,
}

impl Unmoves {
    #[inline(always)]
    pub fn of(&self, row: usize) -> &[Unmove] {
        &self.moves[self.begins[row] as usize..self.begins[row + 1] as usize]
    }
}

/// A row that loses seeds by a gift with the last seed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capture {
    pub before: u32,
    /// The row that is left, among those with as many seeds.
    pub after: u32,
}

/// The captures of a gift by the number of rows with one number of seeds.
#[derive(Debug, Default)]
pub(super) struct Captures {
    /// By the number of captured seeds.
    pub by_taken: Vec<(usize, Vec<Capture>)>,
    /// Rows that lose everything, under rules by which that depends on the other moves.
    pub slams: Vec<u32>,
}

pub(super) struct RowTables {
    rules: RuleSet,
    pub rows: &'static Rows,
    // By the number of seeds, after the gift or before it. All are computed on first use.
    before: [[OnceLock<Vec<u32>>; GIFTS]; SEEDS + 1],
    captures: [[OnceLock<Captures>; GIVEN]; SEEDS + 1],
    depths: [OnceLock<Depths>; SEEDS + 1],
}

/// The rows with one number of seeds by decreasing depth, the number of first pits that have seeds. A gift to more pits than
/// that cannot have led to such a row.
#[derive(Debug)]
pub(super) struct Depths {
    /// By the number of a row: its number by depth.
    pub numbers: Vec<u32>,
    /// By depth: the number of rows that have it or a larger one.
    pub ends: [u32; PITS + 1],
}

impl RowTables {
    pub fn of(rules: RuleSet) -> Option<&'static RowTables> {
        static ALL: [OnceLock<Box<RowTables>>; 2] = [const { OnceLock::new() }; 2];
        let rows = Rows::of(PITS)?;
        let new = || {
            let before = from_fn(|_| from_fn(|_| OnceLock::new()));
            let captures = from_fn(|_| from_fn(|_| OnceLock::new()));
            let depths = from_fn(|_| OnceLock::new());
            Box::new(RowTables { rules, rows, before, captures, depths })
        };
        Some(ALL[usize::from(rules == RuleSet::Awari)].get_or_init(new))
    }

    /// By the number by depth of a row after a gift that captured nothing: the number of the row before it, or [`NONE`].
    pub fn before(&self, seeds: usize, gift: usize) -> &[u32] {
        self.before[seeds][gift].get_or_init(|| {
            let (gain, through) = Gift::from_number(gift).gain();
            let before = |row: u64| {
                let chain = chain(row, through);
                let kept = chain == 0 || self.rules == RuleSet::Abapa && row & !chain == 0;
                if kept && covers(row, gain) { self.rows.rank(row - gain) } else { NONE }
            };
            let rows = self.rows.rows(seeds);
            let mut all = vec![NONE; rows.len()];
            for (&row, &number) in rows.iter().zip(&self.depths(seeds).numbers) {
                all[number as usize] = before(row);
            }
            all
        })
    }

    pub fn depths(&self, seeds: usize) -> &Depths {
        self.depths[seeds].get_or_init(|| {
            let depth = |row: u64| (empty_pits(row).trailing_zeros() as usize / 8).min(PITS);
            let rows = self.rows.rows(seeds);
            let ends = from_fn(|least| rows.iter().filter(|&&row| depth(row) >= least).count() as u32);
            // Rows of one depth follow those of larger ones.
            let mut next: [u32; PITS + 1] = from_fn(|at| ends.get(at + 1).copied().unwrap_or(0));
            let mut number = |&row: &u64| {
                next[depth(row)] += 1;
                next[depth(row)] - 1
            };
            Depths { numbers: rows.iter().map(&mut number).collect(), ends }
        })
    }

    /// The rows that lose seeds by this many, of which the last falls on them.
    pub fn captures(&self, seeds: usize, given: usize) -> &Captures {
        self.captures[seeds][given].get_or_init(|| self.list_captures(seeds, Gift { given, last: true }))
    }

    fn list_captures(&self, held: usize, gift: Gift) -> Captures {
        let (gain, through) = gift.gain();
        let (mut by_taken, mut slams) = (vec![Vec::new(); held + gift.given + 1], Vec::new());
        for (before, row) in (0..).zip(self.rows.rows(held)) {
            let row = row + gain;
            let chain = chain(row, through);
            let left = row & !chain;
            match left {
                _ if chain == 0 => (),
                0 if self.rules == RuleSet::Abapa => (),
                0 => slams.push(before),
                _ => by_taken[seeds(row & chain)].push(Capture { before, after: self.rows.rank(left) }),
            }
        }
        let by_taken = by_taken.into_iter().enumerate().filter(|(_, list)| !list.is_empty()).collect();
        Captures { by_taken, slams }
    }

    /// By gift: the moves backwards from all rows with this many seeds to rows with at most `most`; `None` if there are none.
    pub fn unmoves(&self, seeds: usize, most: usize) -> [Option<Unmoves>; GIFTS] {
        let rows = self.rows.rows(seeds);
        let mut all = [const { None }; GIFTS];
        for (number, &row) in rows.iter().enumerate() {
            for pit in pits(empty_pits(row)) {
                for (count, gain) in (0..).zip(&GAINS[pit % PITS]).skip(1) {
                    if !covers(row, gain.own) || seeds + self::seeds(gain.other) > most {
                        break;
                    }
                    let before = row - gain.own + (count << (8 * pit));
                    let (gift, _) = Gift::of(before, pit, count as usize);
                    let rank = self.rows.rank(before);
                    let by_depth = self.depths(self::seeds(before)).numbers[rank as usize];
                    let new = || Unmoves { begins: Vec::with_capacity(rows.len() + 1), moves: Vec::new() };
                    let unmoves = all[gift.number()].get_or_insert_with(new);
                    unmoves.begins.resize(number + 1, unmoves.moves.len() as u32);
                    unmoves.moves.push(Unmove { before: rank, by_depth });
                }
            }
        }
        for unmoves in all.iter_mut().flatten() {
            unmoves.begins.resize(rows.len() + 1, unmoves.moves.len() as u32);
        }
        all
    }

    /// The moves of a row that gives seeds, or the last one to its own side: the row after it, and the gift.
    pub fn moves(row: u64) -> impl Iterator<Item = (u64, Gift)> {
        (0..PITS).filter_map(move |pit| {
            let count = (row >> (8 * pit) & 0xFF) as usize;
            (count > 0).then(|| Gift::of(row, pit, count)).map(|(gift, after)| (after, gift))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oware::board::Node;
    use std::collections::BTreeSet;

    #[test]
    fn moves_backwards_by_rows_are_those_position_by_position() {
        for rules in [RuleSet::Abapa, RuleSet::Awari] {
            let tables = RowTables::of(rules).expect("tables");
            // Layer 15 has sowings of more than a round.
            for (layer, step) in [(1, 1), (3, 1), (6, 1), (15, 997)] {
                let unmoves: Vec<_> = (0..=layer).map(|left| tables.unmoves(left, layer)).collect();
                for index in (0..tables.rows.block(layer, layer + 1)).step_by(step) {
                    let [own, other] = tables.rows.pair(layer, index).expect("a position");
                    let (held, left) = (seeds(own), seeds(other));
                    let mut expected = BTreeSet::new();
                    Node { own, other }.unmoves(rules, |before| {
                        expected.insert((before.own, before.other));
                    });
                    let at = tables.depths(held).numbers[tables.rows.rank(own) as usize] as usize;
                    let mut found = BTreeSet::new();
                    for (gift, unmoves) in unmoves[left].iter().enumerate().filter(|_| held > 0) {
                        let Some(unmoves) = unmoves else { continue };
                        let before = tables.before(held, gift)[at];
                        assert!(
                            before == NONE || at < tables.depths(held).ends[(gift / 2).min(PITS)] as usize
                        );
                        for unmove in
                            unmoves.of(tables.rows.rank(other) as usize).iter().filter(|_| before != NONE)
                        {
                            let own = tables.rows.row(left + gift / 2, unmove.before);
                            assert!(found.insert((own, tables.rows.row(held - gift / 2, before))));
                            let numbers = &tables.depths(left + gift / 2).numbers;
                            assert_eq!(numbers[unmove.before as usize], unmove.by_depth);
                        }
                    }
                    assert_eq!(found, expected, "{own:x} {other:x}");
                }
            }
        }
    }

    #[test]
    fn numbers_by_depth_are_a_permutation_with_the_deepest_first() {
        let tables = RowTables::of(RuleSet::Awari).expect("tables");
        for held in 0..=9 {
            let depths = tables.depths(held);
            let numbers: BTreeSet<u32> = depths.numbers.iter().copied().collect();
            assert!(numbers.iter().copied().eq(0..depths.numbers.len() as u32));
            for (&row, &number) in tables.rows.rows(held).iter().zip(&depths.numbers) {
                for (pits, &end) in depths.ends.iter().enumerate() {
                    let filled = (0..pits).all(|pit| row >> (8 * pit) & 0xFF > 0);
                    assert_eq!(filled, number < end, "{row:x} {pits}");
                }
            }
        }
    }
}
