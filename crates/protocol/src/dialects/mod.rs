//! The two line protocols: `bot:` and `ugi:`. They write questions and parse answers. They start no program and read no clock.

pub mod simple;
pub mod ugi;

use parlor_core::{Answer, Report, harmless};
use std::fmt;

/// Longer than every legal move. Longer text is cut: its beginning is enough for an error message.
const LONGEST_MOVE: usize = 200;

/// The protocol that a program speaks.
///
/// # Examples
///
/// ```
/// use parlor_protocol::Dialect;
///
/// assert_eq!(Dialect::named("UGI"), Some(Dialect::Ugi));
/// assert_eq!(Dialect::Simple.to_string(), "bot");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// One line a turn, for a first bot in ten lines.
    Simple,
    /// The Universal Game Interface, for engines.
    Ugi,
}

impl Dialect {
    /// The dialect of a player kind (`bot` or `ugi`); upper and lower case are equal.
    pub fn named(kind: &str) -> Option<Dialect> {
        [Dialect::Simple, Dialect::Ugi]
            .into_iter()
            .find(|dialect| dialect.to_string().eq_ignore_ascii_case(kind))
    }

    /// Parses a line that a program wrote in its turn. Moves are shortened and sanitised.
    pub fn read(self, line: &str) -> BotMessage {
        let message = match self {
            Dialect::Simple => simple::read(line),
            Dialect::Ugi => ugi::read(line),
        };
        match message {
            BotMessage::Answer(Answer::Move(text)) => {
                BotMessage::Answer(Answer::Move(harmless(&text, LONGEST_MOVE)))
            }
            BotMessage::Try(text) => BotMessage::Try(harmless(&text, LONGEST_MOVE)),
            other => other,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dialect::Simple => "bot",
            Dialect::Ugi => "ugi",
        })
    }
}

/// A parsed line from a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BotMessage {
    /// Ends the turn.
    Answer(Answer),
    /// The answer if no better one arrives in time.
    Try(String),
    /// Progress of the search.
    Report(Report),
    /// An unknown line, which is ignored.
    Unknown,
}
