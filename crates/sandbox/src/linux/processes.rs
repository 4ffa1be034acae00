//! The processes of a sandbox with their memory and processor time, from `/proc`. It only measures; the supervisor
//! and the init process enforce limits.
//!
//! With a process namespace, init sees its own `/proc`. Otherwise `/proc` lists the whole system, and the processes
//! of the sandbox are found by their parents.

use super::Why;
use rustix::{
    param::{clock_ticks_per_second, page_size},
    process::{Pid, getpid},
};
use std::{collections::HashSet, fs, os::unix::fs::MetadataExt, time::Duration};

/// Default size of a socket's send buffer on Linux, in bytes. The system call filter refuses to enlarge it.
const SOCKET_BUFFER: u64 = 212_992;

/// The state of a process when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub pid: Pid,
    pub parent: i32,
    pub group: i32,
    pub session: i32,
    /// Start time in clock ticks since boot. It distinguishes two processes with the same id.
    pub started: u64,
    state: char,
    threads: u64,
    /// Resident memory in bytes, including shared pages.
    resident: u64,
    /// Processor time of its own threads.
    own_cpu: Duration,
    /// Processor time of the ended children that it has waited for, including that of their children.
    children_cpu: Duration,
}

impl Process {
    /// Parses the content of `/proc/N/stat`; `None` for a process that has ended.
    fn parse(text: &str) -> Option<Process> {
        let (pid, rest) = text.split_once(" (")?;
        // The name may contain brackets and spaces; the fields after the last bracket are the kernel's.
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

    /// The process id, as in `/proc`.
    pub fn id(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// Reads the same process again; `None` if it has ended.
    pub fn reread(&self) -> Option<Process> {
        Process::read(self.id()).filter(|process| process.started == self.started)
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(format!("/proc/{}/{name}", self.pid.as_raw_nonzero())).unwrap_or_default()
    }

    /// Whether the process is stopped, so that none of its threads runs until it is continued.
    pub fn is_stopped(&self) -> bool {
        matches!(self.state, 'T' | 't')
    }

    /// Whether the process executes none of its own code: it is stopped, or in a system call that no signal
    /// interrupts, such as `vfork`. In that case it stops before it returns from the call.
    pub fn is_halted(&self) -> bool {
        self.is_stopped() || self.state == 'D'
    }

    /// Kernel memory of the process in bytes: page tables, and socket buffers, which are all counted as full.
    pub fn kernel_memory(&self) -> u64 {
        let tables = kibibytes(&self.file("status"), "VmPTE:").unwrap_or(0) << 10;
        let files = fs::read_dir(format!("/proc/{}/fd", self.pid.as_raw_nonzero()));
        let links =
            files.into_iter().flatten().flatten().filter_map(|entry| fs::read_link(entry.path()).ok());
        let sockets = links.filter(|link| link.to_string_lossy().starts_with("socket:")).count();
        tables + sockets as u64 * SOCKET_BUFFER
    }

    /// Resident memory in bytes. A shared page counts in full for each process.
    pub fn resident(&self) -> u64 {
        self.resident
    }

    /// Resident memory in bytes. A shared page is divided among its processes (PSS).
    pub fn proportional(&self) -> u64 {
        let text = self.file("smaps_rollup");
        let parts = ["Pss:", "SwapPss:"].map(|key| kibibytes(&text, key));
        // A process whose details cannot be read counts with its full size.
        if parts[0].is_none() { self.resident } else { parts.into_iter().flatten().sum::<u64>() << 10 }
    }

    /// Processor time of its threads and of its ended children, in clock ticks of 10 ms.
    pub fn cpu_time(&self) -> Duration {
        self.own_cpu + self.children_cpu
    }

    /// Processor time with an exact value for its own threads. Call it only if [`ids_agree`].
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

/// Checks that `/proc` can be read; the error says why not.
pub(super) fn check_proc() -> Result<(), Why> {
    if numbers().next().is_some() { Ok(()) } else { Err("there is no /proc".to_string()) }
}

/// The id of this process in the mounted `/proc`, which may belong to another process namespace.
fn own_id() -> Option<i32> {
    fs::read_link("/proc/self").ok()?.to_str()?.parse().ok()
}

/// Whether the process ids in `/proc` are those that system calls of this process use.
pub(super) fn ids_agree() -> bool {
    own_id() == Some(getpid().as_raw_nonzero().get())
}

/// All descendants of this process.
pub(super) fn descendants() -> Vec<Process> {
    own_id().map(|number| descendants_of(all(), number)).unwrap_or_default()
}

/// The process with this id.
pub(super) fn process(pid: Pid) -> Option<Process> {
    Process::read(pid.as_raw_nonzero().get())
}

/// The descendants of `ancestor`.
fn descendants_of(mut others: Vec<Process>, ancestor: i32) -> Vec<Process> {
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

/// The number of threads of an account.
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
    fn a_process_name_may_contain_brackets() {
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
    fn descendants_include_grandchildren_but_no_other_processes() {
        let all = [(5, 4), (4, 2), (2, 1), (3, 1), (6, 3)].map(|(pid, parent)| process(pid, parent));
        let mut found: Vec<i32> =
            descendants_of(all.to_vec(), 2).iter().map(|p| p.pid.as_raw_nonzero().get()).collect();
        found.sort_unstable();
        assert_eq!(found, [4, 5]);
    }
}
