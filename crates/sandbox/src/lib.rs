//! Runs a foreign program with limits: it has no network, sees only the files that it needs, writes only into a scratch
//! folder of its own, and has bounded memory, processes, file space and processor time. When it ends, nothing of it is left.
//!
//! A *supervisor* sets the sandbox up: our own executable, started with the hidden subcommand [`SUBCOMMAND`], because
//! nothing may be done between fork and exec in a process with threads. The supervisor watches the limits; its child,
//! the *init* process of the sandbox, restricts itself and then starts the program, which inherits the restrictions:
//!
//! ```text
//! Parlor ── supervisor ── init ── program ── its children
//!     │     watches       restricts itself, reaps, freezes
//!     └── control and reply pipes ──┘
//! ```
//!
//! A protection that the system does not offer is left out and reported (see [`Protections`]); none is claimed that the
//! kernel did not grant. The crate knows nothing of games: whether a program that exceeded a limit has lost is the
//! referee's decision.
//!
//! # Examples
//!
//! Run a program with 100 MiB of memory (not run as a test, because it needs an executable with [`SUBCOMMAND`]):
//!
//! ```no_run
//! use parlor_sandbox::{ExitReason, ResourceLimits, Sandbox};
//! use std::path::Path;
//!
//! let mut sandbox = Sandbox::new("/usr/bin/parlor");
//! sandbox.limits = ResourceLimits { memory: 100 << 20, ..ResourceLimits::default() };
//! let (mut command, sandboxed) = sandbox.command(&["true".to_string()], Path::new("."))?;
//! command.status()?;
//! assert_eq!(sandboxed.exit_reason(), Some(ExitReason::Exited(0)));
//! # Ok::<(), std::io::Error>(())
//! ```
#![warn(missing_docs)]
#![cfg_attr(
    not(all(target_os = "linux", feature = "isolation")),
    allow(dead_code, reason = "without isolation there is no supervisor that would use it")
)]

#[cfg(all(target_os = "linux", feature = "isolation"))]
mod kernel;
#[cfg(all(target_os = "linux", feature = "isolation"))]
mod linux;
#[cfg(not(all(target_os = "linux", feature = "isolation")))]
mod unsupported;
#[cfg(all(target_os = "linux", feature = "isolation"))]
use linux as system;
#[cfg(not(all(target_os = "linux", feature = "isolation")))]
use unsupported as system;

mod exit_reason;
mod options;
mod protections;
mod session;
mod status;

pub use exit_reason::ExitReason;
pub use options::BadOptions;
pub use protections::{Protection, Protections};
pub use session::Sandboxed;
pub use system::{ProcessTree, delegated_cgroup};

use options::SandboxOptions;
use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::{self, Command, ExitCode, Stdio},
    time::Duration,
};

/// The hidden subcommand of our executable that runs [`supervise`].
pub const SUBCOMMAND: &str = "sandbox-supervisor";

/// What a program may use, together with all processes that it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceLimits {
    /// Bytes of memory in use: resident pages, page tables and socket buffers. Reserved address space does not count,
    /// nor do the files in its scratch folder.
    pub memory: u64,
    /// Processes at the same time. Eight times as many threads are allowed.
    pub processes: u64,
    /// Bytes in one file; the scratch folder may hold twice as many.
    pub file_size: u64,
    /// Limit for the processor time of all processes together.
    pub cpu: Duration,
}

impl Default for ResourceLimits {
    fn default() -> ResourceLimits {
        ResourceLimits { memory: 1 << 30, processes: 64, file_size: 64 << 20, cpu: Duration::from_secs(3600) }
    }
}

/// The conditions under which a program is started.
#[derive(Clone, Debug)]
pub struct Sandbox {
    /// Our own executable, which has the subcommand [`SUBCOMMAND`].
    pub supervisor: PathBuf,
    /// Resource limits of the program.
    pub limits: ResourceLimits,
    /// Files and folders that it may read, beside those of the system and of its interpreter.
    pub read: Vec<PathBuf>,
    /// Files and folders that it may not read although they lie in a folder that it may read.
    pub hide: Vec<PathBuf>,
    /// A delegated cgroup (see [`delegated_cgroup`]) in which the sandbox makes a group of its own.
    pub cgroup: Option<PathBuf>,
    /// Whether namespaces are used where the system offers them. Off, the sandbox is what a system without them gives:
    /// that is for tests.
    pub namespaces: bool,
}

impl Sandbox {
    /// A sandbox with the default limits, in which only what every program needs can be read.
    pub fn new(supervisor: impl Into<PathBuf>) -> Sandbox {
        Sandbox {
            supervisor: supervisor.into(),
            limits: ResourceLimits::default(),
            read: Vec::new(),
            hide: Vec::new(),
            cgroup: None,
            namespaces: true,
        }
    }

    /// The command that runs this one in the sandbox, with `dir` as its working directory; start it once. The program and
    /// every file that the command names can be read; a folder only if `read` has it, the working directory neither.
    ///
    /// Killing the started process ends everything in the sandbox. Wait for it before asking for the exit reason.
    pub fn command(&self, command: &[String], dir: &Path) -> io::Result<(Command, Sandboxed)> {
        if command.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the command is empty"));
        }
        let dir = std::path::absolute(dir)?;
        let sandboxed = Sandboxed::new()?;
        let options = SandboxOptions {
            parent: process::id(),
            folder: sandboxed.folder().to_path_buf(),
            limits: self.limits,
            read: self.read.iter().map(|path| dir.join(path)).collect(),
            hide: self.hide.iter().map(|path| dir.join(path)).collect(),
            cgroup: self.cgroup.clone(),
            namespaces: self.namespaces,
            dir,
            command: command.iter().map(OsString::from).collect(),
        };
        Ok((system::command(&self.supervisor, &options), sandboxed))
    }

    /// Which protections this system offers, found out by running a program that does nothing.
    ///
    /// # Examples
    ///
    /// Without a supervisor nothing is claimed:
    ///
    /// ```
    /// use parlor_sandbox::{Protection, Sandbox};
    ///
    /// let protections = Sandbox::new("/nowhere/parlor").probe();
    /// assert!(Protection::ALL.iter().all(|&protection| !protections.holds(protection)));
    /// ```
    pub fn probe(&self) -> Protections {
        let tried =
            self.command(&["true".to_string()], Path::new("/")).and_then(|(mut command, sandboxed)| {
                command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
                Ok(sandboxed.protections().ok_or(sandboxed.exit_reason()))
            });
        match tried {
            Ok(Ok(protections)) => protections,
            Ok(Err(Some(reason))) => Protections::none(&format!("a test program {reason}")),
            Ok(Err(None)) => Protections::none("the supervisor could not set the sandbox up"),
            Err(error) => Protections::none(&format!("cannot start the supervisor: {error}")),
        }
    }
}

/// Runs the hidden subcommand: supervises one program as [`Sandbox::command`] asked. To be called before the process has
/// a second thread, with the arguments after [`SUBCOMMAND`] and the whole environment. The exit code is the program's;
/// 128 and the number of the signal that ended it; or 127 if it was not started.
pub fn supervise(
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
) -> Result<ExitCode, BadOptions> {
    SandboxOptions::parse(arguments).map(|options| system::supervise(options, environment))
}
