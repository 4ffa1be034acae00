//! A game in progress behind a trait object, for front ends, sessions and players. There is one implementation, for
//! [`crate::Match`]; only `check` and `play` (by text or by path) find an illegal move.

use crate::{
    Audience, BoardEvent, Cell, CellId, Colour, Ending, IllegalMove, Keywords, Mark, Outcome, Picture,
    Record, Side, Step, Target,
};
use std::any::Any;

/// The properties of a game that do not change while it is played.
#[derive(Clone, Debug)]
pub struct GameInfo {
    /// The canonical game spec.
    pub spec: String,
    /// The display name of the game.
    pub title: &'static str,
    /// Names of the sides, first side first.
    pub seats: [&'static str; 2],
    /// Colours of the sides, first side first.
    pub colours: [Colour; 2],
    /// Words that can be typed in the console instead of a move.
    pub keywords: Keywords,
    /// All cells; a [`CellId`] is an index into this list.
    pub cells: Vec<Cell>,
    /// The names of the targets; a [`Target`] is an index into this list.
    pub targets: Vec<String>,
    /// Whether a list of moves may be written without separators.
    pub run_together: bool,
}

/// An event described for an audience, with a picture to show before it if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedEvent {
    /// The board just before the event; `None` if the next picture shows it well enough.
    pub before: Option<Picture>,
    /// The event, with a sentence that uses the audience's names.
    pub event: BoardEvent,
}

/// A move that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The side that made the move.
    pub side: Side,
    /// The move in canonical notation.
    pub text: String,
    /// The events of the move, in the order in which they happened.
    pub events: Vec<DescribedEvent>,
}

/// A game in progress.
///
/// It is [`Any`], so that a typed player gets its match: see [`crate::Match::of`].
///
/// # Examples
///
/// ```
/// use parlor_core::{Audience, Board, Match};
/// use parlor_games::oware::{Oware, RuleSet};
///
/// let mut board: Box<dyn Board> = Box::new(Match::new(Oware::by(RuleSet::Abapa)));
/// assert_eq!(board.moves(), ["a", "b", "c", "d", "e", "f"]);
/// board.play("c")?;
/// assert_eq!(board.position(), "4-4-0-5-5-5-5-4-4-4-4-4-0-0-N");
///
/// let picture = board.draw(Audience { names: ["Anna", "Ben"], width: 80 });
/// assert!(picture.to_string().contains('5'));
/// assert_eq!(board.undo().as_deref(), Some("c"));
/// # Ok::<(), parlor_core::IllegalMove>(())
/// ```
pub trait Board: Any + Send {
    /// Clones the board behind the trait object.
    fn clone_box(&self) -> Box<dyn Board>;
    /// The canonical game spec.
    fn spec(&self) -> String;
    /// The text of the start position; `None` for the standard start position.
    fn start(&self) -> Option<String>;
    /// The moves made, separated by spaces.
    fn move_list(&self) -> String;
    /// The properties that do not change during the game.
    fn info(&self) -> GameInfo;
    /// The side to move.
    fn turn(&self) -> Side;
    /// Number of moves made.
    fn ply(&self) -> usize;
    /// The side of each move made, in order.
    fn movers(&self) -> Vec<Side>;
    /// The side that made move number `ply`, counted from 0; `None` if there is no such move.
    fn mover(&self, ply: usize) -> Option<Side>;
    /// The last move with its events described for an audience; `None` before the first.
    fn last_turn(&self, audience: Audience<'_>) -> Option<Turn>;
    /// The steps of the last move, in the order in which they happened; none before the first.
    fn last_steps(&self) -> Vec<Step>;
    /// How the game ended; `None` while it is in progress.
    fn ending(&self) -> Option<Ending>;
    /// The legal moves as text, in listing order; empty after the end.
    fn moves(&self) -> Vec<String>;
    /// The legal moves as paths of targets, in the same order.
    fn paths(&self) -> Vec<Vec<Target>>;
    /// The tokens on the cells; empty cells have none.
    fn marks(&self) -> Vec<Mark>;
    /// The cells to highlight, and whether they are a winning line; otherwise they are those of the last move.
    fn pointed_out(&self) -> (Vec<CellId>, bool);
    /// What each side has collected, in games that collect. After the game has ended these are the current scores, also after a
    /// resignation, a time forfeit or an illegal move, where [`Board::final_scores`] is `None`.
    fn scores(&self) -> Option<[u16; 2]>;
    /// The final scores, with the payoff of a cycle included. `None` while the game is in progress, in games that collect
    /// nothing, and if the ending says nothing about scores. Their difference is the margin of the ending, also of an ending by
    /// an older version of the rules (see [`Board::keep_result`]).
    fn final_scores(&self) -> Option<[u16; 2]>;
    /// The current position in the game's notation.
    fn position(&self) -> String;
    /// The board as text, with the last move or the winning line highlighted.
    fn draw(&self, audience: Audience<'_>) -> Picture;
    /// The canonical text of a legal move, or why the move is not legal.
    fn check(&self, text: &str) -> Result<String, IllegalMove>;
    /// The canonical text of the legal move with this path of targets, or why there is none. Lists the legal moves once.
    fn check_path(&self, path: &[Target]) -> Result<String, IllegalMove>;
    /// Makes a move. An illegal move changes nothing. [`Board::check`] gives its canonical text, [`Board::last_turn`] describes it.
    fn play(&mut self, text: &str) -> Result<(), IllegalMove>;
    /// Makes the move with this path of targets, as [`Board::play`] makes the move of a text.
    fn play_path(&mut self, path: &[Target]) -> Result<(), IllegalMove>;
    /// Takes back the last move and returns its text.
    fn undo(&mut self) -> Option<String>;
    /// The number of times that the current position has occurred.
    fn occurrences(&self) -> usize;
    /// Whether the side to move may claim a cycle.
    fn may_claim_repetition(&self) -> bool;
    /// Why the side to move may not claim repetition.
    fn why_no_claim(&self) -> String;
    /// Sentences about what happens on the board if a cycle is stopped here.
    fn settlement(&self, names: [&str; 2]) -> Vec<String>;
    /// The payoff if a cycle is stopped here.
    fn repetition_payoff(&self) -> Option<Outcome>;
    /// Ends the game. Returns false if it has already ended.
    fn close(&mut self, ending: Ending) -> bool;
    /// Replaces the result of a game that ended by the rules with the result by an older version of the rules, for games that
    /// are stored as moves and a result. Returns false and changes nothing if that result is impossible (see
    /// [`crate::Match::keep_result`]). Returns true without a change if both versions give the same result.
    fn keep_result(&mut self, written: Outcome) -> bool;
    /// A sentence about an end by the rules or by a cycle; `None` for other endings, whose text is the same in every game.
    fn verdict(&self, names: [&str; 2]) -> Option<String>;
    /// The prompt for a person whose turn it is.
    fn prompt(&self) -> String;
    /// A help text about the form of a move of the side to move.
    fn move_help(&self) -> String;
    /// Sets a tag of the record, replacing an earlier value.
    fn tag(&mut self, name: &str, value: &str);
    /// The record of the game so far.
    fn record(&self) -> Record;
}

impl Clone for Box<dyn Board> {
    fn clone(&self) -> Box<dyn Board> {
        self.clone_box()
    }
}
