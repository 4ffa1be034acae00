//! The violations by which a player loses the game without a move on the board.

use parlor_core::{Cause, Failure, Side, harmless};
use std::fmt;

/// How a player broke the rules of the protocol or of the game.
///
/// # Examples
///
/// ```
/// use parlor_core::{Cause, Failure};
/// use parlor_session::ViolationKind;
///
/// let kind = ViolationKind::from(&Failure::Crash("exit code 1".into()));
/// assert_eq!((kind, kind.cause()), (ViolationKind::Crash, Cause::Crash));
/// assert_eq!(ViolationKind::parse("illegal"), Some(ViolationKind::Illegal));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ViolationKind {
    /// An answer that is not a legal move.
    Illegal,
    /// An answer after the time was up.
    Timeout,
    /// The program ended, or closed its output.
    Crash,
    /// The program could not be started.
    Start,
    /// The output was not text, or there was too much of it.
    Garbage,
}

impl ViolationKind {
    /// All kinds, in order of declaration.
    pub const ALL: [ViolationKind; 5] = [
        ViolationKind::Illegal,
        ViolationKind::Timeout,
        ViolationKind::Crash,
        ViolationKind::Start,
        ViolationKind::Garbage,
    ];

    /// Parses the output of `Display`.
    pub fn parse(text: &str) -> Option<ViolationKind> {
        ViolationKind::ALL.into_iter().find(|kind| kind.to_string() == text)
    }

    /// The cause that a record states. Records distinguish fewer causes.
    pub fn cause(self) -> Cause {
        match self {
            ViolationKind::Timeout => Cause::Timeout,
            ViolationKind::Crash | ViolationKind::Start => Cause::Crash,
            ViolationKind::Illegal | ViolationKind::Garbage => Cause::Illegal,
        }
    }
}

impl From<&Failure> for ViolationKind {
    fn from(failure: &Failure) -> ViolationKind {
        match failure {
            Failure::Timeout(_) => ViolationKind::Timeout,
            Failure::Crash(_) => ViolationKind::Crash,
            Failure::Start(_) => ViolationKind::Start,
            Failure::Garbage(_) => ViolationKind::Garbage,
        }
    }
}

impl fmt::Display for ViolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ViolationKind::Illegal => "illegal",
            ViolationKind::Timeout => "timeout",
            ViolationKind::Crash => "crash",
            ViolationKind::Start => "start",
            ViolationKind::Garbage => "garbage",
        })
    }
}

/// The longest reason; it may contain a program's output.
const LONGEST: usize = 1000;

/// A player that lost by a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The side that lost by it.
    pub side: Side,
    /// What the player did wrong.
    pub kind: ViolationKind,
    /// The rest of a sentence that begins with the player: 'answered 9: …', 'took too long (151 ms)'.
    pub reason: String,
}

impl Violation {
    /// A violation with its reason, sanitised and shortened.
    pub fn new(side: Side, kind: ViolationKind, reason: &str) -> Violation {
        Violation { side, kind, reason: harmless(reason, LONGEST) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_made_harmless_and_short() {
        let hostile = "answered '\u{1b}[2J\u{202e}\0'".repeat(1000);
        let reason = Violation::new(Side::First, ViolationKind::Illegal, &hostile).reason;
        assert!(reason.chars().count() == LONGEST && !reason.chars().any(char::is_control));
        assert!(!reason.contains('\u{202e}') && reason.starts_with("answered '"));
    }

    #[test]
    fn kinds_read_back_as_written() {
        for kind in ViolationKind::ALL {
            assert_eq!(ViolationKind::parse(&kind.to_string()), Some(kind));
        }
        assert_eq!(ViolationKind::parse("abandoned"), None);
    }
}
