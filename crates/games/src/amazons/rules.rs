//! The rules: the start, the turns, the end.

use super::{
    board::{LONGEST, Square, WIDTH, neighbours, squares, squares_of},
    rays::Blocked,
    runs::Runs,
};
use parlor_core::{BadParams, Bounds, Fallback, Game, Margin, Parameter, Side, mix};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amazons {
    columns: u8,
    rows: u8,
    squares: u128,
}

/// Queens, arrows, and whose turn it is; one bit a square, eleven a rank (see [`WIDTH`]).
///
/// # Examples
///
/// ```
/// use parlor_core::{Game, Margin, Notation};
/// use parlor_games::amazons::Amazons;
///
/// let game = Amazons::sized(4, 4)?;
/// let pos = game.parse_position("Q**q/**2/4/4 w")?;
/// assert_eq!(pos.arrows.count_ones(), 4);
/// assert_eq!(game.result(&pos), Some(Margin(-1)), "White cannot move");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// First side first.
    pub queens: [u128; 2],
    pub arrows: u128,
    /// White is first.
    pub turn: Side,
}

impl Position {
    #[inline]
    pub fn taken(&self) -> u128 {
        self.queens[0] | self.queens[1] | self.arrows
    }
}

/// A turn: a queen moves, then shoots from where it landed.
///
/// # Examples
///
/// ```
/// use parlor_core::{Game, Notation};
/// use parlor_games::amazons::{Amazons, Shot, Square};
///
/// let game = Amazons::sized(10, 10)?;
/// let shot = game.parse_move(&game.start(), "d1-d7/g7")?;
/// assert_eq!(Some(shot.to), Square::at(3, 6));
/// assert_eq!(game.write_move(shot), "d1-d7/g7");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shot {
    pub from: Square,
    pub to: Square,
    pub arrow: Square,
}

impl Amazons {
    /// The game on a board of this size, or an error if the size is not supported.
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_core::Game;
    /// use parlor_games::amazons::Amazons;
    ///
    /// let game = Amazons::sized(10, 10).unwrap();
    /// assert_eq!(game.count(&game.start()), 2176);
    /// ```
    pub fn sized(columns: u32, rows: u32) -> Result<Amazons, BadParams> {
        let values = parlor_core::parse_values(Self::NAME, Self::PARAMETERS, &format!("{columns},{rows}"))?;
        Amazons::new(&values)
    }

    #[inline]
    pub fn columns(&self) -> usize {
        usize::from(self.columns)
    }

    #[inline]
    pub fn rows(&self) -> usize {
        usize::from(self.rows)
    }

    #[inline]
    pub fn squares(&self) -> u128 {
        self.squares
    }

    #[inline]
    pub fn contains(&self, square: Square) -> bool {
        self.squares & square.bit() != 0
    }

    /// The vacant squares of the board.
    #[inline]
    pub fn empty(&self, pos: &Position) -> u128 {
        self.squares & !pos.taken()
    }

    /// How many full turns (queen and arrow) the side would have if it were to move.
    pub fn turns(&self, pos: &Position, side: Side) -> u64 {
        Runs::new(self.empty(pos)).turns(pos.queens[side.index()])
    }

    /// The number of turns of both sides, first side first: faster than two calls of [`Amazons::turns`].
    pub fn turns_of_both(&self, pos: &Position) -> [u64; 2] {
        let runs = Runs::new(self.empty(pos));
        pos.queens.map(|queens| runs.turns(queens))
    }

    /// Whether the side could not move if it were its turn. A queen that can move can shoot back to its origin, so one free
    /// square beside one queen is enough.
    #[inline]
    pub fn is_stuck(&self, pos: &Position, side: Side) -> bool {
        neighbours(pos.queens[side.index()]) & self.empty(pos) == 0
    }

    /// The turn with index `n` in listing order, without listing the others: with [`Game::count`] the fast way to choose one
    /// turn of many.
    pub fn nth(&self, pos: &Position, n: u64) -> Option<Shot> {
        let blocked = !self.empty(pos);
        let mut left = n;
        for from in squares_of(pos.queens[pos.turn.index()]) {
            let gone = Blocked::new(blocked ^ from.bit());
            for to in squares_of(gone.reach(from)) {
                let arrows = gone.reach(to);
                let count = u64::from(arrows.count_ones());
                if left < count {
                    let arrow = squares_of(arrows).nth(left as usize)?;
                    return Some(Shot { from, to, arrow });
                }
                left -= count;
            }
        }
        None
    }

    /// The distance of the queens from the corners on an edge of this length.
    fn distance(edge: u8) -> usize {
        match edge {
            ..=6 => 1,
            7 | 8 => 2,
            _ => 3,
        }
    }
}

impl Game for Amazons {
    const NAME: &'static str = "amazons";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::number("columns", 4, LONGEST as u32, Fallback::Value(10)),
        Parameter::number("rows", 4, LONGEST as u32, Fallback::AsBefore(10)),
    ];
    /// A game is won or lost; there are no draws.
    const STEP: i16 = 2;

    type Position = Position;
    type Move = Shot;

    fn new(values: &[u32]) -> Result<Self, BadParams> {
        match *values {
            [columns @ 4..=10, rows @ 4..=10] => Ok(Amazons {
                columns: columns as u8,
                rows: rows as u8,
                squares: squares(columns as usize, rows as usize),
            }),
            _ => Err(BadParams::new("amazons: expected columns and rows, 4 to 10 each")),
        }
    }

    fn values(&self) -> Vec<u32> {
        vec![self.columns.into(), self.rows.into()]
    }

    fn start(&self) -> Position {
        let (right, top) = (self.columns() - 1, self.rows() - 1);
        let (inwards, upwards) = (Self::distance(self.columns), Self::distance(self.rows));
        let places = [(inwards, 0), (right - inwards, 0), (0, upwards), (right, upwards)];
        let queens = |of: &dyn Fn(usize) -> usize| {
            places.iter().fold(0, |board, &(file, rank)| board | 1_u128 << (of(rank) * WIDTH + file))
        };
        Position { queens: [queens(&|rank| rank), queens(&|rank| top - rank)], arrows: 0, turn: Side::First }
    }

    #[inline]
    fn turn(&self, pos: &Position) -> Side {
        pos.turn
    }

    fn moves(&self, pos: &Position, out: &mut Vec<Shot>) {
        let blocked = !self.empty(pos);
        for from in squares_of(pos.queens[pos.turn.index()]) {
            // The queen has already left its square when it shoots, so its own bit does not block.
            let gone = Blocked::new(blocked ^ from.bit());
            for to in squares_of(gone.reach(from)) {
                let arrows = gone.reach(to);
                list(from, to, 0, arrows as u64, out);
                list(from, to, 64, (arrows >> 64) as u64, out);
            }
        }
    }

    fn count(&self, pos: &Position) -> u64 {
        self.turns(pos, pos.turn)
    }

    /// Chooses a queen that can move, then its target, then the arrow, each uniformly among its alternatives.
    #[inline]
    fn pick(&self, pos: &Position, draw: &mut impl FnMut(usize) -> usize, _: &mut Vec<Shot>) -> Option<Shot> {
        let empty = self.empty(pos);
        let movers = neighbours(empty) & pos.queens[pos.turn.index()];
        if movers == 0 {
            return None;
        }
        let from = drawn(movers, draw);
        let gone = Blocked::new(!empty ^ from.bit());
        let to = drawn(gone.reach(from), draw);
        let arrow = drawn(gone.reach(to), draw);
        Some(Shot { from, to, arrow })
    }

    #[inline]
    fn play(&self, pos: &mut Position, mv: Shot) {
        pos.queens[pos.turn.index()] ^= mv.from.bit() | mv.to.bit();
        pos.arrows |= mv.arrow.bit();
        pos.turn = pos.turn.other();
    }

    #[inline]
    fn result(&self, pos: &Position) -> Option<Margin> {
        self.is_stuck(pos, pos.turn).then_some(Margin(-1))
    }

    fn largest_margin(&self) -> Margin {
        Margin(1)
    }

    /// A hash of the mover's queens, the other queens and the arrows.
    #[inline]
    fn key(&self, pos: &Position) -> u64 {
        let (own, others) = (pos.queens[pos.turn.index()], pos.queens[pos.turn.other().index()]);
        let [a, b, c] = [own, others, pos.arrows].map(|board| [board as u64, (board >> 64) as u64]);
        mix([a[0], a[1], b[0], b[1], c[0], c[1]])
    }

    fn bounds(&self, pos: &Position) -> Bounds {
        match self.result(pos) {
            Some(margin) => Bounds::exactly(margin),
            None => Bounds { lo: Margin(-1), hi: Margin(1) },
        }
    }
}

/// A random square of a nonempty set.
#[inline]
fn drawn(squares: u128, draw: &mut impl FnMut(usize) -> usize) -> Square {
    let (low, high) = (squares as u64, (squares >> 64) as u64);
    let (in_low, in_high) = (low.count_ones(), high.count_ones());
    let n = draw((in_low + in_high) as usize) as u32;
    if n < in_low { Square::of_bit(nth_bit(low, n)) } else { Square::of_bit(64 + nth_bit(high, n - in_low)) }
}

/// The index of the set bit that has `n` set bits below it.
#[inline]
fn nth_bit(mut bits: u64, n: u32) -> u32 {
    for _ in 0..n {
        bits &= bits.wrapping_sub(1);
    }
    bits.trailing_zeros()
}

/// Lists the arrows of one half of the board. The length is known beforehand, so that the list grows once.
#[inline]
fn list(from: Square, to: Square, offset: u32, mut arrows: u64, out: &mut Vec<Shot>) {
    out.extend((0..arrows.count_ones()).map(|_| {
        let arrow = Square::of_bit(offset + arrows.trailing_zeros());
        arrows &= arrows.wrapping_sub(1);
        Shot { from, to, arrow }
    }));
}
