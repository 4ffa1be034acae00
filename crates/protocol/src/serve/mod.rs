//! Our own players as an engine that any manager of the Universal Game Interface can run: lines in, lines out.
//!
//! Input is read in one thread and thinking done in another, so that `stop`, `isready` and `quit` are answered at once. Bad
//! input is answered with one `info string` sentence and changes nothing; nothing that is read can end the engine but `quit`
//! and the end of the input.

mod commands;
mod session;
mod telling;
mod thinking;

use commands::Command;
use parlor_core::{Board, Player, Record};
use parlor_engine::Clock;
use session::Session;
use std::{
    io::{self, BufRead, Read, Write},
    sync::Arc,
};

/// No line is longer: the moves of the longest game fit into it many times.
const LONGEST_LINE: usize = 1 << 20;

/// Values that an option may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// A number: the usual one, the least and the most.
    Number(u64, u64, u64),
    /// On or off: the default.
    Flag(bool),
}

/// An option that a manager may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Such as `Threads`.
    pub name: &'static str,
    pub range: Range,
}

/// What was set: name and value, `true` or `false` for flags.
pub type Chosen = Vec<(&'static str, String)>;

type ReplayFn<'a> = &'a dyn Fn(&Record) -> Result<Box<dyn Board>, String>;
type MakePlayerFn<'a> = &'a dyn Fn(&str, &Chosen) -> Result<Box<dyn Player>, String>;

/// What an engine is made of. Every error is a sentence.
pub struct EngineSetup<'a> {
    /// Options that a manager may set.
    pub choices: Vec<Choice>,
    /// The board of a record: whether there is such a game, and whether its moves are legal.
    pub replay: ReplayFn<'a>,
    /// A player of the game of this spec, with what was set.
    pub make_player: MakePlayerFn<'a>,
}

/// Speaks to a manager until it says `quit` or nothing more. The game is what `game` changes; the error is one of the output.
pub fn serve(
    setup: EngineSetup<'_>,
    game: &str,
    clock: Arc<dyn Clock>,
    mut input: impl BufRead,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    let mut session = Session::new(setup, game, clock, Box::new(output))?;
    loop {
        let command = match read_line(&mut input) {
            Some(Ok(line)) => Command::parse(&line),
            Some(Err(bad)) => Err(bad),
            None => Ok(Command::Quit),
        };
        match command {
            Ok(Command::Quit) => return session.leave(),
            Ok(command) => session.obey(command)?,
            Err(sentence) => session.remark(&sentence)?,
        }
    }
}

/// The next line; one that is too long is skipped. None at the end, also where the input is broken: nothing more will come.
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
