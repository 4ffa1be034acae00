//! As whom the program runs. Root gives it an account that nobody else has, so that it owns no file and no process of
//! anybody; other people can only run it as themselves, without capabilities.
//!
//! Files that others may not read are a matter of their owner: if that is not root, the program runs as the owner; if it is
//! root, it is said clearly, for a program of root's own would not be kept by any limit.

use super::{super::kernel, Why, inner::says};
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

/// Accounts from here on are used by no system that keeps to the customary ranges.
const PRIVATE: u32 = 0x7000_0000;
/// Where those do not exist, as in some containers.
const NOBODY: u32 = 65534;

/// Whose rights the program has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Account {
    /// Those of whoever runs Parlor.
    Same { uid: u32, gid: u32 },
    /// Somebody else's; root alone can give them.
    Foreign { uid: u32, gid: u32 },
}

impl Account {
    /// The account for a program to which these files belong.
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
        // A user namespace that knows a part of the numbers only, knows these hardly ever.
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

    /// Whether it is another than Parlor's.
    pub fn is_foreign(&self) -> bool {
        matches!(self, Account::Foreign { .. })
    }

    /// Whether nobody else has it.
    pub fn is_private(&self) -> bool {
        self.is_foreign() && self.uid() >= PRIVATE
    }

    /// Makes a folder its own.
    pub fn give(&self, folder: &Path) {
        if self.is_foreign() {
            // If it cannot be given away, the program finds that it cannot write there.
            let _ = chown(folder, Some(self.uid()), Some(self.gid()));
        }
    }

    /// Gives up all rights but its own, as far as it can.
    pub fn become_it(&self) -> Result<(), Why> {
        let left = if self.is_foreign() { self.change() } else { Ok(()) };
        let none = CapabilitySet::empty();
        let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
        let given_up = set_capabilities(None, sets).and_then(|()| set_no_new_privs(true)).map_err(says);
        left.map_err(|why| format!("root's account cannot be left: {why}")).and(given_up)
    }

    fn change(&self) -> Result<(), Why> {
        let (uid, gid) = (Uid::from_raw(self.uid()), Gid::from_raw(self.gid()));
        set_thread_groups(&[]).map_err(says)?;
        set_thread_res_gid(gid, gid, gid).map_err(says)?;
        set_thread_res_uid(uid, uid, uid).map_err(says)
    }

    /// Whether the program can be reached, and what belongs to it be read; called by the keeper that has become it.
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
            Some(folder) => format!("{} lies in {}, which", path.display(), folder.display()),
            None => path.display().to_string(),
        };
        Err(if self.is_foreign() {
            format!(
                "{what} is open to its owner alone, and no foreign program runs as root; let others read it (chmod o+rX)"
            )
        } else {
            format!("{what} is closed to user {}", self.uid())
        })
    }

    /// Ends all processes of an account that nobody else has, in one stroke.
    pub fn end_all(&self) {
        if !self.is_private() {
            return;
        }
        match kernel::fork() {
            Ok(None) => {
                if self.change().is_ok() {
                    kernel::end_all_of_this_account();
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

/// Whether a map of numbers (first inside, first outside, how many) knows this one.
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
    fn a_map_of_numbers_is_understood() {
        assert!(holds("         0          0 4294967295\n", PRIVATE + 1));
        assert!(!holds("0 100000 65536\n", PRIVATE + 1));
        assert!(holds("0 100000 65536\n", NOBODY));
        assert!(!holds("nonsense", 0));
    }
}
