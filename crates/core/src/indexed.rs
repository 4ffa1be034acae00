//! Positions by number, so that a table can hold one small entry for each and no keys. A numbering says nothing about values
//! and refuses to know how they are kept.

use crate::Game;

/// Positions numbered in layers, so that play never climbs: what a layer is worth follows from itself and the layers below.
///
/// A number stands for a position as its side to move sees it, without what is banked: the rest of the game is the same
/// whatever was banked and whichever side moves. An entry of a table is the value of [`Indexed::position`], and the margin of
/// any position that is not over is what it has banked plus the entry of its number. Games are numbered as
/// [`Game::scoring_variant`] plays them.
#[allow(clippy::len_without_is_empty, reason = "a layer has a length, a game has none")]
pub trait Indexed: Game {
    /// The game in whose name tables are kept: all games of one family share a table (Kalah with any number of beans).
    fn family(&self) -> Self;
    /// The layer of a position; no move leads to a higher one. (Kalah: beans in play)
    fn layer(&self, pos: &Self::Position) -> u32;
    /// The number of positions in a layer; `u64::MAX` where there are more than can be counted.
    fn len(&self, layer: u32) -> u64;
    /// How many bytes a table has for a position. One: its value. Five, where play can be endless and pays by where it is
    /// stopped: a lower bound, an upper bound, a guess between them, and how far the mover and the other side still are from
    /// having their bounds for certain, as numbers without a sign; a layer has all lower bounds first.
    fn planes(&self) -> usize {
        1
    }
    /// The number of a position within its layer, as its side to move sees it, without what is banked. Nobody asks it of a
    /// position whose game is over.
    fn index(&self, pos: &Self::Position) -> u64;
    /// The position with this number: nothing banked, the first side to move. None where the number stands for no position.
    /// A number may stand for a position that is over; the rules may have banked what was left in it.
    fn position(&self, layer: u32, index: u64) -> Option<Self::Position>;
}
