//! The processes of a program that runs without a sandbox: its process group and its descendants. They are stopped,
//! continued and killed together, and their processor time is added up.
//!
//! Descendants are found in `/proc`, so a process that leaves the group with `setsid` is included. A process that
//! leaves the group and whose parent ends before `/proc` is read is not found; only the sandbox covers that case.

use super::processes::{self, Process};
use rustix::{
    io::Errno,
    process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open, pidfd_send_signal},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    os::fd::OwnedFd,
    process::Child,
    thread,
    time::{Duration, Instant},
};

/// Time limit for processes to stop after the signal.
const STOP_TIMEOUT: Duration = Duration::from_millis(50);
/// Limit of passes that look for processes started meanwhile.
const MOST_ROUNDS: u32 = 10;
/// Interval between readings of the processes' states.
const STATE_INTERVAL: Duration = Duration::from_micros(50);
/// Shortest interval between listings of all processes, so that games with moves of 1 ms are not slowed down.
const LIST_INTERVAL: Duration = Duration::from_millis(10);

/// The processes of one program.
pub struct ProcessTree {
    leader: Pid,
    /// The processes as they were read last, by process id.
    members: BTreeMap<i32, Process>,
    /// Handles of the members outside the leader's group, so that a signal to each takes one system call only: a
    /// program that keeps all cores busy leaves the referee little processor time.
    handles: BTreeMap<i32, Handle>,
    /// Ids of process groups and sessions that members created.
    begun: BTreeSet<i32>,
    listed: Option<Instant>,
}

impl ProcessTree {
    /// Tracks the processes of a child, which must be the leader of a process group.
    pub fn of(child: &Child) -> ProcessTree {
        let leader = Pid::from_child(child);
        let id = leader.as_raw_nonzero().get();
        let members = Process::read(id).map(|stat| (id, stat)).into_iter().collect();
        let (handles, begun) = (BTreeMap::new(), BTreeSet::from([id]));
        ProcessTree { leader, members, handles, begun, listed: None }
    }

    /// Stops all processes with SIGSTOP and waits until none of them runs.
    pub fn stop(&mut self) {
        let list = self.listed.is_none_or(|at| at.elapsed() >= LIST_INTERVAL);
        for _ in 0..MOST_ROUNDS {
            self.signal(Signal::STOP);
            self.wait_until_stopped();
            // A process may have started others before it stopped.
            if list {
                self.list();
            }
            if self.members.values().all(Process::is_halted) {
                return;
            }
        }
    }

    fn wait_until_stopped(&mut self) {
        let begun = Instant::now();
        self.refresh();
        while !self.members.values().all(Process::is_halted) && begun.elapsed() < STOP_TIMEOUT {
            thread::sleep(STATE_INTERVAL);
            self.refresh();
        }
    }

    /// Continues all processes with SIGCONT.
    pub fn resume(&mut self) {
        self.signal(Signal::CONT);
    }

    /// Kills all processes. It stops them first, so that none of them starts another one meanwhile.
    pub fn kill(&mut self) {
        self.listed = None;
        self.stop();
        self.signal(Signal::KILL);
    }

    /// Processor time of all running processes and of the ended ones that they have waited for.
    pub fn cpu_time(&mut self) -> Option<Duration> {
        if self.listed.is_none_or(|at| at.elapsed() >= LIST_INTERVAL) {
            self.list();
        } else {
            self.refresh();
        }
        let leader = self.leader.as_raw_nonzero().get();
        self.members.contains_key(&leader).then(|| self.members.values().map(Process::exact_cpu_time).sum())
    }

    fn signal(&self, signal: Signal) {
        for handle in self.handles.values() {
            handle.send(signal);
        }
        // The group may have no process left.
        let _ = kill_process_group(self.leader, signal);
    }

    /// Reads the known members again.
    fn refresh(&mut self) {
        let known = std::mem::take(&mut self.members);
        let again = known.values().filter_map(Process::reread);
        self.members = again.map(|stat| (stat.id(), stat)).collect();
    }

    /// Looks for members among all processes of the system.
    fn list(&mut self) {
        self.listed = Some(Instant::now());
        let mut others = processes::all();
        let known = std::mem::take(&mut self.members);
        let is_known = |stat: &Process| {
            known.get(&stat.id()).is_some_and(|old| old.started == stat.started)
                || stat.id() == self.leader.as_raw_nonzero().get()
        };
        let (mut members, mut begun) = (BTreeMap::new(), BTreeSet::new());
        loop {
            let (found, rest): (Vec<Process>, Vec<Process>) = others.into_iter().partition(|stat| {
                is_known(stat)
                    || members.contains_key(&stat.parent)
                    || [stat.group, stat.session].iter().any(|id| self.begun.contains(id))
            });
            others = rest;
            if found.is_empty() {
                break;
            }
            for stat in found {
                self.begun.insert(stat.id());
                begun.extend([stat.id(), stat.group, stat.session]);
                members.insert(stat.id(), stat);
            }
        }
        // The kernel may give an id that no member uses any more to another program.
        self.begun.retain(|id| begun.contains(id));
        self.members = members;
        self.update_handles();
    }

    /// Opens handles of new members and drops those of ended ones.
    fn update_handles(&mut self) {
        let leader = self.leader.as_raw_nonzero().get();
        let outside = |stat: &&Process| stat.group != leader;
        self.handles.retain(|id, handle| {
            self.members.get(id).is_some_and(|stat| outside(&stat) && stat.started == handle.started)
        });
        for stat in self.members.values().filter(outside) {
            if !self.handles.contains_key(&stat.id())
                && let Some(handle) = Handle::of(stat)
            {
                self.handles.insert(stat.id(), handle);
            }
        }
    }
}

/// A handle for signals to one process, never to a later process with the same id (pidfd).
struct Handle {
    id: Pid,
    started: u64,
    /// `None` on a system without process descriptors.
    process: Option<OwnedFd>,
}

impl Handle {
    /// Opens a handle, if the process has not ended.
    fn of(stat: &Process) -> Option<Handle> {
        let id = Pid::from_raw(stat.id())?;
        let process = match pidfd_open(id, PidfdFlags::empty()) {
            Ok(process) => Some(process),
            Err(Errno::SRCH) => return None,
            Err(_) => None,
        };
        stat.reread().map(|stat| Handle { id, started: stat.started, process })
    }

    fn send(&self, signal: Signal) {
        // The process may have ended already.
        match &self.process {
            Some(process) => drop(pidfd_send_signal(process, signal)),
            None => drop(kill_process(self.id, signal)),
        }
    }
}
