//! System call filters in the kernel (seccomp). They refuse calls that no player needs: calls that open sockets,
//! inspect other processes, mount, load modules, trace, reconfigure the machine, lock or watch files that other
//! programs see, and allocate memory that counts for no process. Calls with a known substitute fail as on an old
//! kernel (ENOSYS).
//!
//! The filters list forbidden calls, not allowed ones, so that programs in all languages run and new harmless calls
//! do not break them. A dangerous call that is not listed is still subject to the other protections.

use super::Why;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Compare, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter, sock_filter,
};
use std::collections::BTreeMap;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Calls that fail with EPERM.
const FORBIDDEN: &[i64] = &[
    // Sockets of every kind. Connected pairs within the sandbox are made by `socketpair`, which is allowed.
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    // Access to other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_madvise,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    // A tournament may pin a game to a core.
    libc::SYS_sched_setaffinity,
    // Mounts and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    OPEN_TREE_ATTR,
    // The kernel itself.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_syslog,
    libc::SYS_lookup_dcookie,
    // Locks and watches on shared files would be a channel to other programs.
    libc::SYS_flock,
    libc::SYS_fanotify_init,
    libc::SYS_inotify_init1,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_inotify_init,
    // The machine.
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_vhangup,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    // Owners and extended attributes of files.
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
    FILE_SETATTR,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
];

/// Calls that change modes and times of files, forbidden without a private root. With one they succeed in the
/// scratch folder only, where programs need them (a linker makes its output executable).
const MODES_AND_TIMES: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_utimensat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
];

/// Calls that fail with ENOSYS, as on a kernel without them.
const UNKNOWN: &[i64] = &[
    // io_uring executes calls that this filter does not see.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // A filter cannot read the flags of `clone3`; programs then use `clone`.
    libc::SYS_clone3,
    // This memory belongs to no process, so no limit counts it.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_shmget,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_mq_open,
];

// This call is newer than the bindings; its number is the same on all architectures.
const FCHMODAT2: i64 = 452;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const OPEN_TREE_ATTR: i64 = 467;
const FILE_SETATTR: i64 = 469;

/// Flags of `clone` that create namespaces.
const NEW_NAMESPACES: [libc::c_int; 8] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
    0x80, // CLONE_NEWTIME
];

/// `fcntl` commands: locks, leases and watches of files.
const FILE_LOCKS: [libc::c_int; 8] = [
    libc::F_GETLK,
    libc::F_SETLK,
    libc::F_SETLKW,
    libc::F_OFD_GETLK,
    libc::F_OFD_SETLK,
    libc::F_OFD_SETLKW,
    libc::F_SETLEASE,
    libc::F_NOTIFY,
];

/// `ioctl` commands: attributes of files (FS_IOC_SETFLAGS, its form for 32-bit programs, FS_IOC_FSSETXATTR), and input for
/// the terminal (TIOCSTI).
const DEVICE_COMMANDS: [u64; 4] = [0x4008_6602, 0x4004_6602, 0x401c_5820, 0x5412];

/// Socket options that change the size of buffers. The memory limit counts buffers with their default size.
const BUFFER_SIZES: [libc::c_int; 4] =
    [libc::SO_SNDBUF, libc::SO_RCVBUF, libc::SO_SNDBUFFORCE, libc::SO_RCVBUFFORCE];

/// Restricts the system calls of this process and its future children.
pub(super) fn restrict(private_root: bool) -> Result<(), Why> {
    apply_filter(&refuse_x32()).map_err(|error| error.to_string())?;
    for (rules, errno) in [(unconditional(UNKNOWN), libc::ENOSYS), (forbidden(private_root)?, libc::EPERM)] {
        // Each filter has only one error code; the kernel applies the strictest result of all filters.
        apply_filter(&compile(rules, errno)?).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Forbids `setsid` to this process and its future children. It succeeds if [`restrict`] did, whose result is reported.
pub(super) fn refuse_sessions() {
    if let Ok(filter) = compile(unconditional(&[libc::SYS_setsid]), libc::EPERM) {
        let _ = apply_filter(&filter);
    }
}

fn forbidden(private_root: bool) -> Result<Rules, Why> {
    let mut rules = unconditional(FORBIDDEN);
    if !private_root {
        rules.extend(unconditional(MODES_AND_TIMES));
    }
    rules.extend(conditional().map_err(|error| error.to_string())?);
    Ok(rules)
}

/// Rules that refuse calls regardless of their arguments.
fn unconditional(calls: &[i64]) -> Rules {
    calls.iter().map(|call| (*call, Vec::new())).collect()
}

/// Rules that refuse calls with certain arguments.
fn conditional() -> Result<Rules, seccompiler::BackendError> {
    let rule = |conditions: &[(u8, Compare, u64)]| {
        let conditions = conditions.iter().map(|(argument, compare, value)| {
            SeccompCondition::new(*argument, Length::Dword, compare.clone(), *value)
        });
        SeccompRule::new(conditions.collect::<Result<_, _>>()?)
    };
    let is = |argument: u8, value: u64| (argument, Compare::Eq, value);
    let has = |argument: u8, mask: u64, value: u64| (argument, Compare::MaskedEq(mask), value);
    let number = |value: libc::c_int| u64::from(value.unsigned_abs());
    let new_namespace = |flag: &libc::c_int| rule(&[has(0, number(*flag), number(*flag))]);
    let pair_types = [libc::SOCK_DGRAM, libc::SOCK_RAW];
    // Anonymous shared memory that is partly unmapped still exists, but counts for no process.
    let shared = number(libc::MAP_SHARED | libc::MAP_ANONYMOUS);
    let buffer = |option: &libc::c_int| rule(&[is(1, number(libc::SOL_SOCKET)), is(2, number(*option))]);
    let not_null = [SeccompRule::new(vec![SeccompCondition::new(4, Length::Qword, Compare::Ne, 0)?])?];
    Ok(Rules::from([
        (libc::SYS_clone, NEW_NAMESPACES.iter().map(new_namespace).collect::<Result<_, _>>()?),
        (libc::SYS_mmap, vec![rule(&[has(3, shared, shared)])?]),
        // Changing the limits of another process, such as the supervisor.
        (libc::SYS_prlimit64, vec![rule(&[(0, Compare::Ne, 0)])?]),
        // Changing the priorities of process groups and accounts.
        (libc::SYS_setpriority, vec![rule(&[(0, Compare::Ne, 0)])?]),
        (
            libc::SYS_fcntl,
            FILE_LOCKS.iter().map(|command| rule(&[is(1, number(*command))])).collect::<Result<_, _>>()?,
        ),
        (
            libc::SYS_ioctl,
            DEVICE_COMMANDS.iter().map(|command| rule(&[is(1, *command)])).collect::<Result<_, _>>()?,
        ),
        // A datagram socket of a pair can send to any other socket; a stream socket cannot.
        (
            libc::SYS_socketpair,
            [rule(&[(0, Compare::Ne, number(libc::AF_UNIX))])]
                .into_iter()
                .chain(pair_types.iter().map(|kind| rule(&[has(1, 0xf, number(*kind))])))
                .collect::<Result<_, _>>()?,
        ),
        (libc::SYS_sendto, not_null.into()),
        (libc::SYS_setsockopt, BUFFER_SIZES.iter().map(buffer).collect::<Result<_, _>>()?),
    ]))
}

/// Compiles rules to a filter, which also kills a program that makes a call of a foreign architecture.
fn compile(rules: Rules, errno: libc::c_int) -> Result<BpfProgram, Why> {
    let machine: TargetArch = std::env::consts::ARCH
        .try_into()
        .map_err(|_| format!("no seccomp filter for {}", std::env::consts::ARCH))?;
    let refuse = SeccompAction::Errno(errno.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, machine)
        .and_then(BpfProgram::try_from)
        .map_err(|error| error.to_string())
}

/// A filter that refuses all calls of the x32 ABI (32-bit pointers on a 64-bit kernel). Their numbers have bit 30
/// set, and the other filters do not list them. No current distribution has such programs.
///
/// ```text
/// load the number of the call; if it is 0x4000_0000 or more, answer ENOSYS, otherwise allow
/// ```
fn refuse_x32() -> BpfProgram {
    const LOAD: u16 = 0x20; // BPF_LD | BPF_W | BPF_ABS
    const JUMP_IF_AT_LEAST: u16 = 0x35; // BPF_JMP | BPF_JGE | BPF_K
    const RETURN: u16 = 0x06; // BPF_RET | BPF_K
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    vec![
        step(LOAD, 0, 0, 0),
        step(JUMP_IF_AT_LEAST, 0, 1, 0x4000_0000),
        step(RETURN, 0, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs()),
        step(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_filters_compile() {
        for private_root in [false, true] {
            assert!(compile(forbidden(private_root).expect("rules"), libc::EPERM).is_ok());
        }
        assert!(compile(unconditional(UNKNOWN), libc::ENOSYS).is_ok());
    }
}
