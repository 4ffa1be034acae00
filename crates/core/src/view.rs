//! What a front end needs to know of a game: where its cells lie, what stands on them, which cells a move touches, what
//! happened in a move, what people type. A terminal and a page draw all games from this and know none of them.
//!
//! A move is the path of targets one touches ([hole], [column], [from, to, arrow]); no legal path is the prefix of another,
//! so touching one target after the other always says when a move is complete.

use crate::{Colour, Game, Margin, Outcome, Picture, Side, Stress};

/// The place of a cell in [`View::cells`].
pub type CellId = u16;
/// Something one can touch: the place of its name in [`View::targets`].
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

/// A place on the board. Coordinates are in grid units from the top left; y grows downwards.
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
    /// What touching it means, if anything. Several cells may be one target (a column).
    pub target: Option<Target>,
}

/// The content of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// This many counters (an empty pit has 0).
    Count(u16),
    /// A piece of a side.
    Piece(Piece),
    /// Blocked for the rest of the game.
    Blocked,
}

/// A piece: whose it is and how it is drawn. The game chooses; a front end draws every glyph and looks at nothing else.
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
    /// Where they leave; none where they come from outside the board.
    pub from: Option<CellId>,
    /// Where they arrive; none where they leave the board.
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

/// Something that happened in a move, beyond the move itself: data of the game, in words for people.
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

/// An event with the position to show before it; none where the position after the move shows it well enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staged<P> {
    /// What the board looked like just before.
    pub before: Option<P>,
    /// The event that follows.
    pub event: BoardEvent,
}

/// For whom a board is drawn and its events are described.
#[derive(Clone, Copy, Debug)]
pub struct Audience<'a> {
    /// The players' names, first side first.
    pub names: [&'a str; 2],
    /// How many characters fit beside one another. A game that has a narrower drawing uses it where the wide one does not fit.
    pub width: usize,
}

/// What a drawing may show beside the position.
#[derive(Clone, Copy, Debug)]
pub struct PictureOptions<'a> {
    /// Whom the board is drawn for.
    pub audience: Audience<'a>,
    /// Cells to point out: those of the last move, or of a winning line.
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

/// An entry of a game's own menu: who plays.
#[derive(Clone, Copy, Debug)]
pub struct MenuEntry {
    /// The text of the entry.
    pub label: &'static str,
    /// Player specs, first side first.
    pub players: [&'static str; 2],
}

/// What people type in the console instead of a move, for each side (first side first), and the game's own menu. Single
/// letters count by case, longer words in any case.
#[derive(Clone, Copy, Debug)]
pub struct Keywords {
    /// What giving up is called: the verb, and the noun.
    pub give_up: [&'static str; 2],
    /// Gives the game up, after a question.
    pub resign: [&'static [&'static str]; 2],
    /// Claims repetition; a game without such words has no claims.
    pub claim: [&'static [&'static str]; 2],
    /// Words that accept an offer or confirm a question.
    pub yes: [&'static [&'static str]; 2],
    /// Words that decline an offer or a question.
    pub no: [&'static [&'static str]; 2],
    /// Whether the result stays on the screen for a few seconds.
    pub linger: bool,
    /// The game's own menu; empty where the general one does.
    pub menu: &'static [MenuEntry],
}

impl Keywords {
    /// What most games do: `q` asks and resigns, `y` and `n` answer.
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

/// A game as front ends see it.
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
    /// The name that people know, such as `Kalah`.
    const TITLE: &'static str;
    /// One line that tells a newcomer what it is about.
    const BLURB: &'static str;
    /// `data/rules.md`: the rules for people, in the format of [`crate::rules_text`].
    const RULES_TEXT: &'static str;
    /// What the sides are called, first side first.
    const SEATS: [&'static str; 2];
    /// The colours of the sides, first side first.
    const COLOURS: [Colour; 2] = [Colour::Red, Colour::Blue];
    /// What people type in the console instead of a move.
    const KEYWORDS: Keywords = Keywords::USUAL;

    /// All cells, the same for every position.
    fn cells(&self) -> Vec<Cell>;
    /// The names of what one can touch, as people type them.
    fn targets(&self) -> Vec<String>;
    /// The tokens on the cells; empty cells have none.
    fn marks(&self, pos: &Self::Position) -> Vec<Mark>;
    /// The targets one touches to make a legal move.
    fn path(&self, pos: &Self::Position, mv: Self::Move) -> Vec<Target>;
    /// The cells that changed by a move, for pointing it out: those of its path unless the game knows better.
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
    /// What both would have if endless play were stopped here.
    fn settled_scores(&self, _pos: &Self::Position) -> Option<[u16; 2]> {
        None
    }
    /// What happens to the board when endless play is stopped here, in order.
    fn settlement(&self, _pos: &Self::Position, _names: [&str; 2]) -> Vec<BoardEvent> {
        Vec::new()
    }
    /// Why the side to move cannot claim that play is endless, where it cannot.
    fn why_no_claim(&self, _pos: &Self::Position) -> String {
        "repetition cannot be claimed in this game".to_string()
    }
    /// The prompt for the side to move.
    fn prompt(&self, side: Side) -> String;
    /// What a move looks like, for a person who asks for help. An example must be one that this side can play.
    fn move_help(&self, side: Side) -> String;
    /// The end of a game that was played out, as a sentence.
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

/// The text with a capital first letter, as a sentence begins.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
