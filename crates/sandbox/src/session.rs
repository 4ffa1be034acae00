//! The folder of one sandboxed program, as Parlor sees it: what the supervisor reports, and the pipes by which the program
//! is frozen, thawed and its processor time asked for.
//!
//! ```text
//! parlor-sandbox-…/   lock     locked by Parlor while the program is wanted
//!                     status   lines of the supervisor: protections, exit reason
//!                     control  named pipe to the init process: requests
//!                     reply    named pipe from it: answers
//!                     scratch/ the program's own folder (a memory file system is mounted there where possible)
//!                     root/    where the private root is assembled
//! ```

use crate::{ExitReason, Protections, options, status::Status, system};
use std::{
    env,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// A folder without a lock file is taken for abandoned after this time: its owner may be about to make the lock.
const UNLOCKED: Duration = Duration::from_secs(60);

/// A program in its sandbox. Its folder is removed with this value, so keep it as long as the program runs.
#[derive(Debug)]
pub struct Sandboxed {
    folder: PathBuf,
    /// Held locked: see [`remove_abandoned`].
    _lock: File,
    control: Mutex<system::Control>,
}

impl Sandboxed {
    pub(crate) fn new() -> io::Result<Sandboxed> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let temporary = std::path::absolute(env::temp_dir())?;
        if number == 0 {
            remove_abandoned(&temporary);
        }
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().subsec_nanos();
        let folder = temporary.join(format!("{}{}-{number}-{time:09}", options::FOLDER, process::id()));
        // Fails if the path exists, so another account cannot prepare a folder in our place.
        fs::create_dir(&folder)?;
        Sandboxed::fill(&folder).inspect_err(|_| {
            let _ = fs::remove_dir_all(&folder);
        })
    }

    fn fill(folder: &Path) -> io::Result<Sandboxed> {
        let lock = File::create_new(folder.join("lock"))?;
        lock.lock()?;
        system::allow_passage(folder)?;
        fs::create_dir(options::scratch(folder))?;
        File::create_new(options::status(folder))?;
        let control = system::Control::create(folder)?;
        Ok(Sandboxed { folder: folder.to_path_buf(), _lock: lock, control: Mutex::new(control) })
    }

    /// The folder that holds the traces of the program.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How the program ended; nothing while it runs.
    pub fn exit_reason(&self) -> Option<ExitReason> {
        Status::read(&options::status(&self.folder)).exit_reason()
    }

    /// Which protections are in force; nothing before they are set up.
    pub fn protections(&self) -> Option<Protections> {
        Status::read(&options::status(&self.folder)).protections()
    }

    /// Stops every process of the program; returns when none of them runs any more.
    pub fn freeze(&self) -> io::Result<()> {
        self.ask(system::Request::Freeze).map(drop)
    }

    /// Lets all processes of the program go on.
    pub fn thaw(&self) -> io::Result<()> {
        self.ask(system::Request::Thaw).map(drop)
    }

    /// The processor time of the program and all processes that it started, ended ones included.
    pub fn cpu_time(&self) -> Option<Duration> {
        self.ask(system::Request::CpuTime).ok()
    }

    fn ask(&self, request: system::Request) -> io::Result<Duration> {
        let mut control = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        control.ask(request, || Status::has_ended(&options::status(&self.folder)))
    }
}

impl Drop for Sandboxed {
    fn drop(&mut self) {
        // A folder that cannot be removed now is removed by the next run: see `remove_abandoned`.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Removes folders that an earlier run left because it and its supervisors were killed at once: those whose lock is free.
fn remove_abandoned(temporary: &Path) {
    let entries = fs::read_dir(temporary).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(options::FOLDER)) {
        let abandoned = match File::open(entry.path().join("lock")) {
            Ok(lock) => lock.try_lock().is_ok(),
            Err(error) => error.kind() == io::ErrorKind::NotFound && is_old(&entry),
        };
        if abandoned {
            // A folder of another account stays: removing it is refused.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_old(entry: &fs::DirEntry) -> bool {
    let modified = entry.metadata().and_then(|folder| folder.modified());
    modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > UNLOCKED))
}
