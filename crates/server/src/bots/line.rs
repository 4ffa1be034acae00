//! The line to one bot: messages of a WebSocket as lines of text, and lines as messages. It is bounded in every way: how long a
//! line is, how much comes in a turn and between turns, how long a message may take to be read, how long the other end may
//! be silent. It refuses to understand what it carries.

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use parlor_protocol::{LONGEST_LINE, Trouble};
use std::{collections::VecDeque, error::Error, time::Duration};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, timeout};

/// No message is larger: a few lines, of which none is longer than allowed.
pub const LARGEST_MESSAGE: usize = 2 * LONGEST_LINE;
/// How often the other end is asked whether it is there.
const PING: Duration = Duration::from_secs(20);
/// Who has not been heard of for so long is gone.
const SILENCE: Duration = Duration::from_secs(70);
/// Who does not take a message within this is dropped.
const TO_TAKE: Duration = Duration::from_secs(10);
/// In bytes: limits of a bot's output outside its turn, and within one turn.
const UNASKED: usize = 1 << 20;
const IN_A_TURN: usize = 4 << 20;
/// Bytes charged per line in addition to its text.
const OVERHEAD: usize = 64;
/// A reason for closing is no longer, as the WebSocket has it.
const LONGEST_REASON: usize = 123;

#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// Without its line ending.
    Line(String),
    /// A violation of the protocol.
    Trouble(Trouble),
    Gone(Gone),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    Done,
    /// The server ends, or has no more use for it.
    Away,
    /// The bot violated the protocol.
    Broken,
}

/// The connection is lost, so that nothing can be sent: why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone(pub &'static str);

pub struct Line {
    socket: WebSocket,
    /// Unread lines of the last message.
    unread: VecDeque<String>,
    pings: Interval,
    heard: Instant,
    /// What has come since the turn began or ended.
    measured: usize,
    asked: bool,
    /// Answers that are still to come to questions that were withdrawn.
    pub owed: u32,
    /// Whether a UGI engine has finished its handshake.
    pub greeted: bool,
}

impl Line {
    pub fn new(socket: WebSocket) -> Line {
        let now = Instant::now();
        let mut pings = interval_at(now + PING, PING);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Line {
            socket,
            unread: VecDeque::new(),
            pings,
            heard: now,
            measured: 0,
            asked: false,
            owed: 0,
            greeted: false,
        }
    }

    /// A turn begins or ends: what was said in the same breath does not count any more.
    pub fn turn(&mut self, asked: bool) {
        (self.asked, self.measured) = (asked, 0);
        self.unread.clear();
    }

    /// The next line. It may be given up at any moment, and loses nothing by it.
    pub async fn hear(&mut self) -> Heard {
        loop {
            if let Some(line) = self.unread.pop_front() {
                return Heard::Line(line);
            }
            let message = tokio::select! {
                message = self.socket.recv() => message,
                _ = self.pings.tick() => {
                    if self.heard.elapsed() > SILENCE {
                        return Heard::Gone(Gone("disconnected: no message for 70 s"));
                    }
                    if let Err(gone) = self.send(Message::Ping(Default::default())).await {
                        return Heard::Gone(gone);
                    }
                    continue;
                }
            };
            self.heard = Instant::now();
            let said = match message {
                Some(Ok(Message::Text(text))) => self.take(text.as_str()),
                Some(Ok(Message::Binary(_))) => Err(Trouble::NotText),
                // Pings and pongs cost as well: nobody needs many.
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => self.measure(0),
                Some(Err(error)) => match trouble(&error) {
                    Some(trouble) => Err(trouble),
                    None => return Heard::Gone(Gone("the connection was lost")),
                },
                Some(Ok(Message::Close(_))) | None => return Heard::Gone(Gone("it closed the connection")),
            };
            if let Err(trouble) = said {
                return Heard::Trouble(trouble);
            }
        }
    }

    fn take(&mut self, text: &str) -> Result<(), Trouble> {
        for line in text.split('\n') {
            let line = line.strip_suffix('\r').unwrap_or(line);
            if line.len() > LONGEST_LINE {
                return Err(Trouble::LongLine);
            }
            self.measure(line.len())?;
            if !line.trim().is_empty() {
                self.unread.push_back(line.to_string());
            }
        }
        Ok(())
    }

    fn measure(&mut self, letters: usize) -> Result<(), Trouble> {
        self.measured += letters + OVERHEAD;
        let most = if self.asked { IN_A_TURN } else { UNASKED };
        if self.measured > most { Err(Trouble::Flood) } else { Ok(()) }
    }

    /// Sends a line. A client that does not accept it in time is disconnected.
    pub async fn say(&mut self, line: &str) -> Result<(), Gone> {
        self.send(Message::text(line)).await
    }

    async fn send(&mut self, message: Message) -> Result<(), Gone> {
        match timeout(TO_TAKE, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(Gone("the connection was lost")),
            Err(_) => Err(Gone("disconnected: a message was not read within 10 s")),
        }
    }

    /// Sends a close frame with the reason; does not wait for the reply.
    pub async fn close(mut self, closing: Closing, reason: &str) {
        let code = match closing {
            Closing::Done => 1000,
            Closing::Away => 1001,
            Closing::Broken => 1008,
        };
        let cut = (0..=LONGEST_REASON.min(reason.len())).rev().find(|&at| reason.is_char_boundary(at));
        let reason = reason[..cut.unwrap_or(0)].into();
        let _ = self.send(Message::Close(Some(CloseFrame { code, reason }))).await;
    }
}

/// What was wrong with a message that could not be read; none where the connection was lost, which is nobody's fault.
fn trouble(error: &axum::Error) -> Option<Trouble> {
    let mut link: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = link {
        let said = error.to_string();
        if said.starts_with("Space limit exceeded") || said.starts_with("Message too long") {
            return Some(Trouble::LongLine);
        }
        if said.starts_with("UTF-8") {
            return Some(Trouble::NotText);
        }
        link = error.source();
    }
    None
}
