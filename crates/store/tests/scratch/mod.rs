//! A database of its own for each test.

use std::{fs, path::PathBuf};

/// Where a test's database goes; one of an earlier run is gone.
pub fn scratch(name: &str) -> PathBuf {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.db"));
    for ending in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{ending}", file.display()));
    }
    file
}
