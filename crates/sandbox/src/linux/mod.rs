//! The sandbox on Linux: one file per protection, and the two processes that set them up in the required order.
//!
//! | as root | as an ordinary user |
//! | --- | --- |
//! | namespaces without a user namespace | all within a user namespace |
//! | init changes to an account that no other process uses | init keeps the account and drops its capabilities |
//!
//! The kernel enforces namespaces, the private root, file rules, system call filters, limits of files and threads,
//! and, with a delegated cgroup v2, limits of memory and processes. The supervisor checks memory, processes and
//! processor time every 20 to 200 ms.

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

/// The exit code of a supervisor that could not start its program; shells use the same one.
const NOT_STARTED: u8 = 127;

/// The reason why something failed, as part of a sentence.
type Why = String;

/// Describes an error of the operating system as a reason.
fn reason(error: impl Into<io::Error>) -> Why {
    let text = error.into().to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}

/// The command of a supervisor with these options. It has its own process group, so Ctrl-C at the terminal does not
/// reach it.
pub(crate) fn command(supervisor: &Path, options: &SandboxOptions) -> Command {
    let mut command = Command::new(supervisor);
    command.arg(crate::SUBCOMMAND).args(options.arguments()).process_group(0);
    command
}

/// Lets other accounts enter the sandbox folder, but not list it: the program's account must reach its scratch folder.
pub(crate) fn allow_passage(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o711))
}
