//! Temporary folders.

use std::{
    env,
    ffi::OsStr,
    fs,
    ops::Deref,
    path::{Path, PathBuf},
};
use tempfile::{Builder, TempDir};

/// A temporary folder, deleted when the value is dropped. It dereferences to its [`Path`].
#[derive(Debug)]
pub struct Folder(TempDir);

/// Creates a folder with a canonical path. Every user may read it, because sandboxed programs run as another user.
pub fn temp_folder() -> Folder {
    let mut builder = Builder::new();
    builder.prefix("parlor-test-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o755));
    }
    let parent = env::temp_dir().canonicalize().expect("the system's temporary folder");
    Folder(builder.tempdir_in(parent).expect("create a temporary folder"))
}

impl Folder {
    /// Writes a file, creates its parent folders if necessary, and returns its path.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("create the file's folder");
        fs::write(&path, text).expect("write the file");
        path
    }

    pub fn text(&self) -> &str {
        self.to_str().expect("the path is UTF-8")
    }
}

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        self
    }
}

impl AsRef<OsStr> for Folder {
    fn as_ref(&self) -> &OsStr {
        self.as_os_str()
    }
}
