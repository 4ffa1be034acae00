//! Namespaces: the program gets its own processes, network and shared memory. Each namespace is requested
//! separately, so that a system that refuses one still provides the others. The private root uses the mount
//! namespace (see `root`).
//!
//! Root needs no user namespace. For an ordinary user one is created first, in which the account is mapped to itself.

use super::{Why, account::Account, reason};
use crate::kernel;
use rustix::thread::UnshareFlags;
use std::fs;

/// The first kernel version that counts the threads of an account separately for each user namespace.
const SEPARATE_THREAD_LIMITS: (u32, u32) = (5, 14);

/// The state of each namespace: created, or the reason why not.
#[derive(Clone, Debug)]
pub(super) struct Namespaces {
    pub processes: Result<(), Why>,
    pub network: Result<(), Why>,
    pub ipc: Result<(), Why>,
    /// Whether init may create a mount namespace.
    pub mounts: Result<(), Why>,
    /// Whether the limit of threads applies to this namespace only.
    pub counts_apart: bool,
}

impl Namespaces {
    /// Creates the namespaces. This process stays outside the process namespace; its next child is the first
    /// process inside.
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
        // A separate host name is no protection, so a failure is ignored.
        let _ = enter(UnshareFlags::NEWUTS);
        Ok(Namespaces {
            mounts: Ok(()),
            network: enter(UnshareFlags::NEWNET),
            ipc: enter(UnshareFlags::NEWIPC),
            processes: enter(UnshareFlags::NEWPID),
            counts_apart: user && kernel_version() >= SEPARATE_THREAD_LIMITS,
        })
    }
}

/// Maps the account to itself in the new user namespace.
fn map_onto_itself(account: &Account) -> Result<(), Why> {
    let (uid, gid) = (account.uid(), account.gid());
    fs::write("/proc/self/setgroups", "deny")
        .and_then(|()| fs::write("/proc/self/uid_map", format!("{uid} {uid} 1")))
        .and_then(|()| fs::write("/proc/self/gid_map", format!("{gid} {gid} 1")))
        .map_err(|error| format!("cannot set up the user namespace: {}", reason(error)))
}

/// The kernel's version; (0, 0) if it cannot be parsed.
fn kernel_version() -> (u32, u32) {
    let text = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = text.split(['.', '-', '\n']).map_while(|word| word.parse().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}
