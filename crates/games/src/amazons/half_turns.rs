//! The game with turns in two stages: a queen moves, then the same side shoots. A search by stages has some dozens of
//! alternatives at each ply instead of two thousand.

use super::{
    board::{Square, squares_of},
    rays::Blocked,
    rules::{Amazons, Position, Shot},
};
use parlor_core::{BadParams, Bounds, Game, Margin, Parameter, Side, mix};

/// Amazons with a turn split into two plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfTurns(pub Amazons);

/// A position before a turn, or between its two stages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct HalfTurnPosition {
    /// The board. Between the stages the queen has moved, and it is still the turn of its side.
    pub pos: Position,
    /// The queen that has moved and must shoot.
    pub shooter: Option<Square>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HalfTurn {
    /// A queen moves from one square to another.
    Go(Square, Square),
    Shoot(Square),
}

impl HalfTurnPosition {
    pub fn before(pos: &Position) -> HalfTurnPosition {
        HalfTurnPosition { pos: *pos, shooter: None }
    }
}

impl HalfTurns {
    pub fn of(mv: Shot) -> [HalfTurn; 2] {
        [HalfTurn::Go(mv.from, mv.to), HalfTurn::Shoot(mv.arrow)]
    }

    /// The turn that two stages make; `None` if they do not belong together.
    pub fn joined(first: HalfTurn, second: HalfTurn) -> Option<Shot> {
        match (first, second) {
            (HalfTurn::Go(from, to), HalfTurn::Shoot(arrow)) => Some(Shot { from, to, arrow }),
            _ => None,
        }
    }
}

impl Game for HalfTurns {
    const NAME: &'static str = Amazons::NAME;
    const PARAMETERS: &'static [Parameter] = Amazons::PARAMETERS;
    const STEP: i16 = Amazons::STEP;

    type Position = HalfTurnPosition;
    type Move = HalfTurn;

    fn new(values: &[u32]) -> Result<Self, BadParams> {
        Amazons::new(values).map(HalfTurns)
    }

    fn values(&self) -> Vec<u32> {
        self.0.values()
    }

    fn start(&self) -> HalfTurnPosition {
        HalfTurnPosition::before(&self.0.start())
    }

    #[inline]
    fn turn(&self, stage: &HalfTurnPosition) -> Side {
        stage.pos.turn
    }

    fn moves(&self, stage: &HalfTurnPosition, out: &mut Vec<HalfTurn>) {
        let blocked = Blocked::new(!self.0.empty(&stage.pos));
        match stage.shooter {
            Some(from) => out.extend(squares_of(blocked.reach(from)).map(HalfTurn::Shoot)),
            None => {
                for from in squares_of(stage.pos.queens[stage.pos.turn.index()]) {
                    out.extend(squares_of(blocked.reach(from)).map(|to| HalfTurn::Go(from, to)));
                }
            }
        }
    }

    #[inline]
    fn play(&self, stage: &mut HalfTurnPosition, mv: HalfTurn) {
        let pos = &mut stage.pos;
        match mv {
            HalfTurn::Go(from, to) => {
                pos.queens[pos.turn.index()] ^= from.bit() | to.bit();
                stage.shooter = Some(to);
            }
            HalfTurn::Shoot(arrow) => {
                pos.arrows |= arrow.bit();
                pos.turn = pos.turn.other();
                stage.shooter = None;
            }
        }
    }

    /// A queen that has moved can always shoot back to its origin.
    #[inline]
    fn result(&self, stage: &HalfTurnPosition) -> Option<Margin> {
        if stage.shooter.is_some() { None } else { self.0.result(&stage.pos) }
    }

    fn largest_margin(&self) -> Margin {
        Margin(1)
    }

    fn key(&self, stage: &HalfTurnPosition) -> u64 {
        let shooter = stage.shooter.map_or(0, |square| square.index() as u64 + 1);
        mix([self.0.key(&stage.pos), shooter])
    }

    fn bounds(&self, stage: &HalfTurnPosition) -> Bounds {
        match self.result(stage) {
            Some(margin) => Bounds::exactly(margin),
            None => Bounds { lo: Margin(-1), hi: Margin(1) },
        }
    }
}
