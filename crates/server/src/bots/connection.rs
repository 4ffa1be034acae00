//! The connection to one bot: the messages of a WebSocket as lines of text. It limits the length of a line, the bytes per turn and
//! between turns, the time to read a message and the time without any. It does not interpret the lines.

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use parlor_protocol::{LONGEST_LINE, LineError};
use std::{collections::VecDeque, error::Error, time::Duration};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, timeout};

/// Largest WebSocket message in bytes, which has space for two of the longest lines.
pub const LARGEST_MESSAGE: usize = 2 * LONGEST_LINE;
/// Interval between pings.
const PING_INTERVAL: Duration = Duration::from_secs(20);
/// A bot that has sent nothing for this long, not even a pong, is disconnected.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(70);
/// A bot that does not read a message within this time is disconnected.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);
/// Limits of a bot's output in bytes: between its turns, and within one turn.
const MAX_BYTES_BETWEEN_TURNS: usize = 1 << 20;
const MAX_BYTES_PER_TURN: usize = 4 << 20;
/// Bytes charged per line in addition to its text.
const OVERHEAD: usize = 64;
/// In bytes: the longest reason of a close frame (RFC 6455).
const LONGEST_REASON: usize = 123;

#[derive(Debug, PartialEq, Eq)]
pub enum Received {
    /// A line without its line ending.
    Line(String),
    /// A violation of the protocol.
    Trouble(LineError),
    Disconnected(Disconnected),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    Done,
    /// The server is shutting down.
    Away,
    /// The bot violated the protocol.
    Broken,
}

/// The connection was lost, for this reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disconnected(pub &'static str);

pub struct BotConnection {
    socket: WebSocket,
    /// Unread lines of the last message.
    unread: VecDeque<String>,
    pings: Interval,
    last_message: Instant,
    /// Bytes received since the turn began or ended.
    charged: usize,
    asked: bool,
    /// Answers to cancelled questions that are still to come.
    pub cancelled_answers: u32,
    /// Whether a UGI engine has finished its handshake.
    pub handshake_done: bool,
}

impl BotConnection {
    pub fn new(socket: WebSocket) -> BotConnection {
        let now = Instant::now();
        let mut pings = interval_at(now + PING_INTERVAL, PING_INTERVAL);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        BotConnection {
            socket,
            unread: VecDeque::new(),
            pings,
            last_message: now,
            charged: 0,
            asked: false,
            cancelled_answers: 0,
            handshake_done: false,
        }
    }

    /// Begins or ends a turn: lines that were received before are discarded, and the byte count starts again.
    pub fn set_asked(&mut self, asked: bool) {
        (self.asked, self.charged) = (asked, 0);
        self.unread.clear();
    }

    /// Receives the next line. Cancel-safe.
    pub async fn receive(&mut self) -> Received {
        loop {
            if let Some(line) = self.unread.pop_front() {
                return Received::Line(line);
            }
            let message = tokio::select! {
                message = self.socket.recv() => message,
                _ = self.pings.tick() => {
                    if self.last_message.elapsed() > SILENCE_TIMEOUT {
                        return Received::Disconnected(Disconnected("disconnected: no message for 70 s"));
                    }
                    if let Err(gone) = self.send(Message::Ping(Default::default())).await {
                        return Received::Disconnected(gone);
                    }
                    continue;
                }
            };
            self.last_message = Instant::now();
            let result = match message {
                Some(Ok(Message::Text(text))) => self.split_lines(text.as_str()),
                Some(Ok(Message::Binary(_))) => Err(LineError::NotText),
                // Pings and pongs count towards the limit.
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => self.charge(0),
                Some(Err(error)) => match trouble(&error) {
                    Some(trouble) => Err(trouble),
                    None => return Received::Disconnected(Disconnected("the connection was lost")),
                },
                Some(Ok(Message::Close(_))) | None => {
                    return Received::Disconnected(Disconnected("it closed the connection"));
                }
            };
            if let Err(trouble) = result {
                return Received::Trouble(trouble);
            }
        }
    }

    fn split_lines(&mut self, text: &str) -> Result<(), LineError> {
        for line in text.split('\n') {
            let line = line.strip_suffix('\r').unwrap_or(line);
            if line.len() > LONGEST_LINE {
                return Err(LineError::LongLine);
            }
            self.charge(line.len())?;
            if !line.trim().is_empty() {
                self.unread.push_back(line.to_string());
            }
        }
        Ok(())
    }

    fn charge(&mut self, bytes: usize) -> Result<(), LineError> {
        self.charged += bytes + OVERHEAD;
        let most = if self.asked { MAX_BYTES_PER_TURN } else { MAX_BYTES_BETWEEN_TURNS };
        if self.charged > most { Err(LineError::Flood) } else { Ok(()) }
    }

    /// Sends a line. A client that does not accept it in time is disconnected.
    pub async fn send_line(&mut self, line: &str) -> Result<(), Disconnected> {
        self.send(Message::text(line)).await
    }

    async fn send(&mut self, message: Message) -> Result<(), Disconnected> {
        match timeout(SEND_TIMEOUT, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(Disconnected("the connection was lost")),
            Err(_) => Err(Disconnected("disconnected: a message was not read within 10 s")),
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

/// The violation behind a read error; `None` if the connection was lost, which is not the bot's fault.
fn trouble(error: &axum::Error) -> Option<LineError> {
    let mut link: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = link {
        let text = error.to_string();
        if text.starts_with("Space limit exceeded") || text.starts_with("Message too long") {
            return Some(LineError::LongLine);
        }
        if text.starts_with("UTF-8") {
            return Some(LineError::NotText);
        }
        link = error.source();
    }
    None
}
