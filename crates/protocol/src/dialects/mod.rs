//! The two ways of talking: questions written, answers read. Text to values and back; nobody is started, nothing is timed.

pub mod simple;
pub mod ugi;

use parlor_core::{Answer, Report, harmless};
use std::fmt;

/// No move is longer; of anything else the beginning is enough to say that it is none.
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
    /// The dialect of a kind of player, in any case.
    pub fn named(kind: &str) -> Option<Dialect> {
        [Dialect::Simple, Dialect::Ugi]
            .into_iter()
            .find(|dialect| dialect.to_string().eq_ignore_ascii_case(kind))
    }

    /// What a line that came in its turn means.
    pub fn read(self, line: &str) -> Said {
        let said = match self {
            Dialect::Simple => simple::read(line),
            Dialect::Ugi => ugi::read(line),
        };
        match said {
            Said::Answer(Answer::Move(text)) => Said::Answer(Answer::Move(harmless(&text, LONGEST_MOVE))),
            Said::Try(text) => Said::Try(harmless(&text, LONGEST_MOVE)),
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
pub enum Said {
    /// Ends the turn.
    Answer(Answer),
    /// The answer if no better one arrives in time.
    Try(String),
    /// Progress of the search.
    Report(Report),
    /// An unknown line, which is ignored.
    Unknown,
}
