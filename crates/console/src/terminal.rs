//! What the console needs of a terminal, and a scripted one for tests.

use crate::Styled;
use parlor_catalog::Manual;
use parlor_play::sanitized;
use std::{collections::VecDeque, io, sync::Arc, time::Duration};

/// What came from the keyboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A line, without its end.
    Line(String),
    /// The input ended. Where somebody sits at a keyboard, more may follow.
    End,
    /// Nothing came in time.
    TimedOut,
    /// The person wants out of the program.
    Interrupted,
}

/// A place to talk with a person.
pub trait Terminal {
    /// Shows text, sanitised: no character of it controls the terminal.
    fn print(&mut self, text: &str) -> io::Result<()>;
    /// Shows text with our own colours.
    fn print_styled(&mut self, text: &Styled) -> io::Result<()>;
    /// Waits for a line, no longer than this if a time is given.
    fn read_line(&mut self, wait: Option<Duration>) -> io::Result<Input>;
    /// Lets time pass, so that what is shown can be read.
    fn wait(&mut self, time: Duration) -> io::Result<()>;
    /// How many characters fit beside one another: what boards are drawn for.
    fn width(&self) -> usize;
    /// Where sentences break; none where they need not, as in a file.
    fn wrap_at(&self) -> Option<usize> {
        Some(self.width())
    }
    /// Whether it shows colours.
    fn colours(&self) -> bool;
}

/// A terminal for tests: it hears given lines and keeps what was said.
#[derive(Debug)]
pub struct ScriptedTerminal {
    script: VecDeque<Input>,
    /// Everything said so far.
    pub output: String,
    /// Everything rested so far.
    pub waited: Duration,
    /// What [`Terminal::width`] tells.
    pub width: usize,
    /// What [`Terminal::colours`] tells.
    pub colours: bool,
    /// How long each line takes to type, on which clock; none: no time.
    pub pace: Option<(Arc<Manual>, Duration)>,
}

impl ScriptedTerminal {
    /// A person who types these lines and then ends the input.
    pub fn typing(lines: &[&str]) -> ScriptedTerminal {
        ScriptedTerminal::hearing(lines.iter().map(|line| Input::Line((*line).to_string())))
    }

    /// A terminal that hears this, and then that the input has ended.
    pub fn hearing(script: impl IntoIterator<Item = Input>) -> ScriptedTerminal {
        ScriptedTerminal {
            script: script.into_iter().collect(),
            output: String::new(),
            waited: Duration::ZERO,
            width: 80,
            colours: false,
            pace: None,
        }
    }
}

impl Terminal for ScriptedTerminal {
    fn print(&mut self, text: &str) -> io::Result<()> {
        self.output.push_str(&sanitized(text));
        Ok(())
    }

    fn print_styled(&mut self, text: &Styled) -> io::Result<()> {
        self.output.push_str(&text.to_string());
        Ok(())
    }

    fn read_line(&mut self, wait: Option<Duration>) -> io::Result<Input> {
        if let Some((clock, pace)) = &self.pace {
            clock.advance(wait.map_or(*pace, |wait| wait.min(*pace)));
            if wait.is_some_and(|wait| wait < *pace) {
                return Ok(Input::TimedOut);
            }
        }
        let heard = self.script.pop_front().unwrap_or(Input::End);
        if matches!(heard, Input::Line(_)) {
            // As Enter looks on a screen.
            self.output.push('\n');
        }
        Ok(heard)
    }

    fn wait(&mut self, time: Duration) -> io::Result<()> {
        self.waited += time;
        Ok(())
    }

    fn width(&self) -> usize {
        self.width
    }

    fn colours(&self) -> bool {
        self.colours
    }
}
