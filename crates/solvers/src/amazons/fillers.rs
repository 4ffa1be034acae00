//! Counts filling moves: the largest number of turns that a side can make in regions where it is alone; exact if the budget
//! suffices, otherwise sound bounds. Regions with fewer turns than empty squares are the defective territories of Müller and
//! Tegos ("Experiments in Computer Amazons", 2002).
//!
//! Every turn removes exactly one empty square of the region: the queen frees one and occupies one, and the arrow blocks one.
//! So `n` empty squares allow at most `n` turns, and the difference to `n` is the waste: squares that were cut off from all
//! queens. Most regions can be filled without waste, and few turns waste nothing, so the search deepens iteratively by the
//! allowed waste: none first, then one square, and so on.
//!
//! ```text
//!   . Q .      two squares, two turns: to the left, shooting to the right over the square it left; back, shooting left
//!
//!   . Q *      two squares, one turn: wherever the queen goes, its arrow can only fall where it stood, and that cuts
//!   * * .      the other square off: a waste of one
//! ```
//!
//! A turn may cut a region in two; the parts are then searched one by one, and their waste adds up. The results of parts
//! are memoised under their exact squares.

use super::grid::Grid;
use crate::shared::Word;

/// Number of memoised entries. A small table stays in the processor's cache.
const SLOTS: usize = 1 << 14;

/// Bounds of the largest number of turns, both included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Turns {
    pub lo: u32,
    pub hi: u32,
}

/// Bounds of the waste of a region.
#[derive(Clone, Copy)]
struct Slot<W> {
    empty: W,
    queens: W,
    lo: u8,
    hi: u8,
}

/// Counts filling moves, with memoisation.
pub(super) struct Fillers<W> {
    /// Allocated on first use.
    slots: Vec<Slot<W>>,
    /// Remaining turns that may be visited.
    left: u64,
}

/// The budget of turns is used up.
struct Exhausted;

impl<W: Word> Fillers<W> {
    pub fn new() -> Fillers<W> {
        Fillers { slots: Vec::new(), left: 0 }
    }

    /// The number of turns that these queens can make on these squares if no other queen moves; about `budget` turns are
    /// visited.
    pub fn turns(&mut self, grid: &Grid<W>, queens: W, empty: W, budget: u64) -> Turns {
        self.left = budget;
        let mut turns = Turns::default();
        for (empty, queens) in parts(grid, queens, empty) {
            let part = self.part(grid, queens, empty);
            turns = Turns { lo: turns.lo + part.lo, hi: turns.hi + part.hi };
        }
        turns
    }

    /// Like [`Fillers::turns`], for one connected part.
    fn part(&mut self, grid: &Grid<W>, queens: W, empty: W) -> Turns {
        let squares = empty.ones();
        match self.waste(grid, queens, empty, squares) {
            Ok(waste) => {
                let turns = squares - waste.unwrap_or(squares);
                Turns { lo: turns, hi: turns }
            }
            Err(Exhausted) => {
                let (least, most) = self.known(queens, empty);
                let lo = walked(grid, queens, empty).max(squares - most.min(squares));
                Turns { lo, hi: (squares - least).max(lo) }
            }
        }
    }

    /// The least waste of a part if it is at most `most`; `None` if it is more.
    fn waste(&mut self, grid: &Grid<W>, queens: W, empty: W, most: u32) -> Result<Option<u32>, Exhausted> {
        if empty.rest().is_zero() {
            // A part is connected: its only empty square is next to a queen.
            return Ok(Some(0));
        }
        let (mut lo, hi) = self.known(queens, empty);
        while lo <= most {
            if lo == hi || self.wastes_at_most(grid, queens, empty, lo)? {
                self.remember(queens, empty, lo, lo);
                return Ok(Some(lo));
            }
            lo += 1;
            self.remember(queens, empty, lo, hi);
        }
        Ok(None)
    }

    /// Whether some turn, with all that follow, wastes at most `most` squares.
    fn wastes_at_most(&mut self, grid: &Grid<W>, queens: W, empty: W, most: u32) -> Result<bool, Exhausted> {
        for from in queens.bits() {
            let open = empty | W::bit(from);
            for to in grid.reach(from, empty).bits() {
                let moved = queens ^ W::bit(from) ^ W::bit(to);
                let free = open ^ W::bit(to);
                for arrow in grid.reach(to, open).bits() {
                    self.left = self.left.checked_sub(1).ok_or(Exhausted)?;
                    if self.fits(grid, moved, free ^ W::bit(arrow), most)? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Whether all parts of these squares together waste at most `most`.
    fn fits(&mut self, grid: &Grid<W>, queens: W, empty: W, most: u32) -> Result<bool, Exhausted> {
        let range = grid.flood(queens, queens | empty);
        let lost = (empty & !range).ones();
        if lost > most {
            return Ok(false);
        }
        let mut left = most - lost;
        for (empty, queens) in parts(grid, queens, empty & range) {
            match self.waste(grid, queens, empty, left)? {
                Some(waste) => left -= waste,
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    fn slot(queens: W, empty: W) -> usize {
        let mix = |wide: u128| (wide as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (wide >> 64) as u64;
        let mixed =
            (mix(empty.wide()).rotate_left(31) ^ mix(queens.wide())).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        (mixed >> 32) as usize % SLOTS
    }

    fn known(&self, queens: W, empty: W) -> (u32, u32) {
        match self.slots.get(Self::slot(queens, empty)) {
            Some(slot) if slot.empty == empty && slot.queens == queens => (slot.lo.into(), slot.hi.into()),
            _ => (0, empty.ones()),
        }
    }

    fn remember(&mut self, queens: W, empty: W, lo: u32, hi: u32) {
        if self.slots.is_empty() {
            self.slots = vec![Slot { empty: W::ZERO, queens: W::ZERO, lo: 0, hi: 0 }; SLOTS];
        }
        self.slots[Self::slot(queens, empty)] = Slot { empty, queens, lo: lo as u8, hi: hi as u8 };
    }
}

/// The parts in which a turn is possible: connected squares with a queen and an empty square among them, each as its empty
/// squares and its queens.
fn parts<W: Word>(grid: &Grid<W>, queens: W, empty: W) -> impl Iterator<Item = (W, W)> {
    let mut left = queens;
    std::iter::from_fn(move || {
        while !left.is_zero() {
            let part = grid.flood(W::bit(left.lowest()), queens | empty);
            left &= !part;
            if part.meets(empty) {
                return Some((part & empty, part & queens));
            }
        }
        None
    })
}

/// A lower bound of the turns: the queens move one after the other by king steps, always to the square with the fewest exits
/// (Warnsdorff's rule), and shoot back to their origin.
fn walked<W: Word>(grid: &Grid<W>, queens: W, mut empty: W) -> u32 {
    let mut turns = 0;
    for queen in queens.bits() {
        let mut at = queen;
        while let Some(to) = (grid.neighbours(W::bit(at)) & empty).bits().min_by_key(|&to| {
            match (grid.neighbours(W::bit(to)) & empty).ones() {
                // A dead end only if there is no alternative.
                0 => u32::MAX,
                ways => ways,
            }
        }) {
            empty ^= W::bit(to);
            at = to;
            turns += 1;
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_engine::Random;
    use parlor_games::amazons::Amazons;
    use std::collections::HashMap;

    /// The definition: one more than the best of all turns.
    fn plain(grid: &Grid<u32>, queens: u32, empty: u32, memory: &mut HashMap<(u32, u32), u32>) -> u32 {
        if let Some(&known) = memory.get(&(queens, empty)) {
            return known;
        }
        let mut best = 0;
        for from in queens.bits() {
            for to in grid.reach(from, empty).bits() {
                for arrow in grid.reach(to, empty | 1 << from).bits() {
                    let next = (empty | 1 << from) & !(1 << to) & !(1 << arrow);
                    best = best.max(1 + plain(grid, queens ^ 1 << from ^ 1 << to, next, memory));
                }
            }
        }
        memory.insert((queens, empty), best);
        best
    }

    fn random_region(grid: &Grid<u32>, random: &mut Random, squares: usize, queens: usize) -> (u32, u32) {
        let mut all: Vec<u32> = grid.all.bits().collect();
        let mut draw = |count: usize| {
            (0..count).fold(0, |set, _| set | 1_u32 << all.swap_remove(random.below(all.len())))
        };
        (draw(queens), draw(squares))
    }

    #[test]
    fn fillers_equal_the_best_of_all_turns_and_bounds_contain_it() {
        let grid = Grid::<u32>::new(&Amazons::sized(5, 5).expect("a size"));
        let (mut random, mut fillers, mut memory) = (Random::new(7), Fillers::new(), HashMap::new());
        for _ in 0..1500 {
            let (squares, count) = (1 + random.below(9), 1 + random.below(3));
            let (queens, empty) = random_region(&grid, &mut random, squares, count);
            let value = plain(&grid, queens, empty, &mut memory);
            let hasty = Fillers::new().turns(&grid, queens, empty, random.below(30) as u64);
            assert!(
                hasty.lo <= value && value <= hasty.hi,
                "{queens:x} {empty:x}: {hasty:?} without {value}"
            );
            let turns = fillers.turns(&grid, queens, empty, u64::MAX);
            assert_eq!(turns, Turns { lo: value, hi: value }, "{queens:x} {empty:x}");
        }
    }

    #[test]
    fn an_open_board_is_filled_to_the_last_square() {
        let grid = Grid::<u128>::new(&Amazons::sized(6, 6).expect("a size"));
        let queen = 1_u128 << grid.bit_at(2, 2);
        let turns = Fillers::new().turns(&grid, queen, grid.all ^ queen, 100_000);
        assert_eq!(turns, Turns { lo: 35, hi: 35 });
    }

    #[test]
    fn a_queen_between_two_corners_wastes_one() {
        let grid = Grid::<u32>::new(&Amazons::sized(4, 4).expect("a size"));
        let at = |file, rank| 1_u32 << grid.bit_at(file, rank);
        let bent = Fillers::new().turns(&grid, at(1, 1), at(0, 1) | at(2, 0), u64::MAX);
        assert_eq!(bent, Turns { lo: 1, hi: 1 });
        let straight = Fillers::new().turns(&grid, at(1, 1), at(0, 1) | at(2, 1), u64::MAX);
        assert_eq!(straight, Turns { lo: 2, hi: 2 });
    }
}
