//! `cargo xtask docs`: builds the documentation site in target/site and checks its links. The code is in the
//! package `site`, because it depends on our crates; this file runs it with a development build of `parlor`.

use crate::{
    command::{cargo, program, run as run_command},
    workspace::target,
};
use anyhow::Result;
use std::env::consts::EXE_SUFFIX;

/// With `--workspace`, packages have the features that other stages have compiled them with.
pub fn run() -> Result<()> {
    let build = ["build", "--quiet", "--workspace", "--bin", "parlor", "--bin", "parlor-site"];
    run_command(cargo().args(build))?;
    run_command(&mut program(target().join("debug").join(format!("parlor-site{EXE_SUFFIX}"))))
}
