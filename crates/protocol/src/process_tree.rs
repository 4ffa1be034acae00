//! The processes of a program that runs without a sandbox: the one that was started, its process group, and its descendants.
//! They are stopped, continued and killed together, and their processor time is added up.
//!
//! On Linux descendants are found in `/proc`, so that one that left the process group with `setsid` belongs to the program
//! too. One that left the group and whose parent ended before it was ever seen is not found: only the sandbox keeps those.
//! On other Unix systems the process group is all that is stopped, and processor time is not measured.

#[cfg(target_os = "linux")]
pub(crate) use linux::ProcessTree;
#[cfg(not(target_os = "linux"))]
pub(crate) use other::ProcessTree;

#[cfg(target_os = "linux")]
mod linux {
    use super::stat::Stat;
    use rustix::{
        io::Errno,
        process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open, pidfd_send_signal},
    };
    use std::{
        collections::{BTreeMap, BTreeSet},
        fs,
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
    pub(crate) struct ProcessTree {
        leader: Pid,
        /// As they were read last, by process id.
        members: BTreeMap<i32, Stat>,
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
            let members = Stat::read(id).map(|stat| (id, stat)).into_iter().collect();
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
                if self.members.values().all(Stat::is_stopped) {
                    return;
                }
            }
        }

        fn wait_until_stopped(&mut self) {
            let begun = Instant::now();
            self.refresh();
            while !self.members.values().all(Stat::is_stopped) && begun.elapsed() < TO_STOP {
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
            self.members.contains_key(&leader).then(|| self.members.values().map(Stat::cpu_time).sum())
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
            let again = known.values().filter_map(Stat::again);
            self.members = again.map(|stat| (stat.id, stat)).collect();
        }

        /// Looks for members among all processes of the system.
        fn list(&mut self) {
            self.listed = Some(Instant::now());
            let Ok(entries) = fs::read_dir("/proc") else { return self.refresh() };
            let ids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
            let mut others: Vec<Stat> = ids.filter_map(Stat::read).collect();
            let known = std::mem::take(&mut self.members);
            let is_known = |stat: &Stat| {
                known.get(&stat.id).is_some_and(|old| old.started == stat.started)
                    || stat.id == self.leader.as_raw_nonzero().get()
            };
            let (mut members, mut begun) = (BTreeMap::new(), BTreeSet::new());
            loop {
                let (found, rest): (Vec<Stat>, Vec<Stat>) = others.into_iter().partition(|stat| {
                    is_known(stat)
                        || members.contains_key(&stat.parent)
                        || [stat.group, stat.session].iter().any(|id| self.begun.contains(id))
                });
                others = rest;
                if found.is_empty() {
                    break;
                }
                for stat in found {
                    self.begun.insert(stat.id);
                    begun.extend([stat.id, stat.group, stat.session]);
                    members.insert(stat.id, stat);
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
            let outside = |stat: &&Stat| stat.group != leader;
            self.handles.retain(|id, handle| {
                self.members.get(id).is_some_and(|stat| outside(&stat) && stat.started == handle.started)
            });
            for stat in self.members.values().filter(outside) {
                if !self.handles.contains_key(&stat.id)
                    && let Some(handle) = Handle::of(stat)
                {
                    self.handles.insert(stat.id, handle);
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
        fn of(stat: &Stat) -> Option<Handle> {
            let id = Pid::from_raw(stat.id)?;
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
}

#[cfg(target_os = "linux")]
mod stat {
    use std::{fs, time::Duration};

    /// What `/proc/ID/stat` says of a process (see proc_pid_stat(5)).
    #[derive(Debug)]
    pub struct Stat {
        pub id: i32,
        state: char,
        pub parent: i32,
        pub group: i32,
        pub session: i32,
        /// In clock ticks since the system started: tells two processes with the same id apart.
        pub started: u64,
        /// Clock ticks of its own threads, and of the children that it has waited for.
        own: u64,
        waited_for: u64,
    }

    impl Stat {
        pub fn read(id: i32) -> Option<Stat> {
            Stat::parse(id, &fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
        }

        fn parse(id: i32, text: &str) -> Option<Stat> {
            // The name of the program stands in brackets, and may have brackets and spaces in it.
            let (_, rest) = text.rsplit_once(')')?;
            let fields: Vec<&str> = rest.split_whitespace().collect();
            let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
            let small = |at: usize| fields.get(at)?.parse::<i32>().ok();
            Some(Stat {
                id,
                state: fields.first()?.chars().next()?,
                parent: small(1)?,
                group: small(2)?,
                session: small(3)?,
                own: number(11)? + number(12)?,
                waited_for: number(13)? + number(14)?,
                started: number(19)?,
            })
        }

        /// The same process as it is now; none if it has gone.
        pub fn again(&self) -> Option<Stat> {
            Stat::read(self.id).filter(|stat| stat.started == self.started)
        }

        /// Whether it runs no code of its own: stopped, dead, or in a system call that no signal interrupts (it stops before
        /// it returns from that).
        pub fn is_stopped(&self) -> bool {
            "TtZXD".contains(self.state)
        }

        /// Processor time. Ticks are coarse (10 ms); the scheduler's figures are exact, but know living threads only.
        pub fn cpu_time(&self) -> Duration {
            let ticks = rustix::param::clock_ticks_per_second().max(1);
            let time = |count: u64| Duration::from_nanos(count.saturating_mul(1_000_000_000 / ticks));
            time(self.own).max(scheduled(self.id)) + time(self.waited_for)
        }
    }

    /// What the threads of a process that live have run, by `/proc/ID/task/THREAD/schedstat`.
    fn scheduled(id: i32) -> Duration {
        let Ok(threads) = fs::read_dir(format!("/proc/{id}/task")) else { return Duration::ZERO };
        let nanos = threads.filter_map(|thread| {
            let text = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
            text.split_whitespace().next()?.parse::<u64>().ok()
        });
        Duration::from_nanos(nanos.sum())
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_program_with_a_misleading_name_is_read() {
            let text = "42 (a) R 1 (b) S 7 8 9 0 -1 4194560 1 2 3 4 11 22 33 44 20 0 1 0 555 1 2 3\n";
            let stat = Stat::parse(42, text).expect("a line");
            assert_eq!((stat.parent, stat.group, stat.session, stat.started), (7, 8, 9, 555));
            assert_eq!((stat.own, stat.waited_for, stat.is_stopped()), (33, 77, false));
            assert!(Stat::parse(42, "42 (short) S 1").is_none());
        }

        #[test]
        fn this_process_has_used_processor_time() {
            let stat = Stat::read(std::process::id() as i32).expect("this process");
            assert!(stat.cpu_time() > Duration::ZERO && stat.again().is_some());
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use std::{process::Child, time::Duration};

    /// The process group of one program.
    pub(crate) struct ProcessTree {
        #[cfg(unix)]
        leader: rustix::process::Pid,
    }

    impl ProcessTree {
        /// The process group of a child that leads one.
        pub fn of(_child: &Child) -> ProcessTree {
            ProcessTree {
                #[cfg(unix)]
                leader: rustix::process::Pid::from_child(_child),
            }
        }

        /// Stops the group, where there are groups.
        pub fn stop(&mut self) {
            #[cfg(unix)]
            let _ = rustix::process::kill_process_group(self.leader, rustix::process::Signal::STOP);
        }

        /// Continues the group.
        pub fn resume(&mut self) {
            #[cfg(unix)]
            let _ = rustix::process::kill_process_group(self.leader, rustix::process::Signal::CONT);
        }

        /// Nothing: the parent kills the group.
        pub fn kill(&mut self) {}

        /// Not measured.
        pub fn cpu_time(&mut self) -> Option<Duration> {
            None
        }
    }
}
