//! Namespaces: the program gets processes, network and shared memory of its own. Each is requested by itself, so that a
//! system that refuses one still gives the others. The mount namespace belongs to the private root (see `root`).
//!
//! Root needs no user namespace; an ordinary user must make one first, in which the account is mapped to itself.

use super::{Why, account::Account, reason};
use crate::kernel;
use rustix::thread::UnshareFlags;
use std::fs;

/// The first kernel that counts the threads of an account apart in each user namespace.
const COUNTS_APART: (u32, u32) = (5, 14);

/// Which namespaces the program has for itself, and why others are missing.
#[derive(Clone, Debug)]
pub(super) struct Namespaces {
    pub processes: Result<(), Why>,
    pub network: Result<(), Why>,
    pub ipc: Result<(), Why>,
    /// Whether init may make a mount namespace.
    pub mounts: Result<(), Why>,
    /// Whether the limit of threads holds for this namespace alone.
    pub counts_apart: bool,
}

impl Namespaces {
    /// Makes them. The process itself stays outside the process namespace; its next child is the first one inside.
    pub fn enter(account: &Account, wanted: bool) -> Result<Namespaces, Why> {
        if !wanted {
            let off = || Err("namespaces are disabled".to_string());
            let (processes, network, ipc, mounts) = (off(), off(), off(), off());
            return Ok(Namespaces { processes, network, ipc, mounts, counts_apart: false });
        }
        let user = !account.is_foreign() && kernel::unshare(UnshareFlags::NEWUSER).is_ok();
        if user {
            map_onto_itself(account)?;
        }
        let enter = |namespace| kernel::unshare(namespace).map_err(reason);
        // A host name of its own protects nothing; it is only tidy.
        let _ = enter(UnshareFlags::NEWUTS);
        Ok(Namespaces {
            mounts: Ok(()),
            network: enter(UnshareFlags::NEWNET),
            ipc: enter(UnshareFlags::NEWIPC),
            processes: enter(UnshareFlags::NEWPID),
            counts_apart: user && kernel_version() >= COUNTS_APART,
        })
    }
}

/// In the new user namespace the account has the number that it has outside.
fn map_onto_itself(account: &Account) -> Result<(), Why> {
    let (uid, gid) = (account.uid(), account.gid());
    fs::write("/proc/self/setgroups", "deny")
        .and_then(|()| fs::write("/proc/self/uid_map", format!("{uid} {uid} 1")))
        .and_then(|()| fs::write("/proc/self/gid_map", format!("{gid} {gid} 1")))
        .map_err(|error| format!("cannot set up the user namespace: {}", reason(error)))
}

/// The kernel's version; an unknown one counts as old.
fn kernel_version() -> (u32, u32) {
    let text = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = text.split(['.', '-', '\n']).map_while(|word| word.parse().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}
