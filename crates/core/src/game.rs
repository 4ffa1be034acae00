//! The rules of a game, as everything fast sees them: types and no strings. With the two sides, and `perft`, which counts move
//! sequences: the quickest way to see that rules are right, and how fast they are.

use crate::{BadParams, Bounds, Margin, Parameter, write_spec};
use std::{
    fmt::{self, Debug},
    hash::Hash,
};

/// One of the two sides of a game. Which of them is called South, Red or White is said by the game's view. [`Side::First`] makes the first move of a game from its usual start.
///
/// # Examples
///
/// ```
/// use parlor_core::Side;
///
/// assert_eq!(Side::First.other(), Side::Second);
/// let scores = [25, 23];
/// assert_eq!(scores[Side::Second.index()], 23);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The side that moves first.
    First,
    /// The opponent of the first side.
    Second,
}

impl Side {
    /// Both sides, first side first.
    pub const BOTH: [Side; 2] = [Side::First, Side::Second];

    /// The opponent.
    #[inline]
    pub fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    /// 0 for the first side, 1 for the second: for arrays with a place for each.
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::First => "first",
            Side::Second => "second",
        })
    }
}

/// A set of rules with its parameters fixed, such as Kalah(6,4). The value is small and cheap to clone; equal values have equal
/// parameters.
///
/// Nothing here assumes that the sides alternate: whose turn it is, only [`Game::turn`] says.
///
/// # Examples
///
/// ```
/// use parlor_core::{Game, Side};
/// use parlor_games::kalah::{Hole, Kalah};
///
/// let game = Kalah::sized(6, 4)?;
/// let mut pos = game.start();
/// game.play(&mut pos, Hole(3));
/// assert_eq!(game.turn(&pos), Side::First, "the last bean fell into the own pot");
///
/// let mut moves = Vec::new();
/// game.moves(&pos, &mut moves);
/// assert_eq!(moves, [1, 2, 4, 5, 6].map(Hole));
/// assert_eq!(game.result(&pos), None, "the game goes on");
/// # Ok::<(), parlor_core::BadParams>(())
/// ```
pub trait Game: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// The name in a game spec, such as `kalah`.
    const NAME: &'static str;
    /// What a spec may set, numbers first, then variants.
    const PARAMETERS: &'static [Parameter];
    /// All margins of one game differ by multiples of this: null windows move by it. It is 2 where every game is won or lost by
    /// 1, and 1 where draws are possible too.
    const STEP: i16 = 1;
    /// What the parameters must keep beside their own ranges, in a few words; empty where there is nothing.
    const NOTE: &'static str = "";

    /// Where a game stands, side to move included. One type for all sizes.
    type Position: Clone + Eq + Hash + Debug + Send + Sync;
    /// What a side chooses in one turn.
    type Move: Copy + Eq + Hash + Debug + Send + Sync;

    /// The game with these parameter values (one for each of [`Game::PARAMETERS`], each already in its own range).
    fn new(values: &[u32]) -> Result<Self, BadParams>;
    /// The parameter values, as [`Game::new`] took them.
    fn values(&self) -> Vec<u32>;
    /// The canonical text of the game: it stands in records and table headers.
    fn spec(&self) -> String {
        write_spec(Self::NAME, Self::PARAMETERS, &self.values())
    }

    /// The standard start position.
    fn start(&self) -> Self::Position;
    /// Whose turn it is. In a finished game: whose it would be.
    fn turn(&self, pos: &Self::Position) -> Side;
    /// Appends the legal moves in listing order: none exactly when the game is over. The player `bad` plays the first of them.
    fn moves(&self, pos: &Self::Position, out: &mut Vec<Self::Move>);
    /// How many moves there are. Override where counting is quicker than listing.
    fn count(&self, pos: &Self::Position) -> u64 {
        let mut moves = Vec::new();
        self.moves(pos, &mut moves);
        moves.len() as u64
    }
    /// Some legal move by chance, none when the game is over: `draw(n)` is a number below `n`, `room` is only space to work
    /// in. All listed moves are equally likely unless a game overrides this to draw its moves step by step, which is
    /// quicker where a move has several parts; every legal move must remain possible.
    #[inline]
    fn pick(
        &self,
        pos: &Self::Position,
        draw: &mut impl FnMut(usize) -> usize,
        room: &mut Vec<Self::Move>,
    ) -> Option<Self::Move> {
        room.clear();
        self.moves(pos, room);
        if room.is_empty() { None } else { Some(room[draw(room.len())]) }
    }
    /// Makes a legal move. Searches copy a position and play on the copy; nothing is ever undone.
    fn play(&self, pos: &mut Self::Position, mv: Self::Move);
    /// The margin of a finished game, seen by [`Game::turn`]; none while it goes on.
    fn result(&self, pos: &Self::Position) -> Option<Margin>;

    /// No margin of this game is larger, from its start.
    fn largest_margin(&self) -> Margin;
    /// The part of the margin that is settled already (pots); the rest is what tables hold.
    fn banked(&self, _pos: &Self::Position) -> Margin {
        Margin(0)
    }
    /// A key of the position without its banked part, seen by the side to move: positions with equal keys should have equal
    /// values for the side to move. Where the sides differ in more than colour, for example by the direction in which they
    /// move, turn the board round for the second side or mix the turn into the key.
    fn key(&self, pos: &Self::Position) -> u64;
    /// Whether the key is exact: no other position has it, apart from symmetric ones of the same value. A proof may rest on
    /// such keys alone.
    fn exact_key(&self, _pos: &Self::Position) -> bool {
        false
    }
    /// What the rules prove of the margin at once.
    fn bounds(&self, pos: &Self::Position) -> Bounds;
    /// What endless play pays if it is stopped here, seen by the side to move; none in a game whose positions never return.
    /// The rules themselves never end a game by it: a referee does. A position never returns once what is banked has changed.
    fn repetition_payoff(&self, _pos: &Self::Position) -> Option<Margin> {
        None
    }
    /// No position returns in fewer moves than this. The larger it is, the more of a search is known to be free of cycles.
    /// A game in which no position returns leaves the default.
    fn shortest_cycle(&self) -> u32 {
        1
    }
    /// The same game as solvers and tables value it: where the rules stop a decided game early, it is played to the end, so
    /// that the rest of a game no longer depends on what is banked. The winner is the same; so is the spec.
    fn scoring_variant(&self) -> Self {
        self.clone()
    }
    /// Whether the side to move may claim that play is endless here.
    fn may_claim_repetition(&self, _pos: &Self::Position) -> bool {
        false
    }
}

/// How many sequences of exactly `depth` moves lead on from the position. Finished games add nothing deeper; repetition is
/// ignored. The last ply is counted, not played.
///
/// # Examples
///
/// ```
/// use parlor_core::{Game, perft};
/// use parlor_games::connect::Connect;
///
/// let game = Connect::new(&[7, 6, 4])?;
/// assert_eq!(perft(&game, &game.start(), 3), 343);
/// // 7 to the 7th power, less the 7 sequences of one column: it has 6 levels.
/// assert_eq!(perft(&game, &game.start(), 7), 823_536);
/// # Ok::<(), parlor_core::BadParams>(())
/// ```
pub fn perft<G: Game>(game: &G, pos: &G::Position, depth: u32) -> u64 {
    perft_until(game, pos, depth, &|| false).unwrap_or(0)
}

/// Counts like [`perft`], but gives up (none) as soon as `stop` says so; it is asked at every position that is not counted in bulk.
pub fn perft_until<G: Game>(game: &G, pos: &G::Position, depth: u32, stop: &dyn Fn() -> bool) -> Option<u64> {
    match depth {
        0 => return Some(1),
        1 => return Some(game.count(pos)),
        _ if stop() => return None,
        _ => {}
    }
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let mut sum = 0;
    for mv in moves {
        let mut next = pos.clone();
        game.play(&mut next, mv);
        sum += perft_until(game, &next, depth - 1, stop)?;
    }
    Some(sum)
}
