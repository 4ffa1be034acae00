//! Root's interpreters and root's bots often lie in `/root`, which nobody else may enter; yet a kept program is not root.
//! So each such folder is replaced, in the program's own mounts, by an empty one in which only what it may read stands, at
//! the same path. The files themselves keep their permissions: one that only root may read stays closed.

use super::{super::order::Order, Why, account::Account, grants::Grants, inner::says, spaces::mount_empty};
use rustix::{
    fd::OwnedFd,
    fs::CWD,
    mount::{MoveMountFlags, OpenTreeFlags, move_mount, open_tree},
};
use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// Replaces every folder that the account cannot pass on its way to something it shall reach.
pub(super) fn put_up(account: &Account, grants: &Grants, order: &Order) -> Result<(), Why> {
    let mut blocked: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for path in grants.all().chain([order.scratch.as_path()]) {
        if let Some(folder) = closed_on_the_way(path, account) {
            blocked.entry(folder).or_default().push(path.to_path_buf());
        }
    }
    // The working directory is a place, not something to read: there it is empty but for what is granted.
    let place = closed_on_the_way(&order.dir, account);
    if let Some(folder) = &place {
        blocked.entry(folder.clone()).or_default();
    }
    for (folder, paths) in blocked {
        let here = (place.as_ref() == Some(&folder)).then_some(order.dir.as_path());
        screen(&folder, outermost(paths), here)?;
    }
    Ok(())
}

/// The outermost folder above the path that the account cannot pass.
fn closed_on_the_way(path: &Path, account: &Account) -> Option<PathBuf> {
    let mut above: Vec<&Path> = path.ancestors().skip(1).collect();
    above.reverse();
    let closed = |folder: &&Path| {
        fs::metadata(folder).is_ok_and(|file| file.mode() & 0o001 == 0 && file.uid() != account.uid())
    };
    above.into_iter().find(closed).map(Path::to_path_buf)
}

/// Drops what lies within another one: it comes along.
fn outermost(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.sort();
    paths.dedup();
    let all = paths.clone();
    paths.retain(|path| !all.iter().any(|other| other != path && path.starts_with(other)));
    paths
}

fn screen(folder: &Path, paths: Vec<PathBuf>, place: Option<&Path>) -> Result<(), Why> {
    let held: Result<Vec<(PathBuf, bool, OwnedFd)>, Why> = paths.into_iter().map(hold).collect();
    let held = held?;
    mount_empty(folder)?;
    for (path, is_folder, tree) in held {
        show(&path, is_folder, &tree).map_err(|why| format!("{}: {why}", path.display()))?;
    }
    place.map_or(Ok(()), |place| fs::create_dir_all(place).map_err(|error| error.to_string()))
}

/// Keeps hold of what lies there, whatever is put over it.
fn hold(path: PathBuf) -> Result<(PathBuf, bool, OwnedFd), Why> {
    let flags =
        OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::AT_RECURSIVE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
    let tree = open_tree(CWD, &path, flags).map_err(says)?;
    let is_folder = path.is_dir();
    Ok((path, is_folder, tree))
}

fn show(path: &Path, is_folder: bool, tree: &OwnedFd) -> Result<(), Why> {
    let folder = if is_folder { Some(path) } else { path.parent() };
    folder.map_or(Ok(()), fs::create_dir_all).map_err(|error| error.to_string())?;
    if !is_folder {
        fs::File::create(path).map_err(|error| error.to_string())?;
    }
    move_mount(tree, "", CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH).map_err(says)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_within_another_comes_along() {
        let paths = ["/a/b/c", "/a/b", "/a/bc", "/a/b"].map(PathBuf::from).to_vec();
        assert_eq!(outermost(paths), ["/a/b", "/a/bc"].map(PathBuf::from));
    }
}
