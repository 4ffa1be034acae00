//! What the console needs of a terminal, and a scripted one for tests.

use std::{collections::VecDeque, io, time::Duration};

/// What came from the keyboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A line, without its end.
    Line(String),
    /// There will be no more.
    End,
    /// Nothing came in time.
    TimedOut,
}

/// A place to talk with a person.
pub trait Terminal {
    /// Shows text as it is.
    fn say(&mut self, text: &str) -> io::Result<()>;
    /// Waits for a line, no longer than this if a time is given.
    fn hear(&mut self, wait: Option<Duration>) -> io::Result<Heard>;
    /// Lets time pass, so that what is shown can be read.
    fn rest(&mut self, time: Duration) -> io::Result<()>;
    /// How many characters fit beside one another.
    fn width(&self) -> usize;
    /// Whether it shows colours.
    fn colours(&self) -> bool;
}

/// A terminal for tests: it hears given lines and keeps what was said.
#[derive(Debug)]
pub struct Scripted {
    lines: VecDeque<String>,
    /// Everything said so far.
    pub said: String,
    /// Everything rested so far.
    pub rested: Duration,
    /// What [`Terminal::width`] tells.
    pub width: usize,
    /// What [`Terminal::colours`] tells.
    pub colours: bool,
}

impl Scripted {
    /// A person who types these lines and then ends the input.
    pub fn typing(lines: &[&str]) -> Scripted {
        let lines = lines.iter().map(|line| (*line).to_string()).collect();
        Scripted { lines, said: String::new(), rested: Duration::ZERO, width: 80, colours: false }
    }
}

impl Terminal for Scripted {
    fn say(&mut self, text: &str) -> io::Result<()> {
        self.said.push_str(text);
        Ok(())
    }

    fn hear(&mut self, _wait: Option<Duration>) -> io::Result<Heard> {
        Ok(self.lines.pop_front().map_or(Heard::End, Heard::Line))
    }

    fn rest(&mut self, time: Duration) -> io::Result<()> {
        self.rested += time;
        Ok(())
    }

    fn width(&self) -> usize {
        self.width
    }

    fn colours(&self) -> bool {
        self.colours
    }
}
