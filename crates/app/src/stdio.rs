//! Standard input, output and error. Only this file writes to the latter two. It sanitises all text; our own escape sequences
//! have functions of their own. A thread reads lines from standard input, so that time-outs and Ctrl-C are noticed while no line
//! arrives.
//!
//! Messages to standard error are whole lines: a line end inside a message is escaped, so no text can forge a line. A closed
//! standard error is ignored, because there is no place left to report it.

use crate::args::When;
use parlor_console::{Input, Styled, Terminal};
use parlor_core::{sanitized, sanitized_line};
use std::{
    env,
    io::{self, BufRead, IsTerminal, Read, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

/// Standard error for the log. It is not sanitised here, because the log's formatter sanitises each field and adds colours.
pub fn log_stream() -> io::Stderr {
    io::stderr()
}

/// Whether `--color` and NO_COLOR ask for colours on a stream.
pub fn wants_colours(when: When, stream: &impl IsTerminal) -> bool {
    let plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto => stream.is_terminal() && !plain,
    }
}

pub struct Stdout {
    pub colours: bool,
    decoder: Decoder,
}

impl Stdout {
    pub fn new(when: When) -> Stdout {
        Stdout { colours: wants_colours(when, &io::stdout()), decoder: Decoder::default() }
    }

    /// The width of the terminal; a large number if there is none.
    pub fn width(&self) -> usize {
        terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0).max(20))
    }

    /// Writes text of our own without sanitising it, such as manual pages and completions.
    pub fn write_own(&mut self, text: &[u8]) -> io::Result<()> {
        io::stdout().write_all(text)
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = self.decoder.decode(bytes);
        io::stdout().write_all(sanitized(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

pub fn flush() -> io::Result<()> {
    io::stdout().flush()
}

/// Standard output as a terminal without input.
impl Terminal for Stdout {
    fn print(&mut self, text: &str) -> io::Result<()> {
        self.write_all(text.as_bytes())?;
        self.flush()
    }

    fn print_styled(&mut self, text: &Styled) -> io::Result<()> {
        self.write_own(text.to_string().as_bytes())?;
        self.flush()
    }

    fn read_line(&mut self, _wait: Option<Duration>) -> io::Result<Input> {
        Ok(Input::End)
    }

    fn wait(&mut self, _time: Duration) -> io::Result<()> {
        Ok(())
    }

    fn clear(&mut self) -> io::Result<bool> {
        let is_screen = stdout_is_terminal();
        if is_screen {
            self.write_own(b"\x1b[H\x1b[2J")?;
            self.flush()?;
        }
        Ok(is_screen)
    }

    fn width(&self) -> usize {
        Stdout::width(self)
    }

    /// `None` for a file or a pipe: sentences are not wrapped.
    fn wrap_at(&self) -> Option<usize> {
        io::stdout().is_terminal().then(|| Stdout::width(self))
    }

    fn colours(&self) -> bool {
        self.colours
    }
}

/// Incremental UTF-8 decoder. A character may be split between two writes; invalid bytes become U+FFFD.
#[derive(Default)]
struct Decoder {
    /// The incomplete character at the end of the last write.
    begun: Vec<u8>,
}

impl Decoder {
    fn decode(&mut self, bytes: &[u8]) -> String {
        self.begun.extend(bytes);
        let whole = self.begun.len() - unfinished(&self.begun);
        let text = String::from_utf8_lossy(&self.begun[..whole]).into_owned();
        self.begun.drain(..whole);
        text
    }
}

/// The length of an incomplete character at the end; 0 if there is none.
fn unfinished(bytes: &[u8]) -> usize {
    let end = bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    let is_incomplete = str::from_utf8(end).is_err_and(|bad| bad.error_len().is_none());
    if is_incomplete { end.len() } else { 0 }
}

/// Writes one line to standard error.
pub fn remark(text: &str) {
    let _ = io::stderr().write_all(format!("{}\n", sanitized_line(text)).as_bytes());
}

/// Replaces the progress line of the terminal on standard error.
pub fn progress(text: &str) {
    let _ = io::stderr().write_all(format!("\r{}\x1b[K", sanitized_line(text)).as_bytes());
}

/// Ends the progress line, or the line on which the terminal has shown `^C`.
pub fn end_progress() {
    if stderr_is_terminal() {
        let _ = io::stderr().write_all(b"\n");
    }
}

#[cfg(feature = "server")]
/// Removes the last lines from the terminal on standard error.
pub fn erase_lines(count: usize) {
    if count > 0 {
        let _ = io::stderr().write_all(format!("\r\x1b[{count}A\x1b[J").as_bytes());
    }
}

pub fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

pub fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}

#[cfg(feature = "server")]
/// Columns and rows of the terminal on standard error, if it is one.
pub fn stderr_size() -> Option<(usize, usize)> {
    let size = terminal_size::terminal_size_of(io::stderr());
    size.map(|(width, height)| (width.0.into(), height.0.into()))
}

/// The rest of a longer line is dropped.
const LONGEST_LINE: u64 = 64 * 1024;
/// Capacity of the line channel.
const AHEAD: usize = 4;
/// Interval between checks of the stop flag.
const TICK: Duration = Duration::from_millis(50);

/// Standard input and output as a terminal.
pub struct Tty {
    out: Stdout,
    /// `None` marks the end of the input.
    lines: Receiver<Option<String>>,
    stop: Arc<AtomicBool>,
    /// Whether the input is a keyboard. Then the terminal echoes Enter, and more input may follow after its end (Ctrl-D).
    keyboard: bool,
}

impl Tty {
    /// Starts the thread that reads standard input. `stop` is set when the user interrupts the program.
    pub fn open(out: Stdout, stop: Arc<AtomicBool>) -> Tty {
        let (send, lines) = sync_channel(AHEAD);
        let keyboard = io::stdin().is_terminal();
        thread::spawn(move || forward_lines(&mut io::stdin().lock(), &send, keyboard));
        Tty { out, lines, stop, keyboard }
    }
}

/// Forwards lines until the input ends. At a keyboard, each Ctrl-D is one end, and reading continues.
fn forward_lines(input: &mut impl BufRead, send: &SyncSender<Option<String>>, keyboard: bool) {
    while let Ok(line) = read_line(input) {
        if line.is_none() && !keyboard || send.send(line).is_err() {
            break;
        }
    }
}

/// Reads a line without its end, cut at the maximum length; `None` at the end of the input.
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
                    // The terminal has not echoed an Enter.
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

    fn decoded(parts: &[&[u8]]) -> String {
        let mut decoder = Decoder::default();
        parts.iter().map(|part| decoder.decode(part)).collect()
    }

    #[test]
    fn a_character_split_between_two_writes_is_sanitised() {
        assert_eq!(decoded(&["½".as_bytes()]), "½");
        assert_eq!(decoded(&[b"a\xc2", b"\xbdb"]), "a½b");
        assert_eq!(decoded(&[b"\xf3", b"\xa0\x81", b"\x81"]), "\u{e0041}");
        // U+009B, the one-character CSI, byte by byte.
        assert_eq!(sanitized(&decoded(&[b"\xc2", b"\x9b"])), "\\u009b");
    }

    #[test]
    fn invalid_bytes_are_replaced() {
        assert_eq!(decoded(&[b"\x9b31m", b"\xff", b"\xc2x"]), "\u{fffd}31m\u{fffd}\u{fffd}x");
    }

    #[test]
    fn long_lines_are_cut_and_invalid_bytes_replaced() {
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
        forward_lines(&mut io::BufReader::new(Keyboard(vec![b"one\n", b"", b"two\n"])), &send, keyboard);
        drop(send);
        lines.iter().collect()
    }

    #[test]
    fn reading_continues_after_an_end_of_input_at_a_keyboard_only() {
        let line = |text: &str| Some(text.to_string());
        assert_eq!(passed_on(true), [line("one"), None, line("two")]);
        assert_eq!(passed_on(false), [line("one")]);
    }
}
