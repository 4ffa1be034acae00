//! Relays lines between the server and the engine of one connection, and prints events of the game for the user.

use super::{
    connection::{Connection, Incoming},
    engine_thread::EngineThread,
};
use crate::{error::CommandError, stdio};
use parlor_core::harmless;
use std::io::Write;

/// A seat and the token that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldSeat {
    pub id: String,
    pub token: String,
}

/// State of one connection.
pub struct Relay<'a, 'o> {
    pub connection: &'a mut Connection,
    pub engine: EngineThread,
    pub out: &'a mut (dyn Write + 'o),
    pub verbose: bool,
    pub seat: &'a mut Option<HeldSeat>,
    /// Number of moves printed.
    pub shown: usize,
    /// Whether the last game has ended.
    pub over: bool,
}

pub enum Disconnect {
    Done,
    /// The server refuses this player: the reason.
    Refused(String),
    Lost,
}

impl Relay<'_, '_> {
    /// Relays lines until the connection ends.
    pub async fn run(&mut self) -> Result<Disconnect, CommandError> {
        loop {
            tokio::select! {
                came = self.connection.next() => match came {
                    Incoming::Line(line) => self.handle_server_line(&line)?,
                    Incoming::Closed(1000, _) => return Ok(Disconnect::Done),
                    Incoming::Closed(1008, why) => return Ok(Disconnect::Refused(why)),
                    Incoming::Closed(..) | Incoming::Lost => {
                        return Ok(if self.over { Disconnect::Done } else { Disconnect::Lost });
                    }
                },
                said = self.engine.output.recv() => match said {
                    Some(line) => self.handle_engine_line(&line).await?,
                    None => {
                        self.connection.close().await;
                        return Err(CommandError::Failed("the player stopped unexpectedly".to_string()));
                    }
                },
            }
        }
    }

    /// Handles a line from the server.
    fn handle_server_line(&mut self, line: &str) -> Result<(), CommandError> {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields.as_slice() {
            ["seat", side, token, id, ..] => {
                *self.seat = Some(HeldSeat { id: (*id).to_string(), token: (*token).to_string() });
                (self.shown, self.over) = (0, false);
                self.print(&format!(
                    "joined game {1} as the {0} player",
                    harmless(side, 10),
                    harmless(id, 20)
                ))
            }
            ["against", name, ..] => self.print(&format!("against {}", harmless(name, 40))),
            ["end", result, reason, ..] => {
                (*self.seat, self.over) = (None, true);
                let result = match *result {
                    "win" => "won",
                    "loss" => "lost",
                    _ => "drawn",
                };
                self.print(&format!("{result} ({})", harmless(reason, 20)))
            }
            _ => {
                if let Some(rest) = line.strip_prefix("position ") {
                    self.print_new_moves(rest)?;
                }
                self.engine.send(line);
                Ok(())
            }
        }
    }

    /// Prints the moves of a position that were not printed yet.
    fn print_new_moves(&mut self, position: &str) -> Result<(), CommandError> {
        let moves: Vec<&str> = position
            .split_once(" moves ")
            .map_or(Vec::new(), |(_, moves)| moves.split_whitespace().collect());
        for mv in moves.iter().skip(self.shown) {
            self.print_move("their", mv)?;
        }
        self.shown = moves.len();
        Ok(())
    }

    fn print_move(&mut self, whose: &str, mv: &str) -> Result<(), CommandError> {
        if self.verbose { self.print(&format!("{whose} move: {}", harmless(mv, 40))) } else { Ok(()) }
    }

    /// Handles a line from the engine.
    async fn handle_engine_line(&mut self, line: &str) -> Result<(), CommandError> {
        if let Some(remark) = line.strip_prefix("info string ") {
            stdio::remark(remark);
        }
        // The server ignores reports of the search.
        if line.starts_with("info ") {
            return Ok(());
        }
        if let Some(mv) = line.strip_prefix("bestmove ") {
            self.print_move("our", mv)?;
            self.shown += 1;
        }
        self.connection.send(line).await;
        Ok(())
    }

    fn print(&mut self, sentence: &str) -> Result<(), CommandError> {
        writeln!(self.out, "{sentence}")?;
        Ok(self.out.flush()?)
    }
}
