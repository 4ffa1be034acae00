//! The interface to a terminal, and a scripted terminal for tests.

use crate::Styled;
use parlor_catalog::Manual;
use parlor_core::sanitized;
use std::{collections::VecDeque, io, sync::Arc, time::Duration};

/// The result of waiting for input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A line without its line ending.
    Line(String),
    /// The input ended. At a keyboard, more may follow.
    End,
    TimedOut,
    /// The user pressed Ctrl-C.
    Interrupted,
}

/// Input and output of the console.
pub trait Terminal {
    /// Prints text. It is sanitised, so that no character controls the terminal.
    fn print(&mut self, text: &str) -> io::Result<()>;
    /// Prints text with its colours.
    fn print_styled(&mut self, text: &Styled) -> io::Result<()>;
    /// Reads a line; waits for it at most `wait`, if given.
    fn read_line(&mut self, wait: Option<Duration>) -> io::Result<Input>;
    /// Pauses, so that the user can read the screen.
    fn wait(&mut self, time: Duration) -> io::Result<()>;
    /// Clears the screen, unless the output is a file or a pipe. Returns whether it did.
    fn clear(&mut self) -> io::Result<bool>;
    /// Width in characters.
    fn width(&self) -> usize;
    /// The width to which sentences are wrapped; `None` for output that needs no wrapping, such as a file.
    fn wrap_at(&self) -> Option<usize> {
        Some(self.width())
    }
    /// Whether the terminal shows colours.
    fn colours(&self) -> bool;
}

/// A terminal for tests: it reads scripted lines and stores the output.
///
/// # Examples
///
/// ```
/// use parlor_console::{Input, ScriptedTerminal, Terminal};
///
/// let mut terminal = ScriptedTerminal::typing(&["3"]);
/// terminal.print("Your move: ")?;
/// assert_eq!(terminal.read_line(None)?, Input::Line("3".into()));
/// assert_eq!(terminal.read_line(None)?, Input::End);
/// assert!(terminal.output.starts_with("Your move: "));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ScriptedTerminal {
    script: VecDeque<Input>,
    /// All text printed so far.
    pub output: String,
    /// Sum of all waits.
    pub waited: Duration,
    /// Whether it is a screen that can be cleared.
    pub is_screen: bool,
    /// Lengths of `output` at which the screen was cleared.
    clears: Vec<usize>,
    /// What [`Terminal::width`] returns.
    pub width: usize,
    /// What [`Terminal::colours`] returns.
    pub colours: bool,
    /// The time that each line takes to type, and the clock that it advances.
    pub pace: Option<(Arc<Manual>, Duration)>,
}

impl ScriptedTerminal {
    /// A terminal whose input is these lines and then its end.
    pub fn typing(lines: &[&str]) -> ScriptedTerminal {
        ScriptedTerminal::with_input(lines.iter().map(|line| Input::Line((*line).to_string())))
    }

    /// A terminal with this input and then its end.
    pub fn with_input(script: impl IntoIterator<Item = Input>) -> ScriptedTerminal {
        ScriptedTerminal {
            script: script.into_iter().collect(),
            output: String::new(),
            waited: Duration::ZERO,
            is_screen: false,
            clears: Vec::new(),
            width: 80,
            colours: false,
            pace: None,
        }
    }

    /// What was printed from one clearing of the screen to the next.
    pub fn screens(&self) -> Vec<&str> {
        let ends = self.clears.iter().copied().chain([self.output.len()]);
        let starts = [0].into_iter().chain(self.clears.iter().copied());
        starts.zip(ends).map(|(start, end)| &self.output[start..end]).collect()
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
        let input = self.script.pop_front().unwrap_or(Input::End);
        if matches!(input, Input::Line(_)) {
            // The echo of Enter.
            self.output.push('\n');
        }
        Ok(input)
    }

    fn wait(&mut self, time: Duration) -> io::Result<()> {
        self.waited += time;
        Ok(())
    }

    fn clear(&mut self) -> io::Result<bool> {
        if self.is_screen {
            self.clears.push(self.output.len());
        }
        Ok(self.is_screen)
    }

    fn width(&self) -> usize {
        self.width
    }

    fn colours(&self) -> bool {
        self.colours
    }
}
