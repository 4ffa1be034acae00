//! The rules on two words of bits: whose checkers are whose, what has been filled, and whether the last one made a row.

use super::{
    bits::{Grid, has_line_64, has_line_128},
    scaffold::{Checker, too_large},
};
use parlor_core::{BadParams, Bounds, Fallback, Game, Margin, Parameter, Side, mix};

/// Connect-N with its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connect {
    pub(super) grid: Grid,
    pub(super) n: u32,
    top: u128,
    bottom: u128,
}

/// Checkers on the board. The sides alternate, so that the number of checkers tells whose turn it is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// Checkers of the side to move.
    pub(super) own: u128,
    /// All checkers.
    pub(super) all: u128,
    pub(super) plies: u8,
    /// Whether the side that moved last has a row.
    pub(super) won: bool,
}

impl Position {
    /// The checkers of the side to move, one bit a cell: columns one after another from the left, each from the bottom and
    /// with one bit more than it has levels.
    pub fn own(&self) -> u128 {
        self.own
    }

    /// All checkers, laid out in the same way.
    pub fn all(&self) -> u128 {
        self.all
    }

    /// How many checkers have been played.
    pub fn plies(&self) -> u32 {
        self.plies.into()
    }
}

/// A move: the column, counted from 1 at the left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Column(pub u8);

impl Connect {
    /// Whether these checkers contain a row.
    #[inline]
    pub(super) fn has_line(&self, stones: u128) -> bool {
        if self.n > self.grid.columns.max(self.grid.levels) {
            false
        } else if self.grid.is_small() {
            has_line_64(stones as u64, self.n, self.grid.steps())
        } else {
            has_line_128(stones, self.n, self.grid.steps())
        }
    }

    /// All cells.
    #[inline]
    pub(super) fn board(&self) -> u128 {
        // The lowest cells and all above them: up to, and without, the bit that is always 0.
        (self.top << 1) - self.bottom
    }

    /// The checkers of a side.
    pub(super) fn stones(&self, pos: &Position, side: Side) -> u128 {
        if self.turn(pos) == side { pos.own } else { pos.own ^ pos.all }
    }

    /// What stands on a cell of the board.
    pub fn checker_at(&self, pos: &Position, column: u32, level: u32) -> Checker {
        let bit = self.grid.bit(column, level);
        let holds = |side| self.stones(pos, side) & bit != 0;
        Side::BOTH.into_iter().find(|&side| holds(side)).map_or(Checker::Vacant, Checker::of)
    }

    /// Columns, levels and N.
    pub fn size(&self) -> (u32, u32, u32) {
        (self.grid.columns, self.grid.levels, self.n)
    }

    /// The margin of a win by the checker that is played after `plies` others.
    fn worth(&self, plies: u32) -> i16 {
        ((self.grid.cells() + 1).saturating_sub(plies) / 2) as i16
    }

    /// The most a side can still win by: with the earliest checker that could complete a row, if there is room for it.
    fn at_most(&self, pos: &Position, side: Side) -> i16 {
        if self.n > self.grid.columns.max(self.grid.levels) {
            return 0;
        }
        let next = u32::from(pos.plies) + u32::from(self.turn(pos) != side);
        let earliest = next.max(2 * (self.n - 1) + side.index() as u32);
        if earliest < self.grid.cells() { self.worth(earliest) } else { 0 }
    }
}

impl Game for Connect {
    const NAME: &'static str = "connect";
    const NOTE: &'static str = "columns x (levels + 1) is at most 128";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::number("columns", 1, 64, Fallback::Value(7)),
        Parameter::number("levels", 1, 127, Fallback::Value(6)),
        Parameter::number("n", 1, 1000, Fallback::Value(4)),
    ];

    type Position = Position;
    type Move = Column;

    fn new(values: &[u32]) -> Result<Self, BadParams> {
        let &[columns, levels, n] = values else {
            return Err(BadParams::new("connect takes columns, levels and n"));
        };
        let grid = Grid::new(columns, levels).ok_or_else(|| too_large(columns.into(), levels.into()))?;
        Ok(Connect { grid, n, top: grid.top(), bottom: grid.bottom() })
    }

    fn values(&self) -> Vec<u32> {
        vec![self.grid.columns, self.grid.levels, self.n]
    }

    fn start(&self) -> Position {
        Position { own: 0, all: 0, plies: 0, won: false }
    }

    #[inline]
    fn turn(&self, pos: &Position) -> Side {
        Side::BOTH[usize::from(pos.plies & 1)]
    }

    #[inline]
    fn moves(&self, pos: &Position, out: &mut Vec<Column>) {
        if pos.won {
            return;
        }
        let (stride, mut top) = (self.grid.stride(), self.grid.levels - 1);
        for column in 1..=self.grid.columns as u8 {
            if pos.all >> top & 1 == 0 {
                out.push(Column(column));
            }
            top += stride;
        }
    }

    fn count(&self, pos: &Position) -> u64 {
        if pos.won { 0 } else { (!pos.all & self.top).count_ones().into() }
    }

    #[inline]
    fn play(&self, pos: &mut Position, mv: Column) {
        // Adding the column's lowest bit to its filled cells carries up to the first vacant one.
        let lowest = 1_u128 << ((u32::from(mv.0) - 1) * self.grid.stride());
        let all = pos.all | (pos.all + lowest);
        let mover = pos.own | (pos.all ^ all);
        pos.own ^= pos.all;
        pos.all = all;
        pos.plies += 1;
        pos.won = self.has_line(mover);
    }

    #[inline]
    fn result(&self, pos: &Position) -> Option<Margin> {
        if pos.won {
            Some(Margin(-self.worth(u32::from(pos.plies) - 1)))
        } else if pos.all & self.top == self.top {
            Some(Margin(0))
        } else {
            None
        }
    }

    fn largest_margin(&self) -> Margin {
        Margin(self.at_most(&self.start(), Side::First))
    }

    /// The mover's checkers plus all checkers plus the lowest cells: in each column the sum has a 1 just above the highest
    /// checker and the mover's checkers below, so it tells the position exactly. Of a board and its mirror image, the
    /// smaller key stands for both. Boards of more than 64 bits get a hash.
    ///
    /// ```text
    ///   level 3   .          0          1   <- first vacant level, if not full
    ///   level 2   own        1          1
    ///   level 1   other's    0          0
    ///             a column   own bits   key bits
    /// ```
    fn key(&self, pos: &Position) -> u64 {
        let key = pos.own + pos.all + self.bottom;
        let mirrored = self.grid.mirror(pos.own) + self.grid.mirror(pos.all) + self.bottom;
        let key = key.min(mirrored);
        if self.grid.is_small() { key as u64 } else { mix([key as u64, (key >> 64) as u64]) }
    }

    fn exact_key(&self, _pos: &Position) -> bool {
        self.grid.is_small()
    }

    fn bounds(&self, pos: &Position) -> Bounds {
        if let Some(margin) = self.result(pos) {
            return Bounds::exactly(margin);
        }
        let turn = self.turn(pos);
        Bounds { lo: Margin(-self.at_most(pos, turn.other())), hi: Margin(self.at_most(pos, turn)) }
    }
}
