//! Replacement for systems and builds without a sandbox: starts the program directly and reports that no protection
//! is in force.

use crate::{Protection, options::SandboxOptions, status::StatusWriter};
use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::{Child, Command, ExitCode},
    time::Duration,
};

const WHY: &str = if cfg!(target_os = "linux") {
    "Parlor was built without the cargo feature 'sandbox'"
} else {
    "the sandbox is available on Linux only"
};

/// Returns the program's own command, without a supervisor.
pub(crate) fn command(_supervisor: &Path, options: &SandboxOptions) -> Command {
    let why = Err(WHY.to_string());
    let mut status = StatusWriter::open(&options.status());
    for protection in Protection::ALL {
        let _ = status.as_mut().map(|status| status.protection(protection, &why));
    }
    // If the file cannot be written, no protection is reported, which is correct too.
    let _ = status.map(|mut status| status.ready());
    let mut command = Command::new(&options.command[0]);
    command.args(&options.command[1..]).current_dir(&options.dir);
    let scratch = options.scratch();
    command.env("TMPDIR", &scratch).env("TEMP", &scratch).env("TMP", &scratch);
    command
}

/// Does nothing, because the program runs under the same account.
pub(crate) fn allow_passage(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Fails, because there is no supervisor on this system.
pub(crate) fn supervise(_options: SandboxOptions, _environment: Vec<(OsString, OsString)>) -> ExitCode {
    ExitCode::from(127)
}

/// Fails, because there is no sandbox that could use a cgroup.
pub fn delegated_cgroup(_given: Option<&Path>) -> Result<PathBuf, String> {
    Err(WHY.to_string())
}

/// A request to the init process.
#[derive(Clone, Copy)]
pub(crate) enum Request {
    Freeze,
    Thaw,
    CpuTime,
}

/// Placeholder for the pipes to an init process, which does not exist on this system.
#[derive(Debug)]
pub(crate) struct Control;

impl Control {
    pub fn create(_folder: &Path) -> io::Result<Control> {
        Ok(Control)
    }

    pub fn ask(&mut self, _request: Request, _has_ended: impl Fn() -> bool) -> io::Result<Duration> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// The process group of one program.
pub struct ProcessTree {
    #[cfg(unix)]
    leader: rustix::process::Pid,
}

impl ProcessTree {
    /// Tracks the process group of a child, which must be its leader.
    pub fn of(_child: &Child) -> ProcessTree {
        ProcessTree {
            #[cfg(unix)]
            leader: rustix::process::Pid::from_child(_child),
        }
    }

    /// Stops the group, where there are groups.
    pub fn stop(&mut self) {
        #[cfg(unix)]
        let _ = rustix::process::kill_process_group(self.leader, rustix::process::Signal::STOP);
    }

    /// Continues the process group with SIGCONT.
    pub fn resume(&mut self) {
        #[cfg(unix)]
        let _ = rustix::process::kill_process_group(self.leader, rustix::process::Signal::CONT);
    }

    /// Does nothing: the parent kills the group.
    pub fn kill(&mut self) {}

    /// Returns `None`: processor time is not measured on this system.
    pub fn cpu_time(&mut self) -> Option<Duration> {
        None
    }
}
