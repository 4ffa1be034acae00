//! The supervisor: creates the namespaces, starts the init process as the first process in them, and checks the
//! limits. It keeps none of the program's pipes open, so the referee reads end of file as soon as the program ends.
//! It exits only after all processes of the sandbox have ended, also when the program exceeds a limit, when Parlor
//! dies, and on SIGTERM.

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
/// Longest interval: expensive checks are made less often, but not less often than this.
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
    let grants = Grants::determine(&options, &environment)?;
    let account = Account::choose(&grants.own);
    account.give(&options.scratch());
    let requests = Requests::open(&options.folder)?;
    let (group, bounded) = match create_group(&options) {
        Ok((group, bounded)) => (Ok(group), bounded),
        Err(why) => (Err(why.clone()), Err(why)),
    };
    let namespaces = Namespaces::enter(&account, options.namespaces)?;
    // In a process namespace this changes nothing. Without one, orphans become children of this process, which can
    // end them.
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
            // Only the supervisor may remove the group.
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
                // Parlor has died and cannot remove the folder.
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

/// Closes the standard streams, which only the program may hold open.
pub(super) fn release_standard_files() {
    if let Ok(null) = File::options().read(true).write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdin(&null);
        let _ = rustix::stdio::dup2_stdout(&null);
        let _ = rustix::stdio::dup2_stderr(&null);
    }
}

/// Whether a program within its limits is computing at the moment.
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
            // Checks use at most 5 % of a processor, and less while the program is frozen and its opponent thinks.
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
            self.kill_descendants();
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
        // Init reaps ended processes of the program, so their time counts as its own.
        let cpu: Duration = processes::process(init).iter().chain(&program).map(Process::cpu_time).sum();
        if cpu > self.limits.cpu {
            return Err(ExitReason::Cpu(cpu));
        }
        let kernel_memory: u64 = program.iter().map(Process::kernel_memory).sum();
        let resident: u64 = program.iter().map(Process::resident).sum();
        if resident + kernel_memory <= self.limits.memory {
            return Ok(Activity::Running);
        }
        // Pages shared by several processes were counted several times. The exact sum is slow, so it is computed
        // only here.
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

    /// Kills all descendants if there is no process namespace. They may fork meanwhile, so this is repeated until
    /// none is left, for two seconds at most.
    fn kill_descendants(&self) {
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
    // SIGTERM ends the wait early.
    let _ = poll(&mut awaited, Some(&interval));
}

/// The exit code of the init process, which passes on that of the program.
fn code(status: Option<WaitStatus>) -> u8 {
    let exited = status.and_then(WaitStatus::exit_status);
    let killed = status.and_then(WaitStatus::terminating_signal).map(|signal| 128 + signal);
    exited.or(killed).and_then(|code| u8::try_from(code).ok()).unwrap_or(NOT_STARTED)
}
