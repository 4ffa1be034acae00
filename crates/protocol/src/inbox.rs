//! Queue of unread lines of a program, each with its time of arrival.
//!
//! Its memory is bounded: a line has a maximum length, a turn a maximum number of bytes, and lines between turns are dropped.
//! The content of a line is not parsed here.

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
const MAX_UNREAD_BYTES: usize = 1 << 20;
/// In bytes.
const MAX_TURN_BYTES: usize = 4 << 20;
/// How long a program must be silent before its next turn starts.
const SILENCE: Duration = Duration::from_millis(3);
/// After this number of turns without a line outside a turn, the wait for silence is skipped.
const TRUSTED_TURNS: u64 = 50;
/// Memory of a line in bytes beside its text. It makes empty lines count, too.
const OVERHEAD: usize = 64;

/// A line without its ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReceivedLine {
    pub text: String,
    /// Time of arrival, by the asking side's clock.
    pub at: Duration,
}

/// Why no more lines follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineError {
    /// The program closed its output or exited.
    Closed,
    /// The program wrote too much.
    Flood,
    /// A line that is too long.
    LongLine,
    /// Bytes that are no UTF-8.
    NotText,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LineError::Closed => "it closed its output",
            LineError::Flood => "it wrote too much output",
            LineError::LongLine => "it wrote a line of more than 64 KiB",
            LineError::NotText => "it wrote bytes that are not UTF-8",
        })
    }
}

/// The result of a read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Received {
    Line(ReceivedLine),
    Error(LineError),
    Nothing,
}

#[derive(Debug, Default)]
struct InboxState {
    lines: VecDeque<ReceivedLine>,
    /// Memory of the unread lines in bytes.
    unread_bytes: usize,
    /// Bytes since the last start or end of a turn.
    turn_bytes: usize,
    /// Whether it is not the program's turn. False after the start, because the handshake needs the first lines.
    between_turns: bool,
    partial_line: bool,
    error: Option<LineError>,
    /// Time of arrival of the last line, including dropped lines.
    latest: Option<Duration>,
    /// Number of lines that arrived outside the program's turns.
    stray_lines: u64,
    /// Number of turns so far.
    turns: u64,
}

/// Queue of the lines from one program.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    state: Mutex<InboxState>,
    news: Condvar,
}

impl Inbox {
    fn state(&self) -> MutexGuard<'_, InboxState> {
        // The lines stay valid if a thread panics with the lock, so poisoning is ignored.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a turn. Earlier output is dropped.
    pub fn begin_turn(&self) {
        self.reset(false);
    }

    /// How long to wait until the next turn may start, so that output after an answer is not taken for the next answer. Zero
    /// for a program without stray lines in many turns.
    pub fn settle_time(&self, now: Duration) -> Duration {
        let state = self.state();
        let trusted = state.stray_lines == 0 && state.turns > TRUSTED_TURNS;
        match state.latest {
            Some(latest) if !trusted => (latest + SILENCE).saturating_sub(now),
            _ => Duration::ZERO,
        }
    }

    /// Notes that output of the last turn may arrive until then.
    pub fn expect_late_output(&self, until: Duration) {
        let mut state = self.state();
        state.stray_lines += 1;
        state.latest = Some(until.saturating_sub(SILENCE));
    }

    /// Ends a turn. Lines are dropped until the next turn starts.
    pub fn end_turn(&self) {
        self.reset(true);
    }

    fn reset(&self, between_turns: bool) {
        let mut state = self.state();
        state.lines.clear();
        state.unread_bytes = 0;
        state.turn_bytes = 0;
        state.between_turns = between_turns;
        state.turns += u64::from(!between_turns);
    }

    /// The next line; waits for it at most `wait`. An error is returned after all lines before it.
    pub fn next(&self, wait: Duration) -> Received {
        let no_news = |state: &mut InboxState| state.lines.is_empty() && state.error.is_none();
        let waited = self.news.wait_timeout_while(self.state(), wait, no_news);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        match (state.lines.pop_front(), state.error) {
            (Some(line), _) => {
                state.unread_bytes -= line.text.len() + OVERHEAD;
                Received::Line(line)
            }
            (None, Some(error)) => Received::Error(error),
            (None, None) => Received::Nothing,
        }
    }

    /// Why no more lines follow; `None` while the program can still write.
    pub fn error(&self) -> Option<LineError> {
        self.state().error
    }

    pub fn is_empty(&self) -> bool {
        self.state().lines.is_empty()
    }

    /// Whether the last line is incomplete.
    pub fn has_partial_line(&self) -> bool {
        self.state().partial_line
    }

    /// Counts received bytes against the limit.
    fn count(&self, bytes: usize, partial_line: bool) -> Result<(), LineError> {
        let mut state = self.state();
        state.turn_bytes += bytes;
        state.partial_line = partial_line;
        let most = if state.between_turns { MAX_UNREAD_BYTES } else { MAX_TURN_BYTES };
        if state.turn_bytes > most { Err(LineError::Flood) } else { Ok(()) }
    }

    fn push(&self, text: &str, at: Duration) -> Result<(), LineError> {
        let mut state = self.state();
        state.latest = Some(at);
        state.stray_lines += u64::from(state.between_turns);
        if !state.between_turns && !text.trim().is_empty() {
            state.unread_bytes += text.len() + OVERHEAD;
            if state.unread_bytes > MAX_UNREAD_BYTES {
                return Err(LineError::Flood);
            }
            state.lines.push_back(ReceivedLine { text: text.to_string(), at });
            self.news.notify_one();
        }
        Ok(())
    }

    fn fail(&self, error: LineError) {
        self.state().error = Some(error);
        self.news.notify_one();
    }
}

/// Reads lines until the program ends or breaks a limit. Later output stays in the pipe, so a full pipe blocks the program
/// (back-pressure) until it is killed.
pub(crate) fn read_lines(source: impl Read, inbox: &Inbox, clock: &dyn Clock) {
    if let Err(error) = try_reading(source, inbox, clock) {
        inbox.fail(error);
    }
}

fn try_reading(mut source: impl Read, inbox: &Inbox, clock: &dyn Clock) -> Result<(), LineError> {
    let mut chunk = vec![0; 16 << 10];
    let mut partial: Vec<u8> = Vec::new();
    loop {
        let bytes = match source.read(&mut chunk) {
            Ok(0) => return Err(LineError::Closed),
            Ok(count) => &chunk[..count],
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return Err(LineError::Closed),
        };
        let at = clock.now();
        let mut pieces = bytes.split(|&byte| byte == b'\n');
        let last = pieces.next_back().unwrap_or_default();
        for piece in pieces {
            partial.extend_from_slice(piece);
            inbox.push(line_text(&partial)?, at)?;
            partial.clear();
        }
        partial.extend_from_slice(last);
        if partial.len() > LONGEST_LINE {
            return Err(LineError::LongLine);
        }
        inbox.count(bytes.len(), !partial.is_empty())?;
    }
}

fn line_text(bytes: &[u8]) -> Result<&str, LineError> {
    if bytes.len() > LONGEST_LINE {
        return Err(LineError::LongLine);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| LineError::NotText)?;
    Ok(text.strip_suffix('\r').unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_engine::Manual;

    fn read_all(bytes: &[u8]) -> (Vec<String>, LineError) {
        let inbox = Inbox::default();
        read_lines(bytes, &inbox, &Manual::stepping(Duration::ZERO));
        let mut lines = Vec::new();
        loop {
            match inbox.next(Duration::ZERO) {
                Received::Line(line) => lines.push(line.text),
                Received::Error(error) => return (lines, error),
                Received::Nothing => panic!("the end of the source is an error"),
            }
        }
    }

    #[test]
    fn returns_lines_in_order_and_without_line_ends() {
        let (lines, error) = read_all(b"one\r\n\n  \ntwo\nrest");
        assert_eq!((lines, error), (vec!["one".to_string(), "two".to_string()], LineError::Closed));
    }

    #[test]
    fn refuses_lines_that_are_too_long_or_not_utf_8() {
        let longest = [vec![b'x'; LONGEST_LINE], b"\n".to_vec()].concat();
        assert_eq!(read_all(&longest).1, LineError::Closed);
        assert_eq!(read_all(&[b"x", &longest[..]].concat()).1, LineError::LongLine);
        assert_eq!(read_all(&vec![b'x'; 1 << 20]).1, LineError::LongLine);
        assert_eq!(read_all(b"good\nb\xe4d\n"), (vec!["good".to_string()], LineError::NotText));
    }

    #[test]
    fn stops_reading_before_a_flood_fills_the_memory() {
        let (lines, error) = read_all(&b"\n".repeat(MAX_TURN_BYTES + 1));
        assert_eq!((lines.len(), error), (0, LineError::Flood));
        let (lines, error) = read_all(&b"x\n".repeat(1 << 20));
        assert_eq!(error, LineError::Flood);
        assert!(lines.len() <= MAX_UNREAD_BYTES / OVERHEAD, "{}", lines.len());
    }

    #[test]
    fn drops_lines_between_turns() {
        let inbox = Inbox::default();
        inbox.end_turn();
        read_lines(&b"early\n"[..], &inbox, &Manual::stepping(Duration::ZERO));
        inbox.begin_turn();
        assert_eq!(inbox.next(Duration::ZERO), Received::Error(LineError::Closed));
    }
}
