//! Stops and continues all processes of a sandbox, so that a program computes on its own turn only; and adds up their
//! processor time. Run by the init process, which is never stopped itself.
//!
//! With a cgroup the kernel's freezer does it. In a process namespace SIGSTOP goes to all processes of the namespace at
//! once; without one, to each descendant. A process may continue another before it is stopped itself, so the signal is
//! repeated until every process is seen stopped.

use super::{
    cgroup::ProgramGroup,
    processes::{self, Process},
};
use crate::kernel;
use rustix::process::{Signal, kill_process};
use std::{thread, time::Duration};

/// How often a stop is repeated. One round settles all but programs that resist.
const ROUNDS: usize = 400;
const PAUSE: Duration = Duration::from_micros(50);

/// Stops and continues the program.
#[derive(Debug)]
pub(super) struct Freezer {
    pub group: Option<ProgramGroup>,
    /// Whether all processes that init can signal are the program's.
    pub namespace: bool,
}

impl Freezer {
    /// Returns when no process of the program runs, or after a bounded time if one cannot be stopped.
    pub fn freeze(&self) {
        if self.group.as_ref().is_some_and(ProgramGroup::freeze) {
            return;
        }
        for _ in 0..ROUNDS {
            self.signal(Signal::STOP);
            if self.program().iter().all(Process::is_stopped) {
                return;
            }
            thread::sleep(PAUSE);
        }
    }

    pub fn thaw(&self) {
        if !self.group.as_ref().is_some_and(ProgramGroup::thaw) {
            self.signal(Signal::CONT);
        }
    }

    /// The processor time of all processes of the program, ended ones included.
    pub fn cpu_time(&self) -> Duration {
        self.group.as_ref().and_then(ProgramGroup::cpu_time).unwrap_or_else(|| {
            let time = if processes::numbers_agree() { Process::exact_cpu_time } else { Process::cpu_time };
            let living: Duration = self.program().iter().map(time).sum();
            living + kernel::cpu_time_of_ended_children()
        })
    }

    fn program(&self) -> Vec<Process> {
        processes::descendants()
    }

    fn signal(&self, signal: Signal) {
        if self.namespace {
            return kernel::signal_all(signal.as_raw());
        }
        for process in self.program() {
            let _ = kill_process(process.pid, signal);
        }
    }
}
