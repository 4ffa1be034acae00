//! Where the chores work and what they work with: the repository, cargo's target folder, other programs.

use anyhow::{Context, Result, bail};
use std::{
    env, fmt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The top folder of the repository.
pub fn root() -> PathBuf {
    let own =
        env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    own.parent().map_or_else(|| own.clone(), Path::to_path_buf)
}

/// Cargo's target folder: what is built or fetched goes there.
pub fn target() -> PathBuf {
    root().join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// Cargo itself, in the top folder.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// A program in the top folder.
pub fn program(name: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    command
}

/// Runs a command to its end, its output shown.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("{} cannot be started", name(command)))?;
    if !status.success() {
        bail!("{} failed ({status})", name(command));
    }
    Ok(())
}

/// The same chore once more, in a release build: for work that nobody waits for otherwise. How it ends is how this ends.
pub fn again_in_release() -> Result<()> {
    let mut again = cargo();
    again.args(["run", "--quiet", "--release", "--package", "xtask", "--"]).args(env::args_os().skip(1));
    let status = again.status().context("cargo cannot be started")?;
    if status.success() { Ok(()) } else { bail!(Told(status.code().unwrap_or(1) as u8)) }
}

/// A failure that somebody else has told already, with the exit code.
#[derive(Debug)]
pub struct Told(pub u8);

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it ended with exit code {}, see above", self.0)
    }
}

impl std::error::Error for Told {}

/// Runs a command to its end; gives what it wrote.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("{} cannot be started", name(command)))?;
    if !output.status.success() {
        bail!("{} failed ({})", name(command), output.status);
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Whether a command can be run and succeeds. What it writes is thrown away.
pub fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// What `cargo metadata` says of the workspace and all it depends on.
pub fn metadata() -> Result<serde_json::Value> {
    Ok(serde_json::from_str(&output(cargo().args(["metadata", "--format-version", "1"]))?)?)
}

fn name(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
