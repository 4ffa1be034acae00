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
    os::unix::fs::{MetadataExt, symlink},
    path::{Path, PathBuf},
};

/// How many links may follow each other.
const DEPTH: usize = 16;

/// Replaces every folder that the account cannot pass on its way to something it shall reach.
pub(super) fn put_up(account: &Account, grants: &Grants, order: &Order) -> Result<(), Why> {
    let mut blocked: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    let scratch = fs::canonicalize(order.scratch()).ok();
    for path in grants.all().chain(scratch.as_deref()) {
        if let Some(folder) = closed_on_the_way(path, account) {
            blocked.entry(folder).or_default().push(path.to_path_buf());
        }
    }
    // The working directory is a place, not something to read: there it is empty but for what is granted.
    let dir = fs::canonicalize(&order.dir).map_err(|error| format!("{}: {error}", order.dir.display()))?;
    let place = closed_on_the_way(&dir, account);
    if let Some(folder) = &place {
        blocked.entry(folder.clone()).or_default();
    }
    if blocked.is_empty() {
        return Ok(());
    }
    let links = links_of(grants, order);
    for (folder, paths) in blocked {
        screen(&folder, outermost(paths))?;
    }
    if place.is_some() {
        fs::create_dir_all(dir).map_err(|error| error.to_string())?;
    }
    relink(&links)
}

/// The links on the ways by which the program, its files and its folder are called.
fn links_of(grants: &Grants, order: &Order) -> Vec<(PathBuf, PathBuf)> {
    let arguments = order.command[1..].iter().map(|argument| order.dir.join(argument));
    let read = order.read.iter().cloned();
    let mut links = Vec::new();
    for path in read.chain(arguments).chain([grants.program.clone(), order.dir.clone(), order.scratch()]) {
        follow(&path, 0, &mut links);
    }
    links
}

/// Notes every link on the way to a path: where it stands, and what it says.
fn follow(path: &Path, depth: usize, links: &mut Vec<(PathBuf, PathBuf)>) {
    let mut ways: Vec<&Path> = path.ancestors().collect();
    ways.reverse();
    for way in ways {
        let (Ok(target), Some(folder), Some(name)) = (fs::read_link(way), way.parent(), way.file_name())
        else {
            continue;
        };
        links.extend(fs::canonicalize(folder).map(|folder| (folder.join(name), target.clone())));
        if let (true, Ok(rest)) = (depth < DEPTH, path.strip_prefix(way)) {
            follow(&folder.join(target).join(rest), depth + 1, links);
        }
        return;
    }
}

/// Puts links back that a screen covers.
fn relink(links: &[(PathBuf, PathBuf)]) -> Result<(), Why> {
    for (place, target) in links.iter().filter(|(place, _)| fs::symlink_metadata(place).is_err()) {
        let folder = place.parent().unwrap_or(place);
        fs::create_dir_all(folder)
            .and_then(|()| symlink(target, place))
            .map_err(|error| error.to_string())?;
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

fn screen(folder: &Path, paths: Vec<PathBuf>) -> Result<(), Why> {
    let held: Result<Vec<(PathBuf, bool, OwnedFd)>, Why> = paths.into_iter().map(hold).collect();
    let held = held?;
    mount_empty(folder)?;
    for (path, is_folder, tree) in held {
        show(&path, is_folder, &tree).map_err(|why| format!("{}: {why}", path.display()))?;
    }
    Ok(())
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
