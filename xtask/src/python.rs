//! Programs in Python that ours are compared with, each fetched once into a virtual environment of its own under target/. What
//! we ask them is in the small scripts under xtask/python.

use crate::workshop::{self, program, succeeds};
use anyhow::{Result, bail};
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
};

/// A package on PyPI. Another version may answer otherwise; then look at what changed before changing this.
pub struct Package {
    pub name: &'static str,
    pub version: &'static str,
    /// What a script imports.
    pub module: &'static str,
}

/// Independent rules for all four games. Only its compiled part is used, which needs no other package.
pub const OPEN_SPIEL: Package = Package { name: "open_spiel", version: "2.0.2", module: "pyspiel" };
/// A fast solver of four in a row on 7x6.
pub const BITBULLY: Package =
    Package { name: "bitbully", version: "0.0.79", module: "bitbully.bitbully_core" };

impl Package {
    /// Python with this package, ready to run one of our scripts with pipes to talk through.
    pub fn script(&self, name: &str) -> Result<Command> {
        let mut command = program(self.python()?);
        command.arg(workshop::root().join("xtask/python").join(name));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        Ok(command)
    }

    fn python(&self) -> Result<PathBuf> {
        // Several threads may ask on a new machine, and only one may make the folder.
        static FETCHING: Mutex<()> = Mutex::new(());
        let _fetching = FETCHING.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = workshop::target().join(format!("{}-venv", self.name));
        let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
        if self.is_there(&python) {
            return Ok(python);
        }
        let wanted = format!("{}=={}", self.name, self.version);
        eprintln!("fetching {wanted} into {}", folder.display());
        if !succeeds(program("python3").arg("--version")) {
            bail!(
                "the comparison with {} needs python3: please install it (Debian: apt-get install python3 python3-venv)",
                self.name
            );
        }
        if !succeeds(program("python3").args(["-m", "venv", "--clear"]).arg(&folder)) {
            bail!(
                "python3 cannot make a virtual environment: please install its venv module (Debian: apt-get install python3-venv)"
            );
        }
        let mut pip = program(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--only-binary=:all:", &wanted]);
        if self.name == OPEN_SPIEL.name {
            pip.arg("--no-deps");
        }
        let fetched = pip.status().is_ok_and(|status| status.success());
        if !fetched || !self.is_there(&python) {
            bail!(
                "pip could not install {wanted}: see what it says above (it needs the network and a wheel for this Python)"
            );
        }
        Ok(python)
    }

    fn is_there(&self, python: &Path) -> bool {
        let Package { name, version, module } = self;
        let check =
            format!("import {module}, importlib.metadata as m; assert m.version('{name}') == '{version}'");
        python.exists() && succeeds(program(python).args(["-c", &check]))
    }
}
