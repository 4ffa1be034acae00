//! What the environment says: the user's folders, and the sandbox in which the players of the command line run foreign programs.

use crate::error::CommandError;
use parlor_catalog::Resources;
use parlor_league::Players;
use parlor_sandbox::Sandbox;
use std::{
    env,
    path::{Path, PathBuf},
};

/// The default folder of tables: from the environment, or among the user's data.
pub fn usual_dir() -> Option<PathBuf> {
    named("PARLOR_TABLES").or_else(|| Some(data_dir()?.join("parlor").join("tables")))
}

pub fn data_dir() -> Option<PathBuf> {
    named("XDG_DATA_HOME")
        .or_else(|| named("LOCALAPPDATA"))
        .or_else(|| Some(named("HOME")?.join(".local/share")))
}

fn named(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Players with the programs of this folder. It is `private` where a bot's author works there, and
/// not where a league keeps its games.
pub fn players(
    dir: &Path,
    private: bool,
    sandboxed: bool,
    resources: Resources,
) -> Result<Players, CommandError> {
    let sandbox = if sandboxed { Some(sandbox()?) } else { None };
    Ok(Players::new(dir, private, sandbox, env::home_dir(), resources))
}

/// The sandbox of this system. A cgroup that was delegated to this process, or that `PARLOR_CGROUP`
/// names, lets the kernel bound memory.
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
