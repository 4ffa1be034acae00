//! A foreign program plays from a cage: it reaches no network, reads only what it needs to run, writes only into a folder
//! of its own, and has its share of memory, processes and file space and no more. When it is over, nothing of it is left.
//!
//! The cage is set up by a *keeper*, our own executable started once more (`parlor keeper …`), so nothing has to be done
//! between fork and exec in a process with threads. The outer keeper watches; the inner keeper locks itself in and then
//! starts the program, which inherits the locks:
//!
//! ```text
//! Parlor ── outer keeper ── inner keeper ── program ── whatever it starts
//!           watches         locks itself in
//! ```
//!
//! What a system does not offer is left out and told (see [`InForce`]); no protection is claimed that was not granted by
//! the kernel. The cage judges nothing: whether a program that broke out of its allowance has lost is the referee's word.
//!
//! This is one of the few files that may be `unsafe`.
#![cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "elsewhere there is no keeper who would need it")
)]

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
use elsewhere as system;
#[cfg(target_os = "linux")]
use linux as system;

mod fate;
mod force;
mod order;
mod status;

pub use fate::Fate;
pub use force::{InForce, Protection};
pub use order::BadOrder;

use order::Order;
use status::Status;
use std::{
    env,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    process::{self, Command, ExitCode, Stdio},
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// How much a program may use, together with all that it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Bytes of memory that are really used; what is only reserved does not count, nor does what lies in its folder.
    pub memory: u64,
    /// Processes at the same time. Eight times as many threads are allowed.
    pub processes: u64,
    /// Bytes in one file; its folder may hold twice as many.
    pub file_size: u64,
    /// Processor time of one process.
    pub cpu: Duration,
}

impl Default for Allowance {
    fn default() -> Allowance {
        Allowance { memory: 1 << 30, processes: 64, file_size: 64 << 20, cpu: Duration::from_secs(3600) }
    }
}

/// The conditions under which a program is started.
#[derive(Clone, Debug)]
pub struct Cage {
    /// Our own executable, which has the subcommand `keeper`.
    pub keeper: PathBuf,
    /// What the program may use.
    pub allowance: Allowance,
    /// Files and folders that it may read, beside those of the system and of its interpreter.
    pub read: Vec<PathBuf>,
}

impl Cage {
    /// A cage with the usual allowance, from which nothing can be read but what every program needs.
    pub fn new(keeper: impl Into<PathBuf>) -> Cage {
        Cage { keeper: keeper.into(), allowance: Allowance::default(), read: Vec::new() }
    }

    /// The command that runs this one in the cage, with `dir` as its working directory; start it once. The program and
    /// every file that the command names can be read; a folder only if `read` has it, the working directory not either.
    ///
    /// Killing the started process ends everything in the cage. Wait for it before asking for the fate.
    pub fn enclose(&self, command: &[String], dir: &Path) -> io::Result<(Command, Enclosed)> {
        if command.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a command needs at least a program"));
        }
        let dir = std::path::absolute(dir)?;
        let enclosed = Enclosed::new()?;
        let order = Order {
            parent: process::id(),
            folder: enclosed.folder.clone(),
            allowance: self.allowance,
            read: self.read.iter().map(|path| dir.join(path)).collect(),
            dir,
            command: command.iter().map(OsString::from).collect(),
        };
        Ok((system::command(&self.keeper, &order), enclosed))
    }
}

/// The traces of a program in its cage. They vanish with this value, so keep it as long as the program runs.
#[derive(Debug)]
pub struct Enclosed {
    folder: PathBuf,
}

impl Enclosed {
    fn new() -> io::Result<Enclosed> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().subsec_nanos();
        let name = format!("{}{}-{number}-{time:09}", order::FOLDER, process::id());
        let folder = std::path::absolute(env::temp_dir())?.join(name);
        // Fails if somebody else was there first, so nobody can put a folder of theirs in our place.
        fs::create_dir(&folder)?;
        let enclosed = Enclosed { folder };
        system::let_others_pass(&enclosed.folder)?;
        fs::create_dir(order::scratch(&enclosed.folder))?;
        fs::File::create_new(order::status(&enclosed.folder))?;
        Ok(enclosed)
    }

    /// How the program ended; nothing while it runs.
    pub fn fate(&self) -> Option<Fate> {
        Status::read(&order::status(&self.folder)).fate()
    }

    /// Which protections are in force; nothing before they are set up.
    pub fn in_force(&self) -> Option<InForce> {
        Status::read(&order::status(&self.folder)).in_force()
    }
}

impl Drop for Enclosed {
    fn drop(&mut self) {
        // A folder that cannot be removed does no harm, and there is nobody left to tell.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Which protections this system offers, found out by trying with a program that does nothing.
pub fn offered(keeper: &Path) -> InForce {
    let tried = Cage::new(keeper).enclose(&["true".to_string()], Path::new("/")).and_then(
        |(mut command, enclosed)| {
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
            Ok(enclosed.in_force().ok_or(enclosed.fate()))
        },
    );
    match tried {
        Ok(Ok(in_force)) => in_force,
        Ok(Err(Some(fate))) => InForce::nothing(&format!("a program that does nothing {fate}")),
        Ok(Err(None)) => InForce::nothing("the keeper could not set the cage up"),
        Err(error) => InForce::nothing(&format!("the keeper cannot be started: {error}")),
    }
}

/// The hidden subcommand: keeps one program as [`Cage::enclose`] ordered it. To be called before the process has a second
/// thread, with the arguments after `keeper` and the whole environment. The code is that of the program, 128 and the
/// number of the signal that ended it, or 127 if it was not started.
pub fn keeper(
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
) -> Result<ExitCode, BadOrder> {
    Order::parse(arguments).map(|order| system::keep(order, environment))
}

/// The few calls that have no safe form.
#[cfg(target_os = "linux")]
mod kernel {
    #![allow(
        unsafe_code,
        reason = "fork, unshare, a signal's handler and closing what is inherited have no safe form"
    )]

    use rustix::{
        process::Pid,
        thread::{UnshareFlags, unshare_unsafe},
    };
    use std::{
        io,
        sync::atomic::{AtomicBool, Ordering},
    };

    static TOLD_TO_END: AtomicBool = AtomicBool::new(false);

    extern "C" fn note(_: libc::c_int) {
        TOLD_TO_END.store(true, Ordering::Relaxed);
    }

    /// From now on a wish to end is noted instead of ending the process at once.
    pub fn heed_termination() {
        for signal in [libc::SIGTERM, libc::SIGHUP, libc::SIGINT] {
            // SAFETY: the handler stores into an atomic and does nothing else, which is allowed at any moment.
            unsafe { libc::signal(signal, note as *const () as libc::sighandler_t) };
        }
    }

    /// Whether somebody asked the process to end.
    pub fn told_to_end() -> bool {
        TOLD_TO_END.load(Ordering::Relaxed)
    }

    /// Signals end the process again, as they do in a fresh one.
    pub fn forget_termination() {
        for signal in [libc::SIGTERM, libc::SIGHUP, libc::SIGINT] {
            // SAFETY: the default action replaces a handler; nothing else is touched.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
    }

    /// A copy of this process: its number here, nothing in the copy itself.
    pub fn fork() -> io::Result<Option<Pid>> {
        // SAFETY: keepers have one thread each, so the copy is whole: no lock is held by a thread that it lacks.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            number => Ok(Pid::from_raw(number)),
        }
    }

    /// Leaves the namespaces that are named for new ones.
    pub fn unshare(spaces: UnshareFlags) -> rustix::io::Result<()> {
        debug_assert!(!spaces.contains(UnshareFlags::FILES));
        // SAFETY: the table of open files stays shared, and that is all the call may endanger.
        unsafe { unshare_unsafe(spaces) }
    }

    /// No open file but the three standard ones reaches a program that is started from now on.
    pub fn keep_files_to_ourselves() {
        // SAFETY: only a mark is set on descriptors, none is closed. A kernel without the call refuses it; then only files
        // that were opened without the mark, of which we have none, would be passed on.
        unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    }

    /// Ends every other process of the account that this process runs as.
    pub fn end_all_of_this_account() {
        // SAFETY: a signal touches no memory of ours.
        unsafe { libc::kill(-1, libc::SIGKILL) };
    }
}
