//! The rules: legal moves, wins and draws. Squares are numbered row by row from the bottom left, a1 first:
//!
//! ```text
//!   2   3  4  5
//!   1   0  1  2
//!       a  b  c
//! ```

use parlor_core::{BadParams, Bounds, Fallback, Game, Margin, Parameter, Side, mix};

/// Most columns, and most rows, of a board.
const LONGEST: u32 = 19;
/// Number of 64-bit words for the squares of a 19 x 19 board.
const WORDS: usize = 6;
/// Most squares for which the marks of both sides fit into one word, which is then an exact key.
const EXACT: usize = 32;
/// The directions of a row: right, up and both diagonals.
pub(super) const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mnk {
    pub(super) columns: usize,
    pub(super) rows: usize,
    pub(super) k: usize,
}

/// A square, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Square(pub u16);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    marks: [[u64; WORDS]; 2],
    plies: u16,
    /// Whether the side that moved last has k in a row.
    won: bool,
}

impl Position {
    /// The side whose mark is on a square.
    pub fn mark(&self, square: Square) -> Option<Side> {
        let (word, bit) = (usize::from(square.0) / 64, square.0 % 64);
        Side::BOTH.into_iter().find(|side| self.marks[side.index()][word] >> bit & 1 == 1)
    }

    pub(super) fn place(&mut self, side: Side, square: Square) {
        self.marks[side.index()][usize::from(square.0) / 64] |= 1 << (square.0 % 64);
        self.plies += 1;
    }
}

impl Mnk {
    pub(super) fn squares(&self) -> impl DoubleEndedIterator<Item = Square> + use<> {
        (0..(self.columns * self.rows) as u16).map(Square)
    }

    /// The column and the row of a square, from 0.
    pub(super) fn place_of(&self, square: Square) -> (i32, i32) {
        let number = usize::from(square.0);
        ((number % self.columns) as i32, (number / self.columns) as i32)
    }

    /// The square with this column and row; `None` off the board.
    pub(super) fn square_at(&self, column: i32, row: i32) -> Option<Square> {
        let inside = (0..self.columns as i32).contains(&column) && (0..self.rows as i32).contains(&row);
        inside.then(|| Square((row as usize * self.columns + column as usize) as u16))
    }

    /// The unbroken line of marks of one side through a marked square in one direction, from end to end.
    pub(super) fn run(&self, pos: &Position, square: Square, (dx, dy): (i32, i32)) -> Vec<Square> {
        let (column, row) = self.place_of(square);
        let side = pos.mark(square);
        let own = |step: i32| {
            self.square_at(column + step * dx, row + step * dy).filter(|&there| pos.mark(there) == side)
        };
        let mut run: Vec<Square> = (1..).map_while(|step| own(-step)).collect();
        run.reverse();
        run.push(square);
        run.extend((1..).map_while(own));
        run
    }

    pub(super) fn has_row_through(&self, pos: &Position, square: Square) -> bool {
        DIRECTIONS.into_iter().any(|direction| self.run(pos, square, direction).len() >= self.k)
    }

    /// A position from its marks. `won` says whether the side that moved last has a row.
    pub(super) fn position(&self, marks: impl Iterator<Item = (Square, Side)>, won: bool) -> Position {
        let mut pos = Position { marks: [[0; WORDS]; 2], plies: 0, won };
        marks.for_each(|(square, side)| pos.place(side, square));
        pos
    }

    fn is_full(&self, pos: &Position) -> bool {
        usize::from(pos.plies) == self.columns * self.rows
    }

    /// Whether the board has space for `k` in a row.
    fn has_rows(&self) -> bool {
        self.k <= self.columns.max(self.rows)
    }
}

impl Game for Mnk {
    const NAME: &'static str = "mnk";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::number("m", 1, LONGEST, Fallback::Value(3)),
        Parameter::number("n", 1, LONGEST, Fallback::AsBefore(3)),
        Parameter::number("k", 1, LONGEST, Fallback::Value(3)),
    ];

    type Position = Position;
    type Move = Square;

    fn new(values: &[u32]) -> Result<Mnk, BadParams> {
        let &[columns, rows, k] = values else {
            return Err(BadParams::new("mnk takes m, n and k"));
        };
        Ok(Mnk { columns: columns as usize, rows: rows as usize, k: k as usize })
    }

    fn values(&self) -> Vec<u32> {
        [self.columns, self.rows, self.k].map(|value| value as u32).to_vec()
    }

    fn start(&self) -> Position {
        self.position([].into_iter(), false)
    }

    fn turn(&self, pos: &Position) -> Side {
        Side::BOTH[usize::from(pos.plies % 2)]
    }

    fn moves(&self, pos: &Position, out: &mut Vec<Square>) {
        if !pos.won {
            out.extend(self.squares().filter(|&square| pos.mark(square).is_none()));
        }
    }

    fn play(&self, pos: &mut Position, mv: Square) {
        pos.place(self.turn(pos), mv);
        pos.won = self.has_row_through(pos, mv);
    }

    fn result(&self, pos: &Position) -> Option<Margin> {
        if pos.won {
            // The side that moved last has won, so the side to move has lost.
            Some(Margin(-1))
        } else {
            self.is_full(pos).then_some(Margin(0))
        }
    }

    fn largest_margin(&self) -> Margin {
        Margin(i16::from(self.has_rows()))
    }

    fn key(&self, pos: &Position) -> u64 {
        let turn = self.turn(pos);
        let [own, other] = [turn, turn.other()].map(|side| pos.marks[side.index()]);
        if self.exact_key(pos) { own[0] | other[0] << EXACT } else { mix(own.into_iter().chain(other)) }
    }

    fn exact_key(&self, _pos: &Position) -> bool {
        self.columns * self.rows <= EXACT
    }

    fn bounds(&self, pos: &Position) -> Bounds {
        match self.result(pos) {
            Some(margin) => Bounds::exactly(margin),
            None => Bounds { lo: -self.largest_margin(), hi: self.largest_margin() },
        }
    }
}
