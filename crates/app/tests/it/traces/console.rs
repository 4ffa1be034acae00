//! The console driver: people at a scripted terminal, programs as scripted players, and a clock that only they move.

use super::{
    Played,
    player::{Scripted, SharedLog, TOO_LONG, board_of, ending_value, lock, remaining_value},
    scripts::{Act, Script},
};
use parlor_catalog::{Manual, Resources};
use parlor_console::{Archive, ConsoleSettings, Input, Participant, Styled, Terminal};
use parlor_core::{Record, Side};
use parlor_session::TimeControl;
use serde_json::json;
use std::{cell::RefCell, io, rc::Rc, sync::Arc, time::Duration};

/// Plays a script with a person (true) or a program (false) at each side.
pub fn play(script: &'static Script, people: [bool; 2]) -> Played {
    let time: TimeControl = script.time.unwrap_or("free").parse().expect("a time control");
    let game = parlor_catalog::game(script.game).expect("a game");
    let board = match script.start {
        None => game.board(),
        Some(start) => game.board_at(start).expect("a position"),
    };
    for side in Side::BOTH {
        let keywords = board.info().keywords;
        for act in &script.acts[side.index()] {
            if people[side.index()] {
                expressible_for_a_person(*act, keywords.claim[side.index()])?;
            } else {
                act.expressible_for_a_program()?;
            }
        }
    }
    let clock = Arc::new(Manual::stepping(Duration::ZERO));
    let log = SharedLog::default();
    let resources = Resources::with_clock(1, clock.clone());
    let settings = ConsoleSettings { resources, pause: false, time, ..ConsoleSettings::new(1) };
    let seat = |side: Side| {
        if people[side.index()] {
            return Participant::person(&"human".parse().expect("a spec"));
        }
        let (log, clock) = (log.clone(), clock.clone());
        Participant::program("scripted", None, Box::new(Scripted { script, side, log, clock }))
    };
    let record = Rc::new(RefCell::new(Record::default()));
    let mut archive = Latest(record.clone());
    let seats = Side::BOTH.map(seat);
    let (log, record) = (log.clone(), record.clone());
    let mut keyboard =
        Keyboard { script, clock, log: log.clone(), record: record.clone(), said: String::new(), asks: None };
    let mut session = settings.session(board, seats, &mut archive);
    let returned = session.play(&mut keyboard).expect("a game");
    let remaining = session.remaining().map(|left| left.map(|left| (left.time.as_millis(), left.periods)));
    let record = record.borrow();
    let mut trace = lock(&log).trace(&record);
    if returned != record.ending {
        trace.insert("ending that is not kept".into(), ending_value(returned));
    }
    trace.insert("remaining".into(), remaining_value(remaining));
    Ok(trace)
}

/// Checks that a person at a keyboard can do this.
fn expressible_for_a_person(act: Act, claim: &[&str]) -> Result<(), String> {
    match act {
        Act::NoMove | Act::Crash | Act::Garbage | Act::Timeout | Act::NoStart => {
            Err("only a program fails like this".into())
        }
        Act::Claim if claim.is_empty() => Err("the game has no word for a claim".into()),
        _ => Ok(()),
    }
}

/// Keeps the latest record, where the person at the keyboard sees it.
struct Latest(Rc<RefCell<Record>>);

impl Archive for Latest {
    fn begin(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn keep(&mut self, record: &Record) -> io::Result<()> {
        *self.0.borrow_mut() = record.clone();
        Ok(())
    }
}

/// A terminal at which the people of a script type.
struct Keyboard {
    script: &'static Script,
    clock: Arc<Manual>,
    log: SharedLog,
    record: Rc<RefCell<Record>>,
    said: String,
    /// What the side to move did last, if it may lead to a question.
    asks: Option<Act>,
}

impl Keyboard {
    /// The answer to a question with yes and no, if the last thing said is one.
    fn reply(&mut self, side: Side) -> Option<&'static str> {
        let keywords = board_of(&self.record.borrow()).info().keywords;
        let words = |side: Side| (keywords.yes[side.index()][0], keywords.no[side.index()][0]);
        let is_asked = |side: Side| {
            let (yes, no) = words(side);
            self.said.trim_end().ends_with(&format!("({yes}/{no})"))
        };
        match self.asks.take() {
            Some(Act::Resign) if is_asked(side) => Some(words(side).0),
            // After a claim or takeback of a person, or a claim of a program.
            Some(Act::Claim | Act::Takeback) | None if is_asked(side.other()) => {
                lock(&self.log).offered[side.other().index()] += 1;
                if self.script.slow {
                    self.clock.advance(TOO_LONG);
                }
                let (yes, no) = words(side.other());
                Some(if self.script.agrees[side.other().index()] { yes } else { no })
            }
            _ => None,
        }
    }

    /// The input of the side to move.
    fn turn(&mut self, side: Side, wait: Option<Duration>) -> Input {
        let act = {
            let mut log = lock(&self.log);
            if let Some(wait) = wait {
                let mut clocks = [None; 2];
                clocks[side.index()] = Some(wait.as_millis() as u64);
                log.clocks.push(json!(clocks));
            }
            log.next(self.script, side)
        };
        self.clock.advance(Duration::from_millis(self.script.takes));
        if wait.is_some_and(|wait| wait < Duration::from_millis(self.script.takes)) {
            return Input::TimedOut;
        }
        let board = board_of(&self.record.borrow());
        let keywords = board.info().keywords;
        let line = match act {
            Act::Move(text) => text.to_string(),
            Act::Resign | Act::Exhausted => keywords.resign[side.index()][0].to_string(),
            Act::Claim => keywords.claim[side.index()][0].to_string(),
            Act::Takeback => "undo".to_string(),
            Act::Abort => "abort".to_string(),
            Act::Stall => {
                self.clock.advance(TOO_LONG);
                return Input::TimedOut;
            }
            Act::Interrupt => return Input::Interrupted,
            Act::EndOfInput => return Input::End,
            _ => board.moves()[0].clone(),
        };
        self.asks = match act {
            Act::Exhausted | Act::Resign => Some(Act::Resign),
            Act::Claim | Act::Takeback => Some(act),
            _ => None,
        };
        Input::Line(line)
    }
}

impl Terminal for Keyboard {
    fn print(&mut self, text: &str) -> io::Result<()> {
        self.said = text.to_string();
        Ok(())
    }

    fn print_styled(&mut self, text: &Styled) -> io::Result<()> {
        self.print(&text.to_string())
    }

    fn read_line(&mut self, wait: Option<Duration>) -> io::Result<Input> {
        let side = board_of(&self.record.borrow()).turn();
        if let Some(reply) = self.reply(side) {
            return Ok(Input::Line(reply.to_string()));
        }
        Ok(self.turn(side, wait))
    }

    fn wait(&mut self, _time: Duration) -> io::Result<()> {
        Ok(())
    }

    fn clear(&mut self) -> io::Result<bool> {
        Ok(false)
    }

    fn width(&self) -> usize {
        200
    }

    fn colours(&self) -> bool {
        false
    }
}
