//! Runs one of our players as a UGI engine in a thread, with channels of lines as its input and output.

use crate::{commands::engine::replay, error::CommandError};
use parlor_catalog::{Clock, entries, game};
use parlor_core::{Answer, Board, Ending, Failure, Limits, Player, Record, Report, Side};
use parlor_league::Players;
use parlor_protocol::{EngineSetup, OptionValues, serve};
use std::{
    io::{self, BufRead, Read, Write},
    sync::{Arc, atomic::AtomicBool, mpsc as blocking},
    thread,
    time::Duration,
};
use tokio::sync::mpsc;

/// Capacity of the engine's output, in lines.
const OUTPUT_CAPACITY: usize = 256;

/// Makes the player for the game of a spec.
pub type MakeForGame = Arc<dyn Fn(&str) -> Result<Box<dyn Player>, CommandError> + Send + Sync>;

/// A function that makes players of one spec, which use at most `time` for a move.
pub fn maker(players: Players, spec: &str, seed: u64, time: Option<Duration>) -> MakeForGame {
    let spec = spec.to_string();
    Arc::new(move |name| {
        let player = players.make(game(name)?.as_ref(), &spec, seed)?;
        Ok(match time {
            None => player,
            Some(time) => Box::new(TimeCapped { player, time }),
        })
    })
}

/// The names of the games for which the player can be made.
pub fn games(make: &MakeForGame) -> Vec<&'static str> {
    entries().iter().map(|entry| entry.name).filter(|name| make(name).is_ok()).collect()
}

/// Channels to and from an engine that runs in a thread.
pub struct EngineThread {
    input: blocking::Sender<String>,
    pub output: mpsc::Receiver<String>,
}

impl EngineThread {
    pub fn start(make: MakeForGame, clock: Arc<dyn Clock>) -> Result<EngineThread, CommandError> {
        let first = entries().first().map_or("", |entry| entry.name);
        let spec = game(first)?.spec();
        let (input, lines) = blocking::channel();
        let (written, output) = mpsc::channel(OUTPUT_CAPACITY);
        thread::Builder::new().name("engine".to_string()).spawn(move || {
            let input = LineReader { lines, line: Vec::new(), at: 0 };
            let make_player = |spec: &str, _: &OptionValues| make(spec).map_err(|error| error.to_string());
            let replay = |record: &Record| {
                // A game that the player cannot play is refused when it begins.
                if record.moves.is_empty() && record.start.is_none() {
                    make_player(&record.game, &OptionValues::new())?;
                }
                replay(record)
            };
            let setup = EngineSetup { options: Vec::new(), replay: &replay, make_player: &make_player };
            // Its only error would be that the connection is closed.
            let _ = serve(setup, &spec, clock, input, LineWriter { lines: written, line: Vec::new() });
        })?;
        Ok(EngineThread { input, output })
    }

    pub fn send(&self, line: &str) {
        // An error means that the engine has ended, which the closed output channel shows.
        let _ = self.input.send(format!("{line}\n"));
    }
}

/// A player with a time limit per move.
struct TimeCapped {
    player: Box<dyn Player>,
    time: Duration,
}

impl Player for TimeCapped {
    fn ready(&mut self, game: &str) -> Result<(), Failure> {
        self.player.ready(game)
    }

    fn begin(&mut self, game: &str, side: Side) {
        self.player.begin(game, side);
    }

    fn choose(
        &mut self,
        board: &dyn Board,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure> {
        // The remaining time of the clock may be less than the cap.
        let shared = limits.shared(board.turn());
        let time = shared.time.map_or(self.time, |time| time.min(self.time));
        self.player.choose(board, &Limits { time: Some(time), ..shared }, stop, report)
    }

    fn end(&mut self, ending: &Ending) {
        self.player.end(ending);
    }
}

/// Presents lines from a channel as a byte stream.
struct LineReader {
    lines: blocking::Receiver<String>,
    line: Vec<u8>,
    at: usize,
}

impl BufRead for LineReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.line.len() {
            // An empty line marks the end when the sender is dropped.
            self.line = self.lines.recv().map(String::into_bytes).unwrap_or_default();
            self.at = 0;
        }
        Ok(&self.line[self.at..])
    }

    fn consume(&mut self, amount: usize) {
        self.at += amount;
    }
}

impl Read for LineReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut ready = self.fill_buf()?;
        let count = ready.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

/// Collects written bytes and sends whole lines to a channel.
struct LineWriter {
    lines: mpsc::Sender<String>,
    line: Vec<u8>,
}

impl Write for LineWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        while let Some(end) = self.line.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.line.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line).trim_end().to_string();
            self.lines.blocking_send(line).map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
