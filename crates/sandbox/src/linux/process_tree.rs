//! The processes of a program that runs without a sandbox: the one that was started, its process group, and its descendants.
//! They are stopped, continued and killed together, and their processor time is added up.
//!
//! Descendants are found in `/proc`, so that one that left the process group with `setsid` belongs to the program too. One
//! that left the group and whose parent ended before it was ever seen is not found: only the sandbox keeps those.

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

/// How long processes that have the signal to stop may take for it.
const TO_STOP: Duration = Duration::from_millis(50);
/// How often processes that were started meanwhile are looked for.
const MOST_ROUNDS: u32 = 10;
/// How long to wait before the state of processes is read again.
const LOOK: Duration = Duration::from_micros(50);
/// All processes of the system are listed no more often than this, so that moves of a millisecond are not slowed down.
const LIST: Duration = Duration::from_millis(10);

/// The processes of one program.
pub struct ProcessTree {
    leader: Pid,
    /// As they were read last, by process id.
    members: BTreeMap<i32, Process>,
    /// Handles of the members outside the leader's group, so that signals to them take one call each: a program that keeps
    /// all cores busy leaves the referee little time.
    handles: BTreeMap<i32, Handle>,
    /// Ids of process groups and sessions that members began.
    begun: BTreeSet<i32>,
    listed: Option<Instant>,
}

impl ProcessTree {
    /// The processes of a child that leads a process group.
    pub fn of(child: &Child) -> ProcessTree {
        let leader = Pid::from_child(child);
        let id = leader.as_raw_nonzero().get();
        let members = Process::read(id).map(|stat| (id, stat)).into_iter().collect();
        let (handles, begun) = (BTreeMap::new(), BTreeSet::from([id]));
        ProcessTree { leader, members, handles, begun, listed: None }
    }

    /// Stops all processes. Returns when none of them runs any more.
    pub fn stop(&mut self) {
        let list = self.listed.is_none_or(|at| at.elapsed() >= LIST);
        for _ in 0..MOST_ROUNDS {
            self.signal(Signal::STOP);
            self.wait_until_stopped();
            // A process that ran until now may have started others.
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
        while !self.members.values().all(Process::is_halted) && begun.elapsed() < TO_STOP {
            thread::sleep(LOOK);
            self.refresh();
        }
    }

    /// Continues all processes.
    pub fn resume(&mut self) {
        self.signal(Signal::CONT);
    }

    /// Kills all processes. They are stopped first, so that none starts another one meanwhile.
    pub fn kill(&mut self) {
        self.listed = None;
        self.stop();
        self.signal(Signal::KILL);
    }

    /// Processor time of all processes that run, and of those they have waited for.
    pub fn cpu_time(&mut self) -> Option<Duration> {
        if self.listed.is_none_or(|at| at.elapsed() >= LIST) {
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
        // There may be no process left.
        let _ = kill_process_group(self.leader, signal);
    }

    /// Reads the known members again.
    fn refresh(&mut self) {
        let known = std::mem::take(&mut self.members);
        let again = known.values().filter_map(Process::again);
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
        // An id that no member has or uses may be given to another program.
        self.begun.retain(|id| begun.contains(id));
        self.members = members;
        self.hold();
    }

    /// Opens and drops handles as members came and went.
    fn hold(&mut self) {
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

/// A process that signals can be sent to, and never another one that has its id by now.
struct Handle {
    id: Pid,
    started: u64,
    /// None on a system that has no such descriptors.
    process: Option<OwnedFd>,
}

impl Handle {
    /// The process that was seen, if it is still there.
    fn of(stat: &Process) -> Option<Handle> {
        let id = Pid::from_raw(stat.id())?;
        let process = match pidfd_open(id, PidfdFlags::empty()) {
            Ok(process) => Some(process),
            Err(Errno::SRCH) => return None,
            Err(_) => None,
        };
        stat.again().map(|stat| Handle { id, started: stat.started, process })
    }

    fn send(&self, signal: Signal) {
        // The process may be gone: then there is nothing to do.
        match &self.process {
            Some(process) => drop(pidfd_send_signal(process, signal)),
            None => drop(kill_process(self.id, signal)),
        }
    }
}
