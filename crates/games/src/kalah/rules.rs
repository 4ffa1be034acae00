//! The rules of the game on top of the board: extra turns, captures, the end.

use super::{
    MAX_HOLES,
    board::{Board, Landing},
};
use parlor_play::{BadParams, Bounds, Fallback, Game, Margin, Parameter, Side, mix};

/// Kalah with its size and capture rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kalah {
    holes: u8,
    beans: u8,
    /// Whether a last bean in an own empty hole captures even if there is nothing opposite.
    captures_into_empty: bool,
}

/// A board and whose turn it is. A finished game is swept: then no hole has beans.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// Holes and pots.
    pub board: Board,
    /// South is first.
    pub turn: Side,
}

impl Position {
    /// A position, swept if it is over.
    pub fn new(board: Board, turn: Side) -> Position {
        let mut pos = Position { board, turn };
        if pos.is_over() {
            pos.board.sweep(Side::First);
            pos.board.sweep(Side::Second);
        }
        pos
    }

    /// Whether a side has run out of beans.
    #[inline]
    pub fn is_over(&self) -> bool {
        let empty = |side| self.board.sowing_order(side).iter().all(|&beans| beans == 0);
        empty(Side::First) || empty(Side::Second)
    }
}

/// A move: the number of an own hole, 1..m.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Hole(pub u8);

impl Kalah {
    /// The usual rules with `holes` a side and `beans` in each; refused where the sizes are not supported.
    ///
    /// ```
    /// use parlor_games::kalah::Kalah;
    /// use parlor_play::Game;
    ///
    /// let game = Kalah::sized(6, 4).unwrap();
    /// assert_eq!(game.count(&game.start()), 6);
    /// ```
    pub fn sized(holes: u32, beans: u32) -> Result<Kalah, BadParams> {
        let values = parlor_play::parse_values(Self::NAME, Self::PARAMETERS, &format!("{holes},{beans}"))?;
        Kalah::new(&values)
    }

    /// Makes a move up to where the last bean falls and captures, not yet swept; tells where it fell and what was taken.
    pub(super) fn sow_and_capture(&self, board: &mut Board, side: Side, hole: Hole) -> (Landing, u16) {
        let landing = board.sow_known(side, hole.0);
        match landing {
            Landing::OwnEmptyHole { index, opposite } if opposite > 0 || self.captures_into_empty => {
                board.capture(side, index);
                (landing, opposite + 1)
            }
            _ => (landing, 0),
        }
    }
}

impl Game for Kalah {
    const NAME: &'static str = "kalah";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::number("holes", 1, MAX_HOLES as u32, Fallback::Value(6)),
        Parameter::number("beans", 0, 255, Fallback::Value(4)),
        Parameter::choice("capture", &["opposite", "empty"]),
    ];
    /// The total is fixed, so that one bean more for one side is one less for the other.
    const STEP: i16 = 2;

    type Position = Position;
    type Move = Hole;

    fn new(values: &[u32]) -> Result<Self, BadParams> {
        let &[holes, beans, capture] = values else {
            return Err(BadParams::new("kalah takes holes, beans and capture"));
        };
        Ok(Kalah { holes: holes as u8, beans: beans as u8, captures_into_empty: capture == 1 })
    }

    fn values(&self) -> Vec<u32> {
        vec![self.holes.into(), self.beans.into(), self.captures_into_empty.into()]
    }

    fn start(&self) -> Position {
        Position { board: Board::new(self.holes.into(), self.beans.into()), turn: Side::First }
    }

    #[inline]
    fn turn(&self, pos: &Position) -> Side {
        pos.turn
    }

    #[inline]
    fn moves(&self, pos: &Position, out: &mut Vec<Hole>) {
        if pos.is_over() {
            return;
        }
        let row = pos.board.sowing_order(pos.turn);
        let holes = row.len();
        // North's holes lie in the ring from m down to 1; moves are listed from 1 up.
        match pos.turn {
            Side::First => out.extend((0..holes).filter(|&i| row[i] > 0).map(|i| Hole(i as u8 + 1))),
            Side::Second => {
                out.extend((0..holes).rev().filter(|&i| row[i] > 0).map(|i| Hole((holes - i) as u8)));
            }
        }
    }

    fn count(&self, pos: &Position) -> u64 {
        if pos.is_over() {
            return 0;
        }
        pos.board.sowing_order(pos.turn).iter().filter(|&&beans| beans > 0).count() as u64
    }

    #[inline]
    fn play(&self, pos: &mut Position, mv: Hole) {
        let side = pos.turn;
        let (landing, _) = self.sow_and_capture(&mut pos.board, side, mv);
        if landing != Landing::OwnPot {
            pos.turn = side.other();
        }
        if pos.is_over() {
            pos.board.sweep(Side::First);
            pos.board.sweep(Side::Second);
        }
    }

    #[inline]
    fn result(&self, pos: &Position) -> Option<Margin> {
        pos.is_over().then(|| self.banked(pos))
    }

    fn largest_margin(&self) -> Margin {
        Margin(2 * i16::from(self.holes) * i16::from(self.beans))
    }

    fn banked(&self, pos: &Position) -> Margin {
        Margin(pos.board.pot(pos.turn) as i16 - pos.board.pot(pos.turn.other()) as i16)
    }

    /// Both rows in sowing order, the mover's first, each hole in as many bits as fit: with 6 holes a side five bits for
    /// each of 12 holes, exact up to 31 beans a hole. A key that does not fit is a hash and has the top bit set.
    ///
    /// ```text
    ///   63  62..60  59        …         30 29         …          0
    ///   [h] unused  [ opponent's row, 6x5 ] [ mover's row, 6x5   ]
    /// ```
    fn key(&self, pos: &Position) -> u64 {
        let rows = [pos.turn, pos.turn.other()].map(|side| pos.board.sowing_order(side));
        if self.exact_key(pos) {
            let bits = self.key_bits();
            rows.into_iter().flatten().rev().fold(0, |key, &beans| (key << bits) | u64::from(beans))
        } else {
            mix(rows.into_iter().flatten().map(|&beans| u64::from(beans))) | 1 << 63
        }
    }

    fn exact_key(&self, pos: &Position) -> bool {
        let bits = self.key_bits();
        Side::BOTH
            .into_iter()
            .all(|side| pos.board.sowing_order(side).iter().all(|&b| u32::from(b) >> bits == 0))
    }

    fn bounds(&self, pos: &Position) -> Bounds {
        let Margin(banked) = self.banked(pos);
        let left = Side::BOTH.into_iter().map(|side| pos.board.beans_in_play(side) as i16).sum::<i16>();
        Bounds { lo: Margin(banked - left), hi: Margin(banked + left) }
    }
}

impl Kalah {
    fn key_bits(&self) -> u32 {
        (63 / (2 * u32::from(self.holes))).min(16)
    }
}
