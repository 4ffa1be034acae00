//! A game in progress with its types forgotten: what front ends, sessions and players hold. There is one implementation, for
//! [`crate::Match`]; only `check` and `play` (by text or by path) find an illegal move.

use crate::{
    Audience, BoardEvent, Cell, CellId, Colour, Ending, IllegalMove, Keywords, Mark, Outcome, Picture,
    Record, Side, Step, Target,
};
use std::any::Any;

/// What stays the same through a game: everything a front end asks once.
#[derive(Clone, Debug)]
pub struct GameInfo {
    /// The canonical game spec.
    pub spec: String,
    /// The name people know the game by.
    pub title: &'static str,
    /// Names of the sides, first side first.
    pub seats: [&'static str; 2],
    /// Colours of the sides, first side first.
    pub colours: [Colour; 2],
    /// What people type in the console instead of a move.
    pub keywords: Keywords,
    /// All cells; a [`CellId`] is an index into this list.
    pub cells: Vec<Cell>,
    /// The names of what one can touch.
    pub targets: Vec<String>,
    /// Whether a list of moves may be run together.
    pub run_together: bool,
}

/// An event described for an audience, with the picture to show before it where there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedEvent {
    /// The board just before the event; `None` where the next picture shows it well enough.
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
    /// The text of the position that the game started from, where that is not the usual start.
    fn start(&self) -> Option<String>;
    /// The texts of the moves made, with spaces between them.
    fn move_list(&self) -> String;
    /// What stays the same through the game.
    fn info(&self) -> GameInfo;
    /// The side to move.
    fn turn(&self) -> Side;
    /// Number of moves made.
    fn ply(&self) -> usize;
    /// The side of each move made, in order.
    fn movers(&self) -> Vec<Side>;
    /// Which side made the move of this number, counted from 0; none where there is no such move.
    fn mover(&self, ply: usize) -> Option<Side>;
    /// The last move with its events described for an audience; none before the first.
    fn last_turn(&self, audience: Audience<'_>) -> Option<Turn>;
    /// The steps of the last move, in the order in which they happened; none before the first.
    fn last_steps(&self) -> Vec<Step>;
    /// How the game ended; `None` while it is in progress.
    fn ending(&self) -> Option<Ending>;
    /// The legal moves as text, in listing order; none after the end.
    fn moves(&self) -> Vec<String>;
    /// The legal moves as paths of targets, in the same order.
    fn paths(&self) -> Vec<Vec<Target>>;
    /// The tokens on the cells; empty cells have none.
    fn marks(&self) -> Vec<Mark>;
    /// The cells to point out, and whether they are a winning line: otherwise they are those of the last move.
    fn pointed_out(&self) -> (Vec<CellId>, bool);
    /// What both sides have collected, in games that collect. After any end these are the scores as they stand: after a
    /// surrender, a time forfeit or an illegal move too, where [`Board::final_scores`] has none.
    fn scores(&self) -> Option<[u16; 2]>;
    /// What both sides have in the end, cycles paid; none while the game goes on, in games that collect nothing, and where
    /// the end says nothing about what was collected. Their difference is the margin of the ending, also of one that an
    /// older version of the rules gave (see [`Board::keep_result`]).
    fn final_scores(&self) -> Option<[u16; 2]>;
    /// The current position in the game's notation.
    fn position(&self) -> String;
    /// The text picture, with the last move or the winning line pointed out.
    fn draw(&self, audience: Audience<'_>) -> Picture;
    /// The canonical text of a legal move, or why the move is not legal.
    fn check(&self, text: &str) -> Result<String, IllegalMove>;
    /// The canonical text of the legal move with this path of targets, or why there is none. Lists the legal moves once.
    fn check_path(&self, path: &[Target]) -> Result<String, IllegalMove>;
    /// Makes a move. An illegal move changes nothing. [`Board::check`] gives its canonical text, [`Board::last_turn`] describes it.
    fn play(&mut self, text: &str) -> Result<(), IllegalMove>;
    /// Makes the move with this path of targets, as [`Board::play`] makes the move of a text.
    fn play_path(&mut self, path: &[Target]) -> Result<(), IllegalMove>;
    /// Takes the last move back and tells it.
    fn undo(&mut self) -> Option<String>;
    /// How often the position on the board has stood.
    fn occurrences(&self) -> usize;
    /// Whether the side to move may claim a cycle.
    fn may_claim_repetition(&self) -> bool;
    /// Why the side to move may not, where it may not.
    fn why_no_claim(&self) -> String;
    /// What happens on the board when a cycle is stopped here, as sentences.
    fn settlement(&self, names: [&str; 2]) -> Vec<String>;
    /// What a cycle pays if it is stopped here.
    fn repetition_payoff(&self) -> Option<Outcome>;
    /// Ends the game. Refused (false) when it has ended already.
    fn close(&mut self, ending: Ending) -> bool;
    /// Gives a game that the rules have ended the result that an older version of the rules gave it, for games that are
    /// stored as moves and a result: false, and nothing changes, where that cannot be (see [`crate::Match::keep_result`]). A game
    /// whose result is the one of today is left as it is, and the answer is true.
    fn keep_result(&mut self, written: Outcome) -> bool;
    /// The end as a sentence, for an end by the rules or by a cycle; none for the others, which every game tells alike.
    fn verdict(&self, names: [&str; 2]) -> Option<String>;
    /// What a person whose turn it is gets asked.
    fn prompt(&self) -> String;
    /// What a move of the side to move looks like, for a person who asks.
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
