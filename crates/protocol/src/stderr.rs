//! Ring buffer for the standard error of a program. A thread always reads it, so that the program never blocks, and keeps only
//! the last 64 KiB. The text is hostile: callers must sanitise it before they show it.

use std::{
    collections::VecDeque,
    io::{ErrorKind, Read},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Size of the ring buffer in bytes.
pub(crate) const CAPACITY: usize = 64 << 10;

#[derive(Debug, Default)]
struct StderrState {
    last: VecDeque<u8>,
    /// Number of bytes at the end that `take` has not returned yet.
    fresh: usize,
    closed: bool,
}

/// Standard error of one program.
#[derive(Debug, Default)]
pub(crate) struct StderrBuffer {
    state: Mutex<StderrState>,
    ended: Condvar,
}

impl StderrBuffer {
    fn state(&self) -> MutexGuard<'_, StderrState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, bytes: &[u8]) {
        let mut state = self.state();
        state.last.extend(bytes);
        let over = state.last.len().saturating_sub(CAPACITY);
        state.last.drain(..over);
        state.fresh = (state.fresh + bytes.len()).min(state.last.len());
    }

    /// What the program has written since the last call, at most the capacity.
    pub fn take(&self) -> String {
        let mut state = self.state();
        let from = state.last.len() - state.fresh;
        state.fresh = 0;
        let bytes: Vec<u8> = state.last.range(from..).copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The last lines joined to one line, for an error message. Waits at most `wait` for the end of the stream, so that the last
    /// output of a program that has just exited is included.
    pub fn tail(&self, wait: Duration) -> String {
        let waited = self.ended.wait_timeout_while(self.state(), wait, |state| !state.closed);
        let state = waited.unwrap_or_else(PoisonError::into_inner).0;
        let from = state.last.len().saturating_sub(4 * TAIL_CHARS);
        let bytes: Vec<u8> = state.last.range(from..).copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let joined = lines.collect::<Vec<_>>().join(" / ");
        let clean: Vec<char> = joined.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        clean[clean.len().saturating_sub(TAIL_CHARS)..].iter().collect()
    }
}

/// Number of characters of standard error in an error message.
const TAIL_CHARS: usize = 300;

/// Reads to the end of the stream.
pub(crate) fn read_stderr(mut source: impl Read, buffer: &StderrBuffer) {
    let mut chunk = vec![0; 16 << 10];
    loop {
        match source.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => buffer.add(&chunk[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => (),
            Err(_) => break,
        }
    }
    buffer.state().closed = true;
    buffer.ended.notify_all();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_only_the_last_output_and_returns_it_once() {
        let buffer = StderrBuffer::default();
        read_stderr(&b"first\n".repeat(1 << 20)[..], &buffer);
        buffer.add(b"last\x1b[2J words\n");
        assert_eq!(buffer.take().len(), CAPACITY);
        assert_eq!(buffer.take(), "");
        assert!(buffer.tail(Duration::ZERO).ends_with("/ first / last [2J words"));
        buffer.add(b"more");
        assert_eq!(buffer.take(), "more");
    }
}
