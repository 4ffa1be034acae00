//! Boards of at most 128 bits: one word for the checkers of the side to move, one for all checkers.

use super::{
    Checker, Column, Connect, Threats,
    bits::{Grid, has_line_64, has_line_128},
    eval::{evaluate_64, evaluate_128},
    stones::Stones,
};
use parlor_core::{Game, Side, Value, mix};

/// Checkers on the board, as bits of two words.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// Checkers of the side to move.
    pub(super) own: u128,
    pub(super) all: u128,
    pub(super) plies: u8,
    /// Whether the side that moved last has a row.
    pub(super) won: bool,
}

/// The highest and the lowest cell of every column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Masks {
    top: u128,
    bottom: u128,
}

impl Position {
    /// The checkers of the side to move, one bit per cell: columns one after another from the left, each from the bottom, with
    /// one more bit than it has levels.
    pub fn own(&self) -> u128 {
        self.own
    }

    /// All checkers, in the same layout.
    pub fn all(&self) -> u128 {
        self.all
    }

    pub fn plies(&self) -> u32 {
        self.plies.into()
    }
}

impl Connect {
    /// Whether these checkers contain N in a row.
    #[inline]
    fn has_line(&self, stones: u128) -> bool {
        if !self.has_rows() {
            false
        } else if self.grid.is_small() {
            has_line_64(stones as u64, self.n, self.grid.steps())
        } else {
            has_line_128(stones, self.n, self.grid.steps())
        }
    }

    #[inline]
    pub(super) fn board(&self) -> u128 {
        // The lowest cells and all above them: up to, and without, the bit that is always 0.
        (self.masks.top << 1) - self.masks.bottom
    }

    fn stones(&self, pos: &Position, side: Side) -> u128 {
        if self.turn(pos) == side { pos.own } else { pos.own ^ pos.all }
    }
}

impl Stones for Position {
    type Masks = Masks;

    fn masks(grid: Grid) -> Option<Masks> {
        grid.fits_a_word().then(|| Masks { top: grid.top(), bottom: grid.bottom() })
    }

    fn of_cells(grid: Grid, at: impl Fn(u32, u32) -> Checker, turn: Side, won: bool) -> Position {
        let mut pos = Position { own: 0, all: 0, plies: 0, won };
        for (column, level) in (1..=grid.columns).flat_map(|c| (1..=grid.levels).map(move |l| (c, l))) {
            let (checker, bit) = (at(column, level), grid.bit(column, level));
            if checker != Checker::Vacant {
                pos.all |= bit;
                pos.own |= if checker == Checker::of(turn) { bit } else { 0 };
            }
        }
        pos.plies = pos.all.count_ones() as u8;
        pos
    }

    #[inline]
    fn plies(&self) -> u32 {
        self.plies.into()
    }

    #[inline]
    fn is_won(&self) -> bool {
        self.won
    }

    fn checker(&self, game: &Connect, column: u32, level: u32) -> Checker {
        let bit = game.grid.bit(column, level);
        let holds = |side| game.stones(self, side) & bit != 0;
        Side::BOTH.into_iter().find(|&side| holds(side)).map_or(Checker::Vacant, Checker::of)
    }

    fn height(&self, game: &Connect, column: u32) -> u32 {
        let filled = |level: &u32| self.all & game.grid.bit(column, *level) != 0;
        (1..=game.grid.levels).take_while(filled).count() as u32
    }

    #[inline]
    fn is_full(&self, game: &Connect) -> bool {
        self.all & game.masks.top == game.masks.top
    }

    #[inline]
    fn columns_with_room(&self, game: &Connect, out: &mut Vec<Column>) {
        let (stride, mut top) = (game.grid.stride(), game.grid.levels - 1);
        for column in 1..=game.grid.columns as u8 {
            if self.all >> top & 1 == 0 {
                out.push(Column(column));
            }
            top += stride;
        }
    }

    fn count_with_room(&self, game: &Connect) -> u32 {
        (!self.all & game.masks.top).count_ones()
    }

    #[inline]
    fn drop(&mut self, game: &Connect, column: Column) {
        // Adding the column's lowest bit to its filled cells carries up to the first vacant one.
        let lowest = 1_u128 << ((u32::from(column.0) - 1) * game.grid.stride());
        let all = self.all | (self.all + lowest);
        let mover = self.own | (self.all ^ all);
        self.own ^= self.all;
        self.all = all;
        self.plies += 1;
        self.won = game.has_line(mover);
    }

    /// The mover's checkers plus all checkers plus the lowest cells: in each column the sum has a 1 just above the highest
    /// checker and the mover's checkers below, so it determines the position exactly (after Pons, "Solving Connect 4: how to
    /// build a perfect AI"). A board and its mirror image share the smaller of their keys. Boards of more than 64 bits get a
    /// hash.
    ///
    /// ```text
    ///   level 3   .          0          1   <- first vacant level, if not full
    ///   level 2   own        1          1
    ///   level 1   other's    0          0
    ///             a column   own bits   key bits
    /// ```
    fn key(&self, game: &Connect) -> u64 {
        let key = self.own + self.all + game.masks.bottom;
        let mirrored = game.grid.mirror(self.own) + game.grid.mirror(self.all) + game.masks.bottom;
        let key = key.min(mirrored);
        if game.grid.is_small() { key as u64 } else { mix([key as u64, (key >> 64) as u64]) }
    }

    fn has_exact_key(game: &Connect) -> bool {
        game.grid.is_small()
    }

    fn evaluate(&self, game: &Connect, weights: &Threats) -> Value {
        if game.grid.is_small() {
            evaluate_64(weights, game, self)
        } else {
            evaluate_128(weights, game, self)
        }
    }
}
