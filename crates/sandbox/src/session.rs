//! The folder of one sandboxed program: Parlor's interface to the supervisor's reports and to the init process,
//! which freezes and thaws the program and measures its processor time.
//!
//! ```text
//! parlor-sandbox-…/   lock     locked by Parlor while the folder is in use
//!                     status   lines written by the supervisor: protections, exit reason
//!                     control  named pipe to the init process: requests
//!                     reply    named pipe from it: answers
//!                     scratch/ the program's own folder (a memory file system is mounted there where possible)
//!                     root/    mount point where the private root is assembled
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

/// Age from which a folder without a lock file counts as abandoned. A younger one may be about to get its lock file.
const UNLOCKED: Duration = Duration::from_secs(60);

/// A program in its sandbox. Dropping this value removes the sandbox folder, so keep it while the program runs.
#[derive(Debug)]
pub struct Sandboxed {
    folder: PathBuf,
    /// The locked lock file, which shows that the folder is in use (see [`remove_abandoned`]).
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
        let folder =
            temporary.join(format!("{}{}-{number}-{time:09}", options::FOLDER_PREFIX, process::id()));
        // This fails if the path exists, so another account cannot prepare the folder.
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

    /// The sandbox folder, which contains the status file and the scratch folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How the program ended; `None` while it runs.
    pub fn exit_reason(&self) -> Option<ExitReason> {
        Status::read(&options::status(&self.folder)).exit_reason()
    }

    /// The state of the protections; `None` before they are set up.
    pub fn protections(&self) -> Option<Protections> {
        Status::read(&options::status(&self.folder)).protections()
    }

    /// Stops all processes of the program and waits until none of them runs.
    pub fn freeze(&self) -> io::Result<()> {
        self.ask(system::Request::Freeze).map(drop)
    }

    /// Continues all processes of the program.
    pub fn thaw(&self) -> io::Result<()> {
        self.ask(system::Request::Thaw).map(drop)
    }

    /// Processor time of the program and all processes that it started, including ended ones.
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
        // If this fails, the next run removes the folder (see `remove_abandoned`).
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Removes the folders whose lock is free. They are left over if Parlor and its supervisors were killed at the same
/// time.
fn remove_abandoned(temporary: &Path) {
    let entries = fs::read_dir(temporary).into_iter().flatten().flatten();
    for entry in
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(options::FOLDER_PREFIX))
    {
        let abandoned = match File::open(entry.path().join("lock")) {
            Ok(lock) => lock.try_lock().is_ok(),
            Err(error) => error.kind() == io::ErrorKind::NotFound && is_old(&entry),
        };
        if abandoned {
            // This fails for a folder of another account, which stays.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_old(entry: &fs::DirEntry) -> bool {
    let modified = entry.metadata().and_then(|folder| folder.modified());
    modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > UNLOCKED))
}
