//! A player is a search, an external program or a person. It gets the board and its limits, and answers with text.

use crate::{Board, Bounds, Ending, Side};
use std::{fmt, sync::atomic::AtomicBool, time::Duration};

/// How long a player may think about one move. `None` means no limit.
///
/// # Examples
///
/// ```
/// use parlor_core::{Clocks, Limits, Side};
/// use std::time::Duration;
///
/// let minute = Duration::from_secs(60);
/// let clocks = Clocks { left: [minute; 2], increment: [Duration::ZERO; 2] };
/// let limits = Limits { time: Some(minute), clocks: Some(clocks), ..Limits::default() };
/// let share = limits.shared(Side::First).time.expect("a limit");
/// assert!(share < minute / 10, "most of the clock is left for the moves to come");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Time for this move, from the moment of the request.
    pub time: Option<Duration>,
    /// When an answer is too late, from the same moment; `None` means at `time`. It is later where an overrun costs a period of
    /// byo-yomi and not the game, and by the grace of the referee.
    pub deadline: Option<Duration>,
    /// Search depth in plies.
    pub depth: Option<u32>,
    /// Number of positions that the search may visit.
    pub nodes: Option<u64>,
    /// What the clocks show, in games where each side has time for all its moves. Then `time` is all that the side to move
    /// has left.
    pub clocks: Option<Clocks>,
    /// Whether a solver may leave the principal variation out of its report, because only the value is needed.
    pub value_only: bool,
}

/// The clocks of a game in which each side has time for all its moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    /// Remaining time of each side, first side first.
    pub left: [Duration; 2],
    /// Time added for each own move, for each side.
    pub increment: [Duration; 2],
}

/// Number of further moves for which a player reserves time. Few games need more.
const MOVES_AHEAD: u32 = 25;

impl Limits {
    /// These limits with `margin` less time, for a player that forfeits as soon as its time is up: the answer needs time to
    /// arrive. At least a millisecond is left; the deadline stays.
    #[must_use]
    pub fn with_margin(mut self, margin: Duration) -> Limits {
        let less = |time: Duration| time.saturating_sub(margin).max(Duration::from_millis(1));
        self.time = self.time.map(less);
        if let Some(clocks) = &mut self.clocks {
            clocks.left = clocks.left.map(less);
        }
        self
    }

    /// These limits for a player that plans no time: with clocks, a share of the side's time, so that some is left for later
    /// moves.
    #[must_use]
    pub fn shared(&self, side: Side) -> Limits {
        let Some(clocks) = self.clocks else { return *self };
        let (left, increment) = (clocks.left[side.index()], clocks.increment[side.index()]);
        let share = (left / MOVES_AHEAD + increment * 3 / 4).min(left / 2);
        Limits { time: Some(self.time.map_or(share, |time| time.min(share))), clocks: None, ..*self }
    }
}

/// A progress report of a player that is thinking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Completed search depth in plies.
    pub depth: u32,
    /// Number of visited positions.
    pub nodes: u64,
    /// The value for the side to move, in the searcher's own unit.
    pub value: i32,
    /// The best line found, its first move the candidate.
    pub line: Vec<String>,
    /// Proved bounds of the margin, seen by the side to move; `None` if nothing is proved.
    pub proved: Option<Bounds>,
    /// Whether the proof relies on position hashes that might collide: then it is exact up to hash collisions.
    pub by_hash: bool,
}

/// The answer of a player to a request for a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A move as text; the referee checks it.
    Move(String),
    /// Resigns the game.
    Resign,
    /// Claims repetition.
    Claim,
    /// The player found no legal move.
    NoMove,
}

/// Why a player gave no answer. Only the referee decides whether an answer was legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The player could not be started: the reason.
    Start(String),
    /// The player exceeded its time limit: the time that it took.
    Timeout(Duration),
    /// The program exited: the reason.
    Crash(String),
    /// The program sent invalid output, or was asked about a game that it cannot play.
    Garbage(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Start(why) => write!(f, "could not be started: {why}"),
            Failure::Timeout(after) => write!(f, "took too long ({} ms)", after.as_millis()),
            Failure::Crash(why) => write!(f, "crashed: {why}"),
            Failure::Garbage(why) => write!(f, "broke the protocol: {why}"),
        }
    }
}

/// A proposal of one player to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// Take the last move back.
    Takeback,
    /// End the game because of repetition.
    Cycle,
}

/// Whether a program whose protocol has no word for offers agrees to one: to every takeback, and to a claim of repetition if
/// the position has occurred before. Otherwise a side that is about to lose would claim.
pub fn program_agrees(board: &dyn Board, offer: Offer) -> bool {
    match offer {
        Offer::Takeback => true,
        Offer::Cycle => board.occurrences() >= 2,
    }
}

/// A player: a person, an engine or an external program.
///
/// # Examples
///
/// A player that makes the last of the legal moves:
///
/// ```
/// use parlor_core::{Answer, Board, Failure, Limits, Match, Player, Report};
/// use parlor_games::kalah::Kalah;
/// use std::sync::atomic::AtomicBool;
///
/// struct Last;
///
/// impl Player for Last {
///     fn choose(
///         &mut self,
///         board: &dyn Board,
///         _limits: &Limits,
///         _stop: &AtomicBool,
///         _report: &mut dyn FnMut(&Report),
///     ) -> Result<Answer, Failure> {
///         Ok(board.moves().pop().map_or(Answer::NoMove, Answer::Move))
///     }
/// }
///
/// let board = Match::new(Kalah::sized(6, 4)?);
/// let answer = Last.choose(&board, &Limits::default(), &AtomicBool::new(false), &mut |_| ());
/// assert_eq!(answer, Ok(Answer::Move("6".into())));
/// # Ok::<(), parlor_core::BadParams>(())
/// ```
pub trait Player: Send {
    /// Prepares for games of this spec, for instance by starting a program. It does not count as thinking time.
    fn ready(&mut self, _game: &str) -> Result<(), Failure> {
        Ok(())
    }
    /// Called before the first move of a game.
    fn begin(&mut self, _game: &str, _side: Side) {}
    /// The move for the side to move. A typed player gets its match by [`Match::of`](crate::Match::of); a player that needs text
    /// asks for [`Board::record`]. It checks `stop` often and answers at once when it is set.
    fn choose(
        &mut self,
        board: &dyn Board,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure>;
    /// Whether the player agrees to a claim of the other side. Takebacks are not asked about, because programs accept them.
    fn accepts(&mut self, board: &dyn Board, offer: Offer) -> bool {
        program_agrees(board, offer)
    }
    /// Called once when the game is over.
    fn end(&mut self, _ending: &Ending) {}
    /// How long the player thought about its last answer, if it measures that more precisely than the caller.
    fn thought(&self) -> Option<Duration> {
        None
    }
    /// Processor time that its last answer took, if it is measured: that of a local program and its child processes.
    fn cpu_time(&self) -> Option<Duration> {
        None
    }
    /// Whether one instance plays several games in succession, as a running program does. Other players are created for each
    /// game, so that a game depends on its seed alone.
    fn is_reusable(&self) -> bool {
        false
    }
    /// Standard error or other diagnostics since the last call: untrusted text, at most 64 KiB.
    fn aside(&mut self) -> String {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_clock_leaves_time_for_the_moves_to_come() {
        let millis = Duration::from_millis;
        let clocks = Clocks { left: [millis(1000), millis(10)], increment: [millis(4), millis(100)] };
        let limits = Limits { time: Some(millis(1000)), clocks: Some(clocks), ..Limits::default() };
        assert_eq!(limits.shared(Side::First).time, Some(millis(43)));
        assert_eq!(limits.shared(Side::Second).time, Some(millis(5)), "never more than half of it");
        assert_eq!(limits.shared(Side::First).clocks, None);
        let plain = Limits { time: Some(millis(70)), ..Limits::default() };
        assert_eq!(plain.shared(Side::First), plain);
    }
}
