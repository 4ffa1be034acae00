//! The processes of a sandbox with their memory and processor time, from `/proc`. It only counts; what follows from the
//! numbers is decided by supervisor and init.
//!
//! Init sees a `/proc` of its own where the sandbox has a process namespace. Otherwise the whole system is listed, and
//! the processes of the sandbox are found through their parents.

use super::Why;
use rustix::{
    param::{clock_ticks_per_second, page_size},
    process::{Pid, getpid},
};
use std::{collections::HashSet, fs, os::unix::fs::MetadataExt, time::Duration};

/// What a socket's send buffer holds at most by default on Linux, in bytes; the filter of system calls refuses to enlarge
/// it.
const SOCKET_BUFFER: u64 = 212_992;

/// A living process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub pid: Pid,
    pub parent: i32,
    pub group: i32,
    pub session: i32,
    /// In clock ticks since the system started: tells two processes with the same number apart.
    pub started: u64,
    state: char,
    threads: u64,
    /// Bytes in memory, those included that it shares with others.
    resident: u64,
    /// Processor time of its threads.
    own_cpu: Duration,
    /// Processor time of ended children that it has waited for, and theirs.
    children_cpu: Duration,
}

impl Process {
    /// Reads `/proc/N/stat`; nothing for one that has ended already.
    fn parse(text: &str) -> Option<Process> {
        let (pid, rest) = text.split_once(" (")?;
        // The name may contain anything, brackets and spaces too; what follows the last bracket is the kernel's.
        let fields: Vec<&str> = rest.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
        let signed = |index: usize| fields.get(index)?.parse::<i32>().ok();
        let state = fields.first()?.chars().next()?;
        let ticks = |ticks: u64| Duration::from_millis(ticks * 1000 / clock_ticks_per_second());
        (state != 'Z' && state != 'X').then_some(Process {
            pid: Pid::from_raw(pid.trim().parse().ok()?)?,
            parent: signed(1)?,
            group: signed(2)?,
            session: signed(3)?,
            started: number(19)?,
            state,
            threads: number(17)?,
            resident: number(21)? * page_size() as u64,
            own_cpu: ticks(number(11)? + number(12)?),
            children_cpu: ticks(number(13)? + number(14)?),
        })
    }

    pub fn read(number: i32) -> Option<Process> {
        Process::parse(&fs::read_to_string(format!("/proc/{number}/stat")).ok()?)
    }

    /// The process id.
    pub fn id(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// The same process as it is now; none if it has ended.
    pub fn again(&self) -> Option<Process> {
        Process::read(self.id()).filter(|process| process.started == self.started)
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(format!("/proc/{}/{name}", self.pid.as_raw_nonzero())).unwrap_or_default()
    }

    /// Whether no thread of it can run until it is continued.
    pub fn is_stopped(&self) -> bool {
        matches!(self.state, 'T' | 't')
    }

    /// Whether it runs no code of its own: stopped, or in a system call that no signal interrupts (such as `vfork`; it stops
    /// before it returns from that).
    pub fn is_halted(&self) -> bool {
        self.is_stopped() || self.state == 'D'
    }

    /// Bytes that the kernel holds for it beside its pages: page tables, and socket buffers as if all were full.
    pub fn kernel_memory(&self) -> u64 {
        let tables = kibibytes(&self.file("status"), "VmPTE:").unwrap_or(0) << 10;
        let files = fs::read_dir(format!("/proc/{}/fd", self.pid.as_raw_nonzero()));
        let links =
            files.into_iter().flatten().flatten().filter_map(|entry| fs::read_link(entry.path()).ok());
        let sockets = links.filter(|link| link.to_string_lossy().starts_with("socket:")).count();
        tables + sockets as u64 * SOCKET_BUFFER
    }

    /// Bytes in memory; a page that several processes share counts for each.
    pub fn resident(&self) -> u64 {
        self.resident
    }

    /// Bytes in memory, where a page that several processes share counts in parts.
    pub fn proportional(&self) -> u64 {
        let text = self.file("smaps_rollup");
        let parts = ["Pss:", "SwapPss:"].map(|key| kibibytes(&text, key));
        // A process that cannot be inspected counts at its full size.
        if parts[0].is_none() { self.resident } else { parts.into_iter().flatten().sum::<u64>() << 10 }
    }

    /// Processor time of its threads and of its ended children, in clock ticks of 10 ms.
    pub fn cpu_time(&self) -> Duration {
        self.own_cpu + self.children_cpu
    }

    /// The same, with its own part exact; to be called only where [`numbers_agree`].
    pub fn exact_cpu_time(&self) -> Duration {
        crate::kernel::cpu_time(self.pid).unwrap_or(self.own_cpu) + self.children_cpu
    }
}

fn kibibytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse().ok()
}

fn numbers() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

pub(super) fn all() -> Vec<Process> {
    numbers().filter_map(Process::read).collect()
}

/// The error says why processes cannot be counted here.
pub(super) fn possible() -> Result<(), Why> {
    if numbers().next().is_some() { Ok(()) } else { Err("there is no /proc".to_string()) }
}

/// The number of this process in the `/proc` that it sees, which may be that of another process namespace.
fn own_number() -> Option<i32> {
    fs::read_link("/proc/self").ok()?.to_str()?.parse().ok()
}

/// Whether `/proc` has the process numbers that system calls of this process take.
pub(super) fn numbers_agree() -> bool {
    own_number() == Some(getpid().as_raw_nonzero().get())
}

/// All processes below this one.
pub(super) fn descendants() -> Vec<Process> {
    own_number().map(|number| family(all(), number)).unwrap_or_default()
}

/// The process with this id.
pub(super) fn process(pid: Pid) -> Option<Process> {
    Process::read(pid.as_raw_nonzero().get())
}

/// The processes whose line of parents leads to `ancestor`.
fn family(mut others: Vec<Process>, ancestor: i32) -> Vec<Process> {
    let mut known = HashSet::from([ancestor]);
    let mut family = Vec::new();
    loop {
        let (found, rest): (Vec<_>, Vec<_>) = others.into_iter().partition(|p| known.contains(&p.parent));
        if found.is_empty() {
            return family;
        }
        known.extend(found.iter().map(Process::id));
        family.extend(found);
        others = rest;
    }
}

/// The number of threads that an account has in all.
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
        Process {
            pid: Pid::from_raw(pid).expect("a number"),
            parent,
            group: pid,
            session: pid,
            started: 0,
            state: 'S',
            threads: 1,
            resident: 0,
            own_cpu: Duration::ZERO,
            children_cpu: Duration::ZERO,
        }
    }

    #[test]
    fn a_name_full_of_brackets_hides_nothing() {
        let stat = "42 (a) Z 1 (b)) S 7 42 42 0 -1 4194560 80 0 0 0 9 3 20 10 20 0 3 0 100 4096 25 99 1 1";
        let found = Process::parse(stat).expect("a process");
        assert_eq!((found.pid.as_raw_nonzero().get(), found.parent, found.threads), (42, 7, 3));
        assert_eq!((found.group, found.session, found.started), (42, 42, 100));
        assert_eq!(found.resident, 25 * page_size() as u64);
        assert_eq!(found.cpu_time(), Duration::from_millis(42_000 / clock_ticks_per_second()));
        assert_eq!(Process::parse(&stat.replace(" S ", " Z ")), None, "a dead one");
        assert_eq!(Process::parse("42"), None);
    }

    #[test]
    fn grandchildren_belong_to_the_family_and_other_processes_do_not() {
        let all = [(5, 4), (4, 2), (2, 1), (3, 1), (6, 3)].map(|(pid, parent)| process(pid, parent));
        let mut found: Vec<i32> =
            family(all.to_vec(), 2).iter().map(|p| p.pid.as_raw_nonzero().get()).collect();
        found.sort_unstable();
        assert_eq!(found, [4, 5]);
    }
}
