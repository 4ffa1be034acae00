//! Static decision of filling races: if a side has more safe turns than the other side can make at all, no search is needed.
//!
//! **What is proved.** A side that moves only in its protected squares (`regions.rs`) can make at least `least` turns there
//! against any play. Meanwhile the other side is confined to its range, where it makes at most `most` turns, as many as if it
//! were alone. Both together, with A to move:
//!
//! - A wins if A's `least` is larger than the other side's `most`: A still has a turn when the other side has none.
//! - A loses if A's `most` is not larger than the other side's `least`.
//!
//! Where no region is contested, ranges and protected squares are the same squares, and one of the two holds. Elsewhere it
//! may be neither.
//!
//! The cheap bounds come first: `n` empty squares of a range or of protected territory give at most `n` turns. Only where
//! they leave the question open are fillers searched, within the budget.

use super::{
    fillers::{Fillers, Turns},
    grid::{Grid, GridBoard},
    regions::{ProtectedTerritory, range},
};
use crate::shared::Word;
use parlor_core::Margin;
use parlor_games::amazons::{Amazons, Position};

/// Decides races on one board, with memoised fillers.
///
/// # Examples
///
/// ```
/// use parlor_core::{Game, Margin, Notation};
/// use parlor_games::amazons::Amazons;
/// use parlor_solvers::amazons::Racer;
///
/// let game = Amazons::sized(4, 4).unwrap();
/// let mut racer = Racer::new(&game);
/// assert_eq!(racer.race(&game.start(), 1000), None, "nothing is separated yet");
/// // White has three squares for itself, Black two.
/// let pos = game.parse_position("Q2*/1***/****/*2q w").unwrap();
/// assert_eq!(racer.race(&pos, 1000), Some(Margin(1)));
/// ```
pub struct Racer {
    grid: Grid<u128>,
    fillers: Fillers<u128>,
}

impl Racer {
    pub fn new(game: &Amazons) -> Racer {
        Racer { grid: Grid::new(game), fillers: Fillers::new() }
    }

    /// Who wins, seen by the side to move, if it can be decided without a search of the game: 1 or -1. Fillers are searched
    /// for at most about `budget` turns each; 0 uses the cheap bounds alone.
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_core::{Margin, Notation};
    /// use parlor_games::amazons::Amazons;
    /// use parlor_solvers::amazons::race;
    ///
    /// let game = Amazons::sized(4, 4)?;
    /// let pos = game.parse_position("Q2*/1***/****/*2q b")?;
    /// assert_eq!(race(&game, &pos, 1000), Some(Margin(-1)), "White has three squares for itself, Black two");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn race(&mut self, pos: &Position, budget: u64) -> Option<Margin> {
        let board = self.grid.board(pos, pos.turn);
        let ranges = [board.own, board.other].map(|queens| range(&self.grid, queens, board.empty));
        let wins = verdict(&self.grid, &mut self.fillers, board, ranges, 0, budget)?;
        Some(Margin(if wins { 1 } else { -1 }))
    }
}

/// Who wins a position, seen by the side to move, if it can be decided without a search of the game. For many positions,
/// use a [`Racer`].
pub fn race(game: &Amazons, pos: &Position, budget: u64) -> Option<Margin> {
    Racer::new(game).race(pos, budget)
}

/// Whether the side to move wins, if that is decided. It has `lead` turns more than the other side in regions elsewhere (fewer,
/// if that is negative). The ranges are those of both sides, the side to move first.
#[inline]
pub(super) fn verdict<W: Word>(
    grid: &Grid<W>,
    fillers: &mut Fillers<W>,
    board: GridBoard<W>,
    ranges: [W; 2],
    lead: i32,
    budget: u64,
) -> Option<bool> {
    let [own, other] = ranges.map(|range| range & board.empty);
    // A range of `n` empty squares has at most `n` turns.
    if own.ones() as i32 + lead <= 0 {
        return Some(false);
    }
    if (other.ones() as i32) < lead {
        return Some(true);
    }
    // Empty squares outside one side's range belong to the other side.
    let mut race = Race { grid, fillers, board, ranges };
    if other != board.empty && race.outlasts(0, lead - 1, budget) {
        return Some(true);
    }
    (own != board.empty && race.outlasts(1, -lead, budget)).then_some(false)
}

/// A board with the ranges of both sides, the side to move first.
struct Race<'a, W> {
    grid: &'a Grid<W>,
    fillers: &'a mut Fillers<W>,
    board: GridBoard<W>,
    ranges: [W; 2],
}

impl<W: Word> Race<'_, W> {
    fn queens(&self, side: usize) -> W {
        if side == 0 { self.board.own } else { self.board.other }
    }

    /// Whether the side's protected squares, with `lead` more turns, last as long as all turns of the other side.
    fn outlasts(&mut self, side: usize, lead: i32, budget: u64) -> bool {
        let others = self.ranges[1 - side];
        let territory = ProtectedTerritory::new(self.grid, self.queens(side), self.board.empty, others);
        let holds = |least: u32, most: u32| least as i32 + lead >= most as i32;
        let hidden = territory.empty.ones();
        if budget == 0 {
            return holds(self.least(&territory, 0), (others & self.board.empty).ones());
        }
        // The lower bound of the other side may exceed even all protected squares.
        if !holds(hidden, u32::from(others.meets(self.board.empty))) {
            return false;
        }
        let queens = self.queens(1 - side);
        let quick = self.fillers.turns(self.grid, queens, others & self.board.empty, 0);
        if !holds(hidden, quick.lo) {
            return false;
        }
        let least = self.least(&territory, budget);
        if holds(least, quick.hi) {
            return true;
        }
        holds(least, self.most(1 - side, budget).hi)
    }

    /// The largest number of turns that the side can make in its range.
    fn most(&mut self, side: usize, budget: u64) -> Turns {
        let empty = self.ranges[side] & self.board.empty;
        self.fillers.turns(self.grid, self.queens(side), empty, budget)
    }

    /// The least number of turns that a side has in its protected squares: free queens fill theirs; each other area gets the
    /// blocker that makes the most turns in it, if one is left.
    fn least(&mut self, territory: &ProtectedTerritory<W>, budget: u64) -> u32 {
        let mut turns = self.fillers.turns(self.grid, territory.free, territory.empty, budget).lo;
        let filled = range(self.grid, territory.free, territory.empty);
        let (mut left, mut blockers) = (territory.empty & !filled, territory.blockers);
        while !left.is_zero() {
            let area = self.grid.flood(W::bit(left.lowest()), left);
            left ^= area;
            if let Some((count, blocker)) = self.by_blocker(area, blockers, budget) {
                turns += count;
                blockers ^= W::bit(blocker);
            }
        }
        turns
    }

    /// The largest number of turns that one of the blockers makes in a protected area, and which: it enters, shoots back, and
    /// stays.
    fn by_blocker(&mut self, area: W, blockers: W, budget: u64) -> Option<(u32, u32)> {
        let mut best = None;
        for blocker in blockers.bits() {
            for to in self.grid.reach(blocker, area).bits() {
                let inside = W::bit(to);
                let turns = 1 + self.fillers.turns(self.grid, inside, area ^ inside, budget).lo;
                best = best.max(Some((turns, blocker)));
            }
        }
        best
    }
}
