//! The real terminal: standard input by lines from a thread of its own (so that a clock can run out and Ctrl-C be noticed
//! while nobody types), standard output without panics when its reader has gone.

use crate::args::When;
use parlor_console::{Heard, Terminal};
use std::{
    io::{self, BufRead, IsTerminal, Read, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant},
};

/// Longer lines are nobody's move; the rest of one is read and dropped.
const LONGEST_LINE: u64 = 64 * 1024;
/// How often a wait looks whether it was interrupted.
const TICK: Duration = Duration::from_millis(50);

/// Standard output, and whether it shows colours.
pub struct Stdout {
    pub colours: bool,
}

impl Stdout {
    pub fn new(when: When) -> Stdout {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let colours = match when {
            When::Always => true,
            When::Never => false,
            When::Auto => io::stdout().is_terminal() && !plain,
        };
        Stdout { colours }
    }

    /// The width to draw for: the terminal's, or plenty where there is none.
    pub fn width(&self) -> usize {
        terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0).max(20))
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::stdout().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

/// Standard input and output as the console wants them.
pub struct Tty {
    out: Stdout,
    lines: Receiver<String>,
    stop: Arc<AtomicBool>,
}

impl Tty {
    /// Begins to read standard input. `stop` is set when the person wants out.
    pub fn open(out: Stdout, stop: Arc<AtomicBool>) -> Tty {
        let (send, lines) = channel();
        thread::spawn(move || {
            while let Some(line) = read_line(&mut io::stdin().lock()) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Tty { out, lines, stop }
    }
}

/// A line without its end, cut at the longest; none at the end of the input.
fn read_line(input: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    let count = input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes).ok()?;
    if count == 0 {
        return None;
    }
    if !bytes.ends_with(b"\n") && count as u64 == LONGEST_LINE {
        skip_line(input)?;
    }
    let text = String::from_utf8_lossy(&bytes);
    Some(text.trim_end_matches(['\n', '\r']).to_string())
}

fn skip_line(input: &mut impl BufRead) -> Option<()> {
    loop {
        let mut bytes = Vec::new();
        let count = input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes).ok()?;
        if count == 0 || bytes.ends_with(b"\n") {
            return Some(());
        }
    }
}

impl Terminal for Tty {
    fn say(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    fn hear(&mut self, wait: Option<Duration>) -> io::Result<Heard> {
        let until = wait.map(|wait| Instant::now() + wait);
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(Heard::End);
            }
            let left = until.map_or(TICK, |until| until.saturating_duration_since(Instant::now()).min(TICK));
            match self.lines.recv_timeout(left) {
                Ok(line) => return Ok(Heard::Line(line)),
                Err(RecvTimeoutError::Disconnected) => return Ok(Heard::End),
                Err(RecvTimeoutError::Timeout) if until.is_some_and(|until| Instant::now() >= until) => {
                    return Ok(Heard::TimedOut);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn rest(&mut self, time: Duration) -> io::Result<()> {
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

    fn width(&self) -> usize {
        self.out.width()
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
        while let Some(line) = read_line(&mut input) {
            lines.push(line);
        }
        assert_eq!(lines[0].len() as u64, LONGEST_LINE);
        assert_eq!(lines[1..], ["second", "\u{fffd}", "last"]);
    }
}
