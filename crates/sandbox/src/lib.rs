//! Runs an untrusted program with limits. It has no network, reads only the files that it needs, writes only to its own
//! scratch folder, and has limits of memory, processes, file space and processor time. When it ends, its processes and
//! files are removed.
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
//! A protection that the system does not offer is left out and reported (see [`Protections`]). Only what the kernel
//! granted is reported as in force. The crate knows nothing about games: the referee decides whether a program that
//! exceeded a limit has lost.
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

/// Resource limits of a program together with all processes that it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceLimits {
    /// Bytes of memory in use: resident pages, page tables and socket buffers. Reserved address space does not count,
    /// nor do the files in its scratch folder.
    pub memory: u64,
    /// Number of simultaneous processes; the limit of threads is eight times as large.
    pub processes: u64,
    /// Size of one file in bytes; the scratch folder may hold twice as much.
    pub file_size: u64,
    /// Processor time of all processes together.
    pub cpu: Duration,
}

impl Default for ResourceLimits {
    fn default() -> ResourceLimits {
        ResourceLimits { memory: 1 << 30, processes: 64, file_size: 64 << 20, cpu: Duration::from_secs(3600) }
    }
}

/// Settings under which programs are started in a sandbox.
#[derive(Clone, Debug)]
pub struct Sandbox {
    /// Our own executable, which has the subcommand [`SUBCOMMAND`].
    pub supervisor: PathBuf,
    /// Resource limits of the program.
    pub limits: ResourceLimits,
    /// Files and folders that the program may read, in addition to those of the system and of its interpreter.
    pub read: Vec<PathBuf>,
    /// Files and folders that the program may not read although they are in a folder of `read`.
    pub hide: Vec<PathBuf>,
    /// A delegated cgroup (see [`delegated_cgroup`]) in which the sandbox creates its own group.
    pub cgroup: Option<PathBuf>,
    /// Whether to use namespaces if the system offers them. Tests switch this off to run as on a system without them.
    pub namespaces: bool,
}

impl Sandbox {
    /// Settings with the default limits, under which a program reads only the files that every program needs.
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

    /// Prepares a command to run in the sandbox, with `dir` as its working directory; start the result only once.
    /// The program may read every file that the command names, but folders (also the working directory) only if
    /// `read` lists them.
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

    /// Finds out which protections this system offers, by running a program that does nothing.
    ///
    /// # Examples
    ///
    /// Without a supervisor no protection is reported:
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

/// Runs the hidden subcommand: supervises one program that [`Sandbox::command`] prepared. Call it before the
/// process starts a second thread, with the arguments after [`SUBCOMMAND`] and the whole environment. The exit code
/// is that of the program, 128 plus the number of the signal that killed it, or 127 if it was not started.
pub fn supervise(
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
) -> Result<ExitCode, BadOptions> {
    SandboxOptions::parse(arguments).map(|options| system::supervise(options, environment))
}
