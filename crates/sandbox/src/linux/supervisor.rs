//! The supervisor: makes the namespaces, starts the init process as the first one in them and watches the limits. It holds
//! none of the program's pipes, so the referee sees their end as soon as the program is gone. Whatever happens (the
//! program ends or exceeds a limit, Parlor dies, a signal asks for termination), it exits only when every process below is
//! gone.

use super::{
    NOT_STARTED, Why,
    account::Account,
    cgroup::Group,
    control::Requests,
    grants::Grants,
    init::Init,
    namespaces::Namespaces,
    processes::{self, Process},
};
use crate::{ExitReason, ResourceLimits, kernel, options::SandboxOptions, status::StatusWriter};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::OwnedFd,
    process::{
        Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process, pidfd_open,
        set_child_subreaper, waitpid,
    },
};
use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    process::ExitCode,
    thread,
    time::{Duration, Instant},
};

/// Interval between checks of the limits.
const INTERVAL: Duration = Duration::from_millis(20);
/// How often at least: where a check takes long, it is made less often.
const LONGEST_INTERVAL: Duration = Duration::from_millis(200);

/// Supervises one program until its end.
pub(crate) fn supervise(options: SandboxOptions, environment: Vec<(OsString, OsString)>) -> ExitCode {
    let Ok(mut status) = StatusWriter::open(&options.status()) else { return ExitCode::from(NOT_STARTED) };
    kernel::note_termination();
    let code = start(options, environment, &mut status).unwrap_or_else(|why| {
        status.exit_reason(&ExitReason::NotStarted(why));
        NOT_STARTED
    });
    ExitCode::from(code)
}

fn start(
    options: SandboxOptions,
    environment: Vec<(OsString, OsString)>,
    status: &mut StatusWriter,
) -> Result<u8, Why> {
    let grants = Grants::find(&options, &environment)?;
    let account = Account::choose(&grants.own);
    account.give(&options.scratch());
    let requests = Requests::open(&options.folder)?;
    let (group, bounded) = match create_group(&options) {
        Ok((group, bounded)) => (Ok(group), bounded),
        Err(why) => (Err(why.clone()), Err(why)),
    };
    let namespaces = Namespaces::enter(&account, options.namespaces)?;
    // In a process namespace this changes nothing; without one, orphans become our children instead of getting away.
    let _ = set_child_subreaper(Some(getpid()));
    let (supervisor_alive, held) =
        io::pipe().map_err(|error| format!("cannot open the supervisor's pipe: {error}"))?;
    let watch = Watch {
        parent: i32::try_from(options.parent).ok().and_then(Pid::from_raw),
        limits: options.limits,
        own_namespace: namespaces.processes.is_ok(),
        account,
    };
    let folder = options.folder.clone();
    let program_group = group.as_ref().map_err(Clone::clone).and_then(Group::program);
    match kernel::fork().map_err(|error| format!("cannot fork: {error}"))? {
        None => {
            drop(held);
            // The group is removed by the supervisor alone.
            std::mem::forget(group);
            let init = Init {
                options,
                environment,
                grants,
                account,
                namespaces,
                requests,
                bounded,
                supervisor_alive,
                group: program_group,
            };
            init.run(status)
        }
        Some(child) => {
            drop((supervisor_alive, requests, program_group));
            let code = watch.until_end(child, group.ok().as_ref(), status);
            if watch.orphaned() {
                // Parlor is gone and cannot remove the folder.
                let _ = fs::remove_dir_all(&folder);
            }
            Ok(code)
        }
    }
}

fn create_group(options: &SandboxOptions) -> Result<(Group, Result<(), Why>), Why> {
    let delegated = options.cgroup.as_ref().ok_or("no delegated cgroup v2: memory is watched instead")?;
    Group::create(delegated, &options.limits)
}

/// Closes the standard files: they are the program's alone.
pub(super) fn release_standard_files() {
    if let Ok(null) = File::options().read(true).write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdin(&null);
        let _ = rustix::stdio::dup2_stdout(&null);
        let _ = rustix::stdio::dup2_stderr(&null);
    }
}

/// Whether a program that keeps its limits computes at the moment.
#[derive(Clone, Copy, Debug)]
enum Activity {
    Running,
    Frozen,
}

struct Watch {
    parent: Option<Pid>,
    limits: ResourceLimits,
    /// Whether all processes die with the init process.
    own_namespace: bool,
    account: Account,
}

impl Watch {
    fn orphaned(&self) -> bool {
        getppid() != self.parent
    }

    fn until_end(&self, init: Pid, group: Option<&Group>, status: &mut StatusWriter) -> u8 {
        release_standard_files();
        let handle = pidfd_open(init, PidfdFlags::empty()).ok();
        let mut interval = INTERVAL;
        let (exit_status, ended_here) = loop {
            wait_for_end(handle.as_ref(), interval);
            if let Ok(Some((_, exit_status))) = waitpid(Some(init), WaitOptions::NOHANG) {
                break (Some(exit_status), false);
            }
            let begun = Instant::now();
            let checked = self.check_limits(init);
            // The watch takes a twentieth of a processor at most, and less from the opponent of a frozen program.
            interval = match checked {
                Ok(Activity::Frozen) => LONGEST_INTERVAL,
                _ => (20 * begun.elapsed()).clamp(INTERVAL, LONGEST_INTERVAL),
            };
            if let Err(exit_reason) = checked {
                status.exit_reason(&exit_reason);
                let _ = kill_process(init, Signal::KILL);
                break (waitpid(Some(init), WaitOptions::empty()).ok().flatten().map(|(_, s)| s), true);
            }
        };
        if !self.own_namespace {
            self.end_descendants();
        }
        if !ended_here && status.so_far().exit_reason().is_none() {
            status.exit_reason(&self.unexplained(exit_status, group));
        }
        code(exit_status)
    }

    /// Checks the limits; the error is the reason to end the program now.
    fn check_limits(&self, init: Pid) -> Result<Activity, ExitReason> {
        if kernel::termination_requested() || self.orphaned() {
            return Err(ExitReason::Stopped);
        }
        let mut program = processes::descendants();
        program.retain(|process| process.pid != init);
        let count = program.len() as u64;
        if count > self.limits.processes {
            return Err(ExitReason::Processes(count));
        }
        if program.iter().all(Process::is_stopped) {
            return Ok(Activity::Frozen);
        }
        // Init has waited for the program's ended processes.
        let cpu: Duration = processes::process(init).iter().chain(&program).map(Process::cpu_time).sum();
        if cpu > self.limits.cpu {
            return Err(ExitReason::Cpu(cpu));
        }
        let kernel_memory: u64 = program.iter().map(Process::kernel_memory).sum();
        let resident: u64 = program.iter().map(Process::resident).sum();
        if resident + kernel_memory <= self.limits.memory {
            return Ok(Activity::Running);
        }
        // Pages that several processes share were counted several times; only now is a closer look worth its time.
        let used = kernel_memory + program.iter().map(Process::proportional).sum::<u64>();
        if used > self.limits.memory { Err(ExitReason::Memory(used)) } else { Ok(Activity::Running) }
    }

    /// The init process ended without a report: it was killed.
    fn unexplained(&self, status: Option<WaitStatus>, group: Option<&Group>) -> ExitReason {
        if group.is_some_and(Group::ran_out_of_memory) {
            return ExitReason::Memory(self.limits.memory);
        }
        match status.and_then(WaitStatus::terminating_signal) {
            Some(signal) => ExitReason::Signal(signal),
            None => ExitReason::NotStarted("the init process failed".to_string()),
        }
    }

    /// Ends all descendants where no namespace does it. They may be multiplying, so it is repeated until none is left; a
    /// program that keeps ahead for two seconds is beyond what can be done here.
    fn end_descendants(&self) {
        let until = Instant::now() + Duration::from_secs(2);
        loop {
            self.account.kill_all();
            let left = processes::descendants();
            for signal in [Signal::STOP, Signal::KILL] {
                for process in &left {
                    let _ = kill_process(process.pid, signal);
                }
            }
            while let Ok(Some(_)) = waitpid(None, WaitOptions::NOHANG) {}
            if left.is_empty() || Instant::now() > until {
                return;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Waits for one interval, or until the process ends.
fn wait_for_end(handle: Option<&OwnedFd>, interval: Duration) {
    let Some(handle) = handle else { return thread::sleep(INTERVAL) };
    let interval = Timespec { tv_sec: 0, tv_nsec: i64::from(interval.subsec_nanos()) };
    let mut awaited = [PollFd::new(handle, PollFlags::IN)];
    // A signal ends the wait early: it asks for termination.
    let _ = poll(&mut awaited, Some(&interval));
}

/// The exit code of the init process is the program's; a killed one has none.
fn code(status: Option<WaitStatus>) -> u8 {
    let exited = status.and_then(WaitStatus::exit_status);
    let killed = status.and_then(WaitStatus::terminating_signal).map(|signal| 128 + signal);
    exited.or(killed).and_then(|code| u8::try_from(code).ok()).unwrap_or(NOT_STARTED)
}
