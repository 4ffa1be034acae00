//! Runs programs in the sandbox and reports how they ended and which protections were in force.

use parlor_sandbox::{ExitReason, Protection, Protections, Sandbox, Sandboxed};
use parlor_testkit::{Folder, built_example, temp_folder};
use std::{
    fmt, fs,
    io::{self, BufRead, BufReader, Read, Write},
    os::unix::{
        fs::{PermissionsExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering},
    },
};

/// An account without privileges, which represents an ordinary user.
pub const USER: u32 = 4242;

/// Copies of the test programs in a folder that every account can enter.
static PROGRAMS: LazyLock<Folder> = LazyLock::new(|| {
    let folder = temp_folder();
    open_to_all(&folder);
    for name in ["supervisor", "intruder"] {
        fs::copy(built_example(name), folder.join(name)).expect("a copy");
        open_to_all(&folder.join(name));
    }
    folder
});

pub fn open_to_all(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o777)).expect("permissions");
}

pub fn supervisor() -> PathBuf {
    PROGRAMS.join("supervisor")
}

pub fn intruder() -> String {
    PROGRAMS.join("intruder").to_str().expect("UTF-8").to_string()
}

pub fn sandbox() -> Sandbox {
    Sandbox::new(supervisor())
}

/// A word that occurs in no other process's command line.
pub fn mark() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    format!("mark-{}-{}-", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// The processes whose command line has the mark, as folders in `/proc`.
pub fn marked(mark: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir("/proc").expect("/proc").flatten().map(|entry| entry.path());
    let has_mark = |path: &PathBuf| {
        fs::read(path.join("cmdline")).is_ok_and(|line| String::from_utf8_lossy(&line).contains(mark))
    };
    entries.filter(has_mark).collect()
}

/// The account that runs the sandbox, and whether namespaces are used.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub as_user: bool,
    pub namespaces: bool,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let account = if self.as_user { "ordinary user" } else { "root" };
        write!(f, "{account}, {} namespaces", if self.namespaces { "with" } else { "without" })
    }
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// All settings that can be tested: root and an ordinary user if the tests run as root, otherwise the current user.
pub fn settings() -> Vec<Setting> {
    let accounts = if is_root() { &[false, true][..] } else { &[true] };
    let setting = |as_user| [true, false].map(|namespaces| Setting { as_user, namespaces });
    accounts.iter().copied().flat_map(setting).collect()
}

/// A program that is running in the sandbox.
pub struct Running {
    pub child: Child,
    pub sandboxed: Sandboxed,
}

impl Running {
    pub fn start(setting: Setting, sandbox: &Sandbox, dir: &Path, command: &[&str], input: &str) -> Running {
        Running::start_with(setting, sandbox, dir, command, input, |_| {})
    }

    pub fn start_with(
        setting: Setting,
        sandbox: &Sandbox,
        dir: &Path,
        command: &[&str],
        input: &str,
        change: impl FnOnce(&mut Command),
    ) -> Running {
        let command: Vec<String> = command.iter().map(ToString::to_string).collect();
        let sandbox = Sandbox { namespaces: setting.namespaces, ..sandbox.clone() };
        let (mut command, sandboxed) = sandbox.command(&command, dir).expect("a sandbox");
        if setting.as_user && is_root() {
            command.uid(USER).gid(USER).env("HOME", "/nonexistent");
            let parts = ["", "lock", "status", "control", "reply", "scratch"];
            parts.iter().for_each(|part| give_away(&sandboxed.folder().join(part)));
        }
        change(&mut command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("a supervisor");
        let _ = child.stdin.as_mut().expect("its input").write_all(input.as_bytes());
        Running { child, sandboxed }
    }

    /// Waits until the program prints this line.
    pub fn wait_for_line(&mut self, line: &str) {
        let mut read = String::new();
        let output = self.child.stdout.as_mut().expect("its output");
        BufReader::with_capacity(1, output).read_line(&mut read).expect("a line");
        assert_eq!(read.trim_end(), line, "{:?}", self.sandboxed.exit_reason());
    }

    pub fn finish(mut self) -> Run {
        drop(self.child.stdin.take());
        let (mut out, mut errors) = (String::new(), String::new());
        self.child.stdout.take().expect("its output").read_to_string(&mut out).expect("UTF-8");
        self.child.stderr.take().expect("its errors").read_to_string(&mut errors).expect("UTF-8");
        let code = self.child.wait().expect("an end").code();
        let exit_reason = self.sandboxed.exit_reason().expect("an exit reason");
        let protections =
            self.sandboxed.protections().unwrap_or_else(|| Protections::none("it was not started"));
        Run { out, errors, code, exit_reason, protections }
    }
}

pub fn give_away(path: &Path) {
    chown(path, Some(USER), Some(USER)).expect("another owner");
}

/// A program that has run in a sandbox.
#[derive(Debug)]
pub struct Run {
    pub out: String,
    /// Standard error, shown when an assertion fails.
    #[allow(dead_code, reason = "read by Debug only")]
    pub errors: String,
    pub code: Option<i32>,
    pub exit_reason: ExitReason,
    pub protections: Protections,
}

impl Run {
    /// Whether a protection is in force. If not, prints the reason; the caller then skips its assertions.
    pub fn under(&self, protection: Protection) -> bool {
        let why = self.protections.missing(protection);
        if let Some(why) = why {
            let _ = writeln!(io::stderr(), "not tested, not in force: {} ({why})", protection.name());
        }
        why.is_none()
    }

    pub fn refused(&self) -> bool {
        self.out.starts_with("refused")
    }

    pub fn done(&self) -> bool {
        self.out.ends_with("done\n")
    }
}

/// Runs a command in this sandbox and folder until it ends, as the account of the tests.
pub fn run_in(
    sandbox: &Sandbox,
    dir: &Path,
    command: &[&str],
    input: &str,
    change: impl FnOnce(&mut Command),
) -> Run {
    let setting = Setting { as_user: !is_root(), namespaces: true };
    Running::start_with(setting, sandbox, dir, command, input, change).finish()
}

pub fn run(sandbox: &Sandbox, command: &[&str]) -> Run {
    run_in(sandbox, Path::new("/"), command, "", |_| {})
}

/// Runs the hostile program in the default sandbox.
pub fn intrude(attack: &[&str]) -> Run {
    intrude_in(&sandbox(), Setting { as_user: !is_root(), namespaces: true }, attack, "")
}

/// Runs the hostile program in this sandbox and setting. A `-` in the attack is replaced by the input, which is not
/// granted.
pub fn intrude_in(sandbox: &Sandbox, setting: Setting, attack: &[&str], input: &str) -> Run {
    let intruder = intruder();
    let command: Vec<&str> = [intruder.as_str()].into_iter().chain(attack.iter().copied()).collect();
    Running::start(setting, sandbox, Path::new("/"), &command, &format!("{input}\n")).finish()
}
