//! UGI server: our own players as an engine for any manager of the Universal Game Interface.
//!
//! One thread reads the input and another one searches, so that `stop`, `isready` and `quit` are answered at once. Bad input
//! is answered with one `info string` and changes nothing. Only `quit` and the end of the input end the engine.

mod background_search;
mod output_lines;
mod ugi_command;
mod ugi_server;

use parlor_core::{Board, Player, Record};
use parlor_engine::Clock;
use std::{
    io::{self, BufRead, Read, Write},
    sync::Arc,
};
use ugi_command::UgiCommand;
use ugi_server::UgiServer;

/// Longer lines are skipped. The moves of the longest game need a fraction of it.
const LONGEST_LINE: usize = 1 << 20;

/// Values of an engine option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionRange {
    /// A number: default, minimum and maximum.
    Number(u64, u64, u64),
    /// On or off: the default.
    Flag(bool),
}

/// An option that a manager may set with `setoption`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineOption {
    /// Such as `Threads`.
    pub name: &'static str,
    pub range: OptionRange,
}

/// Options that the manager has set: name and value, `true` or `false` for flags.
pub type OptionValues = Vec<(&'static str, String)>;

type ReplayFn<'a> = &'a dyn Fn(&Record) -> Result<Box<dyn Board>, String>;
type MakePlayerFn<'a> = &'a dyn Fn(&str, &OptionValues) -> Result<Box<dyn Player>, String>;

/// The callbacks and options of an engine. Every error is a sentence.
pub struct EngineSetup<'a> {
    pub options: Vec<EngineOption>,
    /// Makes the board of a record. Fails if the game is unknown or a move is illegal.
    pub replay: ReplayFn<'a>,
    /// Makes a player for the game of a spec with the options that were set.
    pub make_player: MakePlayerFn<'a>,
}

/// Serves a manager until `quit` or the end of the input. `game` is the initial game, which the command `game` changes. Only
/// output errors are returned.
pub fn serve(
    setup: EngineSetup<'_>,
    game: &str,
    clock: Arc<dyn Clock>,
    mut input: impl BufRead,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    let mut server = UgiServer::new(setup, game, clock, Box::new(output))?;
    loop {
        let command = match read_line(&mut input) {
            Some(Ok(line)) => UgiCommand::parse(&line),
            Some(Err(bad)) => Err(bad),
            None => Ok(UgiCommand::Quit),
        };
        match command {
            Ok(UgiCommand::Quit) => return server.shut_down(),
            Ok(command) => server.handle(command)?,
            Err(sentence) => server.info_string(&sentence)?,
        }
    }
}

/// The next line; an error for a line that is too long. `None` at the end of the input or after a read error.
fn read_line(input: &mut impl BufRead) -> Option<Result<String, String>> {
    let mut bytes = Vec::new();
    input.by_ref().take(LONGEST_LINE as u64).read_until(b'\n', &mut bytes).ok()?;
    match bytes.last()? {
        b'\n' => Some(Ok(String::from_utf8_lossy(&bytes).into_owned())),
        _ if bytes.len() < LONGEST_LINE => Some(Ok(String::from_utf8_lossy(&bytes).into_owned())),
        _ => {
            input.skip_until(b'\n').ok()?;
            Some(Err("a line of more than 1 MiB was skipped".to_string()))
        }
    }
}
