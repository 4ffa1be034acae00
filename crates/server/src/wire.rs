//! The JSON values of the API. [`GameState`] is the full state of a game, so a client that misses one recovers with
//! the next.

use parlor_core::{Board, Cause, Ending, Glyph, Mark, Piece, Side, Step, Token};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A side of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SideWord {
    /// The side that moves first.
    First,
    /// The side that moves second.
    Second,
}

impl From<Side> for SideWord {
    fn from(side: Side) -> SideWord {
        match side {
            Side::First => SideWord::First,
            Side::Second => SideWord::Second,
        }
    }
}

impl From<SideWord> for Side {
    fn from(word: SideWord) -> Side {
        match word {
            SideWord::First => Side::First,
            SideWord::Second => Side::Second,
        }
    }
}

/// The kind of player of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SeatKind {
    /// An open seat, for the player who has the invitation.
    Open,
    /// A person, on a page or with an API client.
    Person,
    /// A program that plays over the network.
    Bot,
    /// An engine that the server provides.
    Player,
    /// A program that this server runs.
    House,
}

impl SeatKind {
    /// All kinds with their words in the database.
    pub const ALL: [(SeatKind, &'static str); 5] = [
        (SeatKind::Open, "open"),
        (SeatKind::Person, "person"),
        (SeatKind::Bot, "bot"),
        (SeatKind::Player, "player"),
        (SeatKind::House, "house"),
    ];

    /// The word in the database.
    pub fn word(self) -> &'static str {
        SeatKind::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, word)| word)
    }

    pub fn parse(text: &str) -> Option<SeatKind> {
        SeatKind::ALL.into_iter().find(|(_, word)| *word == text).map(|(kind, _)| kind)
    }

    /// Whether this server computes its moves.
    pub fn is_ours(self) -> bool {
        matches!(self, SeatKind::Player | SeatKind::House)
    }
}

/// The public state of a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SeatState {
    /// The name of the side in this game, such as `South`.
    pub label: String,
    /// The display name of the player; the name of the side if the player has none.
    pub name: String,
    /// The kind of player who has the seat.
    pub kind: SeatKind,
    /// The player's spec, if it is an engine of the catalogue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
}

/// The content of a cell: one of three kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TokenState {
    /// A number of seeds, beans or other counters.
    Count(u16),
    /// A piece of a side.
    Piece(SideWord),
    /// The cell is blocked for the rest of the game (always true).
    Blocked(bool),
}

/// A cell with its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct MarkState {
    /// The cell's number in the game's list of cells.
    pub cell: u16,
    /// What the cell contains.
    #[serde(flatten)]
    pub token: TokenState,
    /// How a piece is drawn: stone, disc, crown, arrow or letter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub glyph: Option<&'static str>,
    /// The letter of a piece that is drawn as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub letter: Option<char>,
}

impl From<Mark> for MarkState {
    fn from(mark: Mark) -> MarkState {
        let (token, glyph) = match mark.token {
            Token::Count(count) => (TokenState::Count(count), None),
            Token::Piece(Piece { side, glyph }) => (TokenState::Piece(side.into()), Some(glyph)),
            Token::Blocked => (TokenState::Blocked(true), None),
        };
        let letter =
            glyph.and_then(|glyph| if let Glyph::Letter(letter) = glyph { Some(letter) } else { None });
        MarkState { cell: mark.cell, token, glyph: glyph.map(Glyph::word), letter }
    }
}

/// A step of a move: counters or a piece leave one cell and arrive at another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct StepState {
    /// The cell that they leave; absent if they enter the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u16>,
    /// The cell where they arrive; absent if they leave the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<u16>,
    /// Number of counters; 1 for a piece.
    pub count: u16,
}

impl From<Step> for StepState {
    fn from(step: Step) -> StepState {
        StepState { from: step.from, to: step.to, count: step.count }
    }
}

fn is_zero(number: &i64) -> bool {
    *number == 0
}

/// The clocks of both sides, with the settings of the time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ClockState {
    /// Milliseconds that each side had left at the time `at`: with byo-yomi the time before the periods, with a
    /// time per move the time for the current move.
    pub left: [i64; 2],
    /// Milliseconds that each side gets for a move.
    pub increment: i64,
    /// Milliseconds of each turn that pass before its clock runs.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay: i64,
    /// Length of a byo-yomi period in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<i64>,
    /// Number of byo-yomi periods that each side had left at the time `at`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub periods: Option<[u32; 2]>,
    /// The side whose clock has run since `at`; null while an engine waits for a free thread.
    pub running: Option<SideWord>,
    /// The time to which the other values refer, in milliseconds since 1970.
    pub at: i64,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct EndState {
    /// The cause: normal, cycle, resigned, agreed, timeout, illegal, crash, adjudicated or abandoned.
    pub cause: String,
    /// The winner; null for a draw.
    pub winner: Option<SideWord>,
    /// The margin of the win, if the game has one.
    pub by: Option<u16>,
    /// A sentence that describes the end for people.
    pub sentence: String,
}

impl EndState {
    pub fn new(ending: Ending, sentence: String) -> EndState {
        let outcome = ending.outcome;
        EndState {
            cause: ending.cause.to_string(),
            winner: outcome.and_then(|outcome| outcome.winner).map(SideWord::from),
            by: outcome.and_then(|outcome| outcome.by),
            sentence,
        }
    }

    /// Whether the game ended on the board, by the rules or by a cycle.
    pub fn is_played_out(&self) -> bool {
        [Cause::Normal, Cause::Cycle].iter().any(|cause| cause.to_string() == self.cause)
    }
}

/// Describes the end of a live game or of a tournament game.
pub fn end_sentence(board: &dyn Board, names: [&str; 2], ending: Ending) -> String {
    if let Some(sentence) = board.verdict(names) {
        return sentence;
    }
    let Some(winner) = ending.outcome.and_then(|outcome| outcome.winner) else {
        return match ending.cause {
            Cause::Abandoned => "The game was abandoned.".to_string(),
            _ => "The game is a draw.".to_string(),
        };
    };
    let (winner, loser) = (names[winner.index()], names[winner.other().index()]);
    match ending.cause {
        Cause::Resigned => format!("{loser} {}s: {winner} wins.", board.info().keywords.give_up[0]),
        Cause::Timeout => format!("{loser} ran out of time: {winner} wins."),
        Cause::Illegal => format!("{loser} made an illegal move: {winner} wins."),
        Cause::Crash => format!("{loser} crashed: {winner} wins."),
        Cause::Adjudicated => format!("Adjudicated: {winner} wins."),
        _ => format!("{winner} wins."),
    }
}

/// The kinds of offers to the other player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OfferKind {
    /// The offer to take back a move.
    Takeback,
    /// The claim that the game ends by repetition.
    Cycle,
}

/// An offer that waits for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OfferState {
    /// What is offered to the other player.
    pub kind: OfferKind,
    /// The side that made the offer.
    pub by: SideWord,
}

/// The state of a game at one moment.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct GameState {
    /// The id of the game, as in URLs.
    pub id: String,
    /// The game's spec, such as `kalah:6,4`.
    pub game: String,
    /// Display name of the game.
    pub title: String,
    /// Sequence number of the last event; it only grows.
    pub seq: i64,
    /// Number of moves on the board.
    pub ply: usize,
    /// The side to move; null after the end.
    pub turn: Option<SideWord>,
    /// Both seats, first side first.
    pub seats: [SeatState; 2],
    /// The start position, if it was not the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The position on the board, in the game's notation.
    pub position: String,
    /// The moves, in the game's notation.
    pub moves: Vec<String>,
    /// The side that played each move: the same side may move several times in a row.
    pub movers: Vec<SideWord>,
    /// The contents of the cells.
    pub marks: Vec<MarkState>,
    /// The cells of the last move, or of a winning line.
    pub last: Vec<u16>,
    /// Whether `last` is a winning line.
    pub won: bool,
    /// The effects of the last move on the marks, in order: sowing seed by seed, a drop, a slide, captures,
    /// the sweep at the end. Applied to the marks before that move, the steps give `marks`.
    pub steps: Vec<StepState>,
    /// The events of the last move, as sentences.
    pub said: Vec<String>,
    /// Scores of both sides, in games that have them.
    pub scores: Option<[u16; 2]>,
    /// The clocks, in games that have them.
    pub clocks: Option<ClockState>,
    /// An offer that waits for an answer.
    pub offer: Option<OfferState>,
    /// Whether the side to move may claim repetition.
    pub claimable: bool,
    /// Whether the position has occurred three times or more, so that clients may suggest a claim.
    pub repetition: bool,
    /// Place in the queue of the engine to move, 1 for the next; absent unless it waits for a free processor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<usize>,
    /// The ending, if the game is over.
    pub ending: Option<EndState>,
}

/// The paths of all legal moves as a prefix tree of targets, which stays small for thousands of moves. The last
/// level is a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(no_recursion)]
pub enum Tree {
    /// These targets complete a move.
    Ends(Vec<u16>),
    /// These targets continue a path.
    Steps(BTreeMap<u16, Tree>),
}

impl Tree {
    /// Builds the tree. All paths of a position have the same length, so none is a prefix of another.
    pub fn of(paths: &[Vec<u16>]) -> Tree {
        if paths.iter().all(|path| path.len() <= 1) {
            return Tree::Ends(paths.iter().filter_map(|path| path.first().copied()).collect());
        }
        let mut steps: BTreeMap<u16, Vec<Vec<u16>>> = BTreeMap::new();
        for path in paths {
            if let Some((first, rest)) = path.split_first() {
                steps.entry(*first).or_default().push(rest.to_vec());
            }
        }
        Tree::Steps(steps.into_iter().map(|(target, rest)| (target, Tree::of(&rest))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_with_a_common_prefix_share_a_branch() {
        let one = Tree::of(&[vec![3], vec![5]]);
        assert_eq!(serde_json::to_string(&one).expect("json"), "[3,5]");
        let two = Tree::of(&[vec![1, 2, 3], vec![1, 2, 4], vec![1, 5, 3]]);
        assert_eq!(serde_json::to_string(&two).expect("json"), r#"{"1":{"2":[3,4],"5":[3]}}"#);
        assert_eq!(Tree::of(&[]), Tree::Ends(Vec::new()));
    }

    #[test]
    fn the_largest_usual_tree_stays_small() {
        let board = parlor_catalog::game("amazons").expect("a game").board();
        let json = serde_json::to_string(&Tree::of(&board.paths())).expect("json");
        assert!(json.len() < 12_000, "{}", json.len());
    }

    #[test]
    fn marks_have_their_content_and_glyph() {
        let json = |token| serde_json::to_string(&MarkState::from(Mark { cell: 3, token })).expect("json");
        let piece = |glyph| json(Token::Piece(Piece { side: Side::Second, glyph }));
        assert_eq!(piece(Glyph::Disc), r#"{"cell":3,"piece":"second","glyph":"disc"}"#);
        assert_eq!(piece(Glyph::Letter('K')), r#"{"cell":3,"piece":"second","glyph":"letter","letter":"K"}"#);
        assert_eq!(json(Token::Count(4)), r#"{"cell":3,"count":4}"#);
    }
}
