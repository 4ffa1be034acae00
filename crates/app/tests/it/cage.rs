//! Runs programs in the sandbox and reports what became of them and which protections were in force.
#![cfg(target_os = "linux")]

use parlor_protocol::sandbox::{Cage, Fate, InForce, Protection};
use parlor_testkit::built_example;
use std::{
    fs,
    io::{self, Read, Write},
    path::Path,
    process::{Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

pub fn parlor() -> &'static Path {
    Path::new(crate::harness::PARLOR)
}

pub fn intruder() -> String {
    built_example("intruder").to_str().expect("a text").to_string()
}

/// A word that no other process has in its command line.
pub fn mark() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    format!("mark-{}-{}-", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// How many processes bear the mark.
pub fn marked(mark: &str) -> usize {
    let entries = fs::read_dir("/proc").expect("/proc").flatten();
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(mark)).count()
}

/// A program that has run in a cage.
#[derive(Debug)]
pub struct Run {
    pub out: String,
    /// Shown when an assertion fails.
    #[allow(dead_code, reason = "read by Debug only")]
    pub errors: String,
    pub code: Option<i32>,
    pub fate: Fate,
    pub in_force: InForce,
}

impl Run {
    /// Whether a protection is in force; otherwise there is nothing to test, and that is said.
    pub fn under(&self, protection: Protection) -> bool {
        let why = self.in_force.missing(protection);
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

/// Runs a command in this cage and folder until it is over.
pub fn run_in(
    cage: &Cage,
    dir: &Path,
    command: &[&str],
    input: &str,
    change: impl FnOnce(&mut Command),
) -> Run {
    let command: Vec<String> = command.iter().map(ToString::to_string).collect();
    let (mut command, enclosed) = cage.enclose(&command, dir).expect("a cage");
    change(&mut command);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a keeper");
    let _ = child.stdin.take().expect("its input").write_all(input.as_bytes());
    let (mut out, mut errors) = (String::new(), String::new());
    child.stdout.take().expect("its output").read_to_string(&mut out).expect("a text");
    child.stderr.take().expect("its errors").read_to_string(&mut errors).expect("a text");
    let code = child.wait().expect("an end").code();
    let fate = enclosed.fate().expect("a fate");
    let in_force = enclosed.in_force().unwrap_or_else(|| InForce::nothing("it was not started"));
    Run { out, errors, code, fate, in_force }
}

pub fn run(cage: &Cage, command: &[&str]) -> Run {
    run_in(cage, Path::new("/"), command, "", |_| {})
}

/// The intruder in the usual cage.
pub fn intrude(deed: &[&str]) -> Run {
    let intruder = intruder();
    let command: Vec<&str> = [intruder.as_str()].into_iter().chain(deed.iter().copied()).collect();
    run(&Cage::new(parlor()), &command)
}
