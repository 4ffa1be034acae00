//! The sandbox on Linux: one file per protection, and the two processes that set them up in the one order that works.
//!
//! | as root | as an ordinary user |
//! | --- | --- |
//! | namespaces without a user namespace | all within a user namespace |
//! | init changes to an account that no other process has | the account stays, its capabilities go |
//!
//! What the kernel enforces: namespaces, the private root, file rules, system call filters, limits of files and threads,
//! and with a delegated cgroup v2 memory and processes. What the supervisor watches every 20 to 200 ms: memory,
//! processes and processor time.

mod account;
mod cgroup;
mod control;
mod file_rules;
mod freezer;
mod grants;
mod init;
mod namespaces;
mod process_tree;
mod processes;
mod root;
mod seccomp;
mod supervisor;

pub use cgroup::delegated_cgroup;
pub(crate) use control::{Control, Request};
pub use process_tree::ProcessTree;
pub(crate) use supervisor::supervise;

use crate::options::SandboxOptions;
use std::{
    fs, io,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::Path,
    process::Command,
};

/// The exit code of a supervisor that could not start its program, as shells have it.
const NOT_STARTED: u8 = 127;

/// Why something is not so, as part of a sentence.
type Why = String;

/// An error of the system as the reason in a sentence.
fn reason(error: impl Into<io::Error>) -> Why {
    let text = error.into().to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}

/// A supervisor with these options, in a process group of its own: keys typed at the terminal do not reach it.
pub(crate) fn command(supervisor: &Path, options: &SandboxOptions) -> Command {
    let mut command = Command::new(supervisor);
    command.arg(crate::SUBCOMMAND).args(options.arguments()).process_group(0);
    command
}

/// The program's account must be able to pass through the sandbox folder to its scratch folder, and may not list it.
pub(crate) fn allow_passage(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o711))
}
