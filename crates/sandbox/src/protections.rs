//! Which protections are in force, and why one is not. The supervisor reports what the kernel granted; what it did not
//! report is not in force.

use std::fmt;

/// One protection of the sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// The program has no privileges of root, and no way to get any.
    Privileges,
    /// It reaches no network, not even that of its own machine.
    Network,
    /// It has a root file system of its own in which only the files that it needs exist, read-only but for its scratch
    /// folder, which has a bounded size; and its own `/proc`.
    Root,
    /// It reads and writes only what it needs, by rules of the kernel (Landlock).
    Files,
    /// System calls that no player needs are refused (seccomp).
    Calls,
    /// It sees its own processes only, and they die with it.
    Processes,
    /// It shares no memory with other programs.
    Ipc,
    /// The kernel bounds its files and threads.
    Limits,
    /// The kernel bounds its memory and processes (cgroup v2).
    KernelLimits,
    /// The supervisor measures its memory, processes and processor time and ends it beyond the limits.
    Watch,
}

impl Protection {
    /// All of them, the most important ones first.
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

    /// The name in lists of protections.
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

    /// Reads a line that begins with a protection's name.
    fn parse(line: &str) -> Option<(Protection, &str)> {
        Protection::ALL.into_iter().find_map(|p| line.strip_prefix(p.name()).map(|rest| (p, rest)))
    }
}

/// For each protection, whether it is in force or why it is not.
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
    /// No protection at all, for one reason.
    pub fn none(why: &str) -> Protections {
        Protections { states: Protection::ALL.map(|p| (p, Err(why.to_string()))).into() }
    }

    /// Whether a protection is in force.
    pub fn holds(&self, protection: Protection) -> bool {
        self.missing(protection).is_none()
    }

    /// Why a protection is not in force.
    pub fn missing(&self, protection: Protection) -> Option<&str> {
        match self.states.iter().find(|(p, _)| *p == protection) {
            Some((_, Ok(()))) => None,
            Some((_, Err(why))) => Some(why),
            None => Some("not reported"),
        }
    }

    /// Lines of the status file: `+ name` or `- name: why`, in any order.
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

    /// One line without its end, as [`Protections::parse`] reads it.
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
        // One reason for several protections is written once.
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
