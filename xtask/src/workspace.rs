//! The folders of this repository, and what cargo knows of its packages.

use crate::command::{cargo, output};
use anyhow::Result;
use std::{
    env,
    path::{Path, PathBuf},
};

pub fn root() -> PathBuf {
    let own =
        env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    own.parent().map_or_else(|| own.clone(), Path::to_path_buf)
}

/// Cargo's target folder. Everything that is built or downloaded goes there.
pub fn target() -> PathBuf {
    root().join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// The output of `cargo metadata` for the workspace and all its dependencies.
pub fn metadata() -> Result<serde_json::Value> {
    Ok(serde_json::from_str(&output(cargo().args(["metadata", "--format-version", "1"]))?)?)
}
