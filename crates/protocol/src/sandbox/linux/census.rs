//! Who is there, from `/proc`: the processes below a keeper, with the memory they use. It only counts; what follows from
//! the numbers is decided by the keepers.
//!
//! In a namespace with its own `/proc` only the kept processes are listed; otherwise the whole system is, and
//! descendants are found by their parents.

use super::Why;
use rustix::{param::page_size, process::Pid};
use std::{collections::HashSet, fs, os::unix::fs::MetadataExt};

/// A living process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub pid: Pid,
    parent: i32,
    threads: u64,
    /// Bytes in memory, those included that it shares with others.
    pub resident: u64,
}

impl Process {
    /// Reads `/proc/N/stat`; nothing for one that is dead already.
    fn parse(text: &str) -> Option<Process> {
        let (pid, rest) = text.split_once(" (")?;
        // The name may contain anything, brackets and spaces too; what follows the last bracket is ours.
        let fields: Vec<&str> = rest.rsplit_once(')')?.1.split_whitespace().collect();
        let (&state, &parent) = (fields.first()?, fields.get(1)?);
        let (threads, pages): (u64, u64) = (fields.get(17)?.parse().ok()?, fields.get(21)?.parse().ok()?);
        (state != "Z" && state != "X").then_some(Process {
            pid: Pid::from_raw(pid.trim().parse().ok()?)?,
            parent: parent.parse().ok()?,
            threads,
            resident: pages * page_size() as u64,
        })
    }

    /// Bytes in memory, where a page that several processes share counts in parts.
    pub fn share(&self) -> u64 {
        let text = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.pid.as_raw_nonzero()));
        let text = text.unwrap_or_default();
        let kibibytes: Vec<u64> = ["Pss:", "SwapPss:"]
            .into_iter()
            .filter_map(|key| text.lines().find_map(|line| line.strip_prefix(key)))
            .filter_map(|rest| rest.split_whitespace().next()?.parse().ok())
            .collect();
        // One that does not let itself be looked at is taken at its full size.
        if kibibytes.is_empty() { self.resident } else { kibibytes.iter().sum::<u64>() << 10 }
    }
}

fn numbers() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn all() -> Vec<Process> {
    let texts = numbers().filter_map(|number| fs::read_to_string(format!("/proc/{number}/stat")).ok());
    texts.filter_map(|text| Process::parse(&text)).collect()
}

/// The number of this process in the `/proc` that it sees; none if that is another namespace's.
fn own_number() -> Option<i32> {
    fs::read_link("/proc/self").ok()?.to_str()?.parse().ok()
}

/// Whether anything can be counted here.
pub(super) fn possible() -> Result<(), Why> {
    if numbers().next().is_some() { Ok(()) } else { Err("there is no /proc".to_string()) }
}

/// Everybody below this process.
pub(super) fn descendants() -> Vec<Process> {
    match own_number() {
        Some(number) => family(all(), number),
        None => all(),
    }
}

/// Everybody below this process but the inner keeper, its child.
pub(super) fn below(inner: Pid) -> Vec<Process> {
    let inner = if own_number().is_some() { inner } else { Pid::INIT };
    let mut kept = descendants();
    kept.retain(|process| process.pid != inner);
    kept
}

/// Those whose line of parents leads to this one.
fn family(mut others: Vec<Process>, ancestor: i32) -> Vec<Process> {
    let mut known = HashSet::from([ancestor]);
    let mut family = Vec::new();
    loop {
        let (found, rest): (Vec<_>, Vec<_>) = others.into_iter().partition(|p| known.contains(&p.parent));
        if found.is_empty() {
            return family;
        }
        known.extend(found.iter().map(|process| process.pid.as_raw_nonzero().get()));
        family.extend(found);
        others = rest;
    }
}

/// How many threads an account has in all.
pub(super) fn threads_of(uid: u32) -> u64 {
    let owned = |process: &Process| {
        fs::metadata(format!("/proc/{}", process.pid.as_raw_nonzero())).is_ok_and(|file| file.uid() == uid)
    };
    all().iter().filter(|process| owned(process)).map(|process| process.threads).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: i32, parent: i32) -> Process {
        Process { pid: Pid::from_raw(pid).expect("a number"), parent, threads: 1, resident: 0 }
    }

    #[test]
    fn a_name_full_of_brackets_hides_nothing() {
        let stat = "42 (a) Z 1 (b)) S 7 42 42 0 -1 4194560 80 0 0 0 0 0 0 0 20 0 3 0 100 4096 25 99 1 1";
        let found = Process::parse(stat).expect("a process");
        assert_eq!((found.pid.as_raw_nonzero().get(), found.parent, found.threads), (42, 7, 3));
        assert_eq!(found.resident, 25 * page_size() as u64);
        assert_eq!(Process::parse(&stat.replace(" S ", " Z ")), None, "a dead one");
        assert_eq!(Process::parse("42"), None);
    }

    #[test]
    fn grandchildren_belong_to_the_family_and_strangers_do_not() {
        let all = [(5, 4), (4, 2), (2, 1), (3, 1), (6, 3)].map(|(pid, parent)| process(pid, parent));
        let mut found: Vec<i32> =
            family(all.to_vec(), 2).iter().map(|p| p.pid.as_raw_nonzero().get()).collect();
        found.sort_unstable();
        assert_eq!(found, [4, 5]);
    }
}
