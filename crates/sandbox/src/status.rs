//! The file in which a supervisor reports which protections are in force and how the program ended. Lines are only
//! appended, each by one call, and a line without its end is not read, so a reader never sees half a report. The first
//! exit reason counts.

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
    /// A file that cannot be read reports nothing.
    pub fn read(file: &Path) -> Status {
        Status::of(&fs::read(file).unwrap_or_default())
    }

    fn of(bytes: &[u8]) -> Status {
        let text = String::from_utf8_lossy(bytes);
        Status(text.rfind('\n').map(|end| text[..end].to_string()).unwrap_or_default())
    }

    /// Whether the program has ended, even if its supervisor was killed before it could report that.
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

/// The open file: it can be written when its path cannot be reached any more.
#[derive(Debug)]
pub(crate) struct StatusWriter(File);

impl StatusWriter {
    /// Opens the file and locks it: the lock is free again when supervisor and init, which inherits it, have ended.
    pub fn open(file: &Path) -> io::Result<StatusWriter> {
        let file = File::options().append(true).read(true).open(file)?;
        file.lock_shared()?;
        Ok(StatusWriter(file))
    }

    fn add(&mut self, text: &str) {
        let mut line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        line.push('\n');
        // If it cannot be written, its folder is gone and with it every reader.
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

    /// All lines so far, of supervisor and init.
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
    fn half_a_line_is_not_read_and_the_first_exit_reason_counts() {
        assert_eq!(Status::of(b"exit exited 1").exit_reason(), None);
        let two = Status::of(b"exit exited 1\nexit exited 2\n");
        assert_eq!(two.exit_reason(), Some(ExitReason::Exited(1)));
    }

    #[test]
    fn nothing_is_in_force_before_the_sandbox_is_ready() {
        assert_eq!(Status::of(b"+ no network\n").protections(), None);
        let ready = Status::of(b"+ no network\nready\n+ private root\n").protections().expect("ready");
        assert!(ready.holds(Protection::Network) && !ready.holds(Protection::Root));
    }
}
