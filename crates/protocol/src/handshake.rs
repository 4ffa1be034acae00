//! Handshake with a program before a game. A UGI engine has a handshake of its own. A simple bot has none, so it gets a practice
//! turn that does not count. Errors are sentences and become `Failure::Start`.

use crate::{
    BotOptions,
    dialects::simple,
    inbox::{LineError, Received},
    link::Link,
};
use parlor_core::{Board, Side, harmless};
use std::time::Duration;

/// Time limit in the practice turn. It is short, because some bots use all their time.
const PRACTICE_TIME: Duration = Duration::from_secs(1);
/// How late the answer in the practice turn may be.
const PRACTICE_GRACE: Duration = Duration::from_millis(250);
/// Interval between checks of the clock.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A handshake with a running program.
pub(crate) struct Handshake<'a> {
    pub link: &'a mut Link,
    pub options: &'a BotOptions,
}

impl Handshake<'_> {
    /// The UGI handshake: `ugi` for a new process, then `game` and `isready`. An engine that ignores `game` is assumed to
    /// support the game.
    pub fn ugi(&mut self, game: &str, is_new: bool) -> Result<(), String> {
        let until = self.options.clock.now() + self.options.startup;
        if is_new {
            self.link.outbox.send("ugi");
            let accepted = self.wait(until, |line| (line.trim() == "ugiok").then_some(()))?;
            accepted.ok_or_else(|| self.timeout("'ugiok'"))?;
        } else {
            self.link.thaw();
            self.link.inbox.begin_turn();
        }
        for line in [&format!("game {game}"), "uginewgame", "isready"] {
            self.link.outbox.send(line);
        }
        let ready =
            self.wait(until, |line| match line.trim().split_once(' ').unwrap_or((line.trim(), "")) {
                ("readyok", _) => Some(Ok(())),
                ("gameno", why) => Some(Err(format!("it does not support {game}: {}", harmless(why, 200)))),
                _ => None,
            })?;
        self.link.inbox.end_turn();
        ready.ok_or_else(|| self.timeout("'readyok'"))?
    }

    /// The practice turn of a new simple bot: the first turn of a game that is then abandoned. A legal move is the answer. Any
    /// other line may be a greeting, and the answer is awaited until the time limit.
    pub fn practice(&mut self, board: &dyn Board) -> Result<(), String> {
        let now = self.options.clock.now();
        self.link.outbox.send(&simple::new(&board.info().spec, Side::First));
        self.link.outbox.send(&simple::turn(board, Some(PRACTICE_TIME)));
        let answered =
            |line: &str| board.check(line.trim()).is_ok() || ["resign", "claim"].contains(&line.trim());
        let first = self.wait(now + self.options.startup, |line| Some(answered(line)))?;
        let first = first.ok_or_else(|| self.timeout("answer"))?;
        if !first {
            // A bot that uses all its time must have answered before the first turn of the game.
            let until = self.options.clock.now() + PRACTICE_TIME + PRACTICE_GRACE;
            self.wait(until, |line| answered(line).then_some(()))?;
        }
        // No `end` line: a bot that exits after a game would exit before its first one.
        self.link.inbox.end_turn();
        Ok(())
    }

    /// Waits for a line that `parse` accepts; `None` if it does not arrive in time.
    fn wait<T>(
        &mut self,
        until: Duration,
        mut parse: impl FnMut(&str) -> Option<T>,
    ) -> Result<Option<T>, String> {
        loop {
            match self.link.receive(POLL_INTERVAL) {
                Received::Line(line) => {
                    if let Some(parsed) = parse(&line.text) {
                        return Ok(Some(parsed));
                    }
                }
                Received::Error(LineError::Closed) => return Err(self.link.failure_reason()),
                Received::Error(error) => return Err(error.to_string()),
                Received::Nothing if self.link.exit_status().is_some() => {
                    return Err(self.link.failure_reason());
                }
                Received::Nothing => (),
            }
            if self.options.clock.now() >= until {
                return Ok(None);
            }
        }
    }

    fn timeout(&self, expected: &str) -> String {
        let stderr = self.link.stderr.tail(Duration::ZERO);
        let stderr = if stderr.is_empty() { stderr } else { format!("; stderr: {stderr}") };
        format!("no {expected} within {} s{stderr}", self.options.startup.as_secs_f32())
    }
}
