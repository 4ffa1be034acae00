//! The state of one engine: which game, which position, what was set, who thinks. It answers each command at once; only the
//! answer to `go` comes later, from the thread that thinks.

use super::{
    Chosen, EngineSetup,
    commands::{Command, Go, Query},
    telling,
    thinking::{Task, Thinking},
};
use parlor_core::{Board, Player, Record, Side, shortened};
use parlor_engine::Clock;
use std::{
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
};

/// Output shared by the command loop and the search thread.
#[derive(Clone)]
pub(super) struct Output(Arc<Mutex<Box<dyn Write + Send>>>);

impl Output {
    /// Writes and flushes a whole line.
    pub fn say(&self, line: &str) -> io::Result<()> {
        let clean: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(out, "{clean}")?;
        out.flush()
    }

    /// Says a sentence that a manager shows to people.
    pub fn remark(&self, sentence: &str) -> io::Result<()> {
        self.say(&format!("info string {}", shortened(sentence, 400)))
    }
}

/// An engine that serves a manager.
pub(super) struct Session<'a> {
    setup: EngineSetup<'a>,
    clock: Arc<dyn Clock>,
    output: Output,
    board: Box<dyn Board>,
    chosen: Chosen,
    /// Made when it is needed, and again when something was set.
    player: Option<Box<dyn Player>>,
    thinking: Option<Thinking>,
}

impl<'a> Session<'a> {
    pub fn new(
        setup: EngineSetup<'a>,
        game: &str,
        clock: Arc<dyn Clock>,
        output: Box<dyn Write + Send>,
    ) -> io::Result<Session<'a>> {
        let board = (setup.replay)(&started(game)).map_err(io::Error::other)?;
        let output = Output(Arc::new(Mutex::new(output)));
        Ok(Session { setup, clock, output, board, chosen: Vec::new(), player: None, thinking: None })
    }

    pub fn remark(&self, sentence: &str) -> io::Result<()> {
        self.output.remark(sentence)
    }

    /// Does what a line says. The error is one of the output.
    pub fn obey(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Hello => self.hello(),
            Command::IsReady => self.is_ready(),
            Command::Set { name, value } => self.set(&name, &value),
            Command::Game(spec) => self.change_game(&spec),
            Command::NewGame => self.new_game(),
            Command::Position { start, moves } => self.set_position(start, moves),
            Command::Go(go) => self.go(&go),
            Command::Query(query) => self.answer(query),
            Command::Stop => {
                self.thinking.iter().for_each(Thinking::stop);
                Ok(())
            }
            Command::Quit | Command::Nothing => Ok(()),
        }
    }

    /// Stops the search and ends the session.
    pub fn leave(mut self) -> io::Result<()> {
        if let Some(thinking) = self.thinking.take() {
            thinking.leave();
        }
        Ok(())
    }

    fn game(&self) -> String {
        self.board.spec()
    }

    fn hello(&mut self) -> io::Result<()> {
        self.output.say(concat!("id name Parlor ", env!("CARGO_PKG_VERSION")))?;
        self.output.say("id author the Parlor developers")?;
        for choice in &self.setup.choices {
            self.output.say(&telling::option(choice))?;
        }
        self.output.say("ugiok")
    }

    /// The slow part of starting is done here, where a manager waits for it; never while somebody thinks.
    fn is_ready(&mut self) -> io::Result<()> {
        if !self.is_thinking()
            && let Err(sentence) = self.make_player()
        {
            self.remark(&sentence)?;
        }
        self.output.say("readyok")
    }

    /// Whether a search runs that has not answered yet.
    fn is_thinking(&mut self) -> bool {
        if let Some(thinking) = self.thinking.take_if(|thinking| thinking.has_answered()) {
            self.player = thinking.finish();
        }
        self.thinking.is_some()
    }

    /// Refuses a command that is not allowed during a search.
    fn refuses(&mut self, what: &str) -> io::Result<bool> {
        let busy = self.is_thinking();
        if busy {
            self.remark(&format!("'{what}' is not possible during a search; send 'stop' first"))?;
        }
        Ok(busy)
    }

    fn make_player(&mut self) -> Result<(), String> {
        if self.player.is_none() {
            self.player = Some((self.setup.make_player)(&self.game(), &self.chosen)?);
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: &str) -> io::Result<()> {
        if self.refuses("setoption")? {
            return Ok(());
        }
        let choices = &self.setup.choices;
        let Some(choice) = choices.iter().find(|choice| choice.name.eq_ignore_ascii_case(name)) else {
            return self.remark(&format!("unknown option '{}'", shortened(name, 24)));
        };
        let Some(chosen) = telling::chosen(choice, value) else {
            let value = shortened(value, 24);
            return self.remark(&format!("invalid value '{value}' for {}", telling::option(choice)));
        };
        self.chosen.retain(|(name, _)| *name != choice.name);
        self.chosen.push((choice.name, chosen));
        self.player = None;
        Ok(())
    }

    fn change_game(&mut self, spec: &str) -> io::Result<()> {
        if self.is_thinking() {
            return self.output.say("gameno a search is running; send 'stop' first");
        }
        match (self.setup.replay)(&started(spec)) {
            Ok(board) => {
                if board.spec() != self.game() {
                    self.player = None;
                }
                self.board = board;
                self.output.say("gameok")
            }
            Err(why) => self.output.say(&format!("gameno {}", shortened(&why, 400))),
        }
    }

    /// What was remembered of the last game is forgotten.
    fn new_game(&mut self) -> io::Result<()> {
        if !self.refuses("uginewgame")? {
            self.player = None;
            self.set_position(None, Vec::new())?;
        }
        Ok(())
    }

    fn set_position(&mut self, start: Option<String>, moves: Vec<String>) -> io::Result<()> {
        let record = Record { start, moves, ..started(&self.game()) };
        match (self.setup.replay)(&record) {
            Ok(board) => self.board = board,
            Err(sentence) => self.remark(&sentence)?,
        }
        Ok(())
    }

    fn go(&mut self, go: &Go) -> io::Result<()> {
        if self.refuses("go")? {
            return Ok(());
        }
        if let Err(sentence) = self.make_player() {
            self.remark(&sentence)?;
        }
        let Some(player) = self.player.take() else { return self.output.say("bestmove (none)") };
        let task = Task {
            board: self.board.clone(),
            limits: go.limits(self.board.turn()),
            infinite: go.infinite,
            output: self.output.clone(),
            clock: self.clock.clone(),
        };
        self.thinking = Some(Thinking::start(player, task)?);
        Ok(())
    }

    fn answer(&self, query: Query) -> io::Result<()> {
        let response = match query {
            Query::FirstToMove => (self.board.turn() == Side::First).to_string(),
            Query::GameOver => self.board.ending().is_some().to_string(),
            Query::Result => telling::result(self.board.as_ref()).to_string(),
        };
        self.output.say(&format!("response {response}"))
    }
}

/// The record of a game without moves.
fn started(game: &str) -> Record {
    Record { game: game.to_string(), ..Record::default() }
}
