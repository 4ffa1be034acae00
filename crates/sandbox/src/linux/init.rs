//! The init process of a sandbox: restricts itself, starts the program, which inherits the restrictions, and waits
//! for it. As the first process of the program's namespace it also reaps orphans, and when it ends the kernel kills
//! all remaining processes of the namespace. It freezes and thaws the program on request.
//!
//! The order of the restrictions matters: mounting needs privileges that are dropped later, and the system calls are
//! restricted last.

use super::{
    NOT_STARTED, Why,
    account::Account,
    cgroup::ProgramGroup,
    control::{Request, Requests},
    file_rules,
    freezer::Freezer,
    grants::{self, Grants},
    namespaces::Namespaces,
    processes, reason,
    root::{self, SHARED},
    seccomp, supervisor,
};
use crate::{ExitReason, Protection, kernel, options::SandboxOptions, status::StatusWriter};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::Mode,
    process::{
        DumpableBehavior, Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpid,
        getrlimit, kill_process, pidfd_open, set_child_subreaper, set_dumpable_behavior,
        set_parent_process_death_signal, setpgid, setrlimit, setsid, umask, wait,
    },
};
use std::{
    env,
    ffi::OsString,
    fs,
    io::{self, ErrorKind, PipeReader, Read, Write},
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Command, exit},
    time::Duration,
};

/// Limit of open files per process.
const OPEN_FILES: u64 = 256;
/// Threads allowed per allowed process; a Java virtual machine has dozens in one process.
pub(super) const THREADS: u64 = 8;

pub(super) struct Init {
    pub options: SandboxOptions,
    pub environment: Vec<(OsString, OsString)>,
    pub grants: Grants,
    pub account: Account,
    pub namespaces: Namespaces,
    pub requests: Requests,
    /// The program's cgroup, or the reason why there is none.
    pub group: Result<ProgramGroup, Why>,
    pub bounded: Result<(), Why>,
    /// A pipe whose other end only the supervisor holds: it is closed when the supervisor ends.
    pub supervisor_alive: PipeReader,
}

impl Init {
    /// Restricts this process, runs the program and exits with its code.
    pub fn run(mut self, status: &mut StatusWriter) -> ! {
        let exit_reason = self
            .restrict_itself(status)
            .and_then(|()| self.run_program())
            .unwrap_or_else(ExitReason::NotStarted);
        status.exit_reason(&exit_reason);
        exit(match exit_reason {
            ExitReason::Exited(code) => code,
            ExitReason::Signal(signal) => 128 + signal,
            _ => NOT_STARTED.into(),
        })
    }

    fn restrict_itself(&mut self, status: &mut StatusWriter) -> Result<(), Why> {
        self.separate();
        let taken = self.threads_of_others();
        let root = self
            .namespaces
            .mounts
            .clone()
            .and_then(|()| root::enter(&self.account, &self.grants, &self.options));
        let privileges = self.account.assume();
        let limits = self.limit(taken);
        self.end_with_supervisor()?;
        self.enter_working_directory()?;
        let files = file_rules::restrict(&self.grants, &self.writable(root.is_ok()));
        let calls = seccomp::restrict(root.is_ok());
        let network = if calls.is_ok() { Ok(()) } else { self.namespaces.network.clone() };
        let states = [
            (Protection::Privileges, privileges),
            (Protection::Network, network),
            (Protection::Root, root),
            (Protection::Files, files),
            (Protection::Calls, calls),
            (Protection::Processes, self.namespaces.processes.clone()),
            (Protection::Ipc, self.namespaces.ipc.clone()),
            (Protection::Limits, limits),
            (Protection::KernelLimits, self.bounded.clone()),
            (Protection::Watch, processes::check_proc()),
        ];
        for (protection, state) in &states {
            status.protection(*protection, state);
        }
        status.ready();
        Ok(())
    }

    /// Separates this process from Parlor's process group and files.
    fn separate(&self) {
        kernel::reset_termination();
        kernel::close_files_on_exec();
        let _ = setpgid(None, None);
        // The program's account must be able to enter the folders of the private root.
        umask(Mode::WGRP | Mode::WOTH);
        // If the machine runs out of memory, the kernel kills the program first.
        let _ = fs::write("/proc/self/oom_score_adj", "1000");
    }

    /// Changes to the working directory and makes sure that the program's files can be read.
    fn enter_working_directory(&self) -> Result<(), Why> {
        let dir = &self.options.dir;
        env::set_current_dir(dir).map_err(|error| {
            format!("cannot enter the working directory {}: {}", dir.display(), reason(error))
        })?;
        self.account.check(&self.grants.program, &self.grants.own)?;
        // The program has the same account and must not read the environment of this process.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
        Ok(())
    }

    fn writable(&self, private_root: bool) -> Vec<PathBuf> {
        let shared = private_root.then_some(PathBuf::from(SHARED));
        [self.options.scratch()].into_iter().chain(shared).collect()
    }

    /// The kernel counts threads by account: those of other programs of the same account are added to the limit.
    fn threads_of_others(&self) -> u64 {
        let alone = self.account.is_private() || self.namespaces.counts_apart;
        if alone { 0 } else { processes::threads_of(self.account.uid()) }
    }

    fn limit(&self, taken: u64) -> Result<(), Why> {
        let limits = &self.options.limits;
        let threads = limits.processes.saturating_mul(THREADS).saturating_add(taken);
        // This limit is per process; the supervisor checks the sum of all processes.
        let cpu = limits.cpu.as_secs() + 1;
        let limits = [
            (Resource::Nofile, OPEN_FILES),
            (Resource::Fsize, limits.file_size),
            (Resource::Core, 0),
            (Resource::Cpu, cpu),
            (Resource::Nproc, threads),
        ];
        for (resource, limit) in limits {
            let limit = getrlimit(resource).maximum.map_or(limit, |most| limit.min(most));
            setrlimit(resource, Rlimit { current: Some(limit), maximum: Some(limit) }).map_err(reason)?;
        }
        Ok(())
    }

    fn end_with_supervisor(&self) -> Result<(), Why> {
        if self.namespaces.processes.is_ok() {
            set_parent_process_death_signal(Some(Signal::KILL)).map_err(reason)?;
        } else {
            // Without a namespace a parent-death signal would kill this process only, so it has to kill the others
            // itself.
            set_child_subreaper(Some(getpid())).map_err(reason)?;
        }
        let gone = wait_readable(&[&self.supervisor_alive], Duration::ZERO)[0];
        if gone { Err("the supervisor has exited".to_string()) } else { Ok(()) }
    }

    fn run_program(&mut self) -> Result<ExitReason, Why> {
        let name = self.options.command[0].display();
        // The program starts in the group; this process stays outside, so that it is not frozen with it.
        let group = std::mem::replace(&mut self.group, Err(String::new()));
        let group = group.ok().filter(|group| group.enter().is_ok());
        let program = self.start_in_new_session();
        let group = group.filter(|group| group.leave().is_ok());
        let program = program.map_err(|error| match error.kind() {
            ErrorKind::PermissionDenied => format!("{name} is not executable"),
            ErrorKind::NotFound => format!("{name} or its interpreter does not exist"),
            _ => format!("{name}: {}", reason(error)),
        })?;
        supervisor::release_standard_files();
        let freezer = Freezer { group, namespace: self.namespaces.processes.is_ok() };
        let exit_reason = self.serve_until_end(program, &freezer);
        if self.namespaces.processes.is_err() {
            kill_descendants();
        }
        Ok(exit_reason)
    }

    /// Starts the program in its own session, which none of its processes can leave. The kernel schedules a session
    /// as one group (autogroup), so a program with many busy processes gets no more processor time, compared with
    /// Parlor and this process, than a program with one.
    fn start_in_new_session(&self) -> io::Result<Pid> {
        let (mut failure, mut report) = io::pipe()?;
        if let Some(program) = kernel::fork()? {
            drop(report);
            let mut code = String::new();
            failure.read_to_string(&mut code)?;
            return code.parse().map_or(Ok(program), |code| Err(io::Error::from_raw_os_error(code)));
        }
        // This is the child process. It executes the program, or reports why it cannot.
        let _ = setsid();
        seccomp::refuse_sessions();
        let error = Command::new(&self.grants.program)
            .args(&self.options.command[1..])
            .env_clear()
            .envs(grants::environment(&self.environment, &self.options.scratch()))
            .exec();
        let _ = write!(report, "{}", error.raw_os_error().unwrap_or(libc::EIO));
        exit(NOT_STARTED.into())
    }

    /// Answers requests and reaps processes until the program itself ends.
    fn serve_until_end(&mut self, program: Pid, freezer: &Freezer) -> ExitReason {
        let handle = pidfd_open(program, PidfdFlags::empty()).ok();
        loop {
            while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
                if pid == program {
                    return ended(status);
                }
            }
            let [gone, asked] = match &handle {
                Some(handle) => {
                    let ready =
                        [&self.supervisor_alive as &dyn rustix::fd::AsFd, &self.requests.pipe, handle];
                    let ready = wait_readable(&ready, Duration::from_millis(100));
                    [ready[0], ready[1]]
                }
                None => {
                    let ready = [&self.supervisor_alive as &dyn rustix::fd::AsFd, &self.requests.pipe];
                    let ready = wait_readable(&ready, Duration::from_millis(5));
                    [ready[0], ready[1]]
                }
            };
            if gone {
                return ExitReason::Stopped;
            }
            if asked {
                self.answer(freezer);
            }
        }
    }

    fn answer(&mut self, freezer: &Freezer) {
        for (request, number) in self.requests.take() {
            match request {
                Request::Freeze => freezer.freeze(),
                Request::Thaw => freezer.thaw(),
                Request::CpuTime => {}
            }
            self.requests.answer(number, freezer.cpu_time());
        }
    }
}

/// Waits until one of these files is readable or closed at the other end, for this time at most. Returns which ones
/// are.
fn wait_readable(these: &[&dyn rustix::fd::AsFd], time: Duration) -> Vec<bool> {
    let mut awaited: Vec<PollFd<'_>> = these.iter().map(|fd| PollFd::new(fd, PollFlags::IN)).collect();
    let time = Timespec { tv_sec: 0, tv_nsec: i64::from(time.subsec_nanos()) };
    let _ = poll(&mut awaited, Some(&time));
    awaited.iter().map(|fd| !fd.revents().is_empty()).collect()
}

/// Kills all descendants. Without a namespace the supervisor does so too, but it may have been killed.
fn kill_descendants() {
    for _ in 0..200 {
        let left = processes::descendants();
        if left.is_empty() {
            return;
        }
        for signal in [Signal::STOP, Signal::KILL] {
            for process in &left {
                let _ = kill_process(process.pid, signal);
            }
        }
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
    }
}

fn ended(status: WaitStatus) -> ExitReason {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => ExitReason::Exited(code),
        (None, signal) => ExitReason::Signal(signal.unwrap_or_default()),
    }
}
