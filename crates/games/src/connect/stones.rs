//! How the checkers of a board are stored. The rules, the notation and the view are written once, over this trait; there are two
//! implementations: bits in a word ([`super::Position`]) for boards that fit one, and a word a column
//! ([`super::LargePosition`]) for all others.

use super::{Checker, Column, ConnectOf, Threats, bits::Grid};
use parlor_core::{Side, Value};
use std::{fmt::Debug, hash::Hash};

/// The checkers of a position. The sides alternate, so that the number of checkers says whose turn it is.
pub trait Stones: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// What is computed once for a size of board.
    type Masks: Copy + Eq + Debug + Send + Sync + 'static;

    /// What is computed once; none where a board of this size cannot be stored in this way.
    fn masks(grid: Grid) -> Option<Self::Masks>;
    /// A board with these checkers, none of which hangs in the air. `won` says whether the side that is not to move has a row.
    fn of_cells(grid: Grid, at: impl Fn(u32, u32) -> Checker, turn: Side, won: bool) -> Self;

    /// Number of checkers played.
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
    /// What [`Threats`] says of an unfinished position of a game in which rows are possible.
    fn evaluate(&self, game: &ConnectOf<Self>, worth: &Threats) -> Value;
}
