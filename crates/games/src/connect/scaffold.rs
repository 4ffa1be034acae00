//! The scaffold: a board into which checkers of either colour are dropped, and taken back. It knows nothing of turns or of
//! winning.

use super::bits::{Grid, MOST_BITS};
use parlor_core::{BadParams, Side};

/// What a cell holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Checker {
    /// A checker of the first side.
    Red,
    /// A checker of the second side.
    Black,
    /// Nothing.
    Vacant,
}

impl Checker {
    /// The checker a side plays with.
    pub fn of(side: Side) -> Checker {
        match side {
            Side::First => Checker::Red,
            Side::Second => Checker::Black,
        }
    }
}

/// Why a drop was refused. The scaffold is then as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is no column of this number.
    NoSuchColumn,
    /// The column has no room.
    Full,
}

/// A board with its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scaffold {
    grid: Grid,
    stones: [u128; 2],
    drops: Vec<u32>,
}

impl Scaffold {
    /// An empty scaffold.
    pub fn new(columns: i32, levels: i32) -> Result<Scaffold, BadParams> {
        let grid = u32::try_from(columns).ok().zip(u32::try_from(levels).ok());
        match grid.and_then(|(columns, levels)| Grid::new(columns, levels)) {
            Some(grid) => Ok(Scaffold { grid, stones: [0; 2], drops: Vec::new() }),
            None => Err(too_large(columns.into(), levels.into())),
        }
    }

    /// What is there; outside the board nothing is.
    pub fn checker_at(&self, column: i32, level: i32) -> Checker {
        match self.inside(column, level) {
            Some(bit) if self.stones[0] & bit != 0 => Checker::Red,
            Some(bit) if self.stones[1] & bit != 0 => Checker::Black,
            _ => Checker::Vacant,
        }
    }

    /// Drops a checker of a side's colour: it falls to the lowest vacant level, which is told.
    pub fn drop(&mut self, column: i32, side: Side) -> Result<i32, Refused> {
        let levels = 1..=self.grid.levels as i32;
        self.inside(column, 1).ok_or(Refused::NoSuchColumn)?;
        let vacant = levels.into_iter().find(|&level| self.checker_at(column, level) == Checker::Vacant);
        let level = vacant.ok_or(Refused::Full)?;
        self.stones[side.index()] |= self.grid.bit(column as u32, level as u32);
        self.drops.push(column as u32);
        Ok(level)
    }

    /// Takes the last checker back and tells its column; none if there is nothing to take back.
    pub fn undo(&mut self) -> Option<i32> {
        let column = self.drops.pop()?;
        let height = 1 + self.drops.iter().filter(|&&dropped| dropped == column).count();
        let bit = self.grid.bit(column, height as u32);
        self.stones = self.stones.map(|stones| stones & !bit);
        Some(column as i32)
    }

    /// How many cells are empty.
    pub fn empty_cells(&self) -> u32 {
        self.grid.cells() - self.drops.len() as u32
    }

    fn inside(&self, column: i32, level: i32) -> Option<u128> {
        let column = u32::try_from(column).ok().filter(|c| (1..=self.grid.columns).contains(c))?;
        let level = u32::try_from(level).ok().filter(|l| (1..=self.grid.levels).contains(l))?;
        Some(self.grid.bit(column, level))
    }
}

/// The sentence for a board that is not supported, with the limit in it.
pub(super) fn too_large(columns: i64, levels: i64) -> BadParams {
    BadParams(format!(
        "connect: a board of {columns} columns and {levels} levels is not supported; both are at least 1, and columns x (levels + 1) is at most {MOST_BITS}"
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
        assert_eq!(scaffold.drop(2, Red), Err(Refused::Full));
        assert_eq!(scaffold.checker_at(2, 1), Checker::Red);
        assert_eq!(scaffold.checker_at(2, 2), Checker::Black);
        assert_eq!(scaffold.checker_at(1, 1), Checker::Vacant);
        assert_eq!(scaffold.empty_cells(), 4);
    }

    #[test]
    fn bad_input_is_refused_and_changes_nothing() {
        let mut scaffold = Scaffold::new(3, 2).expect("a size");
        for column in [0, 4, -1, i32::MAX, i32::MIN] {
            assert_eq!(scaffold.drop(column, Red), Err(Refused::NoSuchColumn));
            assert_eq!(scaffold.checker_at(column, 1), Checker::Vacant);
            assert_eq!(scaffold.checker_at(1, column), Checker::Vacant);
        }
        assert_eq!(scaffold, Scaffold::new(3, 2).expect("a size"));
        for (columns, levels) in [(0, 6), (7, 0), (-1, 6), (12, 10), (i32::MAX, i32::MAX)] {
            let error = Scaffold::new(columns, levels).expect_err("not supported").0;
            assert!(error.contains("at most 128"), "{error}");
        }
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
