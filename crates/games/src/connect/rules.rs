//! The rules, generic over the storage of the checkers.

use super::{
    Checker,
    bits::{Grid, MOST_COLUMNS, MOST_LEVELS},
    scaffold::too_large,
    stones::Stones,
};
use parlor_core::{BadParams, Bounds, Fallback, Game, Margin, Parameter, Side};

/// Connect-N with its size; the checkers are stored as `P`.
///
/// # Examples
///
/// ```
/// use parlor_core::{Game, Margin};
/// use parlor_games::connect::{Checker, Column, Connect};
///
/// let game = Connect::new(&[7, 6, 4])?;
/// let mut pos = game.start();
/// for column in [4, 1, 4, 1, 4, 1, 4] {
///     game.play(&mut pos, Column(column));
/// }
/// assert_eq!(game.checker_at(&pos, 4, 4), Checker::Red);
/// // Red has 18 checkers in hand, the winning one counted in; Black is to move.
/// assert_eq!(game.result(&pos), Some(Margin(-18)));
/// # Ok::<(), parlor_core::BadParams>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectOf<P: Stones> {
    pub(super) grid: Grid,
    pub(super) n: u32,
    pub(super) masks: P::Masks,
}

/// A move: the column, counted from 1 at the left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Column(pub u8);

impl<P: Stones> ConnectOf<P> {
    /// Whether the board has space for N in a row.
    #[inline]
    pub(super) fn has_rows(&self) -> bool {
        self.n <= self.grid.columns.max(self.grid.levels)
    }

    pub fn checker_at(&self, pos: &P, column: u32, level: u32) -> Checker {
        pos.checker(self, column, level)
    }

    /// Number of columns, levels and N.
    pub fn size(&self) -> (u32, u32, u32) {
        (self.grid.columns, self.grid.levels, self.n)
    }

    /// The margin of a win by the checker that is played after `plies` others.
    fn win_margin(&self, plies: u32) -> i16 {
        ((self.grid.cells() + 1).saturating_sub(plies) / 2) as i16
    }

    /// The largest margin by which a side can still win: with the earliest checker that could complete a row, if the board has
    /// space for it.
    fn at_most(&self, pos: &P, side: Side) -> i16 {
        if !self.has_rows() {
            return 0;
        }
        let next = pos.plies() + u32::from(self.turn(pos) != side);
        let earliest = next.max(2 * (self.n - 1) + side.index() as u32);
        if earliest < self.grid.cells() { self.win_margin(earliest) } else { 0 }
    }
}

impl<P: Stones> Game for ConnectOf<P> {
    const NAME: &'static str = "connect";
    const NOTE: &'static str = "the solver supports boards with columns x (levels + 1) up to 128";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::number("columns", 1, MOST_COLUMNS, Fallback::Value(7)),
        Parameter::number("levels", 1, MOST_LEVELS, Fallback::Value(6)),
        Parameter::number("n", 1, 1000, Fallback::Value(4)),
    ];

    type Position = P;
    type Move = Column;

    fn new(values: &[u32]) -> Result<Self, BadParams> {
        let &[columns, levels, n] = values else {
            return Err(BadParams::new("connect: expected columns, levels and n"));
        };
        let grid = Grid::new(columns, levels).ok_or_else(|| too_large(columns.into(), levels.into()))?;
        let masks = P::masks(grid).ok_or_else(|| {
            BadParams(format!(
                "connect: a board of {columns} columns and {levels} levels does not fit a word; columns x (levels + 1) is at most 128 there"
            ))
        })?;
        Ok(ConnectOf { grid, n, masks })
    }

    fn values(&self) -> Vec<u32> {
        vec![self.grid.columns, self.grid.levels, self.n]
    }

    fn start(&self) -> P {
        P::of_cells(self.grid, |_, _| Checker::Vacant, Side::First, false)
    }

    #[inline]
    fn turn(&self, pos: &P) -> Side {
        Side::BOTH[pos.plies() as usize & 1]
    }

    #[inline]
    fn moves(&self, pos: &P, out: &mut Vec<Column>) {
        if !pos.is_won() {
            pos.columns_with_room(self, out);
        }
    }

    fn count(&self, pos: &P) -> u64 {
        if pos.is_won() { 0 } else { pos.count_with_room(self).into() }
    }

    #[inline]
    fn play(&self, pos: &mut P, mv: Column) {
        pos.drop(self, mv);
    }

    #[inline]
    fn result(&self, pos: &P) -> Option<Margin> {
        if pos.is_won() {
            Some(Margin(-self.win_margin(pos.plies() - 1)))
        } else if pos.is_full(self) {
            Some(Margin(0))
        } else {
            None
        }
    }

    fn largest_margin(&self) -> Margin {
        Margin(self.at_most(&self.start(), Side::First))
    }

    fn key(&self, pos: &P) -> u64 {
        pos.key(self)
    }

    fn exact_key(&self, _pos: &P) -> bool {
        P::has_exact_key(self)
    }

    fn bounds(&self, pos: &P) -> Bounds {
        if let Some(margin) = self.result(pos) {
            return Bounds::exactly(margin);
        }
        let turn = self.turn(pos);
        Bounds { lo: Margin(-self.at_most(pos, turn.other())), hi: Margin(self.at_most(pos, turn)) }
    }
}
