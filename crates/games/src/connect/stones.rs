//! The storage of the checkers of a board. The rules, the notation and the view are generic over this trait, which has two
//! implementations: bits in a word ([`super::Position`]) for boards that fit one, and one word per column
//! ([`super::LargePosition`]) for all others.

use super::{Checker, Column, ConnectOf, Threats, bits::Grid};
use parlor_core::{Side, Value};
use std::{fmt::Debug, hash::Hash};

/// The checkers of a position. The sides alternate, so the number of checkers determines the side to move.
pub trait Stones: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// Constants of a board size.
    type Masks: Copy + Eq + Debug + Send + Sync + 'static;

    /// The constants of a board size; `None` if boards of this size cannot be stored in this way.
    fn masks(grid: Grid) -> Option<Self::Masks>;
    /// A board with these checkers, which must be supported from below. `won` says whether the side that is not to move has a
    /// row.
    fn of_cells(grid: Grid, at: impl Fn(u32, u32) -> Checker, turn: Side, won: bool) -> Self;

    fn plies(&self) -> u32;
    /// Whether the side that moved last has a row.
    fn is_won(&self) -> bool;
    fn checker(&self, game: &ConnectOf<Self>, column: u32, level: u32) -> Checker;
    /// Number of checkers in a column.
    fn height(&self, game: &ConnectOf<Self>, column: u32) -> u32;
    fn is_full(&self, game: &ConnectOf<Self>) -> bool;

    /// Appends the columns with room, from the left, whether the game is over or not.
    fn columns_with_room(&self, game: &ConnectOf<Self>, out: &mut Vec<Column>);
    /// Number of columns that are not full.
    fn count_with_room(&self, game: &ConnectOf<Self>) -> u32;
    /// Drops a checker of the side to move into a column with room.
    fn drop(&mut self, game: &ConnectOf<Self>, column: Column);

    /// A key that a board shares with its mirror image.
    fn key(&self, game: &ConnectOf<Self>) -> u64;
    /// Whether boards with the same key are the same or mirror images.
    fn has_exact_key(game: &ConnectOf<Self>) -> bool;
    /// The value of an unfinished position by these weights, in a game in which rows are possible.
    fn evaluate(&self, game: &ConnectOf<Self>, weights: &Threats) -> Value;
}
