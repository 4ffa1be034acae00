//! The scaffold: a board into which checkers of either colour are dropped, and taken back. It has neither turns nor winners.

use super::bits::{Grid, MOST_COLUMNS, MOST_LEVELS};
use parlor_core::{BadParams, Side};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Checker {
    /// A checker of the first side.
    Red,
    /// A checker of the second side.
    Black,
    Vacant,
}

impl Checker {
    /// The checker of a side.
    pub fn of(side: Side) -> Checker {
        match side {
            Side::First => Checker::Red,
            Side::Second => Checker::Black,
        }
    }
}

/// Why a drop was refused. The scaffold is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropError {
    /// The column does not exist.
    NoSuchColumn,
    Full,
}

/// A board with its history.
///
/// # Examples
///
/// ```
/// use parlor_core::Side;
/// use parlor_games::connect::{Checker, DropError, Scaffold};
///
/// let mut board = Scaffold::new(7, 2)?;
/// assert_eq!(board.drop(3, Side::First), Ok(1));
/// assert_eq!(board.drop(3, Side::Second), Ok(2));
/// assert_eq!(board.drop(3, Side::First), Err(DropError::Full));
/// assert_eq!(board.checker_at(3, 2), Checker::Black);
/// assert_eq!(board.undo(), Some(3));
/// # Ok::<(), parlor_core::BadParams>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scaffold {
    grid: Grid,
    /// Columns from the left, checkers from the bottom.
    columns: Vec<Vec<Side>>,
    drops: Vec<i32>,
}

impl Scaffold {
    pub fn new(columns: i32, levels: i32) -> Result<Scaffold, BadParams> {
        let grid = u32::try_from(columns).ok().zip(u32::try_from(levels).ok());
        let grid = grid.and_then(|(columns, levels)| Grid::new(columns, levels));
        let grid = grid.ok_or_else(|| too_large(columns.into(), levels.into()))?;
        Ok(Scaffold { grid, columns: vec![Vec::new(); grid.columns as usize], drops: Vec::new() })
    }

    /// The content of a cell; `Vacant` outside the board.
    pub fn checker_at(&self, column: i32, level: i32) -> Checker {
        let column = place(column).and_then(|column| self.columns.get(column));
        let side = column.zip(place(level)).and_then(|(column, level)| column.get(level));
        side.map_or(Checker::Vacant, |&side| Checker::of(side))
    }

    /// Drops a checker of a side's colour: it falls to the lowest vacant level, which is returned.
    pub fn drop(&mut self, column: i32, side: Side) -> Result<i32, DropError> {
        let found = place(column).and_then(|column| self.columns.get_mut(column));
        let checkers = found.ok_or(DropError::NoSuchColumn)?;
        if checkers.len() >= self.grid.levels as usize {
            return Err(DropError::Full);
        }
        checkers.push(side);
        self.drops.push(column);
        Ok(checkers.len() as i32)
    }

    /// Takes back the last checker and returns its column; `None` if the board is empty.
    pub fn undo(&mut self) -> Option<i32> {
        let column = self.drops.pop()?;
        place(column).and_then(|column| self.columns.get_mut(column))?.pop();
        Some(column)
    }

    pub fn empty_cells(&self) -> u32 {
        self.grid.cells() - self.drops.len() as u32
    }
}

/// The index of a column or level, which count from 1.
fn place(number: i32) -> Option<usize> {
    usize::try_from(number).ok()?.checked_sub(1)
}

/// The sentence for a board that is not supported, with the limit in it.
pub(super) fn too_large(columns: i64, levels: i64) -> BadParams {
    BadParams(format!(
        "connect: a board of {columns} columns and {levels} levels is not supported; there are 1 to {MOST_COLUMNS} columns and 1 to {MOST_LEVELS} levels"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Side::{First as Red, Second as Black};

    #[test]
    fn checkers_fall_to_the_lowest_vacant_level() {
        let mut scaffold = Scaffold::new(3, 2).expect("a size");
        assert_eq!(scaffold.drop(2, Red), Ok(1));
        assert_eq!(scaffold.drop(2, Black), Ok(2));
        assert_eq!(scaffold.drop(2, Red), Err(DropError::Full));
        assert_eq!(scaffold.checker_at(2, 1), Checker::Red);
        assert_eq!(scaffold.checker_at(2, 2), Checker::Black);
        assert_eq!(scaffold.checker_at(1, 1), Checker::Vacant);
        assert_eq!(scaffold.empty_cells(), 4);
    }

    #[test]
    fn bad_input_is_refused_and_changes_nothing() {
        let mut scaffold = Scaffold::new(3, 2).expect("a size");
        for column in [0, 4, -1, i32::MAX, i32::MIN] {
            assert_eq!(scaffold.drop(column, Red), Err(DropError::NoSuchColumn));
            assert_eq!(scaffold.checker_at(column, 1), Checker::Vacant);
            assert_eq!(scaffold.checker_at(1, column), Checker::Vacant);
        }
        assert_eq!(scaffold, Scaffold::new(3, 2).expect("a size"));
        for (columns, levels) in [(0, 6), (7, 0), (-1, 6), (65, 6), (7, 128), (i32::MAX, i32::MAX)] {
            let error = Scaffold::new(columns, levels).expect_err("not supported").0;
            assert!(error.contains("1 to 64 columns and 1 to 127 levels"), "{error}");
        }
    }

    #[test]
    fn a_scaffold_of_64_by_64_holds_4096_checkers() {
        let mut scaffold = Scaffold::new(64, 64).expect("a size");
        for (column, level) in (1..=64).flat_map(|column| (1..=64).map(move |level| (column, level))) {
            assert_eq!(scaffold.drop(column, Red), Ok(level));
        }
        assert_eq!((scaffold.empty_cells(), scaffold.drop(64, Black)), (0, Err(DropError::Full)));
        assert_eq!((scaffold.checker_at(64, 64), scaffold.undo()), (Checker::Red, Some(64)));
        assert_eq!((scaffold.checker_at(64, 64), scaffold.empty_cells()), (Checker::Vacant, 1));
    }

    #[test]
    fn undo_takes_the_last_checker_back_and_tells_its_column() {
        let mut scaffold = Scaffold::new(3, 2).expect("a size");
        assert_eq!(scaffold.undo(), None);
        scaffold.drop(3, Red).expect("room");
        let before = scaffold.clone();
        scaffold.drop(3, Black).expect("room");
        assert_eq!(scaffold.undo(), Some(3));
        assert_eq!(scaffold, before);
        assert_eq!((scaffold.undo(), scaffold.undo(), scaffold.empty_cells()), (Some(3), None, 6));
    }
}
