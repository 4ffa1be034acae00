//! The outer keeper: opens the namespaces, starts the inner keeper as the first process in them and watches. It holds
//! none of the program's pipes, so the referee sees their end as soon as the program is gone. Whatever happens - the
//! program ends, breaks its allowance, Parlor dies, somebody asks - it leaves only when everything below is gone.

use super::{
    super::{
        Fate, kernel,
        order::{self, Order},
        status::Diary,
    },
    NOT_STARTED, Why,
    account::Account,
    census,
    grants::Grants,
    inner::Inner,
    screens,
    spaces::Spaces,
};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::OwnedFd,
    mount::{UnmountFlags, unmount},
    process::{
        Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process, pidfd_open,
        set_child_subreaper, waitpid,
    },
};
use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    path::Path,
    process::ExitCode,
    thread,
    time::{Duration, Instant},
};

/// How often it looks whether all is well.
const BEAT: Duration = Duration::from_millis(20);
/// How often at least: where looking takes long, it is done less often.
const SLOWEST: Duration = Duration::from_millis(200);

/// Keeps one program to its end.
pub(crate) fn keep(order: Order, environment: Vec<(OsString, OsString)>) -> ExitCode {
    let Ok(mut diary) = Diary::open(&order.status()) else { return ExitCode::from(NOT_STARTED) };
    kernel::heed_termination();
    let code = start(order, environment, &mut diary).unwrap_or_else(|why| {
        diary.fate(&Fate::NotStarted(why));
        NOT_STARTED
    });
    ExitCode::from(code)
}

fn start(order: Order, environment: Vec<(OsString, OsString)>, diary: &mut Diary) -> Result<u8, Why> {
    let grants = Grants::find(&order, &environment)?;
    let account = Account::choose(&grants.own);
    account.give(&order.scratch());
    let spaces = Spaces::enter(&account)?;
    if account.is_foreign() && spaces.mounts.is_ok() {
        screens::put_up(&account, &grants, &order).map_err(|error| {
            format!("what lies in folders of root alone could not be shown to it: {error}")
        })?;
    }
    // In a process namespace this changes nothing; without one, orphans come to us instead of getting away.
    let _ = set_child_subreaper(Some(getpid()));
    let (leash, held) = io::pipe().map_err(|error| format!("the keeper has no pipe: {error}"))?;
    let watch = Watch {
        parent: i32::try_from(order.parent).ok().and_then(Pid::from_raw),
        memory: order.allowance.memory,
        processes: order.allowance.processes,
        own_space: spaces.processes.is_ok(),
        account,
    };
    let folder = order.folder.clone();
    let inner = Inner { order, environment, grants, account, spaces, leash };
    match kernel::fork().map_err(|error| format!("the keeper cannot be doubled: {error}"))? {
        None => {
            drop(held);
            inner.live(diary)
        }
        Some(child) => {
            drop(inner);
            let code = watch.until_over(child, diary);
            if watch.orphaned() {
                clear_up(&folder);
            }
            Ok(code)
        }
    }
}

/// Removes the traces of the program when nobody else is left who could.
fn clear_up(folder: &Path) {
    let _ = unmount(order::scratch(folder), UnmountFlags::DETACH);
    let _ = fs::remove_dir_all(folder);
}

/// The standard files are the program's alone.
pub(super) fn let_go_of_standard_files() {
    if let Ok(nothing) = File::options().read(true).write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdin(&nothing);
        let _ = rustix::stdio::dup2_stdout(&nothing);
        let _ = rustix::stdio::dup2_stderr(&nothing);
    }
}

struct Watch {
    parent: Option<Pid>,
    memory: u64,
    processes: u64,
    /// Whether all processes die with the inner keeper.
    own_space: bool,
    account: Account,
}

impl Watch {
    fn orphaned(&self) -> bool {
        getppid() != self.parent
    }

    fn until_over(&self, child: Pid, diary: &mut Diary) -> u8 {
        let_go_of_standard_files();
        let handle = pidfd_open(child, PidfdFlags::empty()).ok();
        let mut beat = BEAT;
        let (status, asked) = loop {
            rest(handle.as_ref(), beat);
            if let Ok(Some((_, status))) = waitpid(Some(child), WaitOptions::NOHANG) {
                break (Some(status), false);
            }
            let looked = Instant::now();
            let trouble = self.trouble(child);
            // The watch takes a twentieth of a processor at most.
            beat = (20 * looked.elapsed()).clamp(BEAT, SLOWEST);
            if let Some(fate) = trouble {
                diary.fate(&fate);
                let _ = kill_process(child, Signal::KILL);
                break (waitpid(Some(child), WaitOptions::empty()).ok().flatten().map(|(_, s)| s), true);
            }
        };
        if !self.own_space {
            self.sweep();
        }
        if !asked && diary.so_far().fate().is_none() {
            diary.fate(&self.unexplained(status));
        }
        code(status)
    }

    /// What gives cause to end everything.
    fn trouble(&self, child: Pid) -> Option<Fate> {
        if kernel::told_to_end() || self.orphaned() {
            return Some(Fate::Stopped);
        }
        let kept = census::below(child);
        let count = kept.len() as u64;
        if count > self.processes {
            return Some(Fate::Processes(count));
        }
        let used = kept.iter().map(|process| process.resident).sum::<u64>();
        if used <= self.memory {
            return None;
        }
        // Pages that several processes share were counted several times; now it pays to look closer.
        let used = kept.iter().map(census::Process::share).sum::<u64>();
        (used > self.memory).then_some(Fate::Memory(used))
    }

    /// The inner keeper ended without a word: somebody killed it.
    fn unexplained(&self, status: Option<WaitStatus>) -> Fate {
        match status.and_then(WaitStatus::terminating_signal) {
            Some(signal) => Fate::Signal(signal),
            None => Fate::NotStarted("the inner keeper failed".to_string()),
        }
    }

    /// Ends all descendants where no namespace does it. They may be multiplying, so it is done until none is left; one that
    /// keeps ahead of us for two seconds is beyond what can be done here.
    fn sweep(&self) {
        let until = Instant::now() + Duration::from_secs(2);
        loop {
            self.account.end_all();
            let left = census::descendants();
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

/// Waits for one beat, or until the process is over.
fn rest(handle: Option<&OwnedFd>, beat: Duration) {
    let Some(handle) = handle else { return thread::sleep(BEAT) };
    let beat = Timespec { tv_sec: 0, tv_nsec: i64::from(beat.subsec_nanos()) };
    let mut awaited = [PollFd::new(handle, PollFlags::IN)];
    // A signal ends the wait early, as it shall.
    let _ = poll(&mut awaited, Some(&beat));
}

/// The inner keeper's code is the program's; one that was killed has none.
fn code(status: Option<WaitStatus>) -> u8 {
    let exited = status.and_then(WaitStatus::exit_status);
    let killed = status.and_then(WaitStatus::terminating_signal).map(|signal| 128 + signal);
    exited.or(killed).and_then(|code| u8::try_from(code).ok()).unwrap_or(NOT_STARTED)
}
