//! The front end's description of a game: where its cells lie, what is on them, which cells a move touches, what happened in a
//! move, and which words can be typed. A terminal and a page draw all games from it and contain no code for any particular
//! game.
//!
//! A move is a path of targets ([hole], [column], [from, to, arrow]). No legal path is a prefix of another, so touching one
//! target after the other always shows when a move is complete.

use crate::{Colour, Game, Margin, Outcome, Picture, Side, Stress};

/// Index of a cell in [`View::cells`].
pub type CellId = u16;
/// Index of something that can be touched or clicked in [`View::targets`].
pub type Target = u16;

/// The shape in which front ends draw a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A square of a board.
    Square,
    /// A square of the other shade.
    DarkSquare,
    /// A round hole that holds counters.
    Pit,
    /// A large hole at the side that collects them.
    Store,
    /// A round opening that shows one checker.
    Slot,
}

/// A cell of the board. Coordinates are in grid units from the top left; y grows downwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The name in the game's notation, such as `a1`.
    pub name: String,
    /// Left edge, in grid units.
    pub x: u16,
    /// Top edge, in grid units.
    pub y: u16,
    /// Width, in grid units.
    pub w: u16,
    /// Height, in grid units.
    pub h: u16,
    /// The shape to draw.
    pub shape: Shape,
    /// The target of a click on the cell, if any. Several cells may have the same target (a column).
    pub target: Option<Target>,
}

/// The content of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// This many counters (0 in an empty pit).
    Count(u16),
    /// A piece of a side.
    Piece(Piece),
    /// Blocked for the rest of the game.
    Blocked,
}

/// A piece: its owner and its shape. The game chooses the glyph; a front end draws every glyph and uses nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The side that owns the piece.
    pub side: Side,
    /// The form to draw.
    pub glyph: Glyph,
}

/// The forms in which front ends draw a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glyph {
    /// A smooth round stone.
    Stone,
    /// A round checker with a pattern pressed into it.
    Disc,
    /// A crown.
    Crown,
    /// An arrow that points up.
    Arrow,
    /// A checker with a letter, for games with pieces of several kinds.
    Letter(char),
}

impl Glyph {
    /// The name in interfaces, such as `stone`.
    pub fn word(self) -> &'static str {
        match self {
            Glyph::Stone => "stone",
            Glyph::Disc => "disc",
            Glyph::Crown => "crown",
            Glyph::Arrow => "arrow",
            Glyph::Letter(_) => "letter",
        }
    }
}

/// A token on its cell. Cells without one are empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Index of the cell.
    pub cell: CellId,
    /// The content of the cell.
    pub token: Token,
}

/// A part of a move: counters or a piece leave a cell and arrive at another one.
///
/// Steps are listed in the order in which they happen, so that a front end can show them one after another. Applied to the
/// marks before a move, they give the marks after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The cell that they leave; `None` if they come from outside the board.
    pub from: Option<CellId>,
    /// The cell that they reach; `None` if they leave the board.
    pub to: Option<CellId>,
    /// How many counters; 1 for a piece.
    pub count: u16,
}

impl Step {
    /// Moves counters from one cell to another.
    pub fn between(from: CellId, to: CellId, count: u16) -> Step {
        Step { from: Some(from), to: Some(to), count }
    }

    /// A piece is placed on the board from outside.
    pub fn placed(to: CellId) -> Step {
        Step { from: None, to: Some(to), count: 1 }
    }

    /// A piece is taken off the board. A captured piece leaves its cell before the piece that captures it arrives.
    pub fn removed(from: CellId) -> Step {
        Step { from: Some(from), to: None, count: 1 }
    }
}

/// Something that happened in a move, beyond the move itself. It is data of the game, in words for people.
///
/// A front end may style a kind that it knows and shows the text of any other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardEvent {
    /// A word for what happened. The constants below have a meaning that [`crate::laws`] checks; a game may use other words.
    pub kind: &'static str,
    /// A sentence for people, with the players' names.
    pub text: String,
    /// The cells that the event concerns.
    pub cells: Vec<CellId>,
}

impl BoardEvent {
    /// The same side moves again.
    pub const ANOTHER_TURN: &'static str = "another-turn";
    /// Counters or pieces were captured; `cells` is where they were.
    pub const CAPTURE: &'static str = "capture";
    /// A line was completed and wins; `cells` has the line from one end to the other.
    pub const LINE: &'static str = "line";
    /// A side has no move, and the game is over.
    pub const NO_MOVE: &'static str = "no-move";
    /// A side collects what was left on the board at the end; `cells` is where that was.
    pub const SWEEP: &'static str = "sweep";

    /// An event of this kind; the constants above name the common ones.
    pub fn new(kind: &'static str, text: String, cells: Vec<CellId>) -> BoardEvent {
        BoardEvent { kind, text, cells }
    }
}

/// An event with the position to show before it; `None` if the position after the move shows it well enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staged<P> {
    /// The position just before the event.
    pub before: Option<P>,
    /// The event that follows.
    pub event: BoardEvent,
}

/// The audience for which a board is drawn and its events are described.
#[derive(Clone, Copy, Debug)]
pub struct Audience<'a> {
    /// The players' names, first side first.
    pub names: [&'a str; 2],
    /// The available width in characters. A game uses a narrower drawing if the wide one does not fit.
    pub width: usize,
}

/// What a drawing shows in addition to the position.
#[derive(Clone, Copy, Debug)]
pub struct PictureOptions<'a> {
    /// The audience of the drawing.
    pub audience: Audience<'a>,
    /// The cells to highlight: those of the last move or of a winning line.
    pub last: &'a [CellId],
    /// Whether `last` is a winning line.
    pub won: bool,
}

impl PictureOptions<'_> {
    /// How a cell is highlighted.
    pub fn stress(&self, cell: CellId) -> Stress {
        match (self.last.contains(&cell), self.won) {
            (false, _) => Stress::None,
            (true, false) => Stress::Touched,
            (true, true) => Stress::Won,
        }
    }
}

/// An entry of a game's own menu: the players.
#[derive(Clone, Copy, Debug)]
pub struct MenuEntry {
    /// The text of the entry.
    pub label: &'static str,
    /// Player specs, first side first.
    pub players: [&'static str; 2],
}

/// Words that can be typed in the console instead of a move, for each side (first side first), and the game's own menu. Single
/// letters are case-sensitive, longer words are not.
#[derive(Clone, Copy, Debug)]
pub struct Keywords {
    /// The words for resigning: the verb, and the noun.
    pub give_up: [&'static str; 2],
    /// Resigns after confirmation.
    pub resign: [&'static [&'static str]; 2],
    /// Claims repetition; a game without such words has no claims.
    pub claim: [&'static [&'static str]; 2],
    /// Words that accept an offer or confirm a question.
    pub yes: [&'static [&'static str]; 2],
    /// Words that decline an offer or a question.
    pub no: [&'static [&'static str]; 2],
    /// Whether the result stays on the screen for a few seconds.
    pub linger: bool,
    /// The game's own menu; empty if the general menu is used.
    pub menu: &'static [MenuEntry],
}

impl Keywords {
    /// The keywords of most games: `q` asks and resigns, `y` and `n` answer.
    pub const USUAL: Keywords = Keywords {
        give_up: ["resign", "resignation"],
        resign: [&["q", "Q", "quit", "resign"]; 2],
        claim: [&[]; 2],
        yes: [&["y", "Y", "yes"]; 2],
        no: [&["n", "N", "no"]; 2],
        linger: false,
        menu: &[],
    };
}

/// The description of a game for front ends.
///
/// # Examples
///
/// ```
/// use parlor_core::{Audience, Game, PictureOptions, Token, View};
/// use parlor_games::kalah::Kalah;
///
/// let game = Kalah::sized(3, 2)?;
/// assert_eq!((Kalah::TITLE, Kalah::SEATS), ("Kalah", ["South", "North"]));
/// let pos = game.start();
/// assert_eq!(game.cells().len(), 8, "six holes and two pots");
/// assert!(game.marks(&pos).iter().any(|mark| mark.token == Token::Count(2)));
///
/// let audience = Audience { names: ["Anna", "Ben"], width: 80 };
/// let picture = game.draw(&pos, &PictureOptions { audience, last: &[], won: false });
/// assert!(picture.width() <= 80);
/// # Ok::<(), parlor_core::BadParams>(())
/// ```
pub trait View: Game {
    /// The display name, such as `Kalah`.
    const TITLE: &'static str;
    /// One line that tells a newcomer what the game is about.
    const BLURB: &'static str;
    /// `data/rules.md`: the rules for people, in the format of [`crate::rules_text`].
    const RULES_TEXT: &'static str;
    /// The names of the sides, first side first.
    const SEATS: [&'static str; 2];
    /// The colours of the sides, first side first.
    const COLOURS: [Colour; 2] = [Colour::Red, Colour::Blue];
    /// Words that can be typed in the console instead of a move.
    const KEYWORDS: Keywords = Keywords::USUAL;

    /// All cells, the same for every position.
    fn cells(&self) -> Vec<Cell>;
    /// The names of the targets, as people type them.
    fn targets(&self) -> Vec<String>;
    /// The tokens on the cells; empty cells have none.
    fn marks(&self, pos: &Self::Position) -> Vec<Mark>;
    /// The path of targets of a legal move.
    fn path(&self, pos: &Self::Position, mv: Self::Move) -> Vec<Target>;
    /// The cells that a move changed, for highlighting: those of its path unless the game overrides this.
    fn touched(&self, before: &Self::Position, mv: Self::Move) -> Vec<CellId> {
        let path = self.path(before, mv);
        let cells = self.cells();
        let on_path = |cell: &Cell| cell.target.is_some_and(|target| path.contains(&target));
        (0..cells.len()).filter(|&i| on_path(&cells[i])).map(|i| i as CellId).collect()
    }
    /// What a move does to the marks, step by step, up to the sweep that ends a game.
    fn steps(&self, before: &Self::Position, mv: Self::Move) -> Vec<Step>;
    /// What happens in a move, in order, with texts that use the players' names (first side first).
    fn events(
        &self,
        before: &Self::Position,
        mv: Self::Move,
        names: [&str; 2],
    ) -> Vec<Staged<Self::Position>>;
    /// The position as a text picture.
    fn draw(&self, pos: &Self::Position, options: &PictureOptions<'_>) -> Picture;
    /// What both sides have collected, in games that collect. In a finished game these are the final scores.
    fn scores(&self, _pos: &Self::Position) -> Option<[u16; 2]> {
        None
    }
    /// The scores of both sides if endless play were stopped here.
    fn settled_scores(&self, _pos: &Self::Position) -> Option<[u16; 2]> {
        None
    }
    /// The events on the board if endless play is stopped here, in order.
    fn settlement(&self, _pos: &Self::Position, _names: [&str; 2]) -> Vec<BoardEvent> {
        Vec::new()
    }
    /// Why the side to move cannot claim repetition.
    fn why_no_claim(&self, _pos: &Self::Position) -> String {
        "repetition cannot be claimed in this game".to_string()
    }
    /// The prompt for the side to move.
    fn prompt(&self, side: Side) -> String;
    /// A help text about the form of a move. An example must be one that this side can play.
    fn move_help(&self, side: Side) -> String;
    /// A sentence about the end of a game that was played out.
    fn verdict(&self, scores: Option<[u16; 2]>, outcome: Outcome, names: [&str; 2]) -> String {
        winner_sentence(scores, outcome, names)
    }
    /// A margin in words, for people who read an analysis: `8 beans ahead`.
    fn describe(&self, margin: Margin) -> String {
        match margin.0 {
            0 => "draw".to_string(),
            1.. => format!("ahead by {}", margin.0),
            _ => format!("behind by {}", -i32::from(margin.0)),
        }
    }
}

/// The end of a game as a sentence: `The winner is North (25 to 23).`, `The game is a draw (24 each).`, or without scores.
///
/// # Examples
///
/// ```
/// use parlor_core::{Outcome, Side, winner_sentence};
///
/// let outcome = Outcome { winner: Some(Side::Second), by: Some(2) };
/// let sentence = winner_sentence(Some([23, 25]), outcome, ["South", "North"]);
/// assert_eq!(sentence, "The winner is North (25 to 23).");
/// ```
pub fn winner_sentence(scores: Option<[u16; 2]>, outcome: Outcome, names: [&str; 2]) -> String {
    match (outcome.winner, scores) {
        (Some(side), Some(scores)) => {
            let (own, others) = (scores[side.index()], scores[side.other().index()]);
            format!("The winner is {} ({own} to {others}).", names[side.index()])
        }
        (Some(side), None) => format!("The winner is {}.", names[side.index()]),
        (None, Some(scores)) => format!("The game is a draw ({} each).", scores[0]),
        (None, None) => "The game is a draw.".to_string(),
    }
}

/// A number with its noun: `1 game`, `2 games`.
pub fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Makes the first letter of a text upper-case, to begin a sentence with it.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
