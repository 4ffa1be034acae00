//! The rules on top of the board: extra turns, captures, the end.

use super::{
    MAX_BEANS, MAX_HOLES,
    board::{BoardOf, MOST},
    lanes::Landing,
    sowing_table::{COUNT, NTH, SowingTable},
};
use parlor_core::{BadParams, Bounds, Fallback, Game, Margin, Parameter, Side, mix};

/// Kalah with its size and capture rule, on boards of `WORDS` words a side.
#[derive(Clone, Debug)]
pub struct KalahOf<const WORDS: usize> {
    holes: u8,
    beans: u16,
    pub(super) sowing_table: &'static SowingTable,
    /// Whether a last bean in an own empty hole captures even if there is nothing opposite.
    captures_into_empty: bool,
}

impl<const WORDS: usize> PartialEq for KalahOf<WORDS> {
    fn eq(&self, other: &Self) -> bool {
        // The sowing table follows from the number of holes.
        let parameters = |game: &Self| (game.holes, game.beans, game.captures_into_empty);
        parameters(self) == parameters(other)
    }
}

/// A board and the side to move. A finished game is swept: then no hole has beans.
///
/// # Examples
///
/// ```
/// use parlor_core::{Game, Margin, Notation, Side};
/// use parlor_games::kalah::{Hole, Kalah};
///
/// let game = Kalah::sized(3, 2)?;
/// let mut pos = game.parse_position("0,0,1/0,0,1 5/5 s")?;
/// game.play(&mut pos, Hole(3));
/// assert!(pos.is_over(), "South's holes are empty");
/// assert_eq!((pos.board().pot(Side::First), pos.board().pot(Side::Second)), (6, 6));
/// assert_eq!(game.result(&pos), Some(Margin(0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PositionOf<const WORDS: usize> {
    pub(super) board: BoardOf<WORDS>,
    pub(super) turn: Side,
}

impl<const WORDS: usize> PositionOf<WORDS> {
    /// Sweeps the board if the game is over.
    pub fn new(board: BoardOf<WORDS>, turn: Side) -> PositionOf<WORDS> {
        let mut pos = PositionOf { board, turn };
        pos.sweep_if_over();
        pos
    }

    pub fn board(&self) -> &BoardOf<WORDS> {
        &self.board
    }

    /// The lanes of the side to move and of the other, on a narrow board.
    pub fn lanes(&self) -> Option<(u64, u64)> {
        let row = |side| self.board.narrow_row(side);
        self.board.narrow.then(|| (row(self.turn), row(self.turn.other())))
    }

    /// The side to move; South is first.
    pub fn turn(&self) -> Side {
        self.turn
    }

    /// Whether the game is over. A position is swept as soon as one side has run out, so it suffices to check the row of the
    /// side to move.
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

impl<const WORDS: usize> KalahOf<WORDS> {
    /// The standard rules with `holes` per side and `beans` in each, or an error if the size is not supported.
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_core::Game;
    /// use parlor_games::kalah::Kalah;
    ///
    /// let game = Kalah::sized(6, 4).unwrap();
    /// assert_eq!(game.count(&game.start()), 6);
    /// ```
    pub fn sized(holes: u32, beans: u32) -> Result<Self, BadParams> {
        let values = parlor_core::parse_values(Self::NAME, Self::PARAMETERS, &format!("{holes},{beans}"))?;
        Self::new(&values)
    }

    /// Per side.
    pub fn holes(&self) -> usize {
        self.holes.into()
    }

    /// Whether a last bean in an own empty hole goes to the pot even if there is nothing opposite.
    pub fn captures_into_empty(&self) -> bool {
        self.captures_into_empty
    }

    /// The same game with another number of beans in each hole at the start.
    #[must_use]
    pub fn with_beans(&self, beans: u8) -> Self {
        KalahOf { beans: beans.into(), ..self.clone() }
    }

    /// Sows `hole` and resolves the capture, without the end-of-game sweep. Returns where the last bean
    /// landed and how many beans were captured.
    // Without link-time optimisation the compiler leaves this call in the search's innermost loop.
    #[inline(always)]
    pub(super) fn sow_and_capture(
        &self,
        board: &mut BoardOf<WORDS>,
        side: Side,
        hole: Hole,
    ) -> (Landing, u16) {
        let hole = usize::from(hole.0);
        let lane = if side == Side::First { hole - 1 } else { board.holes() - hole };
        let landing = board.sow_lane(side, lane, self.sowing_table);
        match landing {
            Landing::OwnEmptyHole { lane, opposite } if opposite > 0 || self.captures_into_empty => {
                board.capture(side, lane);
                (landing, opposite + 1)
            }
            _ => (landing, 0),
        }
    }
}

impl<const WORDS: usize> Game for KalahOf<WORDS> {
    const NAME: &'static str = "kalah";
    const NOTE: &'static str = "at most 32767 beans in all (2 x holes x beans)";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::number("holes", 1, MAX_HOLES as u32, Fallback::Value(6)),
        Parameter::number("beans", 0, MAX_BEANS as u32, Fallback::Value(4)),
        Parameter::choice("capture", &["opposite", "empty"]),
    ];
    /// The total is fixed, so one more bean for one side is one less for the other.
    const STEP: i16 = 2;

    type Position = PositionOf<WORDS>;
    type Move = Hole;

    fn new(values: &[u32]) -> Result<Self, BadParams> {
        let &[holes, beans, capture] = values else {
            return Err(BadParams::new("kalah: expected holes, beans and capture"));
        };
        let total = 2 * u64::from(holes) * u64::from(beans);
        if total > u64::from(MOST) {
            return Err(BadParams(format!(
                "kalah: 2 x {holes} holes with {beans} beans each are {total} beans; a board holds at most {MOST}"
            )));
        }
        if holes as usize > BoardOf::<WORDS>::MOST_HOLES {
            return Err(BadParams(format!(
                "kalah: {holes} holes per side do not fit this board; it has at most {}",
                BoardOf::<WORDS>::MOST_HOLES
            )));
        }
        let sowing_table = SowingTable::of(holes as usize);
        Ok(KalahOf {
            holes: holes as u8,
            beans: beans as u16,
            sowing_table,
            captures_into_empty: capture == 1,
        })
    }

    fn values(&self) -> Vec<u32> {
        vec![self.holes.into(), self.beans.into(), self.captures_into_empty.into()]
    }

    fn start(&self) -> Self::Position {
        PositionOf::new(BoardOf::new(self.holes.into(), self.beans.into()), Side::First)
    }

    #[inline]
    fn turn(&self, pos: &Self::Position) -> Side {
        pos.turn
    }

    #[inline]
    fn moves(&self, pos: &Self::Position, out: &mut Vec<Hole>) {
        let holes = pos.board.holes();
        let filled = (0..holes).filter(|&lane| pos.board.lane(pos.turn, lane) > 0);
        // North's lanes run from hole m down to 1; moves are listed from 1 up.
        match pos.turn {
            Side::First => out.extend(filled.map(|lane| Hole(lane as u8 + 1))),
            Side::Second => out.extend(filled.rev().map(|lane| Hole((holes - lane) as u8))),
        }
    }

    fn count(&self, pos: &Self::Position) -> u64 {
        pos.board.lanes(pos.turn).filter(|&beans| beans > 0).count() as u64
    }

    #[inline]
    fn pick(
        &self,
        pos: &Self::Position,
        draw: &mut impl FnMut(usize) -> usize,
        room: &mut Vec<Hole>,
    ) -> Option<Hole> {
        let Some(nonempty) = pos.board.nonempty_lanes(pos.turn) else {
            room.clear();
            self.moves(pos, room);
            return if room.is_empty() { None } else { Some(room[draw(room.len())]) };
        };
        let lane = match COUNT[usize::from(nonempty)] {
            0 => return None,
            count => NTH[usize::from(nonempty)][draw(count.into()) % 8],
        };
        Some(Hole(if pos.turn == Side::First { lane + 1 } else { self.holes - lane }))
    }

    #[inline]
    fn play(&self, pos: &mut Self::Position, mv: Hole) {
        let side = pos.turn;
        let (landing, _) = self.sow_and_capture(&mut pos.board, side, mv);
        pos.turn = if landing == Landing::OwnPot { side } else { side.other() };
        pos.sweep_if_over();
    }

    #[inline]
    fn result(&self, pos: &Self::Position) -> Option<Margin> {
        pos.is_over().then(|| self.banked(pos))
    }

    fn largest_margin(&self) -> Margin {
        Margin((2 * u32::from(self.holes) * u32::from(self.beans)) as i16)
    }

    fn banked(&self, pos: &Self::Position) -> Margin {
        Margin(pos.board.pot(pos.turn) as i16 - pos.board.pot(pos.turn.other()) as i16)
    }

    /// Both rows in sowing order, the mover's first, each hole in as many bits as fit: with 6 holes a side five bits for each
    /// of 12 holes, exact up to 31 beans per hole. A key that does not fit is a hash and has the top bit set.
    ///
    /// ```text
    ///   63  62..60  59        …         30 29         …          0
    ///   [h] unused  [ opponent's row, 6x5 ] [ mover's row, 6x5   ]
    /// ```
    fn key(&self, pos: &Self::Position) -> u64 {
        let rows =
            [pos.turn, pos.turn.other()].into_iter().flat_map(|side| pos.board.lanes(side)).map(u64::from);
        if self.exact_key(pos) {
            let bits = self.key_bits();
            rows.rev().fold(0, |key, beans| (key << bits) | beans)
        } else {
            mix(rows) | 1 << 63
        }
    }

    fn exact_key(&self, pos: &Self::Position) -> bool {
        let bits = self.key_bits();
        Side::BOTH.into_iter().all(|side| pos.board.lanes(side).all(|beans| u32::from(beans) >> bits == 0))
    }

    fn bounds(&self, pos: &Self::Position) -> Bounds {
        let Margin(banked) = self.banked(pos);
        let left = Side::BOTH.into_iter().map(|side| pos.board.beans_in_play(side) as i16).sum::<i16>();
        Bounds { lo: Margin(banked - left), hi: Margin(banked + left) }
    }
}

impl<const WORDS: usize> KalahOf<WORDS> {
    fn key_bits(&self) -> u32 {
        (63 / (2 * u32::from(self.holes))).min(16)
    }
}
