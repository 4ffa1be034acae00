//! System calls that no player needs are refused by a filter in the kernel (seccomp): those that open sockets, look into
//! other processes, mount, load, trace or change the machine. Calls with a substitute that programs know are answered as
//! an old kernel would, so they take the substitute.
//!
//! It lists what is forbidden, not what is allowed: programs of all languages shall run, and new calls that are harmless
//! must not break them. What is dangerous and unlisted is still met by the other walls.

use super::Why;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};
use std::collections::BTreeMap;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Answered with 'not permitted'.
const FORBIDDEN: &[i64] = &[
    // Sockets of every kind; a pair of them within the cage is made by another call.
    libc::SYS_socket,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_madvise,
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
    libc::SYS_fanotify_init,
    libc::SYS_syslog,
    libc::SYS_lookup_dcookie,
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
];

/// Answered as if the kernel did not know them.
const UNKNOWN: &[i64] = &[
    // It hides the calls it makes from this filter.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Its flags cannot be seen by a filter; `clone` has the same ones in sight.
    libc::SYS_clone3,
    // Memory that belongs to no process would not be counted.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_shmget,
    libc::SYS_semget,
    libc::SYS_msgget,
];

/// New namespaces by `clone`, each flag for itself.
const NEW_SPACES: [libc::c_int; 8] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
    0x80, // CLONE_NEWTIME
];

/// The same calls have other numbers for programs with 32-bit pointers on a 64-bit kernel: this bit is set, and
/// some (`ptrace` and the like) have numbers of their own.
#[cfg(target_arch = "x86_64")]
const SHORT_POINTERS: (i64, &[i64]) = (0x4000_0000, &[521, 528, 539, 540]);

/// Restricts this process and all that it starts.
pub(super) fn restrict() -> Result<(), Why> {
    let mut forbidden = whole(FORBIDDEN);
    let clone =
        NEW_SPACES.into_iter().map(with_flag).collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    forbidden.insert(libc::SYS_clone, clone);
    // Of two filters the stricter answer counts; each has one answer only.
    for (rules, answer) in [(whole(UNKNOWN), libc::ENOSYS), (forbidden, libc::EPERM)] {
        let program = compile(rules, answer)?;
        apply_filter(&program).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Calls that are refused whatever their arguments.
fn whole(calls: &[i64]) -> Rules {
    let mut rules: Rules = calls.iter().map(|call| (*call, Vec::new())).collect();
    #[cfg(target_arch = "x86_64")]
    {
        let (bit, others) = SHORT_POINTERS;
        rules.extend(calls.iter().chain(others).map(|call| (call | bit, Vec::new())));
    }
    rules
}

fn with_flag(flag: libc::c_int) -> Result<SeccompRule, seccompiler::BackendError> {
    let flag = u64::from(flag.unsigned_abs());
    let set = SeccompCmpOp::MaskedEq(flag);
    SeccompRule::new(vec![SeccompCondition::new(0, SeccompCmpArgLen::Qword, set, flag)?])
}

/// A call of a foreign architecture ends the program.
fn compile(rules: Rules, answer: libc::c_int) -> Result<BpfProgram, Why> {
    let machine: TargetArch = std::env::consts::ARCH
        .try_into()
        .map_err(|_| format!("no filter is known for {}", std::env::consts::ARCH))?;
    let refuse = SeccompAction::Errno(answer.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, machine)
        .and_then(BpfProgram::try_from)
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_filters_can_be_compiled() {
        for calls in [FORBIDDEN, UNKNOWN] {
            assert!(compile(whole(calls), libc::EPERM).is_ok());
        }
    }
}
