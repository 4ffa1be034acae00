//! The file in which keepers write what is in force and how it ended. Lines are only added, each by one call, and a line
//! without its end is not read: so a reader never sees half a truth. The first fate counts.

use super::{Fate, InForce, Protection};
use std::{
    fs::{self, File},
    io::{self, Read, Seek, Write},
    path::Path,
};

const READY: &str = "ready";
const FATE: &str = "fate ";

/// What stands in the file.
#[derive(Debug)]
pub(super) struct Status(String);

impl Status {
    /// A file that cannot be read says nothing.
    pub fn read(file: &Path) -> Status {
        Status::of(&fs::read(file).unwrap_or_default())
    }

    fn of(bytes: &[u8]) -> Status {
        let text = String::from_utf8_lossy(bytes);
        Status(text.rfind('\n').map(|end| text[..end].to_string()).unwrap_or_default())
    }

    pub fn fate(&self) -> Option<Fate> {
        self.0.lines().find_map(|line| line.strip_prefix(FATE)).and_then(Fate::parse)
    }

    pub fn in_force(&self) -> Option<InForce> {
        let ready = self.0.lines().any(|line| line == READY);
        ready.then(|| InForce::parse(self.0.lines().take_while(|line| *line != READY)))
    }
}

/// The open file: it can be written when its path cannot be reached any more.
#[derive(Debug)]
pub(super) struct Diary(File);

impl Diary {
    pub fn open(file: &Path) -> io::Result<Diary> {
        File::options().append(true).read(true).open(file).map(Diary)
    }

    fn add(&mut self, text: &str) {
        let mut line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        line.push('\n');
        // A status that cannot be written is one that nobody reads: its folder is gone.
        let _ = self.0.write_all(line.as_bytes());
    }

    pub fn protection(&mut self, protection: Protection, state: &Result<(), String>) {
        self.add(&InForce::line(protection, state));
    }

    pub fn ready(&mut self) {
        self.add(READY);
    }

    pub fn fate(&mut self, fate: &Fate) {
        self.add(&format!("{FATE}{}", fate.line()));
    }

    /// What has been written so far, by whichever keeper.
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
    fn half_a_line_is_not_read_and_the_first_fate_counts() {
        assert_eq!(Status::of(b"fate exited 1").fate(), None);
        assert_eq!(Status::of(b"fate exited 1\nfate exited 2\n").fate(), Some(Fate::Exited(1)));
    }

    #[test]
    fn nothing_is_in_force_before_the_keeper_is_ready() {
        assert_eq!(Status::of(b"+ no network\n").in_force(), None);
        let ready = Status::of(b"+ no network\nready\n+ limits\n").in_force().expect("ready");
        assert!(ready.holds(Protection::Network) && !ready.holds(Protection::Limits));
    }
}
