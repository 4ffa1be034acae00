//! At the table: what the server says goes to the engine, what the engine says goes to the server, and what a person wants to know
//! is told in a line each.

use super::{
    pipe::Engine,
    wire::{Came, Wire},
};
use crate::{fault::Fault, stdio};
use parlor_core::harmless;
use std::io::Write;

/// A seat and the token that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    pub id: String,
    pub token: String,
}

/// State of one connection.
pub struct Table<'a, 'o> {
    pub wire: &'a mut Wire,
    pub engine: Engine,
    pub out: &'a mut (dyn Write + 'o),
    pub verbose: bool,
    pub seat: &'a mut Option<Seat>,
    /// Number of moves printed.
    pub shown: usize,
    /// Whether the last game has ended.
    pub over: bool,
}

/// How a connection ended.
pub enum Left {
    Done,
    /// The server refuses this player: the reason.
    Refused(String),
    Lost,
}

impl Table<'_, '_> {
    pub async fn sit(&mut self) -> Result<Left, Fault> {
        loop {
            tokio::select! {
                came = self.wire.next() => match came {
                    Came::Line(line) => self.told(&line)?,
                    Came::Closed(1000, _) => return Ok(Left::Done),
                    Came::Closed(1008, why) => return Ok(Left::Refused(why)),
                    Came::Closed(..) | Came::Lost => {
                        return Ok(if self.over { Left::Done } else { Left::Lost });
                    }
                },
                said = self.engine.output.recv() => match said {
                    Some(line) => self.said(&line).await?,
                    None => {
                        self.wire.leave().await;
                        return Err(Fault::Failed("the player stopped unexpectedly".to_string()));
                    }
                },
            }
        }
    }

    /// Handles a line from the server.
    fn told(&mut self, line: &str) -> Result<(), Fault> {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields.as_slice() {
            ["seat", side, token, id, ..] => {
                *self.seat = Some(Seat { id: (*id).to_string(), token: (*token).to_string() });
                (self.shown, self.over) = (0, false);
                self.say(&format!("joined game {1} as the {0} player", harmless(side, 10), harmless(id, 20)))
            }
            ["against", name, ..] => self.say(&format!("against {}", harmless(name, 40))),
            ["end", result, reason, ..] => {
                (*self.seat, self.over) = (None, true);
                let told = match *result {
                    "win" => "won",
                    "loss" => "lost",
                    _ => "drawn",
                };
                self.say(&format!("{told} ({})", harmless(reason, 20)))
            }
            _ => {
                if let Some(rest) = line.strip_prefix("position ") {
                    self.show(rest)?;
                }
                self.engine.tell(line);
                Ok(())
            }
        }
    }

    /// The moves of a position that were not told yet.
    fn show(&mut self, position: &str) -> Result<(), Fault> {
        let moves: Vec<&str> = position
            .split_once(" moves ")
            .map_or(Vec::new(), |(_, moves)| moves.split_whitespace().collect());
        for mv in moves.iter().skip(self.shown) {
            self.tell_move("their", mv)?;
        }
        self.shown = moves.len();
        Ok(())
    }

    fn tell_move(&mut self, whose: &str, mv: &str) -> Result<(), Fault> {
        if self.verbose { self.say(&format!("{whose} move: {}", harmless(mv, 40))) } else { Ok(()) }
    }

    /// Handles a line from the engine.
    async fn said(&mut self, line: &str) -> Result<(), Fault> {
        if let Some(remark) = line.strip_prefix("info string ") {
            stdio::remark(remark);
        }
        // Nobody there reads how the thinking goes.
        if line.starts_with("info ") {
            return Ok(());
        }
        if let Some(mv) = line.strip_prefix("bestmove ") {
            self.tell_move("our", mv)?;
            self.shown += 1;
        }
        self.wire.say(line).await;
        Ok(())
    }

    fn say(&mut self, sentence: &str) -> Result<(), Fault> {
        writeln!(self.out, "{sentence}")?;
        Ok(self.out.flush()?)
    }
}
