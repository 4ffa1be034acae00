//! The cage on Linux. One file a wall: namespaces and mounts, the account, what may be read, file rules, system calls; and
//! the two keepers, who put them up in the one order that works.
//!
//! | as root | as anybody else |
//! | --- | --- |
//! | namespaces without a user namespace | all within a user namespace |
//! | the inner keeper becomes an account that nobody else has | the account stays, its capabilities go |
//! | folders that only root may enter are replaced by ones that show only what the program may read | not needed |

mod account;
mod calls;
mod census;
mod files;
mod grants;
mod inner;
mod outer;
mod screens;
mod spaces;

pub(super) use outer::keep;

use super::order::Order;
use std::{
    fs, io,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::Path,
    process::Command,
};

/// The code of a keeper that could not start its program, as shells have it.
const NOT_STARTED: u8 = 127;

/// Why something is not so, as part of a sentence.
type Why = String;

/// A keeper for this order, in a process group of its own: what is typed at the terminal is not meant for it.
pub(super) fn command(keeper: &Path, order: &Order) -> Command {
    let mut command = Command::new(keeper);
    command.arg("keeper").args(order.arguments()).process_group(0);
    command
}

/// The program's account must be able to pass through the folder in which its own one lies, and may not list it.
pub(super) fn let_others_pass(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o711))
}
