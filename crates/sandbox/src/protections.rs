//! The protections of a sandbox, and for each whether it is in force or why not. The supervisor reports what the kernel
//! granted; a protection without a report is not in force.

use std::fmt;

/// One protection of the sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// The program has no root privileges and cannot gain any.
    Privileges,
    /// The program has no network, not even the loopback interface.
    Network,
    /// The program has a private root file system that contains only the files it needs and its own `/proc`. All of
    /// it is read-only except the scratch folder, whose size is limited.
    Root,
    /// The kernel restricts which files the program reads and writes (Landlock).
    Files,
    /// The kernel refuses system calls that no player needs (seccomp).
    Calls,
    /// The program sees only its own processes, and they end with it.
    Processes,
    /// The program shares no memory with other programs.
    Ipc,
    /// The kernel limits the size of files and the number of threads (rlimits).
    Limits,
    /// The kernel limits memory and the number of processes (cgroup v2).
    KernelLimits,
    /// The supervisor measures memory, processes and processor time, and kills the program when it exceeds a limit.
    Watch,
}

impl Protection {
    /// All protections, the most important first.
    pub const ALL: [Protection; 10] = [
        Protection::Privileges,
        Protection::Network,
        Protection::Root,
        Protection::Files,
        Protection::Calls,
        Protection::Processes,
        Protection::Ipc,
        Protection::Limits,
        Protection::KernelLimits,
        Protection::Watch,
    ];

    /// The name in reports and in the status file, such as `network`.
    pub fn name(self) -> &'static str {
        match self {
            Protection::Privileges => "no privileges",
            Protection::Network => "no network",
            Protection::Root => "private root",
            Protection::Files => "file rules",
            Protection::Calls => "no dangerous system calls",
            Protection::Processes => "own processes",
            Protection::Ipc => "own shared memory",
            Protection::Limits => "file and thread limits",
            Protection::KernelLimits => "memory limit by the kernel",
            Protection::Watch => "watched memory, processes and CPU time",
        }
    }

    /// Parses a line that begins with the name of a protection.
    fn parse(line: &str) -> Option<(Protection, &str)> {
        Protection::ALL.into_iter().find_map(|p| line.strip_prefix(p.name()).map(|rest| (p, rest)))
    }
}

/// The state of every protection: in force, or the reason why not.
///
/// # Examples
///
/// ```
/// use parlor_sandbox::{Protection, Protections};
///
/// let protections = Protections::none("the kernel is too old");
/// assert!(!protections.holds(Protection::Network));
/// assert_eq!(protections.missing(Protection::Network), Some("the kernel is too old"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protections {
    states: Vec<(Protection, Result<(), String>)>,
}

impl Protections {
    /// A state in which no protection is in force, all for the same reason.
    pub fn none(why: &str) -> Protections {
        Protections { states: Protection::ALL.map(|p| (p, Err(why.to_string()))).into() }
    }

    /// Whether a protection is in force.
    pub fn holds(&self, protection: Protection) -> bool {
        self.missing(protection).is_none()
    }

    /// The reason why a protection is not in force; `None` if it is.
    pub fn missing(&self, protection: Protection) -> Option<&str> {
        match self.states.iter().find(|(p, _)| *p == protection) {
            Some((_, Ok(()))) => None,
            Some((_, Err(why))) => Some(why),
            None => Some("not reported"),
        }
    }

    /// Parses lines of the status file, `+ name` or `- name: why`, in any order.
    pub(crate) fn parse<'a>(lines: impl Iterator<Item = &'a str>) -> Protections {
        let states = lines.filter_map(|line| {
            let (sign, rest) = line.split_once(' ')?;
            let (protection, why) = Protection::parse(rest)?;
            match sign {
                "+" => Some((protection, Ok(()))),
                "-" => Some((protection, Err(why.trim_start_matches([':', ' ']).to_string()))),
                _ => None,
            }
        });
        Protections { states: states.collect() }
    }

    /// The line of the status file for one protection, without a line ending.
    pub(crate) fn line(protection: Protection, state: &Result<(), String>) -> String {
        match state {
            Ok(()) => format!("+ {}", protection.name()),
            Err(why) => format!("- {}: {why}", protection.name()),
        }
    }
}

impl fmt::Display for Protections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (held, missing): (Vec<_>, Vec<_>) =
            Protection::ALL.into_iter().map(|p| (p, self.missing(p))).partition(|(_, why)| why.is_none());
        let held: Vec<&str> = held.into_iter().map(|(p, _)| p.name()).collect();
        write!(f, "in force: {}", if held.is_empty() { "nothing".to_string() } else { held.join(", ") })?;
        // A reason that several protections share is written once.
        for (number, (protection, why)) in missing.iter().enumerate() {
            let lead = if number == 0 { "; not in force: " } else { ", " };
            write!(f, "{lead}{}", protection.name())?;
            if missing.get(number + 1).is_none_or(|(_, next)| next != why) {
                write!(f, " ({})", why.unwrap_or_default())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_lines_name_the_protections_in_force() {
        let lines = [
            Protections::line(Protection::Network, &Ok(())),
            Protections::line(Protection::Files, &Err("no Landlock: an old kernel".to_string())),
            "nonsense".to_string(),
        ];
        let protections = Protections::parse(lines.iter().map(String::as_str));
        assert!(protections.holds(Protection::Network));
        assert_eq!(protections.missing(Protection::Files), Some("no Landlock: an old kernel"));
        assert_eq!(protections.missing(Protection::Ipc), Some("not reported"));
    }

    #[test]
    fn a_shared_reason_is_written_once() {
        let text = Protections::none("no sandbox here").to_string();
        assert_eq!(text.matches("no sandbox here").count(), 1, "{text}");
        assert!(text.starts_with("in force: nothing; not in force: no privileges, no network"), "{text}");
    }

    #[test]
    fn no_name_begins_with_another() {
        for one in Protection::ALL {
            let alike = Protection::ALL.iter().filter(|other| other.name().starts_with(one.name()));
            assert_eq!(alike.count(), 1);
        }
    }
}
