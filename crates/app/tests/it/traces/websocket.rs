//! A bot over a WebSocket, which follows a script. It speaks the simple dialect, and UGI where only that has the word.

use super::{
    player::{SharedLog, TOO_LONG, board_of, lock},
    scripts::{Act, Script},
};
use parlor_catalog::Manual;
use parlor_core::{Record, Side};
use parlor_testkit::PATIENCE;
use serde_json::{Value, json};
use std::{net::TcpStream, sync::Arc, time::Duration};
use tokio_tungstenite::tungstenite::{Message, WebSocket, client::client};

/// A bot that waits in the lobby for its game.
pub struct Bot {
    socket: WebSocket<TcpStream>,
    script: &'static Script,
    side: Side,
    log: SharedLog,
    clock: Arc<Manual>,
    /// Whether it speaks UGI: the simple dialect cannot say that there is no move.
    ugi: bool,
    /// The position of the last request; UGI only.
    record: Record,
}

/// What the server did at the end of a bot's game.
#[derive(Default)]
struct Told {
    end: Value,
    close: Value,
}

impl Bot {
    pub fn connect(
        address: &str,
        name: &str,
        script: &'static Script,
        side: Side,
        log: SharedLog,
        clock: Arc<Manual>,
    ) -> Bot {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        let ugi = script.acts[side.index()].contains(&Act::NoMove);
        let dialect = if ugi { "ugi" } else { "simple" };
        let url = format!("ws://{address}/api/v1/bots?name={name}&dialect={dialect}");
        let (socket, _) = client(url, stream).expect("a WebSocket");
        let record = Record { game: script.game.to_string(), ..Record::default() };
        Bot { socket, script, side, log, clock, ugi, record }
    }

    /// Plays one game: the fields of the `end` line, or the code with which the server closed the connection.
    pub fn play(mut self) -> Value {
        let mut told = Told::default();
        while let Some(line) = self.hear(&mut told) {
            let fields: Vec<&str> = line.split('\t').collect();
            match fields[0] {
                "turn" if !self.answer(fields[3]) => return json!("disconnected"),
                "turn" => {}
                "end" => {
                    told.end = json!(fields[1..]);
                    break;
                }
                line if self.ugi => self.hear_ugi(line),
                _ => {}
            }
        }
        json!({ "end": told.end, "close": told.close })
    }

    /// The next line; none when the connection is closed.
    fn hear(&mut self, told: &mut Told) -> Option<String> {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return Some(text.to_string()),
                Ok(Message::Close(frame)) => {
                    told.close = frame.map_or(Value::Null, |frame| json!(u16::from(frame.code)));
                    return None;
                }
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }

    /// Handles a line of UGI.
    fn hear_ugi(&mut self, line: &str) {
        match line.split_once(' ').unwrap_or((line, "")) {
            ("ugi", _) => self.say("ugiok"),
            ("isready", _) => self.say("readyok"),
            ("position", text) => {
                let moves = text.split_once(" moves ").map_or("", |(_, moves)| moves);
                self.record.moves = moves.split_whitespace().map(String::from).collect();
            }
            ("go", _) => {
                let act = self.next();
                match act {
                    Act::NoMove => self.say("bestmove none"),
                    _ => self.say(&format!("bestmove {}", board_of(&self.record).moves()[0])),
                }
            }
            _ => {}
        }
    }

    fn say(&mut self, text: &str) {
        self.socket.send(Message::text(text)).expect("the server listens");
    }

    /// The next act. Advances the clock by the time it takes.
    fn next(&self) -> Act {
        let act = lock(&self.log).next(self.script, self.side);
        self.clock.advance(Duration::from_millis(self.script.takes));
        act
    }

    /// Answers a question; false if the bot disconnects instead.
    fn answer(&mut self, moves: &str) -> bool {
        let act = self.next();
        let message = match act {
            Act::Move(text) => Message::text(text),
            Act::Resign | Act::Exhausted => Message::text("resign"),
            Act::Claim => Message::text("claim"),
            Act::Garbage => Message::binary(vec![1, 2, 3]),
            Act::Crash => {
                // The server waits for it to come back until its time is up.
                self.clock.advance(TOO_LONG);
                return false;
            }
            Act::Stall => {
                self.clock.advance(TOO_LONG);
                return true;
            }
            _ => Message::text(moves.split(' ').next().unwrap_or_default().to_string()),
        };
        self.socket.send(message).expect("the server listens");
        true
    }
}
