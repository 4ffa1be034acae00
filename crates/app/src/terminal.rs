//! The real terminal: standard input by lines from a thread of its own (so that a clock can run out and Ctrl-C be noticed
//! while no line comes), standard output through [`Stdout`].

use crate::output::Stdout;
use parlor_console::{Input, Styled, Terminal};
use std::{
    io::{self, BufRead, IsTerminal, Read},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

/// A longer line is no move; its rest is read and dropped.
const LONGEST_LINE: u64 = 64 * 1024;
/// The number of lines that are read ahead.
const AHEAD: usize = 4;
/// How often a wait looks whether it was interrupted.
const TICK: Duration = Duration::from_millis(50);

/// Standard input and output as the console wants them.
pub struct Tty {
    out: Stdout,
    /// Lines; none where the input ended.
    lines: Receiver<Option<String>>,
    stop: Arc<AtomicBool>,
    /// Whether the input is a keyboard: then Enter shows on the screen, and after an end of the input more may come.
    keyboard: bool,
}

impl Tty {
    /// Begins to read standard input. `stop` is set when the person wants out.
    pub fn open(out: Stdout, stop: Arc<AtomicBool>) -> Tty {
        let (send, lines) = sync_channel(AHEAD);
        let keyboard = io::stdin().is_terminal();
        thread::spawn(move || pass_on(&mut io::stdin().lock(), &send, keyboard));
        Tty { out, lines, stop, keyboard }
    }
}

/// Passes lines on until the input ends: for a keyboard one Ctrl-D is one end, for a pipe or a file it is the last.
fn pass_on(input: &mut impl BufRead, send: &SyncSender<Option<String>>, keyboard: bool) {
    while let Ok(line) = read_line(input) {
        if line.is_none() && !keyboard || send.send(line).is_err() {
            break;
        }
    }
}

/// A line without its end, cut at the longest; none at the end of the input.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let count = input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes)?;
    if count == 0 {
        return Ok(None);
    }
    if !bytes.ends_with(b"\n") && count as u64 == LONGEST_LINE {
        skip_line(input)?;
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(Some(text.trim_end_matches(['\n', '\r']).to_string()))
}

fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let mut bytes = Vec::new();
        let count = input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes)?;
        if count == 0 || bytes.ends_with(b"\n") {
            return Ok(());
        }
    }
}

impl Terminal for Tty {
    fn print(&mut self, text: &str) -> io::Result<()> {
        self.out.print(text)
    }

    fn print_styled(&mut self, text: &Styled) -> io::Result<()> {
        self.out.print_styled(text)
    }

    fn read_line(&mut self, wait: Option<Duration>) -> io::Result<Input> {
        let until = wait.map(|wait| Instant::now() + wait);
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(Input::Interrupted);
            }
            let left = until.map_or(TICK, |until| until.saturating_duration_since(Instant::now()).min(TICK));
            match self.lines.recv_timeout(left) {
                Ok(Some(line)) => {
                    // No Enter shows after the prompt.
                    if !self.keyboard {
                        self.print("\n")?;
                    }
                    return Ok(Input::Line(line));
                }
                Ok(None) | Err(RecvTimeoutError::Disconnected) => return Ok(Input::End),
                Err(RecvTimeoutError::Timeout) if until.is_some_and(|until| Instant::now() >= until) => {
                    return Ok(Input::TimedOut);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn wait(&mut self, time: Duration) -> io::Result<()> {
        let until = Instant::now() + time;
        while !self.stop.load(Ordering::Relaxed) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            thread::sleep(left.min(TICK));
        }
        Ok(())
    }

    fn clear(&mut self) -> io::Result<bool> {
        self.out.clear()
    }

    fn width(&self) -> usize {
        self.out.width()
    }

    fn wrap_at(&self) -> Option<usize> {
        self.out.wrap_at()
    }

    fn colours(&self) -> bool {
        self.out.colours
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_at_the_longest_and_bad_bytes_replaced() {
        let mut text = vec![b'x'; 200_000];
        text.extend(b"\nsecond\r\n\xff\nlast");
        let mut input = io::BufReader::new(&text[..]);
        let mut lines = Vec::new();
        while let Ok(Some(line)) = read_line(&mut input) {
            lines.push(line);
        }
        assert_eq!(lines[0].len() as u64, LONGEST_LINE);
        assert_eq!(lines[1..], ["second", "\u{fffd}", "last"]);
    }

    /// A keyboard on which Ctrl-D is pressed once between two lines.
    struct Keyboard(Vec<&'static [u8]>);

    impl Read for Keyboard {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Err(io::Error::other("unplugged"));
            }
            let text = self.0.remove(0);
            buffer[..text.len()].copy_from_slice(text);
            Ok(text.len())
        }
    }

    fn passed_on(keyboard: bool) -> Vec<Option<String>> {
        let (send, lines) = sync_channel(AHEAD);
        pass_on(&mut io::BufReader::new(Keyboard(vec![b"one\n", b"", b"two\n"])), &send, keyboard);
        drop(send);
        lines.iter().collect()
    }

    #[test]
    fn at_a_keyboard_one_end_of_input_is_one_event_and_in_a_pipe_it_is_the_last() {
        let line = |text: &str| Some(text.to_string());
        assert_eq!(passed_on(true), [line("one"), None, line("two")]);
        assert_eq!(passed_on(false), [line("one")]);
    }
}
