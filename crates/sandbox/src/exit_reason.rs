//! The reason why a sandboxed program ended, as a sentence for people and as a line of the status file. The referee
//! decides what it means for the game.

use std::{fmt, time::Duration};

/// The reason why a sandboxed program ended.
///
/// # Examples
///
/// ```
/// use parlor_sandbox::ExitReason;
///
/// assert_eq!(ExitReason::Exited(1).to_string(), "exited with code 1");
/// assert_eq!(ExitReason::Signal(11).to_string(), "was killed by signal 11 (segmentation fault)");
/// assert_eq!(ExitReason::Memory(200 << 20).to_string(), "was killed because it used 200 MiB of memory");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExitReason {
    /// The program exited with this code.
    Exited(i32),
    /// The program was killed by this signal.
    Signal(i32),
    /// The program was killed because it used this many bytes of memory.
    Memory(u64),
    /// The program was killed because it had this many processes.
    Processes(u64),
    /// The program was killed because its processes used this much processor time.
    Cpu(Duration),
    /// The program was stopped from outside: by a signal to the supervisor, or because Parlor ended.
    Stopped,
    /// The program was not started, for this reason.
    NotStarted(String),
}

impl ExitReason {
    /// The line of the status file, without a line ending.
    pub(crate) fn line(&self) -> String {
        match self {
            ExitReason::Exited(code) => format!("exited {code}"),
            ExitReason::Signal(signal) => format!("signal {signal}"),
            ExitReason::Memory(bytes) => format!("memory {bytes}"),
            ExitReason::Processes(count) => format!("processes {count}"),
            ExitReason::Cpu(time) => format!("cpu {}", time.as_millis()),
            ExitReason::Stopped => "stopped".to_string(),
            ExitReason::NotStarted(why) => format!("not-started {why}"),
        }
    }

    /// Parses a line that [`ExitReason::line`] wrote.
    pub(crate) fn parse(line: &str) -> Option<ExitReason> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        Some(match word {
            "exited" => ExitReason::Exited(rest.parse().ok()?),
            "signal" => ExitReason::Signal(rest.parse().ok()?),
            "memory" => ExitReason::Memory(rest.parse().ok()?),
            "processes" => ExitReason::Processes(rest.parse().ok()?),
            "cpu" => ExitReason::Cpu(Duration::from_millis(rest.parse().ok()?)),
            "stopped" => ExitReason::Stopped,
            "not-started" => ExitReason::NotStarted(rest.to_string()),
            _ => return None,
        })
    }
}

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
        24 => " (CPU time limit exceeded)",
        25 => " (file size limit exceeded)",
        31 => " (forbidden system call)",
        _ => "",
    }
}

impl fmt::Display for ExitReason {
    /// Completes a sentence that begins with the program's name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExitReason::Exited(code) => write!(f, "exited with code {code}"),
            ExitReason::Signal(signal) => write!(f, "was killed by signal {signal}{}", signal_name(*signal)),
            ExitReason::Memory(bytes) => {
                write!(f, "was killed because it used {} MiB of memory", bytes >> 20)
            }
            ExitReason::Processes(count) => write!(f, "was killed because it had {count} processes"),
            ExitReason::Cpu(time) => {
                write!(f, "was killed because it used {} s of CPU time", time.as_secs())
            }
            ExitReason::Stopped => write!(f, "was stopped"),
            ExitReason::NotStarted(why) => write!(f, "could not be started: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_file_lines_round_trip() {
        let reasons = [
            ExitReason::Exited(3),
            ExitReason::Signal(11),
            ExitReason::Memory(1 << 33),
            ExitReason::Processes(65),
            ExitReason::Cpu(Duration::from_secs(3601)),
            ExitReason::Stopped,
            ExitReason::NotStarted("no program of this name".to_string()),
        ];
        for reason in reasons {
            assert_eq!(ExitReason::parse(&reason.line()), Some(reason));
        }
        assert_eq!(ExitReason::parse("exited soon"), None);
    }

    #[test]
    fn exit_reasons_read_as_sentences() {
        assert_eq!(ExitReason::Signal(11).to_string(), "was killed by signal 11 (segmentation fault)");
        assert_eq!(ExitReason::Memory(3 << 20).to_string(), "was killed because it used 3 MiB of memory");
    }
}
