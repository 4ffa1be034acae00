//! The rules of a game as types and numbers, without text: the trait [`Game`], the two sides, and `perft`, which counts move
//! sequences to test the rules and their speed.

use crate::{BadParams, Bounds, Margin, Parameter, write_spec};
use std::{
    fmt::{self, Debug},
    hash::Hash,
};

/// One of the two sides of a game. The game's view names them (South, Red, White). [`Side::First`] makes the first move of a
/// game from its usual start.
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

    /// 0 for the first side, 1 for the second; an index for arrays with one entry per side.
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
/// Sides need not alternate: only [`Game::turn`] says which side moves.
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
    /// The parameters of a spec, numbers first, then variants.
    const PARAMETERS: &'static [Parameter];
    /// All margins of one game differ by multiples of this: null windows move by it. It is 2 where every game is won or lost by
    /// 1, and 1 where draws are possible too.
    const STEP: i16 = 1;
    /// A short text about restrictions on the parameters beyond their ranges; empty if there are none.
    const NOTE: &'static str = "";

    /// A position, including the side to move. One type serves all sizes.
    type Position: Clone + Eq + Hash + Debug + Send + Sync;
    /// A complete move of one side.
    type Move: Copy + Eq + Hash + Debug + Send + Sync;

    /// The game with these parameter values (one for each of [`Game::PARAMETERS`], each already in its own range).
    fn new(values: &[u32]) -> Result<Self, BadParams>;
    /// The parameter values, as passed to [`Game::new`].
    fn values(&self) -> Vec<u32>;
    /// The canonical spec of the game, as used in records and table headers.
    fn spec(&self) -> String {
        write_spec(Self::NAME, Self::PARAMETERS, &self.values())
    }

    /// The standard start position.
    fn start(&self) -> Self::Position;
    /// The side to move; in a finished game, the side that would be next.
    fn turn(&self, pos: &Self::Position) -> Side;
    /// Appends the legal moves in listing order: none exactly when the game is over. The player `bad` plays the first of them.
    fn moves(&self, pos: &Self::Position, out: &mut Vec<Self::Move>);
    /// The number of legal moves. Override it where counting is faster than listing.
    fn count(&self, pos: &Self::Position) -> u64 {
        let mut moves = Vec::new();
        self.moves(pos, &mut moves);
        moves.len() as u64
    }
    /// Chooses a random legal move; `None` when the game is over. `draw(n)` returns a number below `n`; `room` is a reusable
    /// buffer. All listed moves are equally likely unless a game overrides this to draw its moves part by part, which is faster
    /// for moves with several parts; every legal move must remain possible.
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
    /// Makes a legal move. Searches copy a position and play on the copy; moves are never undone.
    fn play(&self, pos: &mut Self::Position, mv: Self::Move);
    /// The margin of a finished game, seen by [`Game::turn`]; `None` while the game is in progress.
    fn result(&self, pos: &Self::Position) -> Option<Margin>;

    /// The largest margin that is possible from the start position.
    fn largest_margin(&self) -> Margin;
    /// The part of the margin that is already decided (seeds in the pots). Tables contain the rest.
    fn banked(&self, _pos: &Self::Position) -> Margin {
        Margin(0)
    }
    /// A key of the position without its banked part, seen by the side to move: positions with equal keys should have equal
    /// values for the side to move. Where the sides differ in more than colour, for example by the direction in which they
    /// move, rotate the board for the second side or mix the turn into the key.
    fn key(&self, pos: &Self::Position) -> u64;
    /// Whether the key is exact: no other position has it, except symmetric ones of the same value. A proof may rely on exact
    /// keys alone.
    fn exact_key(&self, _pos: &Self::Position) -> bool {
        false
    }
    /// Bounds of the margin that follow from the rules without a search.
    fn bounds(&self, pos: &Self::Position) -> Bounds;
    /// The payoff if a repetition is stopped here, seen by the side to move; `None` in games whose positions never repeat. The
    /// rules never end a game by it: a referee does. A position never repeats after the banked part has changed.
    fn repetition_payoff(&self, _pos: &Self::Position) -> Option<Margin> {
        None
    }
    /// A lower bound on the number of moves in a cycle. The larger it is, the more of a search is known to be free of cycles.
    /// Games without repetition use the default.
    fn shortest_cycle(&self) -> u32 {
        1
    }
    /// The variant of the game that solvers and tables evaluate. If the rules stop a decided game early, this variant plays it
    /// to the end, so that the rest of a game does not depend on what is banked. The winner and the spec are the same.
    fn scoring_variant(&self) -> Self {
        self.clone()
    }
    /// Whether the side to move may claim repetition.
    fn may_claim_repetition(&self, _pos: &Self::Position) -> bool {
        false
    }
}

/// The number of sequences of exactly `depth` moves from the position. Finished games add nothing deeper; repetition is
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

/// Like [`perft`], but returns `None` as soon as `stop` returns true. It is called in every position that is not counted in
/// bulk.
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
