//! How a program in a cage ended, as a sentence for people and as a line that keepers write down. It does not say who has
//! lost: that is the referee's word.

use std::fmt;

/// How a program in a cage ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal.
    Signal(i32),
    /// It was ended because it used so many bytes of memory.
    Memory(u64),
    /// It was ended because it had so many processes.
    Processes(u64),
    /// It was ended from outside: the keeper was told to, or Parlor is gone.
    Stopped,
    /// It never ran, for this reason.
    NotStarted(String),
}

impl Fate {
    /// One line without its end.
    pub(crate) fn line(&self) -> String {
        match self {
            Fate::Exited(code) => format!("exited {code}"),
            Fate::Signal(signal) => format!("signal {signal}"),
            Fate::Memory(bytes) => format!("memory {bytes}"),
            Fate::Processes(count) => format!("processes {count}"),
            Fate::Stopped => "stopped".to_string(),
            Fate::NotStarted(why) => format!("not-started {why}"),
        }
    }

    /// Reads what [`Fate::line`] wrote.
    pub(crate) fn parse(line: &str) -> Option<Fate> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        Some(match word {
            "exited" => Fate::Exited(rest.parse().ok()?),
            "signal" => Fate::Signal(rest.parse().ok()?),
            "memory" => Fate::Memory(rest.parse().ok()?),
            "processes" => Fate::Processes(rest.parse().ok()?),
            "stopped" => Fate::Stopped,
            "not-started" => Fate::NotStarted(rest.to_string()),
            _ => return None,
        })
    }
}

/// The common signals by name: a number alone says little.
fn signal_name(signal: i32) -> &'static str {
    match signal {
        1 => " (hangup)",
        2 => " (interrupt)",
        4 => " (illegal instruction)",
        6 => " (abort)",
        8 => " (arithmetic error)",
        9 => " (kill)",
        11 => " (segmentation fault)",
        13 => " (broken pipe)",
        15 => " (termination)",
        24 => " (too much processor time)",
        25 => " (too large a file)",
        31 => " (a system call that is never allowed)",
        _ => "",
    }
}

impl fmt::Display for Fate {
    /// Completes a sentence that begins with the program's name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fate::Exited(code) => write!(f, "exited with code {code}"),
            Fate::Signal(signal) => write!(f, "was ended by signal {signal}{}", signal_name(*signal)),
            Fate::Memory(bytes) => write!(f, "was ended because it used {} MiB of memory", bytes >> 20),
            Fate::Processes(count) => write!(f, "was ended because it had {count} processes"),
            Fate::Stopped => write!(f, "was stopped"),
            Fate::NotStarted(why) => write!(f, "could not be started: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fate_survives_being_written_down() {
        let fates = [
            Fate::Exited(3),
            Fate::Signal(11),
            Fate::Memory(1 << 33),
            Fate::Processes(65),
            Fate::Stopped,
            Fate::NotStarted("no program of this name".to_string()),
        ];
        for fate in fates {
            assert_eq!(Fate::parse(&fate.line()), Some(fate));
        }
        assert_eq!(Fate::parse("exited soon"), None);
    }

    #[test]
    fn a_fate_is_a_sentence() {
        assert_eq!(Fate::Signal(11).to_string(), "was ended by signal 11 (segmentation fault)");
        assert_eq!(Fate::Memory(3 << 20).to_string(), "was ended because it used 3 MiB of memory");
    }
}
