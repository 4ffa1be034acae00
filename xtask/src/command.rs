//! Starts other programs: cargo, Python, Node.js and the tools of the system. All of them run in
//! the root folder of the repository, with the programs downloaded under target/ first on their
//! search path.

use crate::workspace::{root, target};
use anyhow::{Context, Result, bail};
use std::{
    env,
    ffi::{OsStr, OsString},
    fmt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
};

/// Folders that come before those of PATH.
static FIRST_ON_PATH: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Puts a folder first on the search path of all commands started later.
pub fn add_to_path(folder: PathBuf) {
    let mut folders = FIRST_ON_PATH.lock().unwrap_or_else(PoisonError::into_inner);
    if !folders.contains(&folder) {
        folders.insert(0, folder);
    }
}

/// The value of PATH for commands.
pub fn path() -> OsString {
    let given = env::var_os("PATH").unwrap_or_default();
    let folders = FIRST_ON_PATH.lock().unwrap_or_else(PoisonError::into_inner);
    env::join_paths(folders.iter().cloned().chain(env::split_paths(&given))).unwrap_or(given)
}

/// The first file of this name on the search path.
pub fn find(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&path()).map(|folder| folder.join(&file)).find(|path| path.is_file())
}

/// The cargo that runs this program.
pub fn cargo() -> Command {
    program(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

pub fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root()).env("PATH", path());
    command
}

/// Runs a command to its end and shows its output.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", line(command)))?;
    if !status.success() {
        bail!("{} failed ({status})", line(command));
    }
    Ok(())
}

/// Runs a command to its end and returns its standard output.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("cannot start {}", line(command)))?;
    if !output.status.success() {
        bail!("{} failed ({})", line(command), output.status);
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Whether a command starts and succeeds. Its output is discarded.
pub fn succeeds(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Runs `cargo lab` with these words.
pub fn run_lab_in_release<S: AsRef<OsStr>>(words: impl IntoIterator<Item = S>) -> Result<()> {
    run(cargo().args(["run", "--quiet", "--release", "--package", "parlor-lab", "--"]).args(words))
}

/// Compiles and runs lab with these words, in the development profile. With `--workspace`, its
/// packages have the features that the stage `tests` has compiled them with.
pub fn run_lab<S: AsRef<OsStr>>(words: impl IntoIterator<Item = S>) -> Result<()> {
    run(cargo().args(["build", "--quiet", "--workspace", "--bin", "parlor-lab"]))?;
    let file = format!("parlor-lab{}", env::consts::EXE_SUFFIX);
    run(program(target().join("debug").join(file)).args(words))
}

/// A failure whose message is already on the screen, with the exit code.
#[derive(Debug)]
pub struct AlreadyReported(pub u8);

impl fmt::Display for AlreadyReported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failed with exit code {}, see above", self.0)
    }
}

impl std::error::Error for AlreadyReported {}

/// The target triple of this machine, as rustc names it.
pub fn host() -> Result<String> {
    let version = output(program("rustc").arg("-vV"))?;
    let line = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(line.context("the output of rustc -vV has no line 'host: …'")?.to_string())
}

/// The command line as text, without the path of the program.
pub fn line(command: &Command) -> String {
    let name = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(name).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}
