//! The account under which a program runs. If root runs Parlor, the program gets an account that no other process
//! uses, so it owns no files and no other processes. If an ordinary user runs Parlor, the program keeps that
//! account, without capabilities.
//!
//! If only the owner may read a file of the program, the program runs as the owner, but never as root, because root
//! is exempt from the limits.

use super::{Why, reason};
use crate::kernel;
use rustix::{
    fs::{Access, access},
    process::{Gid, Uid, WaitOptions, getegid, geteuid, waitpid},
    thread::{
        CapabilitySet, CapabilitySets, set_capabilities, set_no_new_privs, set_thread_groups,
        set_thread_res_gid, set_thread_res_uid,
    },
};
use std::{
    fs,
    os::unix::fs::{MetadataExt, chown},
    path::{Path, PathBuf},
    process,
};

/// Smallest id of the private accounts, above the ranges that systems customarily use.
const PRIVATE: u32 = 0x7000_0000;
/// The account that is used if the private ones are not mapped, as in some containers.
const NOBODY: u32 = 65534;

/// The account under which a program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Account {
    /// The account that runs Parlor.
    Same { uid: u32, gid: u32 },
    /// Another account, to which only root can change.
    Foreign { uid: u32, gid: u32 },
}

impl Account {
    /// Chooses the account for a program with these files.
    pub fn choose(own: &[PathBuf]) -> Account {
        let (uid, gid) = (geteuid().as_raw(), getegid().as_raw());
        if uid != 0 {
            return Account::Same { uid, gid };
        }
        let owner = own.iter().filter_map(|path| fs::metadata(path).ok()).find(|file| {
            let needed = if file.is_dir() { 0o005 } else { 0o004 };
            file.mode() & needed != needed && file.uid() != 0
        });
        match owner {
            Some(file) => Account::Foreign { uid: file.uid(), gid: file.gid() },
            None => Account::fresh(),
        }
    }

    fn fresh() -> Account {
        let id = PRIVATE + process::id();
        // A user namespace may map only some ids, which rarely include this one.
        let known = fs::read_to_string("/proc/self/uid_map").is_ok_and(|map| holds(&map, id));
        let id = if known { id } else { NOBODY };
        Account::Foreign { uid: id, gid: id }
    }

    pub fn uid(&self) -> u32 {
        match *self {
            Account::Same { uid, .. } | Account::Foreign { uid, .. } => uid,
        }
    }

    pub fn gid(&self) -> u32 {
        match *self {
            Account::Same { gid, .. } | Account::Foreign { gid, .. } => gid,
        }
    }

    /// Whether the account differs from Parlor's.
    pub fn is_foreign(&self) -> bool {
        matches!(self, Account::Foreign { .. })
    }

    /// Whether no other process uses the account.
    pub fn is_private(&self) -> bool {
        self.is_foreign() && self.uid() >= PRIVATE
    }

    /// Makes the account the owner of a folder.
    pub fn give(&self, folder: &Path) {
        if self.is_foreign() {
            // If this fails, the program gets an error when it writes to the folder.
            let _ = chown(folder, Some(self.uid()), Some(self.gid()));
        }
    }

    /// Changes this process to the account and drops all capabilities.
    pub fn assume(&self) -> Result<(), Why> {
        let left = if self.is_foreign() { self.change() } else { Ok(()) };
        let none = CapabilitySet::empty();
        let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
        let given_up = set_capabilities(None, sets).and_then(|()| set_no_new_privs(true)).map_err(reason);
        left.map_err(|why| format!("cannot switch from root to another user: {why}")).and(given_up)
    }

    fn change(&self) -> Result<(), Why> {
        let (uid, gid) = (Uid::from_raw(self.uid()), Gid::from_raw(self.gid()));
        set_thread_groups(&[]).map_err(reason)?;
        set_thread_res_gid(gid, gid, gid).map_err(reason)?;
        set_thread_res_uid(uid, uid, uid).map_err(reason)
    }

    /// Checks that the account can execute the program and read its files. Call it after [`Account::assume`].
    pub fn check(&self, program: &Path, own: &[PathBuf]) -> Result<(), Why> {
        let needs = own.iter().map(|path| (path.as_path(), Access::READ_OK));
        let Some((path, _)) =
            needs.chain([(program, Access::EXISTS)]).find(|(path, way)| access(*path, *way).is_err())
        else {
            return Ok(());
        };
        let mut above: Vec<&Path> = path.ancestors().skip(1).collect();
        above.reverse();
        let closed = above.into_iter().find(|folder| access(*folder, Access::EXEC_OK).is_err());
        let what = match closed {
            Some(folder) => format!("{} (in {})", path.display(), folder.display()),
            None => path.display().to_string(),
        };
        Err(if self.is_foreign() {
            format!(
                "only root can read {what}, but bots do not run as root; make it readable for others (chmod o+rX)"
            )
        } else {
            format!("user {} cannot read {what}", self.uid())
        })
    }

    /// Kills all processes of a private account at once.
    pub fn kill_all(&self) {
        if !self.is_private() {
            return;
        }
        match kernel::fork() {
            Ok(None) => {
                if self.change().is_ok() {
                    kernel::signal_all(libc::SIGKILL);
                }
                process::exit(0)
            }
            Ok(child) => {
                let _ = waitpid(child, WaitOptions::empty());
            }
            Err(_) => {}
        }
    }
}

/// Whether an id map (lines of first id inside, first id outside, count) contains an id.
fn holds(map: &str, id: u32) -> bool {
    map.lines().any(|line| {
        let numbers: Vec<u64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        matches!(numbers[..], [first, _, count] if (first..first + count).contains(&u64::from(id)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_map_is_parsed() {
        assert!(holds("         0          0 4294967295\n", PRIVATE + 1));
        assert!(!holds("0 100000 65536\n", PRIVATE + 1));
        assert!(holds("0 100000 65536\n", NOBODY));
        assert!(!holds("nonsense", 0));
    }
}
