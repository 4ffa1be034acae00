//! OpenSpiel, the independent rules that ours are compared with: fetched once into a virtual environment under target/.
//! What we ask it is in the small scripts under xtask/python.

use crate::workshop::{self, program, succeeds};
use anyhow::{Result, bail};
use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

/// Another version may play otherwise; then look at what changed before changing this.
const VERSION: &str = "2.0.2";

/// Python with OpenSpiel, ready to run one of our scripts with pipes to talk through.
pub fn script(name: &str) -> Result<Command> {
    let mut command = program(python()?);
    command.arg(workshop::root().join("xtask/python").join(name));
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    Ok(command)
}

fn python() -> Result<PathBuf> {
    let folder = workshop::target().join("open_spiel-venv");
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if has_open_spiel(&python) {
        return Ok(python);
    }
    eprintln!("fetching OpenSpiel {VERSION} into {}", folder.display());
    if !succeeds(program("python3").arg("--version")) {
        bail!(
            "the comparison with OpenSpiel needs python3: please install it (Debian: apt-get install python3 python3-venv)"
        );
    }
    if !succeeds(program("python3").args(["-m", "venv", "--clear"]).arg(&folder)) {
        bail!(
            "python3 cannot make a virtual environment: please install its venv module (Debian: apt-get install python3-venv)"
        );
    }
    // Only the compiled rules are used, and they need none of the packages that OpenSpiel's Python parts need.
    let wanted = format!("open_spiel=={VERSION}");
    let pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--only-binary=:all:", &wanted];
    let fetched = program(&python).args(pip).status().is_ok_and(|status| status.success());
    if !fetched || !has_open_spiel(&python) {
        bail!(
            "pip could not install {wanted}: see what it says above (it needs the network and a wheel for this Python)"
        );
    }
    Ok(python)
}

fn has_open_spiel(python: &PathBuf) -> bool {
    let check =
        format!("import pyspiel, importlib.metadata as m; assert m.version('open_spiel') == '{VERSION}'");
    python.exists() && succeeds(program(python).args(["-c", &check]))
}
