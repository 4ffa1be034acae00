//! The options of a supervisor, written to and parsed from command line arguments. The parser is strict, because
//! users can run the hidden subcommand too.

use crate::{ResourceLimits, SUBCOMMAND};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

/// Invalid arguments of the supervisor's subcommand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{SUBCOMMAND}: {0}; this subcommand is internal to Parlor")]
pub struct BadOptions(String);

/// Prefix of the names of sandbox folders.
pub(crate) const FOLDER_PREFIX: &str = "parlor-sandbox-";

/// The status file of a sandbox folder.
pub(crate) fn status(folder: &Path) -> PathBuf {
    folder.join("status")
}

/// The scratch folder of a sandbox folder, which belongs to the program.
pub(crate) fn scratch(folder: &Path) -> PathBuf {
    folder.join("scratch")
}

/// The program that a supervisor has to run, with its limits and permissions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SandboxOptions {
    /// The id of the process that started the supervisor. When that process ends, the program is killed.
    pub parent: u32,
    /// The sandbox folder; its name begins with [`FOLDER_PREFIX`], because a supervisor may have to remove it.
    pub folder: PathBuf,
    pub dir: PathBuf,
    pub limits: ResourceLimits,
    pub read: Vec<PathBuf>,
    pub hide: Vec<PathBuf>,
    pub cgroup: Option<PathBuf>,
    pub namespaces: bool,
    /// The program and its arguments; never empty.
    pub command: Vec<OsString>,
}

impl SandboxOptions {
    pub fn status(&self) -> PathBuf {
        status(&self.folder)
    }

    pub fn scratch(&self) -> PathBuf {
        scratch(&self.folder)
    }

    /// Writes the options as the arguments after the subcommand.
    pub fn arguments(&self) -> Vec<OsString> {
        let mut arguments = Vec::new();
        let mut option = |name: &str, value: OsString| arguments.extend([OsString::from(name), value]);
        option("--parent", self.parent.to_string().into());
        option("--folder", self.folder.clone().into());
        option("--dir", self.dir.clone().into());
        option("--memory", self.limits.memory.to_string().into());
        option("--processes", self.limits.processes.to_string().into());
        option("--file-size", self.limits.file_size.to_string().into());
        option("--cpu-ms", self.limits.cpu.as_millis().to_string().into());
        option("--namespaces", self.namespaces.to_string().into());
        for path in &self.read {
            option("--read", path.clone().into());
        }
        for path in &self.hide {
            option("--hide", path.clone().into());
        }
        if let Some(group) = &self.cgroup {
            option("--cgroup", group.clone().into());
        }
        arguments.push("--".into());
        arguments.extend(self.command.iter().cloned());
        arguments
    }

    /// Parses the arguments that [`SandboxOptions::arguments`] writes.
    pub fn parse(arguments: Vec<OsString>) -> Result<SandboxOptions, BadOptions> {
        let mut options = SandboxOptions {
            parent: 0,
            folder: PathBuf::new(),
            dir: PathBuf::new(),
            limits: ResourceLimits::default(),
            read: Vec::new(),
            hide: Vec::new(),
            cgroup: None,
            namespaces: true,
            command: Vec::new(),
        };
        let mut words = arguments.into_iter();
        while let Some(name) = words.next() {
            if name == "--" {
                options.command = words.by_ref().collect();
                break;
            }
            let name = name.to_string_lossy().into_owned();
            let value = words.next().ok_or_else(|| BadOptions(format!("{name} has no value")))?;
            options.set(&name, value)?;
        }
        options.checked()
    }

    fn set(&mut self, name: &str, value: OsString) -> Result<(), BadOptions> {
        match name {
            "--folder" => self.folder = value.into(),
            "--dir" => self.dir = value.into(),
            "--read" => self.read.push(value.into()),
            "--hide" => self.hide.push(value.into()),
            "--cgroup" => self.cgroup = Some(value.into()),
            "--parent" => self.parent = parsed(name, &value)?,
            "--memory" => self.limits.memory = parsed(name, &value)?,
            "--processes" => self.limits.processes = parsed(name, &value)?,
            "--file-size" => self.limits.file_size = parsed(name, &value)?,
            "--cpu-ms" => self.limits.cpu = Duration::from_millis(parsed(name, &value)?),
            "--namespaces" => self.namespaces = parsed(name, &value)?,
            _ => return Err(BadOptions(format!("unknown option {name}"))),
        }
        Ok(())
    }

    fn checked(self) -> Result<SandboxOptions, BadOptions> {
        let ours =
            self.folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with(FOLDER_PREFIX));
        let absolute = self.folder.is_absolute() && self.dir.is_absolute();
        if self.parent == 0 || self.command.is_empty() || !ours || !absolute {
            return Err(BadOptions("options are missing".to_string()));
        }
        Ok(self)
    }
}

fn parsed<N: std::str::FromStr>(name: &str, value: &OsString) -> Result<N, BadOptions> {
    let parsed = value.to_str().and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| BadOptions(format!("{name} has the invalid value {}", value.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn options_round_trip_through_the_command_line() {
        let root = std::env::temp_dir();
        let options = SandboxOptions {
            parent: 77,
            folder: root.join("parlor-sandbox-1"),
            dir: root.clone(),
            limits: ResourceLimits { processes: 3, ..ResourceLimits::default() },
            read: vec![root.join("a file"), root.join("-b")],
            hide: vec![root.join("secret")],
            cgroup: Some(root.join("group")),
            namespaces: false,
            command: words("bot --read -- x"),
        };
        assert_eq!(SandboxOptions::parse(options.arguments()), Ok(options));
    }

    #[test]
    fn invalid_arguments_are_refused() {
        let home = "--parent 3 --folder /home --dir / -- x";
        for text in [home, "--memory much", "--parent", "--colour red", "--parent 3 -- x", "x"] {
            let refused = SandboxOptions::parse(words(text)).expect_err(text);
            assert!(refused.to_string().starts_with("sandbox-supervisor: "), "{refused}");
        }
    }
}
