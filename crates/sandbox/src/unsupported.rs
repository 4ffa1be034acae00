//! Systems and builds without a sandbox: the program is started as it is, and the status says that no protection is in force.

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

/// The program's own command.
pub(crate) fn command(_supervisor: &Path, options: &SandboxOptions) -> Command {
    let why = Err(WHY.to_string());
    let mut status = StatusWriter::open(&options.status());
    for protection in Protection::ALL {
        let _ = status.as_mut().map(|status| status.protection(protection, &why));
    }
    // Without the file nothing is known to be in force, which is true as well.
    let _ = status.map(|mut status| status.ready());
    let mut command = Command::new(&options.command[0]);
    command.args(&options.command[1..]).current_dir(&options.dir);
    let scratch = options.scratch();
    command.env("TMPDIR", &scratch).env("TEMP", &scratch).env("TMP", &scratch);
    command
}

/// Nothing to do: the program runs as the same account.
pub(crate) fn allow_passage(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// No supervisor is ever started here.
pub(crate) fn supervise(_options: SandboxOptions, _environment: Vec<(OsString, OsString)>) -> ExitCode {
    ExitCode::from(127)
}

/// There is no sandbox that would use a cgroup.
pub fn delegated_cgroup(_given: Option<&Path>) -> Result<PathBuf, String> {
    Err(WHY.to_string())
}

/// What an init process can be asked.
#[derive(Clone, Copy)]
pub(crate) enum Request {
    Freeze,
    Thaw,
    CpuTime,
}

/// No init process is there to be asked.
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
    /// The process group of a child that leads one.
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

    /// Continues the group.
    pub fn resume(&mut self) {
        #[cfg(unix)]
        let _ = rustix::process::kill_process_group(self.leader, rustix::process::Signal::CONT);
    }

    /// Does nothing: the parent kills the group.
    pub fn kill(&mut self) {}

    /// Not measured on this system.
    pub fn cpu_time(&mut self) -> Option<Duration> {
        None
    }
}
