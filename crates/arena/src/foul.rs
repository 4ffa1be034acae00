//! What a player does wrong, in the words of the rules for bots.

use parlor_play::{Cause, Failure, Side, harmless};
use std::fmt;

/// How a player failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FoulKind {
    /// An answer that is no legal move.
    Illegal,
    /// Too late.
    Timeout,
    /// The program ended, or closed its output.
    Crash,
    /// The program could not be started.
    Start,
    /// What it said was no text, or too much of it.
    Garbage,
}

impl FoulKind {
    /// All of them.
    pub const ALL: [FoulKind; 5] =
        [FoulKind::Illegal, FoulKind::Timeout, FoulKind::Crash, FoulKind::Start, FoulKind::Garbage];

    /// Reads what `Display` writes.
    pub fn parse(text: &str) -> Option<FoulKind> {
        FoulKind::ALL.into_iter().find(|kind| kind.to_string() == text)
    }

    /// What the record says: the form of records knows fewer ways to fail.
    pub fn cause(self) -> Cause {
        match self {
            FoulKind::Timeout => Cause::Timeout,
            FoulKind::Crash | FoulKind::Start => Cause::Crash,
            FoulKind::Illegal | FoulKind::Garbage => Cause::Illegal,
        }
    }
}

impl From<&Failure> for FoulKind {
    fn from(failure: &Failure) -> FoulKind {
        match failure {
            Failure::Timeout(_) => FoulKind::Timeout,
            Failure::Crash(_) => FoulKind::Crash,
            Failure::Start(_) => FoulKind::Start,
            Failure::Garbage(_) => FoulKind::Garbage,
        }
    }
}

impl fmt::Display for FoulKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FoulKind::Illegal => "illegal",
            FoulKind::Timeout => "timeout",
            FoulKind::Crash => "crash",
            FoulKind::Start => "start",
            FoulKind::Garbage => "garbage",
        })
    }
}

/// A sentence of more letters helps nobody. Whatever a program says may stand in it.
const LONGEST: usize = 1000;

/// A player that failed and lost by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foul {
    /// Which side.
    pub side: Side,
    /// How.
    pub kind: FoulKind,
    /// The rest of a sentence that begins with the player: 'answered 9: …', 'took too long (151 ms)'.
    pub why: String,
}

impl Foul {
    pub(crate) fn new(side: Side, failure: &Failure) -> Foul {
        Foul { side, kind: failure.into(), why: harmless(&failure.to_string(), LONGEST) }
    }

    pub(crate) fn illegal(side: Side, why: impl Into<String>) -> Foul {
        Foul { side, kind: FoulKind::Illegal, why: harmless(&why.into(), LONGEST) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_made_harmless_and_short() {
        let foul = Foul::illegal(Side::First, "answered '\u{1b}[2J\u{202e}\0'".repeat(1000));
        assert!(foul.why.chars().count() == LONGEST && !foul.why.chars().any(char::is_control));
        assert!(!foul.why.contains('\u{202e}') && foul.why.starts_with("answered '"));
    }
}
