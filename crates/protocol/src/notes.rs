//! What a program writes aside, on its standard error: always read, so that it never waits for us, and only the last of it
//! kept. It is hostile text: whoever shows it cleans it first.

use std::{
    collections::VecDeque,
    io::{ErrorKind, Read},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Bytes of standard error that are kept.
pub(crate) const KEPT: usize = 64 << 10;

#[derive(Debug, Default)]
struct State {
    last: VecDeque<u8>,
    /// Number of bytes at the end that were not taken yet.
    fresh: usize,
    closed: bool,
}

/// Standard error of one program.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    state: Mutex<State>,
    ended: Condvar,
}

impl Notes {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, bytes: &[u8]) {
        let mut state = self.state();
        state.last.extend(bytes);
        let over = state.last.len().saturating_sub(KEPT);
        state.last.drain(..over);
        state.fresh = (state.fresh + bytes.len()).min(state.last.len());
    }

    /// What the program has written since the last call.
    pub fn take(&self) -> String {
        let mut state = self.state();
        let from = state.last.len() - state.fresh;
        state.fresh = 0;
        let bytes: Vec<u8> = state.last.range(from..).copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The last lines on one line, for a sentence; waits a little for a program that has just ended, so that its last words
    /// are among them.
    pub fn last_words(&self, wait: Duration) -> String {
        let waited = self.ended.wait_timeout_while(self.state(), wait, |state| !state.closed);
        let state = waited.unwrap_or_else(PoisonError::into_inner).0;
        let from = state.last.len().saturating_sub(4 * LAST_WORDS);
        let bytes: Vec<u8> = state.last.range(from..).copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let joined = lines.collect::<Vec<_>>().join(" / ");
        let clean: Vec<char> = joined.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        clean[clean.len().saturating_sub(LAST_WORDS)..].iter().collect()
    }
}

/// How many letters of its notes a sentence about a program has.
const LAST_WORDS: usize = 300;

/// Reads to the end of the stream.
pub(crate) fn read_notes(mut source: impl Read, notes: &Notes) {
    let mut chunk = vec![0; 16 << 10];
    loop {
        match source.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => notes.add(&chunk[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => (),
            Err(_) => break,
        }
    }
    notes.state().closed = true;
    notes.ended.notify_all();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_is_kept_and_told_once() {
        let notes = Notes::default();
        read_notes(&b"first\n".repeat(1 << 20)[..], &notes);
        notes.add(b"last\x1b[2J words\n");
        assert_eq!(notes.take().len(), KEPT);
        assert_eq!(notes.take(), "");
        assert!(notes.last_words(Duration::ZERO).ends_with("/ first / last [2J words"));
        notes.add(b"more");
        assert_eq!(notes.take(), "more");
    }
}
