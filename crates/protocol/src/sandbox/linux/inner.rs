//! The inner keeper: locks itself in, wall after wall, then starts the program, which inherits the locks, and waits for
//! it. It is the first process of the program's own namespace, so it also buries orphans, and when it leaves the kernel
//! ends whatever is still there.
//!
//! The order matters: mounts need the rights that are given up afterwards, and system calls are restricted last.

use super::{
    super::{Fate, Protection, kernel, order::Order, status::Diary},
    NOT_STARTED, Why,
    account::Account,
    calls, census, files,
    grants::{self, Grants},
    outer,
    spaces::{self, Spaces},
};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{
        DumpableBehavior, Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpid,
        getrlimit, kill_process, pidfd_open, set_child_subreaper, set_dumpable_behavior,
        set_parent_process_death_signal, setrlimit, setsid, wait,
    },
};
use std::{
    env,
    ffi::OsString,
    fs,
    io::{ErrorKind, PipeReader},
    path::PathBuf,
    process::{Command, exit},
};

/// Open files at the same time.
const OPEN_FILES: u64 = 256;
/// Threads for each process that is allowed: a Java machine has dozens in one.
const THREADS: u64 = 8;

/// All that the inner keeper knows.
pub(super) struct Inner {
    pub order: Order,
    pub environment: Vec<(OsString, OsString)>,
    pub grants: Grants,
    pub account: Account,
    pub spaces: Spaces,
    /// Its other end is held by the outer keeper alone: it breaks when that one dies.
    pub leash: PipeReader,
}

impl Inner {
    /// The whole life of the process.
    pub fn live(self, diary: &mut Diary) -> ! {
        let fate = self.lock_in(diary).and_then(|()| self.run()).unwrap_or_else(Fate::NotStarted);
        diary.fate(&fate);
        exit(match fate {
            Fate::Exited(code) => code,
            Fate::Signal(signal) => 128 + signal,
            _ => NOT_STARTED.into(),
        })
    }

    fn lock_in(&self, diary: &mut Diary) -> Result<(), Why> {
        self.part();
        let mounts = self.spaces.mounts.clone().and_then(|()| self.furnish());
        let taken = self.taken_by_others();
        let privileges = self.account.become_it();
        let limits = self.limit(taken);
        self.die_with_the_outer_keeper()?;
        self.settle()?;
        let files = files::restrict(&self.grants, &self.writable(mounts.is_ok()));
        let calls = calls::restrict();
        let network = if calls.is_ok() { Ok(()) } else { self.spaces.network.clone() };
        let states = [
            (Protection::Privileges, privileges),
            (Protection::Network, network),
            (Protection::Files, files),
            (Protection::Calls, calls),
            (Protection::Processes, self.spaces.processes.clone()),
            (Protection::Mounts, mounts),
            (Protection::Ipc, self.spaces.ipc.clone()),
            (Protection::Limits, limits),
            (Protection::Watch, census::possible()),
        ];
        for (protection, state) in &states {
            diary.protection(*protection, state);
        }
        diary.ready();
        Ok(())
    }

    /// Leaves the company of Parlor's processes.
    fn part(&self) {
        kernel::forget_termination();
        kernel::keep_files_to_ourselves();
        let _ = setsid();
        // If the machine runs out of memory, this goes first.
        let _ = fs::write("/proc/self/oom_score_adj", "1000");
    }

    /// Goes to the program's folder and makes sure that its files can be read.
    fn settle(&self) -> Result<(), Why> {
        let dir = &self.order.dir;
        env::set_current_dir(dir)
            .map_err(|error| format!("its working directory {} is closed to it: {error}", dir.display()))?;
        self.account.check(&self.grants.program, &self.grants.own)?;
        // Nobody who runs as the same account may look into the keeper, which still has the whole environment.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
        Ok(())
    }

    fn writable(&self, mounted: bool) -> Vec<PathBuf> {
        let shared = mounted.then_some(PathBuf::from(spaces::SHARED));
        [self.order.scratch()].into_iter().chain(shared).collect()
    }

    /// A `/proc` and folders of its own. Where one cannot be mounted, it does without.
    fn furnish(&self) -> Result<(), Why> {
        let size = self.order.allowance.file_size.saturating_mul(2);
        spaces::mount_scratch(&self.order.scratch(), size, &self.account)?;
        spaces::mount_shared(self.order.allowance.file_size)?;
        if self.spaces.processes.is_ok() { spaces::mount_proc() } else { Ok(()) }
    }

    /// The kernel counts threads by account: what others run under the same one must be added to the limit.
    fn taken_by_others(&self) -> u64 {
        let alone = self.account.is_private() || self.spaces.counts_apart;
        if alone { 0 } else { census::threads_of(self.account.uid()) }
    }

    fn limit(&self, taken: u64) -> Result<(), Why> {
        let allowance = &self.order.allowance;
        let threads = allowance.processes.saturating_mul(THREADS).saturating_add(taken);
        let limits = [
            (Resource::Nofile, OPEN_FILES),
            (Resource::Fsize, allowance.file_size),
            (Resource::Core, 0),
            (Resource::Cpu, allowance.cpu.as_secs().max(1)),
            (Resource::Nproc, threads),
        ];
        for (resource, limit) in limits {
            let limit = getrlimit(resource).maximum.map_or(limit, |most| limit.min(most));
            setrlimit(resource, Rlimit { current: Some(limit), maximum: Some(limit) }).map_err(says)?;
        }
        Ok(())
    }

    fn die_with_the_outer_keeper(&self) -> Result<(), Why> {
        if self.spaces.processes.is_ok() {
            set_parent_process_death_signal(Some(Signal::KILL)).map_err(says)?;
        } else {
            // The signal would kill this process and free the others: it has to end them itself.
            set_child_subreaper(Some(getpid())).map_err(says)?;
        }
        if self.abandoned(0) { Err("the outer keeper is gone".to_string()) } else { Ok(()) }
    }

    /// Waits so long at most, and says whether the outer keeper is gone.
    fn abandoned(&self, milliseconds: i64) -> bool {
        wait_for(&[&self.leash], milliseconds).first().is_some_and(|ready| *ready)
    }

    fn run(&self) -> Result<Fate, Why> {
        let name = self.order.command[0].display();
        let child = Command::new(&self.grants.program)
            .args(&self.order.command[1..])
            .env_clear()
            .envs(grants::environment(&self.environment, &self.order.scratch()))
            .spawn()
            .map_err(|error| match error.kind() {
                ErrorKind::PermissionDenied => format!("{name} may not be executed"),
                ErrorKind::NotFound => format!("{name} or the interpreter that it names does not exist"),
                _ => format!("{name}: {error}"),
            })?;
        outer::let_go_of_standard_files();
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let fate = self.attend(pid.ok_or("the program has no number")?);
        if self.spaces.processes.is_err() {
            end_descendants();
        }
        Ok(fate)
    }

    /// Buries whoever dies until it is the program itself.
    fn attend(&self, program: Pid) -> Fate {
        let handle = pidfd_open(program, PidfdFlags::empty()).ok();
        loop {
            while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
                if pid == program {
                    return ended(status);
                }
            }
            let gone = match &handle {
                Some(handle) => wait_for(&[&self.leash, handle], 100)[0],
                None => self.abandoned(5),
            };
            if gone {
                return Fate::Stopped;
            }
        }
    }
}

/// Which of these can be read or have lost their other end, after so many milliseconds at most.
fn wait_for(these: &[&dyn rustix::fd::AsFd], milliseconds: i64) -> Vec<bool> {
    let mut awaited: Vec<PollFd<'_>> = these.iter().map(|fd| PollFd::new(fd, PollFlags::IN)).collect();
    let time = Timespec { tv_sec: 0, tv_nsec: milliseconds * 1_000_000 };
    let _ = poll(&mut awaited, Some(&time));
    awaited.iter().map(|fd| !fd.revents().is_empty()).collect()
}

/// Without a namespace, the outer keeper does this again; but it may be dead.
fn end_descendants() {
    for _ in 0..200 {
        let left = census::descendants();
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

fn ended(status: WaitStatus) -> Fate {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Fate::Exited(code),
        (None, signal) => Fate::Signal(signal.unwrap_or_default()),
    }
}

/// An error of the system as the reason in a sentence.
pub(super) fn says(error: rustix::io::Errno) -> Why {
    let text = std::io::Error::from(error).to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}
