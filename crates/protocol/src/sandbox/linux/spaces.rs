//! Namespaces: the program gets processes, network, shared memory and mounts of its own. Each is asked for by itself, so
//! that a system that refuses one still gives the others.
//!
//! Root needs no user namespace; anybody else must make one first, in which the own account stands for itself.

use super::{super::kernel, Why, account::Account, inner::says};
use rustix::{
    mount::{MountFlags, MountPropagationFlags, mount, mount_change},
    thread::UnshareFlags,
};
use std::{ffi::CString, fs, path::Path};

/// Where programs share memory by name.
pub(super) const SHARED: &str = "/dev/shm";

/// The first kernel that counts the threads of an account apart in each user namespace.
const COUNTS_APART: (u32, u32) = (5, 14);

/// Which namespaces are the program's own, and why others are not.
#[derive(Clone, Debug)]
pub(super) struct Spaces {
    pub processes: Result<(), Why>,
    pub network: Result<(), Why>,
    pub ipc: Result<(), Why>,
    pub mounts: Result<(), Why>,
    /// Whether the limit of threads holds for this namespace alone.
    pub counts_apart: bool,
}

impl Spaces {
    /// Makes them. The process itself stays outside the process namespace; its next child is the first one inside.
    pub fn enter(account: &Account) -> Result<Spaces, Why> {
        let user = !account.is_foreign() && kernel::unshare(UnshareFlags::NEWUSER).is_ok();
        if user {
            map_onto_itself(account)?;
        }
        let enter = |space| kernel::unshare(space).map_err(says);
        // A name of its own for the machine protects from nothing; it is only tidy.
        let _ = enter(UnshareFlags::NEWUTS);
        Ok(Spaces {
            mounts: enter(UnshareFlags::NEWNS).and_then(|()| keep_mounts_private()),
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
        .map_err(|error| format!("its user namespace cannot be set up: {error}"))
}

/// What is mounted here is not seen outside.
fn keep_mounts_private() -> Result<(), Why> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC).map_err(says)
}

/// The kernel's number; nothing known is an old one.
fn kernel_version() -> (u32, u32) {
    let text = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = text.split(['.', '-', '\n']).map_while(|word| word.parse().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// A folder in memory.
fn mount_memory(folder: &Path, options: &str) -> Result<(), Why> {
    let options = CString::new(options).map_err(|error| error.to_string())?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", folder, "tmpfs", flags, options.as_c_str())
        .map_err(|error| format!("{}: {}", folder.display(), says(error)))
}

/// The program's folder: it vanishes with the program and cannot fill a disk.
pub(super) fn mount_scratch(folder: &Path, size: u64, account: &Account) -> Result<(), Why> {
    let (uid, gid) = (account.uid(), account.gid());
    mount_memory(folder, &format!("size={size},nr_inodes=16384,mode=0700,uid={uid},gid={gid}"))
}

/// Memory that the program's processes share by name, as those of Python do.
pub(super) fn mount_shared(size: u64) -> Result<(), Why> {
    if !Path::new(SHARED).is_dir() {
        return Ok(());
    }
    mount_memory(Path::new(SHARED), &format!("size={size},nr_inodes=1024,mode=1777"))
}

/// An empty folder that anybody may enter and only root may change.
pub(super) fn mount_empty(folder: &Path) -> Result<(), Why> {
    mount_memory(folder, "size=4m,mode=0755")
}

/// A `/proc` that knows the program's own processes only.
pub(super) fn mount_proc() -> Result<(), Why> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None).map_err(|error| format!("/proc: {}", says(error)))
}
