//! The lines for a bot, made from a frame: the request for a move in its dialect, with the time it has, and the end of the game. No
//! I/O.

use crate::{room::GameFrame, wire::EndState};
use parlor_core::{Cause, Ending, Limits, Outcome, Side};
use parlor_protocol::{
    Dialect,
    dialects::{simple, ugi},
};
use parlor_session::Micros;
use std::time::Duration;

/// The difference between a bot's clock and the time limit it gets, because the answer has to arrive in time.
const MARGIN: Duration = Duration::from_millis(100);
/// Time limit of an engine for a move in a game without a clock.
const UNCLOCKED: Duration = Duration::from_secs(5);

/// A request for a move, as protocol text.
#[derive(Debug, PartialEq, Eq)]
pub struct Question {
    pub lines: Vec<String>,
    /// The time limit that the lines state.
    pub time: Duration,
}

impl Question {
    /// The question that a frame asks of the side to move. The error says why its position cannot be read.
    pub fn of(frame: &GameFrame, dialect: Dialect, now: Micros) -> Result<Question, String> {
        let state = &frame.state;
        let moves = state.moves.join(" ");
        let limits = frame.turn().and_then(|side| limits(frame, side, now));
        match dialect {
            Dialect::Ugi => {
                let limits = limits.unwrap_or(Limits { time: Some(UNCLOCKED), ..Limits::default() });
                let time = limits.time.unwrap_or(UNCLOCKED);
                let position = ugi::position_line(state.start.as_deref(), &moves, || state.position.clone());
                Ok(Question { lines: vec![position, ugi::go(&limits)], time })
            }
            Dialect::Simple => {
                let game = parlor_catalog::game(&state.game).map_err(|bad| bad.0)?;
                let board = game.board_at(&state.position).map_err(|bad| bad.0)?;
                let legal = board.moves().join(" ");
                let time = limits.and_then(|limits| limits.time);
                let turn = simple::turn_line(&state.game, &state.position, &legal, &moves, time);
                Ok(Question { lines: vec![turn], time: time.unwrap_or(simple::UNTIMED) })
            }
        }
    }
}

/// The time limits of the side to move; `None` without a clock.
fn limits(frame: &GameFrame, side: Side, now: Micros) -> Option<Limits> {
    let (limits, at) = frame.limits;
    let runs = frame.state.clocks.is_some_and(|clocks| clocks.running.is_some());
    let passed = if runs { Duration::from(now - at) } else { Duration::ZERO };
    let announced = |time: Duration| {
        let whole = time.max(Duration::from_millis(1));
        whole.saturating_sub(MARGIN).max(whole / 2)
    };
    let clocks = limits.clocks.map(|mut clocks| {
        let own = &mut clocks.left[side.index()];
        *own = own.saturating_sub(passed);
        clocks.left = clocks.left.map(announced);
        clocks
    });
    let time = limits.time?.saturating_sub(passed);
    Some(Limits { time: Some(announced(time)), clocks, ..limits })
}

/// The line that reports the end of the game to the bot of this side.
pub fn end_line(end: &EndState, side: Side) -> String {
    let outcome = Outcome { winner: end.winner.map(Side::from), by: end.by };
    let cause = Cause::parse(&end.cause).unwrap_or(Cause::Abandoned);
    simple::end(&Ending { cause, outcome: Some(outcome) }, side)
}
