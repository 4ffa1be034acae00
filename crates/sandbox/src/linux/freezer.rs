//! Stops and continues all processes of a sandbox, so that a program computes only during its own turn, and adds up
//! their processor time. The init process runs this; it is never stopped itself.
//!
//! With a cgroup, the kernel's freezer stops the processes. In a process namespace, one SIGSTOP goes to all
//! processes of the namespace; without one, SIGSTOP goes to each descendant. A process may continue another one
//! before it is stopped itself, so the signal is repeated until every process is stopped.

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

/// Time limit for repeating the signal. A process stops only when it gets a processor, which takes long on a busy
/// machine.
const STOP_TIMEOUT: Duration = Duration::from_secs(4);
/// How long to wait for a process in an uninterruptible system call.
const SYSTEM_CALL_TIMEOUT: Duration = Duration::from_millis(20);
const PAUSE: Duration = Duration::from_micros(50);

/// Stops and continues the program.
#[derive(Debug)]
pub(super) struct Freezer {
    pub group: Option<ProgramGroup>,
    /// Whether there is a process namespace, in which all processes that init can signal belong to the program.
    pub namespace: bool,
}

impl Freezer {
    /// Stops all processes of the program. Returns when none of them runs, or after a bounded time if one cannot be
    /// stopped.
    pub fn freeze(&self) {
        if self.group.as_ref().is_some_and(ProgramGroup::freeze) {
            return;
        }
        let begun = Instant::now();
        while begun.elapsed() < STOP_TIMEOUT {
            // Repeated without a pause, so that a process continued by another one has no time to run.
            for _ in 0..16 {
                self.signal(Signal::STOP);
            }
            // A process that waits in `vfork` for a stopped child never appears as stopped.
            let is_patient = begun.elapsed() < SYSTEM_CALL_TIMEOUT;
            let has_stopped = if is_patient { Process::is_stopped } else { Process::is_halted };
            // The processes are read one after another, so one that appeared as stopped may have been continued by
            // one that was read later. The second pass, without a signal in between, then finds it running.
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

    /// Processor time of all processes of the program, including ended ones.
    pub fn cpu_time(&self) -> Duration {
        self.group.as_ref().and_then(ProgramGroup::cpu_time).unwrap_or_else(|| {
            let time = if processes::ids_agree() { Process::exact_cpu_time } else { Process::cpu_time };
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
