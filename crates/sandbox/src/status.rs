//! The status file, in which a supervisor reports which protections are in force and how the program ended. Lines
//! are only appended, each with one write, and the reader ignores an incomplete last line, so it never sees half a
//! report. If there are several exit reasons, the first one counts.

use crate::{ExitReason, Protection, Protections};
use std::{
    fs::{self, File},
    io::{self, Read, Seek, Write},
    path::Path,
};

const READY: &str = "ready";
const EXIT: &str = "exit ";

/// The complete lines of a status file.
#[derive(Debug)]
pub(crate) struct Status(String);

impl Status {
    /// Reads a status file. A file that cannot be read counts as empty.
    pub fn read(file: &Path) -> Status {
        Status::of(&fs::read(file).unwrap_or_default())
    }

    fn of(bytes: &[u8]) -> Status {
        let text = String::from_utf8_lossy(bytes);
        Status(text.rfind('\n').map(|end| text[..end].to_string()).unwrap_or_default())
    }

    /// Whether the program has ended, also if its supervisor was killed before it could report the end.
    pub fn has_ended(file: &Path) -> bool {
        let status = Status::read(file);
        let is_unlocked = || File::open(file).is_ok_and(|file| file.try_lock().is_ok());
        status.exit_reason().is_some() || (status.protections().is_some() && is_unlocked())
    }

    pub fn exit_reason(&self) -> Option<ExitReason> {
        self.0.lines().find_map(|line| line.strip_prefix(EXIT)).and_then(ExitReason::parse)
    }

    pub fn protections(&self) -> Option<Protections> {
        let ready = self.0.lines().any(|line| line == READY);
        ready.then(|| Protections::parse(self.0.lines().take_while(|line| *line != READY)))
    }
}

/// The open status file, which can be written even after its path has become unreachable.
#[derive(Debug)]
pub(crate) struct StatusWriter(File);

impl StatusWriter {
    /// Opens and locks the file. The init process inherits the lock, so it is free when both supervisor and init
    /// have ended.
    pub fn open(file: &Path) -> io::Result<StatusWriter> {
        let file = File::options().append(true).read(true).open(file)?;
        file.lock_shared()?;
        Ok(StatusWriter(file))
    }

    fn add(&mut self, text: &str) {
        let mut line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        line.push('\n');
        // Writing fails only if the folder was removed; then there is no reader.
        let _ = self.0.write_all(line.as_bytes());
    }

    pub fn protection(&mut self, protection: Protection, state: &Result<(), String>) {
        self.add(&Protections::line(protection, state));
    }

    pub fn ready(&mut self) {
        self.add(READY);
    }

    pub fn exit_reason(&mut self, reason: &ExitReason) {
        self.add(&format!("{EXIT}{}", reason.line()));
    }

    /// Reads all lines so far, of the supervisor and of init.
    pub fn so_far(&mut self) -> Status {
        let mut bytes = Vec::new();
        let read = self.0.rewind().and_then(|()| self.0.read_to_end(&mut bytes));
        Status::of(if read.is_ok() { &bytes } else { &[] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incomplete_line_is_ignored_and_the_first_exit_reason_counts() {
        assert_eq!(Status::of(b"exit exited 1").exit_reason(), None);
        let two = Status::of(b"exit exited 1\nexit exited 2\n");
        assert_eq!(two.exit_reason(), Some(ExitReason::Exited(1)));
    }

    #[test]
    fn no_protection_is_in_force_before_the_sandbox_is_ready() {
        assert_eq!(Status::of(b"+ no network\n").protections(), None);
        let ready = Status::of(b"+ no network\nready\n+ private root\n").protections().expect("ready");
        assert!(ready.holds(Protection::Network) && !ready.holds(Protection::Root));
    }
}
