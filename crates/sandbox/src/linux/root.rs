//! The private root: a file system that contains the files that the program may read (read-only, at their usual
//! paths), a scratch folder and shared memory of limited size, four devices, and a `/proc` of the program's own
//! processes. It is assembled in a mount namespace and becomes the root by `pivot_root`; the old root is detached,
//! so no path leads out.
//!
//! Because every bind mount is read-only, calls that Landlock does not cover (chmod, chown, utime, setxattr) fail
//! outside the scratch folder too, and `stat` does not find other files.
//!
//! Root's interpreters and bots are often in `/root`, which no other account may enter. Therefore the parent
//! folders of a bind mount are new folders that every account may enter. The files themselves keep their
//! permissions.

use super::{Why, account::Account, grants::Grants, reason};
use crate::{kernel, options::SandboxOptions};
use rustix::{
    fs::CWD,
    mount::{
        MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount, mount_change,
        move_mount, open_tree, unmount,
    },
    process::pivot_root,
    thread::UnshareFlags,
};
use std::{
    env,
    ffi::CString,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

/// The folder of named shared memory (`shm_open`).
pub(super) const SHARED: &str = "/dev/shm";

/// Devices that store nothing. `/dev/zero` is not included: mapped by several processes it is memory that no limit
/// counts.
pub(super) const DEVICES: [&str; 4] = ["/dev/null", "/dev/full", "/dev/random", "/dev/urandom"];

/// Limit of symbolic links to follow in a chain.
const DEPTH: usize = 16;

/// Moves this process into a private root. If that fails, the process still sees the whole file system.
pub(super) fn enter(account: &Account, grants: &Grants, options: &SandboxOptions) -> Result<(), Why> {
    kernel::unshare(UnshareFlags::NEWNS).map_err(reason)?;
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC).map_err(reason)?;
    let root = Root { base: options.folder.join("root") };
    fs::create_dir(&root.base).map_err(reason)?;
    mount_memory(&root.base, "size=4m,mode=0755")?;
    root.populate(account, grants, options)?;
    kernel::set_mount_attributes(&root.base, libc::MOUNT_ATTR_RDONLY, false).map_err(reason)?;
    root.pivot()
}

struct Root {
    base: PathBuf,
}

impl Root {
    fn populate(&self, account: &Account, grants: &Grants, options: &SandboxOptions) -> Result<(), Why> {
        let (scratch, shared) = (options.scratch(), self.at(Path::new(SHARED)));
        let real_scratch = fs::canonicalize(&scratch).map_err(reason)?;
        for folder in [self.at(&real_scratch), shared.clone(), self.at(Path::new("/proc"))] {
            fs::create_dir_all(folder).map_err(reason)?;
        }
        let (uid, gid, size) = (account.uid(), account.gid(), options.limits.file_size);
        let owned = format!("size={},nr_inodes=16384,mode=0700,uid={uid},gid={gid}", size.saturating_mul(2));
        mount_memory(&self.at(&real_scratch), &owned)?;
        mount_memory(&shared, &format!("size={size},nr_inodes=1024,mode=1777"))?;
        self.mount_proc()?;
        for device in DEVICES.iter().filter(|device| Path::new(device).exists()) {
            self.bind(Path::new(device), libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID)?;
        }
        let read_only = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
        for path in outermost(grants.all().filter_map(|path| fs::canonicalize(path).ok())) {
            if !path.starts_with("/proc") {
                self.bind(&path, read_only).map_err(|why| format!("{}: {why}", path.display()))?;
            }
        }
        // The working directory exists, but contains only granted files.
        let dir = fs::canonicalize(&options.dir)
            .map_err(|error| format!("working directory {}: {}", options.dir.display(), reason(error)))?;
        fs::create_dir_all(self.at(&dir)).map_err(reason)?;
        self.add_links(grants, options)
    }

    /// The present path of a path in the new root.
    fn at(&self, path: &Path) -> PathBuf {
        self.base.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// Bind-mounts a file or folder with all mounts below it. Paths that this account cannot reach are skipped; the
    /// check of the program's files reports them.
    fn bind(&self, path: &Path, attributes: u64) -> Result<(), Why> {
        let flags =
            OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::AT_RECURSIVE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
        let Ok(tree) = open_tree(CWD, path, flags) else { return Ok(()) };
        let target = self.at(path);
        let folder = if path.is_dir() { Some(target.as_path()) } else { target.parent() };
        folder.map_or(Ok(()), fs::create_dir_all).map_err(reason)?;
        if !path.is_dir() {
            fs::File::create(&target).map_err(reason)?;
        }
        move_mount(&tree, "", CWD, &target, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH).map_err(reason)?;
        kernel::set_mount_attributes(&target, attributes, true).map_err(reason)
    }

    /// Mounts a `/proc` that lists only the program's own processes.
    fn mount_proc(&self) -> Result<(), Why> {
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        mount("proc", self.at(Path::new("/proc")), "proc", flags, None)
            .map_err(|error| format!("/proc: {}", reason(error)))
    }

    /// Creates the symbolic links that occur in the paths of the program, its files and the system's folders.
    fn add_links(&self, grants: &Grants, options: &SandboxOptions) -> Result<(), Why> {
        let arguments = options.command[1..].iter().map(|argument| options.dir.join(argument));
        let named = [grants.program.clone(), options.dir.clone(), options.scratch()];
        let granted = grants.all().map(Path::to_path_buf);
        let mut links = Vec::new();
        for path in options.read.iter().cloned().chain(arguments).chain(named).chain(granted) {
            links_in_path(&path, 0, &mut links);
        }
        links.extend([("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")].map(
            |(name, target)| (Path::new("/dev").join(name), PathBuf::from(format!("/proc/self/fd{target}"))),
        ));
        for (place, target) in links.iter().filter(|(place, _)| fs::symlink_metadata(self.at(place)).is_err())
        {
            let folder = place.parent().unwrap_or(place);
            fs::create_dir_all(self.at(folder))
                .and_then(|()| symlink(target, self.at(place)))
                .map_err(|error| format!("{}: {}", place.display(), reason(error)))?;
        }
        Ok(())
    }

    /// Makes the new root the root directory. The old one is mounted on top for a moment and then detached.
    fn pivot(&self) -> Result<(), Why> {
        env::set_current_dir(&self.base).map_err(reason)?;
        pivot_root(".", ".").map_err(reason)?;
        unmount(".", UnmountFlags::DETACH).map_err(reason)?;
        env::set_current_dir("/").map_err(reason)
    }
}

/// Mounts a file system in memory.
fn mount_memory(folder: &Path, options: &str) -> Result<(), Why> {
    let options = CString::new(options).map_err(|error| error.to_string())?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", folder, "tmpfs", flags, options.as_c_str())
        .map_err(|error| format!("{}: {}", folder.display(), reason(error)))
}

/// Collects the symbolic links in a path, each with its target.
fn links_in_path(path: &Path, depth: usize, links: &mut Vec<(PathBuf, PathBuf)>) {
    let mut ways: Vec<&Path> = path.ancestors().collect();
    ways.reverse();
    for way in ways {
        let (Ok(target), Some(folder), Some(name)) = (fs::read_link(way), way.parent(), way.file_name())
        else {
            continue;
        };
        links.extend(fs::canonicalize(folder).map(|folder| (folder.join(name), target.clone())));
        if let (true, Ok(rest)) = (depth < DEPTH, path.strip_prefix(way)) {
            links_in_path(&folder.join(target).join(rest), depth + 1, links);
        }
        return;
    }
}

/// Removes paths that are inside another path of the list, whose mount includes them.
fn outermost(paths: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = paths.collect();
    paths.sort();
    paths.dedup();
    let all = paths.clone();
    paths.retain(|path| !all.iter().any(|other| other != path && path.starts_with(other)));
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_inside_another_path_are_removed() {
        let paths = ["/a/b/c", "/a/b", "/a/bc", "/a/b"].map(PathBuf::from);
        assert_eq!(outermost(paths.into_iter()), ["/a/b", "/a/bc"].map(PathBuf::from));
    }
}
