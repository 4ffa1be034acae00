//! State of one engine: game, position, options, running search. It answers each command at once, except `go`, which the search
//! thread answers.

use super::{
    EngineSetup, OptionValues,
    background_search::{BackgroundSearch, SearchTask},
    output_lines,
    ugi_command::{Go, Query, UgiCommand},
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
    pub fn write_line(&self, line: &str) -> io::Result<()> {
        let clean: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(out, "{clean}")?;
        out.flush()
    }

    /// Writes a sentence that a manager shows to its user.
    pub fn info_string(&self, sentence: &str) -> io::Result<()> {
        self.write_line(&format!("info string {}", shortened(sentence, 400)))
    }
}

/// An engine that serves a manager.
pub(super) struct UgiServer<'a> {
    setup: EngineSetup<'a>,
    clock: Arc<dyn Clock>,
    output: Output,
    board: Box<dyn Board>,
    values: OptionValues,
    /// Made when it is first needed after a change of the game or of an option.
    player: Option<Box<dyn Player>>,
    search: Option<BackgroundSearch>,
}

impl<'a> UgiServer<'a> {
    pub fn new(
        setup: EngineSetup<'a>,
        game: &str,
        clock: Arc<dyn Clock>,
        output: Box<dyn Write + Send>,
    ) -> io::Result<UgiServer<'a>> {
        let board = (setup.replay)(&started(game)).map_err(io::Error::other)?;
        let output = Output(Arc::new(Mutex::new(output)));
        Ok(UgiServer { setup, clock, output, board, values: Vec::new(), player: None, search: None })
    }

    pub fn info_string(&self, sentence: &str) -> io::Result<()> {
        self.output.info_string(sentence)
    }

    /// Executes a command. Only output errors are returned.
    pub fn handle(&mut self, command: UgiCommand) -> io::Result<()> {
        match command {
            UgiCommand::Hello => self.hello(),
            UgiCommand::IsReady => self.handle_isready(),
            UgiCommand::Set { name, value } => self.set(&name, &value),
            UgiCommand::Game(spec) => self.change_game(&spec),
            UgiCommand::NewGame => self.new_game(),
            UgiCommand::Position { start, moves } => self.set_position(start, moves),
            UgiCommand::Go(go) => self.go(&go),
            UgiCommand::Query(query) => self.answer_query(query),
            UgiCommand::Stop => {
                self.search.iter().for_each(BackgroundSearch::stop);
                Ok(())
            }
            UgiCommand::Quit | UgiCommand::Nothing => Ok(()),
        }
    }

    /// Stops the search and ends the engine.
    pub fn shut_down(mut self) -> io::Result<()> {
        if let Some(search) = self.search.take() {
            search.shut_down();
        }
        Ok(())
    }

    fn game(&self) -> String {
        self.board.spec()
    }

    fn hello(&mut self) -> io::Result<()> {
        self.output.write_line(concat!("id name Parlor ", env!("CARGO_PKG_VERSION")))?;
        self.output.write_line("id author the Parlor developers")?;
        for option in &self.setup.options {
            self.output.write_line(&output_lines::option(option))?;
        }
        self.output.write_line("ugiok")
    }

    /// Makes the player, which may be slow, because the manager waits for `readyok`. During a search it answers at once.
    fn handle_isready(&mut self) -> io::Result<()> {
        if !self.is_searching()
            && let Err(sentence) = self.make_player()
        {
            self.info_string(&sentence)?;
        }
        self.output.write_line("readyok")
    }

    /// Whether a search runs that has not answered yet.
    fn is_searching(&mut self) -> bool {
        if let Some(search) = self.search.take_if(|search| search.has_answered()) {
            self.player = search.finish();
        }
        self.search.is_some()
    }

    /// Refuses a command that is not allowed during a search. Returns whether it did.
    fn refused_during_search(&mut self, what: &str) -> io::Result<bool> {
        let busy = self.is_searching();
        if busy {
            self.info_string(&format!("'{what}' is not possible during a search; send 'stop' first"))?;
        }
        Ok(busy)
    }

    fn make_player(&mut self) -> Result<(), String> {
        if self.player.is_none() {
            self.player = Some((self.setup.make_player)(&self.game(), &self.values)?);
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: &str) -> io::Result<()> {
        if self.refused_during_search("setoption")? {
            return Ok(());
        }
        let options = &self.setup.options;
        let Some(option) = options.iter().find(|option| option.name.eq_ignore_ascii_case(name)) else {
            return self.info_string(&format!("unknown option '{}'", shortened(name, 24)));
        };
        let Some(value) = option.range.parse(value) else {
            let value = shortened(value, 24);
            return self
                .info_string(&format!("invalid value '{value}' for {}", output_lines::option(option)));
        };
        self.values.retain(|(name, _)| *name != option.name);
        self.values.push((option.name, value));
        self.player = None;
        Ok(())
    }

    fn change_game(&mut self, spec: &str) -> io::Result<()> {
        if self.is_searching() {
            return self.output.write_line("gameno a search is running; send 'stop' first");
        }
        match (self.setup.replay)(&started(spec)) {
            Ok(board) => {
                if board.spec() != self.game() {
                    self.player = None;
                }
                self.board = board;
                self.output.write_line("gameok")
            }
            Err(why) => self.output.write_line(&format!("gameno {}", shortened(&why, 400))),
        }
    }

    /// Drops the player with its memory of the last game.
    fn new_game(&mut self) -> io::Result<()> {
        if !self.refused_during_search("uginewgame")? {
            self.player = None;
            self.set_position(None, Vec::new())?;
        }
        Ok(())
    }

    fn set_position(&mut self, start: Option<String>, moves: Vec<String>) -> io::Result<()> {
        let record = Record { start, moves, ..started(&self.game()) };
        match (self.setup.replay)(&record) {
            Ok(board) => self.board = board,
            Err(sentence) => self.info_string(&sentence)?,
        }
        Ok(())
    }

    fn go(&mut self, go: &Go) -> io::Result<()> {
        if self.refused_during_search("go")? {
            return Ok(());
        }
        if let Err(sentence) = self.make_player() {
            self.info_string(&sentence)?;
        }
        let Some(player) = self.player.take() else { return self.output.write_line("bestmove (none)") };
        let task = SearchTask {
            board: self.board.clone(),
            limits: go.limits(self.board.turn()),
            infinite: go.infinite,
            output: self.output.clone(),
            clock: self.clock.clone(),
        };
        self.search = Some(BackgroundSearch::start(player, task)?);
        Ok(())
    }

    fn answer_query(&self, query: Query) -> io::Result<()> {
        let response = match query {
            Query::FirstToMove => (self.board.turn() == Side::First).to_string(),
            Query::GameOver => self.board.ending().is_some().to_string(),
            Query::Result => output_lines::result(self.board.as_ref()).to_string(),
        };
        self.output.write_line(&format!("response {response}"))
    }
}

/// The record of a game without moves.
fn started(game: &str) -> Record {
    Record { game: game.to_string(), ..Record::default() }
}
