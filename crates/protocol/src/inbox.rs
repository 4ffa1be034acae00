//! What a program has said and nobody has read yet: lines, each with the moment at which it came.
//!
//! However much a program says, little of it is kept: a line has a greatest length, a turn a greatest number of bytes, and
//! between turns nothing is kept at all. It refuses to understand what it holds.

use parlor_engine::Clock;
use std::{
    collections::VecDeque,
    fmt,
    io::{ErrorKind, Read},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// In bytes, without the line ending.
pub const LONGEST_LINE: usize = 64 << 10;
/// In bytes: limit of unread lines, and of output outside the program's turn.
const UNREAD: usize = 1 << 20;
/// In bytes.
const IN_A_TURN: usize = 4 << 20;
/// So long a program must have been silent before it is asked, until it had so many turns in which it said nothing too much.
const SILENCE: Duration = Duration::from_millis(3);
const TO_BE_TRUSTED: u64 = 50;
/// What a line costs us beside its letters: a million empty ones are no small matter.
const OVERHEAD: usize = 64;

/// A line without its ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub text: String,
    /// Time of arrival, by the asking side's clock.
    pub at: Duration,
}

/// Why no more lines follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The program closed its output or exited.
    Closed,
    /// The program wrote too much.
    Flood,
    /// A line that is too long.
    LongLine,
    /// Bytes that are no UTF-8.
    NotText,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Trouble::Closed => "it closed its output",
            Trouble::Flood => "it wrote too much output",
            Trouble::LongLine => "it wrote a line of more than 64 KiB",
            Trouble::NotText => "it wrote bytes that are not UTF-8",
        })
    }
}

/// The result of a read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    Line(Line),
    Trouble(Trouble),
    Nothing,
}

#[derive(Debug, Default)]
struct State {
    lines: VecDeque<Line>,
    /// Cost of the unread lines.
    held: usize,
    /// Bytes since the last start or end of a turn.
    heard: usize,
    /// Whether it is not the program's turn. At its start it is: what it says then shows that it lives.
    resting: bool,
    /// Whether the last line is incomplete.
    unfinished: bool,
    trouble: Option<Trouble>,
    /// When the last line came, whether it counted or not.
    latest: Option<Duration>,
    /// Lines that came while it was not the program's turn, and turns that it had.
    strays: u64,
    turns: u64,
}

/// Queue of the lines from one program.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    state: Mutex<State>,
    news: Condvar,
}

impl Inbox {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nobody panics with the lock in hand; if somebody did, the lines would still be lines.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a turn: earlier output does not count.
    pub fn listen(&self) {
        self.turn(false);
    }

    /// How long to wait before the next turn begins, so that what a program says after its answer is not taken for the next
    /// one: until it has been silent for a moment. One that has never said too much in many turns is not waited for.
    pub fn unsettled(&self, now: Duration) -> Duration {
        let state = self.state();
        let trusted = state.strays == 0 && state.turns > TO_BE_TRUSTED;
        match state.latest {
            Some(latest) if !trusted => (latest + SILENCE).saturating_sub(now),
            _ => Duration::ZERO,
        }
    }

    /// Something more may come until then that belongs to the last turn.
    pub fn expect_more(&self, until: Duration) {
        let mut state = self.state();
        state.strays += 1;
        state.latest = Some(until.saturating_sub(SILENCE));
    }

    /// A turn has ended: what comes now does not count.
    pub fn rest(&self) {
        self.turn(true);
    }

    fn turn(&self, resting: bool) {
        let mut state = self.state();
        state.lines.clear();
        (state.held, state.heard, state.resting) = (0, 0, resting);
        state.turns += u64::from(!resting);
    }

    /// The next line, waited for no longer than this; trouble only after all lines before it.
    pub fn next(&self, wait: Duration) -> Heard {
        let quiet = |state: &mut State| state.lines.is_empty() && state.trouble.is_none();
        let waited = self.news.wait_timeout_while(self.state(), wait, quiet);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        match (state.lines.pop_front(), state.trouble) {
            (Some(line), _) => {
                state.held -= line.text.len() + OVERHEAD;
                Heard::Line(line)
            }
            (None, Some(trouble)) => Heard::Trouble(trouble),
            (None, None) => Heard::Nothing,
        }
    }

    /// Why there will be no more lines, if that is so.
    pub fn trouble(&self) -> Option<Trouble> {
        self.state().trouble
    }

    /// Whether no unread line is in the queue.
    pub fn is_silent(&self) -> bool {
        self.state().lines.is_empty()
    }

    /// Whether the last line is incomplete.
    pub fn is_mid_line(&self) -> bool {
        self.state().unfinished
    }

    /// So many bytes have come: whether that is still bearable, and whether they end within a line.
    fn count(&self, bytes: usize, unfinished: bool) -> Result<(), Trouble> {
        let mut state = self.state();
        state.heard += bytes;
        state.unfinished = unfinished;
        let most = if state.resting { UNREAD } else { IN_A_TURN };
        if state.heard > most { Err(Trouble::Flood) } else { Ok(()) }
    }

    fn put(&self, text: &str, at: Duration) -> Result<(), Trouble> {
        let mut state = self.state();
        state.latest = Some(at);
        state.strays += u64::from(state.resting);
        if !state.resting && !text.trim().is_empty() {
            state.held += text.len() + OVERHEAD;
            if state.held > UNREAD {
                return Err(Trouble::Flood);
            }
            state.lines.push_back(Line { text: text.to_string(), at });
            self.news.notify_one();
        }
        Ok(())
    }

    fn fail(&self, trouble: Trouble) {
        self.state().trouble = Some(trouble);
        self.news.notify_one();
    }
}

/// Reads until the program ends or misbehaves. What it writes after that stays in its pipe, which fills up: it waits there
/// for its end.
pub(crate) fn read_lines(source: impl Read, inbox: &Inbox, clock: &dyn Clock) {
    if let Err(trouble) = try_reading(source, inbox, clock) {
        inbox.fail(trouble);
    }
}

fn try_reading(mut source: impl Read, inbox: &Inbox, clock: &dyn Clock) -> Result<(), Trouble> {
    let mut chunk = vec![0; 16 << 10];
    let mut begun: Vec<u8> = Vec::new();
    loop {
        let bytes = match source.read(&mut chunk) {
            Ok(0) => return Err(Trouble::Closed),
            Ok(count) => &chunk[..count],
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return Err(Trouble::Closed),
        };
        let at = clock.now();
        let mut pieces = bytes.split(|&byte| byte == b'\n');
        let last = pieces.next_back().unwrap_or_default();
        for piece in pieces {
            begun.extend_from_slice(piece);
            inbox.put(line_of(&begun)?, at)?;
            begun.clear();
        }
        begun.extend_from_slice(last);
        if begun.len() > LONGEST_LINE {
            return Err(Trouble::LongLine);
        }
        inbox.count(bytes.len(), !begun.is_empty())?;
    }
}

fn line_of(bytes: &[u8]) -> Result<&str, Trouble> {
    if bytes.len() > LONGEST_LINE {
        return Err(Trouble::LongLine);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Trouble::NotText)?;
    Ok(text.strip_suffix('\r').unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_engine::Manual;

    fn hears(bytes: &[u8]) -> (Vec<String>, Trouble) {
        let inbox = Inbox::default();
        read_lines(bytes, &inbox, &Manual::stepping(Duration::ZERO));
        let mut lines = Vec::new();
        loop {
            match inbox.next(Duration::ZERO) {
                Heard::Line(line) => lines.push(line.text),
                Heard::Trouble(trouble) => return (lines, trouble),
                Heard::Nothing => panic!("a source that ends is trouble"),
            }
        }
    }

    #[test]
    fn lines_come_in_order_and_without_their_ends() {
        let (lines, trouble) = hears(b"one\r\n\n  \ntwo\nrest");
        assert_eq!((lines, trouble), (vec!["one".to_string(), "two".to_string()], Trouble::Closed));
    }

    #[test]
    fn lines_that_are_too_long_or_no_text_are_trouble() {
        let longest = [vec![b'x'; LONGEST_LINE], b"\n".to_vec()].concat();
        assert_eq!(hears(&longest).1, Trouble::Closed);
        assert_eq!(hears(&[b"x", &longest[..]].concat()).1, Trouble::LongLine);
        assert_eq!(hears(&vec![b'x'; 1 << 20]).1, Trouble::LongLine);
        assert_eq!(hears(b"good\nb\xe4d\n"), (vec!["good".to_string()], Trouble::NotText));
    }

    #[test]
    fn a_flood_is_stopped_before_it_is_kept() {
        let (lines, trouble) = hears(&b"\n".repeat(IN_A_TURN + 1));
        assert_eq!((lines.len(), trouble), (0, Trouble::Flood));
        let (lines, trouble) = hears(&b"x\n".repeat(1 << 20));
        assert_eq!(trouble, Trouble::Flood);
        assert!(lines.len() <= UNREAD / OVERHEAD, "{}", lines.len());
    }

    #[test]
    fn what_comes_between_turns_is_not_kept() {
        let inbox = Inbox::default();
        inbox.rest();
        read_lines(&b"early\n"[..], &inbox, &Manual::stepping(Duration::ZERO));
        inbox.listen();
        assert_eq!(inbox.next(Duration::ZERO), Heard::Trouble(Trouble::Closed));
    }
}
