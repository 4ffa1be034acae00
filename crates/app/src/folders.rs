//! The folders of the user that the environment names.

use std::{env, path::PathBuf};

/// The default folder of tables: from the environment, or among the user's data.
pub fn usual_dir() -> Option<PathBuf> {
    named("PARLOR_TABLES").or_else(|| Some(data_dir()?.join("parlor").join("tables")))
}

/// The folder of the user's data.
pub fn data_dir() -> Option<PathBuf> {
    named("XDG_DATA_HOME")
        .or_else(|| named("LOCALAPPDATA"))
        .or_else(|| Some(named("HOME")?.join(".local/share")))
}

fn named(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}
