//! Settings from the environment: the user's folders, and the sandbox for external programs.

use crate::error::CommandError;
use parlor_catalog::Resources;
use parlor_league::Players;
use parlor_sandbox::Sandbox;
use std::{
    env,
    path::{Path, PathBuf},
};

/// The default folder of endgame tables: `PARLOR_TABLES`, or a folder in the user's data.
pub fn default_tables_dir() -> Option<PathBuf> {
    path_variable("PARLOR_TABLES").or_else(|| Some(data_dir()?.join("parlor").join("tables")))
}

pub fn data_dir() -> Option<PathBuf> {
    path_variable("XDG_DATA_HOME")
        .or_else(|| path_variable("LOCALAPPDATA"))
        .or_else(|| Some(path_variable("HOME")?.join(".local/share")))
}

fn path_variable(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Makes [`Players`] whose programs run in this folder. It is `private` if it belongs to one author,
/// and not if it is the shared folder of a tournament.
pub fn players(
    dir: &Path,
    private: bool,
    sandboxed: bool,
    resources: Resources,
) -> Result<Players, CommandError> {
    let sandbox = if sandboxed { Some(sandbox()?) } else { None };
    Ok(Players::new(dir, private, sandbox, env::home_dir(), resources))
}

/// The sandbox of this system. With a cgroup, delegated or named by `PARLOR_CGROUP`, the kernel also
/// limits the memory of programs.
fn sandbox() -> Result<Sandbox, CommandError> {
    let supervisor = env::current_exe().map_err(|error| {
        CommandError::Failed(format!(
            "cannot set up the sandbox: {error}; use --no-sandbox to run bots without it"
        ))
    })?;
    let given = env::var_os("PARLOR_CGROUP").map(PathBuf::from);
    let cgroup = match parlor_sandbox::delegated_cgroup(given.as_deref()) {
        Ok(group) => Some(group),
        Err(why) if given.is_some() => return Err(CommandError::Input(format!("PARLOR_CGROUP: {why}"))),
        Err(_) => None,
    };
    Ok(Sandbox { cgroup, ..Sandbox::new(supervisor) })
}
