//! What a bot is told, made from a frame: the question in its dialect with the time it has, and the end of a game. Values to
//! lines; nobody is waited for here.

use crate::{room::Frame, service::now, wire::EndState};
use parlor_play::{Cause, Clocks, Ending, Limits, Outcome, Record, Side};
use parlor_protocol::{
    Dialect,
    dialects::{simple, ugi},
};
use std::time::Duration;

/// Who has a clock is not told all of it: the answer has to come back, too.
const MARGIN: Duration = Duration::from_millis(100);
/// What an engine gets for a move where there is no clock.
const UNCLOCKED: Duration = Duration::from_secs(5);

/// A question.
#[derive(Debug, PartialEq, Eq)]
pub struct Question {
    /// What is told, a line each.
    pub lines: Vec<String>,
    /// How long the bot was told to have.
    pub time: Duration,
}

impl Question {
    /// The question that a frame asks of the side to move. The error says why its game cannot be replayed.
    pub fn of(frame: &Frame, dialect: Dialect) -> Result<Question, String> {
        let state = &frame.state;
        let record = Record {
            game: state.game.clone(),
            start: state.start.clone(),
            moves: state.moves.clone(),
            ..Record::default()
        };
        let limits = frame.turn().and_then(|side| limits(frame, side));
        match dialect {
            Dialect::Ugi => {
                let limits = limits.unwrap_or(Limits { time: Some(UNCLOCKED), ..Limits::default() });
                let time = limits.time.unwrap_or(UNCLOCKED);
                Ok(Question { lines: vec![ugi::position(&record), ugi::go(&limits)], time })
            }
            Dialect::Simple => {
                let game = parlor_catalog::game(&record.game).map_err(|bad| bad.0)?;
                let board = game.replay(&record).map_err(|bad| bad.0)?;
                let time = limits.and_then(|limits| limits.time);
                let turn = simple::turn(board.as_ref(), time);
                Ok(Question { lines: vec![turn], time: time.unwrap_or(simple::UNTIMED) })
            }
        }
    }
}

/// What the clocks leave; none where there are none.
fn limits(frame: &Frame, side: Side) -> Option<Limits> {
    let clocks = frame.state.clocks?;
    let passed = clocks.running.map_or(0, |_| (now() - clocks.at).max(0));
    let mut left = clocks.left;
    left[side.index()] -= passed;
    let left = left.map(|millis| {
        let whole = Duration::from_millis(millis.max(1).unsigned_abs());
        whole.saturating_sub(MARGIN).max(whole / 2).max(Duration::from_millis(1))
    });
    let increment = [Duration::from_millis(clocks.increment.unsigned_abs()); 2];
    let time = Some(left[side.index()]);
    Some(Limits { time, clocks: Some(Clocks { left, increment }), ..Limits::default() })
}

/// The end, as a bot is told it.
pub fn end_line(end: &EndState, side: Side) -> String {
    let outcome = Outcome { winner: end.winner.map(Side::from), by: end.by };
    let cause = Cause::parse(&end.cause).unwrap_or(Cause::Abandoned);
    simple::end(&Ending { cause, outcome: Some(outcome) }, side)
}
