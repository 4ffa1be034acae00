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
use std::{
    thread,
    time::{Duration, Instant},
};

/// How long a stop is repeated. A process stops when it gets a processor, which takes long on a busy machine.
const TO_STOP: Duration = Duration::from_secs(4);
/// How long a process in an uninterruptible system call is waited for.
const TO_RETURN: Duration = Duration::from_millis(20);
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
        let begun = Instant::now();
        while begun.elapsed() < TO_STOP {
            // Again at once: a process that another one continues in between has no time to run.
            for _ in 0..16 {
                self.signal(Signal::STOP);
            }
            // A process that waits in `vfork` for a stopped child is never seen stopped.
            let is_patient = begun.elapsed() < TO_RETURN;
            let has_stopped = if is_patient { Process::is_stopped } else { Process::is_halted };
            // The processes are read one after another: one that was seen stopped may have been continued by one that was
            // not read yet. Without a signal in between, it is seen running the second time.
            if (0..2).all(|_| self.program().iter().all(has_stopped)) {
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
