//! Which protections are in force, and why one is not. A list of facts reported by the kernel, not of hopes: what a keeper
//! did not report is not in force.

use std::fmt;

/// One wall of the cage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// It is nobody: no rights of the administrator, and no way to get any.
    Privileges,
    /// It reaches no network, not even its own machine's.
    Network,
    /// It reads and writes only what it needs.
    Files,
    /// System calls that no player needs are refused.
    Calls,
    /// It sees its own processes only, and they die with it.
    Processes,
    /// It sees its own `/proc`, and its folder has a bounded size.
    Mounts,
    /// It shares no memory with other programs.
    Ipc,
    /// The kernel bounds its files, its threads and its processor time.
    Limits,
    /// Its memory and its processes are watched.
    Watch,
}

impl Protection {
    /// All of them, the most important ones first.
    pub const ALL: [Protection; 9] = [
        Protection::Privileges,
        Protection::Network,
        Protection::Files,
        Protection::Calls,
        Protection::Processes,
        Protection::Mounts,
        Protection::Ipc,
        Protection::Limits,
        Protection::Watch,
    ];

    /// The name in a list.
    pub fn name(self) -> &'static str {
        match self {
            Protection::Privileges => "no privileges",
            Protection::Network => "no network",
            Protection::Files => "no foreign files",
            Protection::Calls => "no dangerous system calls",
            Protection::Processes => "own processes",
            Protection::Mounts => "own mounts",
            Protection::Ipc => "own shared memory",
            Protection::Limits => "limits",
            Protection::Watch => "watched memory",
        }
    }

    /// Reads a line that begins with a protection's name.
    fn parse(line: &str) -> Option<(Protection, &str)> {
        Protection::ALL.into_iter().find_map(|p| line.strip_prefix(p.name()).map(|rest| (p, rest)))
    }
}

/// For each protection, whether it is in force or why it is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InForce {
    protections: Vec<(Protection, Result<(), String>)>,
}

impl InForce {
    /// No protection at all, for one reason.
    pub fn nothing(why: &str) -> InForce {
        InForce { protections: Protection::ALL.map(|p| (p, Err(why.to_string()))).into() }
    }

    /// Whether a protection is in force.
    pub fn holds(&self, protection: Protection) -> bool {
        self.protections.iter().any(|(p, state)| *p == protection && state.is_ok())
    }

    /// Whether all are.
    pub fn complete(&self) -> bool {
        Protection::ALL.into_iter().all(|p| self.holds(p))
    }

    /// Why a protection is not in force.
    pub fn missing(&self, protection: Protection) -> Option<&str> {
        match self.protections.iter().find(|(p, _)| *p == protection) {
            Some((_, Ok(()))) => None,
            Some((_, Err(why))) => Some(why),
            None => Some("nothing is known of it"),
        }
    }

    /// Keepers' lines: `+ name` or `- name: why`, in any order.
    pub(crate) fn parse<'a>(lines: impl Iterator<Item = &'a str>) -> InForce {
        let protections = lines.filter_map(|line| {
            let (sign, rest) = line.split_once(' ')?;
            let (protection, why) = Protection::parse(rest)?;
            match sign {
                "+" => Some((protection, Ok(()))),
                "-" => Some((protection, Err(why.trim_start_matches([':', ' ']).to_string()))),
                _ => None,
            }
        });
        InForce { protections: protections.collect() }
    }

    /// One line without its end, as [`InForce::parse`] reads it.
    pub(crate) fn line(protection: Protection, state: &Result<(), String>) -> String {
        match state {
            Ok(()) => format!("+ {}", protection.name()),
            Err(why) => format!("- {}: {why}", protection.name()),
        }
    }
}

impl fmt::Display for InForce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (held, missing): (Vec<_>, Vec<_>) =
            Protection::ALL.into_iter().map(|p| (p, self.missing(p))).partition(|(_, why)| why.is_none());
        let held: Vec<&str> = held.into_iter().map(|(p, _)| p.name()).collect();
        write!(f, "in force: {}", if held.is_empty() { "nothing".to_string() } else { held.join(", ") })?;
        // One reason for several walls is said once.
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
    fn lines_of_a_keeper_say_what_is_in_force() {
        let lines = [
            InForce::line(Protection::Network, &Ok(())),
            InForce::line(Protection::Files, &Err("no Landlock: an old kernel".to_string())),
            "nonsense".to_string(),
        ];
        let in_force = InForce::parse(lines.iter().map(String::as_str));
        assert!(in_force.holds(Protection::Network) && !in_force.complete());
        assert_eq!(in_force.missing(Protection::Files), Some("no Landlock: an old kernel"));
        assert_eq!(in_force.missing(Protection::Ipc), Some("nothing is known of it"));
    }

    #[test]
    fn one_reason_is_said_once() {
        let text = InForce::nothing("no sandbox here").to_string();
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
