//! How a program is made ready for a game: an engine by its handshake, a simple bot, which has none, by a practice question
//! that does not count. Every failure here is one of starting, told in a sentence.

use crate::{
    Terms,
    dialects::simple,
    inbox::{Heard, Trouble},
    link::Link,
};
use parlor_core::{Board, Side, harmless};
use std::time::Duration;

/// What a bot is told to have for the practice question: little, so that one that uses all its time starts soon.
const PRACTICE: Duration = Duration::from_secs(1);
/// How much later than that the answer may arrive.
const LATE: Duration = Duration::from_millis(250);
/// Interval between looks at the clock.
const LOOK: Duration = Duration::from_millis(5);

/// Performs the handshake with a running program.
pub(crate) struct Greeting<'a> {
    pub link: &'a mut Link,
    pub terms: &'a Terms,
}

impl Greeting<'_> {
    /// An engine: its name and options if it is new, the game, and whether it is ready. One that does not know the word
    /// `game` says nothing to it, and is believed to play the game.
    pub fn engine(&mut self, game: &str, is_new: bool) -> Result<(), String> {
        let until = self.terms.clock.now() + self.terms.startup;
        if is_new {
            self.link.outbox.send("ugi");
            let greeted = self.wait(until, |line| (line.trim() == "ugiok").then_some(()))?;
            greeted.ok_or_else(|| self.silence("'ugiok'"))?;
        } else {
            self.link.thaw();
            self.link.inbox.listen();
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
        self.link.inbox.rest();
        ready.ok_or_else(|| self.silence("'readyok'"))?
    }

    /// A simple bot that is new: the first turn of a game that is abandoned at once. A legal move is its answer; any other
    /// line may be a greeting, after which the answer is waited for until its time is up.
    pub fn simple(&mut self, board: &dyn Board) -> Result<(), String> {
        let now = self.terms.clock.now();
        self.link.outbox.send(&simple::new(&board.info().spec, Side::First));
        self.link.outbox.send(&simple::turn(board, Some(PRACTICE)));
        let answered =
            |line: &str| board.check(line.trim()).is_ok() || ["resign", "claim"].contains(&line.trim());
        let first = self.wait(now + self.terms.startup, |line| Some(answered(line)))?;
        let first = first.ok_or_else(|| self.silence("answer"))?;
        if !first {
            // One that takes all its time shall have answered before it is asked in earnest.
            let until = self.terms.clock.now() + PRACTICE + LATE;
            self.wait(until, |line| answered(line).then_some(()))?;
        }
        // No end is told: a bot that leaves after a game would be gone before its first one.
        self.link.inbox.rest();
        Ok(())
    }

    /// Waits for a line that means something; none if none came in time.
    fn wait<T>(
        &mut self,
        until: Duration,
        mut means: impl FnMut(&str) -> Option<T>,
    ) -> Result<Option<T>, String> {
        loop {
            match self.link.hear(LOOK) {
                Heard::Line(line) => {
                    if let Some(meant) = means(&line.text) {
                        return Ok(Some(meant));
                    }
                }
                Heard::Trouble(Trouble::Closed) => return Err(self.link.obituary()),
                Heard::Trouble(trouble) => return Err(trouble.to_string()),
                Heard::Nothing if self.link.ended().is_some() => return Err(self.link.obituary()),
                Heard::Nothing => (),
            }
            if self.terms.clock.now() >= until {
                return Ok(None);
            }
        }
    }

    fn silence(&self, wanted: &str) -> String {
        let words = self.link.notes.last_words(Duration::ZERO);
        let said = if words.is_empty() { String::new() } else { format!("; stderr: {words}") };
        format!("no {wanted} within {} s{said}", self.terms.startup.as_secs_f32())
    }
}
