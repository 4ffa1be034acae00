//! A player that follows a script, and the log of a driver's questions.

use super::scripts::{Act, Script};
use parlor_catalog::Manual;
use parlor_core::{Answer, Board, Ending, Failure, Limits, Offer, Player, Record, Report, Side};
use serde_json::{Map, Value, json};
use std::{
    sync::{Arc, Mutex, atomic::AtomicBool},
    time::Duration,
};

/// Longer than every time control of the scripts.
pub const TOO_LONG: Duration = Duration::from_secs(30 * 86_400);

/// What a driver asked while it played one script.
#[derive(Debug, Default)]
pub struct Log {
    /// How many times each side was asked for an answer.
    pub asked: [usize; 2],
    /// How many times each side was asked to agree to an offer.
    pub offered: [usize; 2],
    /// What the clocks showed at each question, in milliseconds.
    pub clocks: Vec<Value>,
    /// Number of completed acts per side.
    done: [usize; 2],
    exhausted: [bool; 2],
}

/// The log of a game, shared by its players.
pub type SharedLog = Arc<Mutex<Log>>;

pub fn lock(log: &SharedLog) -> std::sync::MutexGuard<'_, Log> {
    log.lock().expect("no player panicked")
}

impl Log {
    /// The next act of a side, which was asked once more.
    pub fn next(&mut self, script: &Script, side: Side) -> Act {
        let done = &mut self.done[side.index()];
        let act = script.acts[side.index()].get(*done).copied().unwrap_or(Act::First);
        *done += 1;
        assert!(*done < 1000, "the script '{}' does not end", script.name);
        self.asked[side.index()] += 1;
        self.exhausted[side.index()] |= act == Act::Exhausted;
        act
    }

    /// The trace of a game: what its record says, and how often players were asked.
    pub fn trace(&self, record: &Record) -> Map<String, Value> {
        let mut trace = Map::new();
        trace.insert("moves".into(), record.moves.join(" ").into());
        trace.insert("ending".into(), ending_value(record.ending));
        let counts = |counts: [usize; 2]| {
            json!(Side::BOTH.map(|side| match (counts[side.index()], self.exhausted[side.index()]) {
                (count, true) => json!(format!("{count} or more")),
                (count, false) => json!(count),
            }))
        };
        trace.insert("asked".into(), counts(self.asked));
        if self.offered != [0, 0] {
            trace.insert("asked to agree".into(), json!(self.offered));
        }
        if !self.clocks.is_empty() {
            trace.insert("clocks".into(), Value::from(self.clocks.clone()));
        }
        trace
    }
}

/// An ending as its cause and its outcome; null while the game goes on.
pub fn ending_value(ending: Option<Ending>) -> Value {
    match ending {
        None => Value::Null,
        Some(ending) => {
            let outcome = ending.outcome.map(|outcome| outcome.to_string());
            json!({ "cause": ending.cause.to_string(), "outcome": outcome })
        }
    }
}

pub fn board_of(record: &Record) -> Box<dyn Board> {
    let open = Record { ending: None, ..record.clone() };
    parlor_catalog::game(&record.game).expect("a game").replay(&open).expect("a record")
}

/// What both sides have left: milliseconds, with the periods of byo-yomi where there are some; null without a clock.
pub fn remaining_value(left: [Option<(i64, u32)>; 2]) -> Value {
    let [Some(first), Some(second)] = left else { return Value::Null };
    let shown = |(millis, periods): (i64, u32)| match periods {
        0 => json!(millis),
        _ => json!(format!("{millis} and {periods} periods")),
    };
    json!([shown(first), shown(second)])
}

pub struct Scripted {
    pub script: &'static Script,
    pub side: Side,
    pub log: SharedLog,
    /// The manual clock that the players advance.
    pub clock: Arc<Manual>,
}

impl Player for Scripted {
    fn ready(&mut self, _game: &str) -> Result<(), Failure> {
        if self.script.acts[self.side.index()].first() == Some(&Act::NoStart) {
            return Err(Failure::Start("as the script says".to_string()));
        }
        Ok(())
    }

    fn choose(
        &mut self,
        board: &dyn Board,
        limits: &Limits,
        _: &AtomicBool,
        _: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure> {
        assert_eq!(board.turn(), self.side, "the player of the side to move is asked");
        let act = {
            let mut log = lock(&self.log);
            self.note(limits, &mut log);
            log.next(self.script, self.side)
        };
        self.clock.advance(Duration::from_millis(self.script.takes));
        let first = || Ok(Answer::Move(board.moves()[0].clone()));
        match act {
            Act::Move(text) => Ok(Answer::Move(text.to_string())),
            Act::First => first(),
            Act::NoMove => Ok(Answer::NoMove),
            Act::Resign | Act::Exhausted => Ok(Answer::Resign),
            Act::Claim => Ok(Answer::Claim),
            Act::Crash => Err(Failure::Crash("as the script says".to_string())),
            Act::Garbage => Err(Failure::Garbage("as the script says".to_string())),
            Act::Timeout => Err(Failure::Timeout(limits.time.unwrap_or_default())),
            Act::Stall => {
                self.clock.advance(TOO_LONG);
                first()
            }
            Act::Takeback | Act::NoStart | Act::Interrupt | Act::EndOfInput | Act::Abort => {
                panic!("no program answers {act:?}")
            }
        }
    }

    fn accepts(&mut self, _board: &dyn Board, _offer: Offer) -> bool {
        lock(&self.log).offered[self.side.index()] += 1;
        if self.script.slow {
            self.clock.advance(TOO_LONG);
        }
        self.script.agrees[self.side.index()]
    }
}

impl Scripted {
    /// Logs the limits that the driver gives.
    fn note(&self, limits: &Limits, log: &mut Log) {
        let millis = |time: Duration| time.as_millis() as u64;
        match (limits.clocks, limits.time) {
            (Some(clocks), _) => {
                let left = clocks.left.map(millis);
                log.clocks.push(json!(left));
            }
            (None, Some(time)) if self.script.time.is_some() => {
                let time = millis(time);
                log.clocks.push(json!({ "move": time }));
            }
            _ => {}
        }
    }
}
