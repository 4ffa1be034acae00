//! A bot of the simple dialect over a WebSocket, which follows a script.

use super::{
    player::{SharedLog, lock},
    scripts::{Act, Script},
};
use parlor_play::Side;
use parlor_testkit::PATIENCE;
use serde_json::{Value, json};
use std::net::TcpStream;
use tokio_tungstenite::tungstenite::{Message, WebSocket, client::client};

/// A bot that waits in the lobby for its game.
pub struct Bot {
    socket: WebSocket<TcpStream>,
    script: &'static Script,
    side: Side,
    log: SharedLog,
}

/// What the server did at the end of a bot's game.
#[derive(Default)]
struct Told {
    end: Value,
    close: Value,
}

impl Bot {
    pub fn connect(address: &str, name: &str, script: &'static Script, side: Side, log: SharedLog) -> Bot {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        let (socket, _) =
            client(format!("ws://{address}/api/v1/bots?name={name}"), stream).expect("a WebSocket");
        Bot { socket, script, side, log }
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

    /// Answers a question; false if the bot disconnects instead.
    fn answer(&mut self, moves: &str) -> bool {
        let act = lock(&self.log).next(self.script, self.side);
        let message = match act {
            Act::Move(text) => Message::text(text),
            Act::Resign | Act::Exhausted => Message::text("resign"),
            Act::Claim => Message::text("claim"),
            Act::Garbage => Message::binary(vec![1, 2, 3]),
            Act::Crash => return false,
            Act::Stall => return true,
            _ => Message::text(moves.split(' ').next().unwrap_or_default().to_string()),
        };
        self.socket.send(message).expect("the server listens");
        true
    }
}
