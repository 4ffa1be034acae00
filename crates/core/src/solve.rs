//! Exact values: solvers compute them, oracles look them up, and tables number positions so that each needs one small entry and
//! no key.

use crate::{Bounds, Game, Limits, Match, Report};
use std::sync::atomic::AtomicBool;

/// Computes the margin under best play.
pub trait Solve<G: Game>: Send {
    /// Returns proved bounds of the match's position, seen by the side to move, in the game as [`Game::scoring_variant`] plays
    /// it. The bounds always contain the true margin; they meet unless a limit or `stop` ended the work. Repetitions of
    /// positions in the match count. Every narrowing is reported; the last report has the number of positions and, unless
    /// `limits.value_only`, the principal variation.
    fn solve(
        &mut self,
        played: &Match<G>,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Bounds;

    /// Proved facts that are expensive to prove again, in a private encoding: for [`Solve::recall`], also in another run of the
    /// program.
    fn remembered(&self) -> Vec<u64>;

    /// Restores earlier proofs: bounds of the match's position, and what a solver of the same game returned from
    /// [`Solve::remembered`]. Words that it cannot use are ignored.
    fn recall(&mut self, played: &Match<G>, proved: Bounds, words: &[u64]);
}

/// A source of known values, such as an endgame table.
pub trait Oracle<G: Game>: Send + Sync {
    /// Proved bounds of the position, seen by the side to move; `None` if nothing is known. In games with cycles they hold if
    /// no earlier position can recur, such as right after a capture; in other games always.
    fn probe(&self, game: &G, pos: &G::Position) -> Option<Bounds>;
}

/// Numbers positions in layers, so that no move leads to a higher layer: the values of a layer follow from itself and lower
/// layers.
///
/// A number identifies a position seen by its side to move, without the banked part: the rest of the game depends on neither
/// the banked part nor which side moves. An entry of a table is the value of [`Indexed::position`], and the margin of any
/// position that is not over is what it has banked plus the entry of its number. Games are numbered as
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
    /// The representative under which tables are stored: all games of one family share a table (Kalah with any number of
    /// beans).
    fn family(&self) -> Self;
    /// The layer of a position; no move leads to a higher one. (Kalah: beans in play)
    fn layer(&self, pos: &Self::Position) -> u32;
    /// The number of positions in a layer; `u64::MAX` if there are more than that.
    fn len(&self, layer: u32) -> u64;
    /// Number of bytes per position in a table. One: its value. Five, for games whose play can be endless and pays by where it
    /// is stopped: a lower bound, an upper bound, an estimate between them, and the distances of the mover and of the other
    /// side from securing their bounds, as unsigned numbers; a layer stores all lower bounds first.
    fn planes(&self) -> usize {
        1
    }
    /// The number of a position within its layer, seen by its side to move, without the banked part. It is not called for a
    /// finished position.
    fn index(&self, pos: &Self::Position) -> u64;
    /// The position with this number: nothing banked, the first side to move. `None` if the number is unused. The position may
    /// be finished; the rules may then have banked what was left in it.
    fn position(&self, layer: u32, index: u64) -> Option<Self::Position>;
}
