//! What a keeper is told, as arguments of a command line. Both ends are ours; the reader is strict all the same, because
//! anybody can type the hidden subcommand.

use super::Allowance;
use std::{
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
    time::Duration,
};

/// Arguments that no cage has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadOrder(String);

impl fmt::Display for BadOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "keeper: {}; it is Parlor's own errand, not a command for people", self.0)
    }
}

impl std::error::Error for BadOrder {}

/// How the names of folders begin in which the traces of a program are.
pub(super) const FOLDER: &str = "parlor-cage-";

/// What keepers write, in such a folder.
pub(super) fn status(folder: &Path) -> PathBuf {
    folder.join("status")
}

/// The program's own folder, in such a folder.
pub(super) fn scratch(folder: &Path) -> PathBuf {
    folder.join("scratch")
}

/// One program to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Order {
    /// Who ordered it: when that process is gone, so is the program.
    pub parent: u32,
    /// Where the traces of the program are; its name begins as [`FOLDER`] does, for a keeper may have to remove it.
    pub folder: PathBuf,
    pub dir: PathBuf,
    pub allowance: Allowance,
    pub read: Vec<PathBuf>,
    /// The program and its arguments; never empty.
    pub command: Vec<OsString>,
}

impl Order {
    pub fn status(&self) -> PathBuf {
        status(&self.folder)
    }

    pub fn scratch(&self) -> PathBuf {
        scratch(&self.folder)
    }

    /// The arguments after `keeper`.
    pub fn arguments(&self) -> Vec<OsString> {
        let mut arguments = Vec::new();
        let mut option = |name: &str, value: OsString| arguments.extend([OsString::from(name), value]);
        option("--parent", self.parent.to_string().into());
        option("--folder", self.folder.clone().into());
        option("--dir", self.dir.clone().into());
        option("--memory", self.allowance.memory.to_string().into());
        option("--processes", self.allowance.processes.to_string().into());
        option("--file-size", self.allowance.file_size.to_string().into());
        option("--cpu", self.allowance.cpu.as_secs().max(1).to_string().into());
        for path in &self.read {
            option("--read", path.clone().into());
        }
        arguments.push("--".into());
        arguments.extend(self.command.iter().cloned());
        arguments
    }

    /// Reads what [`Order::arguments`] wrote.
    pub fn parse(arguments: Vec<OsString>) -> Result<Order, BadOrder> {
        let mut order = Order {
            parent: 0,
            folder: PathBuf::new(),
            dir: PathBuf::new(),
            allowance: Allowance::default(),
            read: Vec::new(),
            command: Vec::new(),
        };
        let mut words = arguments.into_iter();
        while let Some(name) = words.next() {
            if name == "--" {
                order.command = words.by_ref().collect();
                break;
            }
            let name = name.to_string_lossy().into_owned();
            let value = words.next().ok_or_else(|| BadOrder(format!("{name} has no value")))?;
            order.set(&name, value)?;
        }
        order.whole()
    }

    fn set(&mut self, name: &str, value: OsString) -> Result<(), BadOrder> {
        match name {
            "--folder" => self.folder = value.into(),
            "--dir" => self.dir = value.into(),
            "--read" => self.read.push(value.into()),
            "--parent" => self.parent = number(name, &value)?,
            "--memory" => self.allowance.memory = number(name, &value)?,
            "--processes" => self.allowance.processes = number(name, &value)?,
            "--file-size" => self.allowance.file_size = number(name, &value)?,
            "--cpu" => self.allowance.cpu = Duration::from_secs(number(name, &value)?),
            _ => return Err(BadOrder(format!("{name} is no option of it"))),
        }
        Ok(())
    }

    fn whole(self) -> Result<Order, BadOrder> {
        let ours = self.folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with(FOLDER));
        let absolute = self.folder.is_absolute() && self.dir.is_absolute();
        if self.parent == 0 || self.command.is_empty() || !ours || !absolute {
            return Err(BadOrder("the order is incomplete".to_string()));
        }
        Ok(self)
    }
}

fn number<N: std::str::FromStr>(name: &str, value: &OsString) -> Result<N, BadOrder> {
    let number = value.to_str().and_then(|text| text.parse().ok());
    number.ok_or_else(|| BadOrder(format!("{name} needs a number, not {}", value.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn an_order_survives_the_command_line() {
        let root = std::env::temp_dir();
        let order = Order {
            parent: 77,
            folder: root.join("parlor-cage-1"),
            dir: root.clone(),
            allowance: Allowance { processes: 3, ..Allowance::default() },
            read: vec![root.join("a file"), root.join("-b")],
            command: words("bot --read -- x"),
        };
        assert_eq!(Order::parse(order.arguments()), Ok(order));
    }

    #[test]
    fn what_no_cage_wrote_is_refused() {
        let home = "--parent 3 --folder /home --dir / -- x";
        for text in [home, "--memory much", "--parent", "--colour red", "--parent 3 -- x", "x"] {
            let refused = Order::parse(words(text)).expect_err(text);
            assert!(refused.to_string().starts_with("keeper: "), "{refused}");
        }
    }
}
