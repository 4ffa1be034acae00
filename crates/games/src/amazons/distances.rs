//! How far both sides are from every square, by moves of a queen and by steps of a king, counted for all squares at once.
//!
//! Both sides and both vertical directions go in one word. A rank is two lanes of sixteen bits, one a side; beside it is
//! the rank seen from the other end of the board, so that what goes north in the lower half goes south in the upper half:
//!
//! ```text
//!   63 … 48      47 … 32      31 … 16   15 … 10   9 8 7 6 5 4 3 2 1 0
//!   second side  first side   second    unused    j i h g f e d c b a    first side's squares of rank r
//!   [ rank 9 - r, both sides ][ rank r, both sides                    ]
//! ```
//!
//! A ray north, north-east or north-west passes from word to word: shifted by a file, and cut by what is free there. Along
//! the rank, east is a sum whose carry runs through free squares, and west is three doubling shifts. Files never leave their
//! lane, because what is shifted out of the ten files is never free.

use super::{
    board::{LONGEST, WIDTH, neighbours},
    rules::{Amazons, Position},
};

/// Ranks in mirrored pairs.
type Words = [u64; LONGEST];
/// Both sides' sets of squares, rank by rank: a word holds rank r below and rank 9 - r above. Five words suffice.
type Pairs = [u64; LONGEST / 2];
/// Where runs of free squares begin.
type Runs = [[u64; 3]; LONGEST / 2];

/// The lanes of the first side.
const FIRST: u64 = 0x0000_FFFF_0000_FFFF;
/// Larger distances are not counted: a side that needs more moves is as good as shut out.
pub(super) const FARTHEST: usize = 6;
/// Being ahead by more steps of a king than this counts no more.
const STEPS: usize = 8;

/// What the distances say, each as the first side's count and the second side's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DistanceCounts {
    /// Squares that a side's queens reach in fewer moves than the other's.
    pub nearer: [i32; 2],
    /// Squares that both reach in the same number of moves.
    pub even: i32,
    /// Squares by distance: reached in one move, in two, and so on; the last counts all that are farther.
    pub within: [[i32; 2]; FARTHEST],
    /// Squares that a side's queens reach in fewer steps of a king.
    pub closer: [i32; 2],
    /// For every number of steps up to eight: squares that a side reaches with that many and the other does not.
    pub ahead: [i32; 2],
    /// Squares that only this side can reach at all.
    pub alone: [i32; 2],
}

#[inline(always)]
pub(super) fn distance_counts(game: &Amazons, pos: &Position) -> DistanceCounts {
    let empty = game.empty(pos);
    let mut counted = DistanceCounts::default();
    by_queen(&spread(empty, empty), &spread(pos.queens[0], pos.queens[1]), &mut counted);
    by_king(empty, pos.queens, &mut counted);
    counted
}

/// The two boards rank by rank. (Loops here are plain ones: what closures are given to is not always inlined.)
#[inline(always)]
fn spread(first: u128, second: u128) -> Words {
    let mut words = [0; LONGEST];
    for rank in 0..LONGEST {
        let of = |board: u128| (board >> (WIDTH * rank)) as u64 & 1023;
        let both = of(first) | of(second) << 16;
        words[rank] |= both;
        words[LONGEST - 1 - rank] |= both << 32;
    }
    words
}

/// The words of all ranks from the pairs.
#[inline(always)]
fn words_of_pairs(pairs: &Pairs) -> Words {
    let mut words = [0; LONGEST];
    for (rank, pair) in pairs.iter().enumerate() {
        words[rank] = *pair;
        words[LONGEST - 1 - rank] = pair.rotate_left(32);
    }
    words
}

/// Number of squares of each side.
#[inline(always)]
fn counts(set: &Pairs) -> [i32; 2] {
    let mut counts = [0; 2];
    for word in set {
        counts[0] += (word & FIRST).count_ones() as i32;
        counts[1] += (word & !FIRST).count_ones() as i32;
    }
    counts
}

/// Exchanges the lanes of the two sides.
#[inline(always)]
fn swapped(word: u64) -> u64 {
    (word & FIRST) << 16 | word >> 16 & FIRST
}

/// Where runs of two, four and eight free squares begin in the west.
#[inline(always)]
fn runs(empty: &Words) -> Runs {
    let mut runs = [[0; 3]; LONGEST / 2];
    for (rank, runs) in runs.iter_mut().enumerate() {
        let two = empty[rank] & empty[rank] >> 1;
        let four = two & two >> 2;
        *runs = [two, four, four & four >> 4];
    }
    runs
}

/// All squares that the sources reach by one move of a queen, or are themselves.
#[inline(always)]
fn moved(empty: &Words, sources: &Words, runs: &Runs) -> Pairs {
    let (mut north, mut east, mut west) = (0, 0, 0);
    let mut reached = [0; LONGEST];
    for rank in 1..LONGEST {
        let (from, free) = (sources[rank - 1], empty[rank]);
        north = (north | from) & free;
        east = (east | from) << 1 & free;
        west = (west | from) >> 1 & free;
        reached[rank] = north | east | west;
    }
    let mut all = [0; LONGEST / 2];
    for rank in 0..LONGEST / 2 {
        let free = empty[rank];
        let begin = sources[rank] << 1 & free;
        let east = free & !(free + begin) | begin;
        let [two, four, eight] = runs[rank];
        let mut west = sources[rank] | free & sources[rank] >> 1;
        west |= two & west >> 2;
        west |= four & west >> 4;
        west |= eight & west >> 8;
        all[rank] = reached[rank] | reached[LONGEST - 1 - rank].rotate_left(32) | east | west;
    }
    all
}

#[inline(always)]
fn by_queen(empty: &Words, queens: &Words, counted: &mut DistanceCounts) {
    let runs = runs(empty);
    let mut sources = *queens;
    let mut reached: Pairs = [0; LONGEST / 2];
    // Squares where one side was when the other was not there yet.
    let mut first: Pairs = [0; LONGEST / 2];
    for distance in 0.. {
        let mut new = moved(empty, &sources, &runs);
        let mut any = 0;
        for i in 0..LONGEST / 2 {
            new[i] &= empty[i] & !reached[i];
            first[i] |= new[i] & !swapped(reached[i] | new[i]);
            reached[i] |= new[i];
            any |= new[i];
        }
        if any == 0 {
            break;
        }
        let new_count = counts(&new);
        let sums = &mut counted.within[distance.min(FARTHEST - 1)];
        sums[0] += new_count[0];
        sums[1] += new_count[1];
        sources = words_of_pairs(&new);
    }
    counted.nearer = counts(&first);
    let (mut even, mut alone) = (first, first);
    for i in 0..LONGEST / 2 {
        let others = swapped(reached[i]);
        even[i] = reached[i] & others & !first[i] & !swapped(first[i]);
        alone[i] = reached[i] & !others;
    }
    counted.even = counts(&even)[0];
    counted.alone = counts(&alone);
}

/// Steps of a king need no rays: two plain boards will do.
#[inline(always)]
fn by_king(empty: u128, queens: [u128; 2], counted: &mut DistanceCounts) {
    let [mut one, mut two] = queens;
    let (mut first, mut second) = (0_u128, 0_u128);
    for step in 0.. {
        let found = [one | neighbours(one) & empty, two | neighbours(two) & empty];
        if found[0] == one && found[1] == two {
            break;
        }
        [one, two] = found;
        // Both sides go on at the same time, so that the side that has a square alone now was there first.
        let alone = [one & !two & empty, two & !one & empty];
        first |= alone[0] & !second;
        second |= alone[1] & !first;
        if step < STEPS {
            counted.ahead[0] += alone[0].count_ones() as i32;
            counted.ahead[1] += alone[1].count_ones() as i32;
        }
    }
    counted.closer = [first.count_ones() as i32, second.count_ones() as i32];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::amazons::board::squares_of;
    use crate::amazons::rays::Blocked;
    use parlor_core::Game;

    /// Distances of all squares, by flooding one board after the other.
    fn distances(empty: u128, queens: u128, king: bool) -> Vec<(u128, u32)> {
        let (mut found, mut reached, mut sources, mut distance) = (Vec::new(), 0_u128, queens, 1);
        loop {
            let blocked = Blocked::new(!empty);
            let next = if king {
                neighbours(sources)
            } else {
                squares_of(sources).fold(0, |all, from| all | blocked.reach(from))
            };
            let new = next & empty & !reached;
            if new == 0 {
                return found;
            }
            found.extend(squares_of(new).map(|square| (square.bit(), distance)));
            reached |= new;
            sources = new;
            distance += 1;
        }
    }

    fn slowly(game: &Amazons, pos: &Position) -> DistanceCounts {
        let mut counted = DistanceCounts::default();
        let empty = game.empty(pos);
        for king in [false, true] {
            let [first, second] = pos.queens.map(|queens| distances(empty, queens, king));
            for square in squares_of(empty) {
                let of = |list: &[(u128, u32)]| {
                    list.iter().find(|(bit, _)| *bit == square.bit()).map(|&(_, distance)| distance)
                };
                let both = [of(&first), of(&second)];
                if king {
                    let far = [first.iter(), second.iter()].into_iter().flatten().map(|&(_, d)| d).max();
                    for distance in 1..=far.unwrap_or(0).min(STEPS as u32) {
                        let there = both.map(|at| at.is_some_and(|at| at <= distance));
                        counted.ahead[0] += i32::from(there[0] && !there[1]);
                        counted.ahead[1] += i32::from(there[1] && !there[0]);
                    }
                }
                let distances = both.map(|at| at.unwrap_or(u32::MAX));
                let sums = if king { &mut counted.closer } else { &mut counted.nearer };
                sums[0] += i32::from(distances[0] < distances[1]);
                sums[1] += i32::from(distances[1] < distances[0]);
                if king {
                    continue;
                }
                counted.even += i32::from(distances[0] == distances[1] && both[0].is_some());
                for side in 0..2 {
                    counted.alone[side] += i32::from(both[side].is_some() && both[1 - side].is_none());
                    if let Some(at) = both[side] {
                        counted.within[(at as usize - 1).min(FARTHEST - 1)][side] += 1;
                    }
                }
            }
        }
        counted
    }

    #[test]
    fn a_survey_counts_what_flooding_square_by_square_counts() {
        let mut seed = 7_u64;
        let mut draw = |n: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % n
        };
        for (columns, rows) in [(10, 10), (4, 4), (10, 4), (5, 7), (8, 8), (6, 10)] {
            let game = Amazons::sized(columns, rows).expect("a size");
            for _ in 0..20 {
                let mut pos = game.start();
                while let Some(mv) = game.pick(&pos, &mut draw, &mut Vec::new()) {
                    assert_eq!(distance_counts(&game, &pos), slowly(&game, &pos), "{pos:?}");
                    game.play(&mut pos, mv);
                }
            }
        }
    }
}
