//! Test fixtures: console games with scripted input, a manual clock and an archive in memory.
#![allow(dead_code, reason = "each test binary uses its own part")]

use parlor_catalog::{DynGame, Manual, Resources};
use parlor_console::{Archive, ConsoleSettings, Input, Participant, ScriptedTerminal};
use parlor_core::{Board, Player, Record, Side};
use std::{io, sync::Arc, time::Duration};

pub struct Prepared {
    pub settings: ConsoleSettings,
    pub term: ScriptedTerminal,
    game: Arc<dyn DynGame>,
    board: Box<dyn Board>,
    players: [&'static str; 2],
    programs: [Option<Box<dyn Player>>; 2],
}

impl Prepared {
    /// Replaces a player by this program.
    pub fn with_program(mut self, side: Side, program: impl Player + 'static) -> Prepared {
        self.programs[side.index()] = Some(Box::new(program));
        self
    }

    /// Sets the time control, and the time that each line takes to type.
    pub fn timed(mut self, control: &str, pace: Duration) -> Prepared {
        let clock = Arc::new(Manual::stepping(Duration::ZERO));
        self.settings.resources.clock = clock.clone();
        self.settings.time = control.parse().expect("a time control");
        self.term.pace = Some((clock, pace));
        self
    }
}

/// The ending of a record as its cause and its outcome.
pub fn ending(record: &Record) -> (String, String) {
    let ending = record.ending.expect("it ended");
    (ending.cause.to_string(), ending.outcome.map_or("*".to_string(), |outcome| outcome.to_string()))
}

/// Settings with a clock that advances by a millisecond at each reading.
pub fn settings() -> ConsoleSettings {
    let clock = Arc::new(Manual::stepping(Duration::from_millis(1)));
    ConsoleSettings { resources: Resources::with_clock(1, clock), ..ConsoleSettings::new(1) }
}

/// A game from a position (or from the start, if that is empty).
pub fn game_at(spec: &str, position: &str, players: [&'static str; 2]) -> Prepared {
    let game = parlor_catalog::game(spec).expect("a game");
    let board = if position.is_empty() { game.board() } else { game.board_at(position).expect("a position") };
    Prepared { board, ..game_of(game, players) }
}

pub fn game_of(game: Arc<dyn DynGame>, players: [&'static str; 2]) -> Prepared {
    Prepared {
        settings: settings(),
        term: ScriptedTerminal::typing(&[]),
        board: game.board(),
        game,
        players,
        programs: [None, None],
    }
}

/// An archive in memory.
#[derive(Default)]
pub struct Shelf(pub Vec<Record>);

impl Archive for Shelf {
    fn begin(&mut self) -> io::Result<()> {
        self.0.push(Record::default());
        Ok(())
    }

    fn keep(&mut self, record: &Record) -> io::Result<()> {
        *self.0.last_mut().expect("a game has begun") = record.clone();
        Ok(())
    }
}

/// Plays a game with these input lines. Returns the output and the last saved record.
pub fn played(prepared: Prepared, lines: &[&str]) -> (String, Record) {
    played_hearing(prepared, ScriptedTerminal::typing(lines))
}

/// Like the function above, with any kind of input event.
pub fn read_answer(prepared: Prepared, script: Vec<Input>) -> (String, Record) {
    played_hearing(prepared, ScriptedTerminal::with_input(script))
}

fn played_hearing(prepared: Prepared, mut term: ScriptedTerminal) -> (String, Record) {
    let Prepared { settings, term: asked, game, board, players, mut programs } = prepared;
    (term.width, term.colours, term.pace) = (asked.width, asked.colours, asked.pace);
    let mut seat = |side: Side| {
        if let Some(program) = programs[side.index()].take() {
            return Participant::program("program", None, program);
        }
        let spec = players[side.index()].parse().expect("a player spec");
        settings.participant(game.as_ref(), &spec, side).expect("a player")
    };
    let mut kept = Shelf::default();
    let seats = Side::BOTH.map(&mut seat);
    let ending = settings.session(board, seats, &mut kept).play(&mut term).expect("nothing fails");
    let record = kept.0.pop().expect("a record");
    assert_eq!(ending, record.ending, "what was kept last is how it ended");
    game.replay(&record).expect("what was kept replays");
    (term.output, record)
}

pub fn game_after(spec: &str, moves: &[&str], players: [&'static str; 2]) -> Prepared {
    let mut prepared = game_at(spec, "", players);
    for text in moves {
        prepared.board.play(text).expect("a legal move");
    }
    prepared
}

/// Undoes the wrapping of sentences on a narrow terminal.
pub fn joined(said: &str) -> String {
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The output of playing it with these input lines.
pub fn transcript(prepared: Prepared, lines: &[&str]) -> String {
    played(prepared, lines).0
}
