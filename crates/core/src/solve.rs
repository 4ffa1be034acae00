//! Exact values: solvers work them out, oracles look them up, and tables number positions so that they need one small entry for
//! each and no keys. None of them guesses.

use crate::{Bounds, Game, Limits, Match, Report};
use std::sync::atomic::AtomicBool;

/// Works out the margin that best play gives.
pub trait Solve<G: Game>: Send {
    /// What is proved of the match's position, seen by the side to move, in the game as [`Game::scoring_variant`] plays it: the
    /// bounds always contain the true margin, and they meet unless a limit or `stop` ended the work. A repetition of what
    /// stands in the match counts. Every narrowing is reported; the last report has the line and the number of positions.
    fn solve(
        &mut self,
        played: &Match<G>,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Bounds;

    /// What it has proved and would take long to prove again, in words that mean something to its own kind alone: for
    /// [`Solve::recall`], also in another run of the program.
    fn remembered(&self) -> Vec<u64>;

    /// Takes up what was proved before: bounds of the match's position, and what a solver of the same game remembered. Words
    /// that it cannot use it leaves.
    fn recall(&mut self, played: &Match<G>, proved: Bounds, words: &[u64]);
}

/// Looks up what is known of positions, such as an endgame table.
pub trait Oracle<G: Game>: Send + Sync {
    /// What is proved of the position, seen by the side to move; none where nothing is known. In games with cycles it holds
    /// where no earlier position can return, such as right after a capture; in other games always.
    fn probe(&self, game: &G, pos: &G::Position) -> Option<Bounds>;
}

/// Positions numbered in layers, so that play never climbs: the values of a layer follow from itself and the layers below.
///
/// A number stands for a position as its side to move sees it, without what is banked: the rest of the game is the same
/// whatever was banked and whichever side moves. An entry of a table is the value of [`Indexed::position`], and the margin of
/// any position that is not over is what it has banked plus the entry of its number. Games are numbered as
/// [`Game::scoring_variant`] plays them.
///
/// # Examples
///
/// ```
/// use parlor_core::{Game, Indexed, Notation};
/// use parlor_games::kalah::Kalah;
///
/// let game = Kalah::sized(3, 2)?;
/// let pos = game.parse_position("0,0,1/0,2,1 5/3 n")?;
/// assert_eq!(game.layer(&pos), 4, "four beans are in play");
/// let held = game.position(4, game.index(&pos)).expect("a position");
/// assert_eq!(game.write_position(&held), "1,2,0/1,0,0 0/0 s");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// The number of a position within its layer, as its side to move sees it, without what is banked. It is not called for
    /// a position whose game is over.
    fn index(&self, pos: &Self::Position) -> u64;
    /// The position with this number: nothing banked, the first side to move. None where the number stands for no position.
    /// A number may stand for a position that is over; the rules may have banked what was left in it.
    fn position(&self, layer: u32, index: u64) -> Option<Self::Position>;
}
