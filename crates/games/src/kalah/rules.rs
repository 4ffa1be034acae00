//! The rules of the game on top of the board: extra turns, captures, the end.

use super::{
    MAX_HOLES,
    board::Board,
    lanes::Landing,
    swift::{COUNT, NTH, Swift},
};
use parlor_core::{BadParams, Bounds, Fallback, Game, Margin, Parameter, Side, mix};

/// Kalah with its size and capture rule.
#[derive(Clone, Debug)]
pub struct Kalah {
    holes: u8,
    beans: u8,
    pub(super) swift: &'static Swift,
    /// Whether a last bean in an own empty hole captures even if there is nothing opposite.
    captures_into_empty: bool,
}

/// A board and whose turn it is. A finished game is swept: then no hole has beans.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    pub(super) board: Board,
    pub(super) turn: Side,
}

impl Position {
    /// A position, swept if it is over.
    pub fn new(board: Board, turn: Side) -> Position {
        let mut pos = Position { board, turn };
        pos.sweep_if_over();
        pos
    }

    /// Holes and pots.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The lanes of the side to move and of the other, on a narrow board.
    pub fn lanes(&self) -> Option<(u64, u64)> {
        let row = |side| self.board.narrow_row(side);
        self.board.narrow.then(|| (row(self.turn), row(self.turn.other())))
    }

    /// Whose turn it is: South is first.
    pub fn turn(&self) -> Side {
        self.turn
    }

    /// Whether the game is over. A position is swept as soon as one side has run out, so that the row of the side to move
    /// tells it.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.board.is_empty(self.turn)
    }

    #[inline]
    fn sweep_if_over(&mut self) {
        if self.board.is_empty(Side::First) || self.board.is_empty(Side::Second) {
            self.board.sweep(Side::First);
            self.board.sweep(Side::Second);
        }
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
    /// use parlor_core::Game;
    ///
    /// let game = Kalah::sized(6, 4).unwrap();
    /// assert_eq!(game.count(&game.start()), 6);
    /// ```
    pub fn sized(holes: u32, beans: u32) -> Result<Kalah, BadParams> {
        let values = parlor_core::parse_values(Self::NAME, Self::PARAMETERS, &format!("{holes},{beans}"))?;
        Kalah::new(&values)
    }

    /// Holes a side.
    pub fn holes(&self) -> usize {
        self.holes.into()
    }

    /// Whether a last bean in an own empty hole goes to the pot even if there is nothing opposite.
    pub fn captures_into_empty(&self) -> bool {
        self.captures_into_empty
    }

    /// The same game with another number of beans in each hole at the start.
    #[must_use]
    pub fn with_beans(&self, beans: u8) -> Kalah {
        Kalah { beans, ..self.clone() }
    }

    /// Makes a move up to where the last bean falls and captures, not yet swept; tells where it fell and what was taken.
    #[inline]
    pub(super) fn sow_and_capture(&self, board: &mut Board, side: Side, hole: Hole) -> (Landing, u16) {
        let hole = usize::from(hole.0);
        let lane = if side == Side::First { hole - 1 } else { board.holes() - hole };
        let landing = board.sow_lane(side, lane, self.swift);
        match landing {
            Landing::OwnEmptyHole { lane, opposite } if opposite > 0 || self.captures_into_empty => {
                board.capture(side, lane);
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
        let swift = Swift::of(holes as usize);
        Ok(Kalah { holes: holes as u8, beans: beans as u8, swift, captures_into_empty: capture == 1 })
    }

    fn values(&self) -> Vec<u32> {
        vec![self.holes.into(), self.beans.into(), self.captures_into_empty.into()]
    }

    fn start(&self) -> Position {
        Position::new(Board::new(self.holes.into(), self.beans.into()), Side::First)
    }

    #[inline]
    fn turn(&self, pos: &Position) -> Side {
        pos.turn
    }

    #[inline]
    fn moves(&self, pos: &Position, out: &mut Vec<Hole>) {
        let holes = pos.board.holes();
        let filled = (0..holes).filter(|&lane| pos.board.lane(pos.turn, lane) > 0);
        // North's lanes run from hole m down to 1; moves are listed from 1 up.
        match pos.turn {
            Side::First => out.extend(filled.map(|lane| Hole(lane as u8 + 1))),
            Side::Second => out.extend(filled.rev().map(|lane| Hole((holes - lane) as u8))),
        }
    }

    fn count(&self, pos: &Position) -> u64 {
        pos.board.lanes(pos.turn).filter(|&beans| beans > 0).count() as u64
    }

    #[inline]
    fn pick(
        &self,
        pos: &Position,
        draw: &mut impl FnMut(usize) -> usize,
        room: &mut Vec<Hole>,
    ) -> Option<Hole> {
        let Some(filled) = pos.board.filled(pos.turn) else {
            room.clear();
            self.moves(pos, room);
            return if room.is_empty() { None } else { Some(room[draw(room.len())]) };
        };
        let lane = match COUNT[usize::from(filled)] {
            0 => return None,
            count => NTH[usize::from(filled)][draw(count.into()) % 8],
        };
        Some(Hole(if pos.turn == Side::First { lane + 1 } else { self.holes - lane }))
    }

    #[inline]
    fn play(&self, pos: &mut Position, mv: Hole) {
        let side = pos.turn;
        let (landing, _) = self.sow_and_capture(&mut pos.board, side, mv);
        pos.turn = if landing == Landing::OwnPot { side } else { side.other() };
        pos.sweep_if_over();
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
        let rows =
            [pos.turn, pos.turn.other()].into_iter().flat_map(|side| pos.board.lanes(side)).map(u64::from);
        if self.exact_key(pos) {
            let bits = self.key_bits();
            rows.rev().fold(0, |key, beans| (key << bits) | beans)
        } else {
            mix(rows) | 1 << 63
        }
    }

    fn exact_key(&self, pos: &Position) -> bool {
        let bits = self.key_bits();
        Side::BOTH.into_iter().all(|side| pos.board.lanes(side).all(|beans| u32::from(beans) >> bits == 0))
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
