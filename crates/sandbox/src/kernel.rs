//! The few system calls that have no safe form. This is one of the few files that may be `unsafe`.
#![allow(
    unsafe_code,
    reason = "fork, unshare, signal handlers, mount_setattr and clocks of other processes have no safe form"
)]

use rustix::{
    process::Pid,
    thread::{UnshareFlags, unshare_unsafe},
};
use std::{
    ffi::CString,
    io,
    os::unix::ffi::OsStrExt,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

static TERMINATION_REQUESTED: AtomicBool = AtomicBool::new(false);

extern "C" fn note(_: libc::c_int) {
    TERMINATION_REQUESTED.store(true, Ordering::Relaxed);
}

/// From now on a request to terminate is noted instead of ending the process at once.
pub fn note_termination() {
    for signal in [libc::SIGTERM, libc::SIGHUP, libc::SIGINT] {
        // SAFETY: the handler stores into an atomic and does nothing else, which is allowed at any moment.
        unsafe { libc::signal(signal, note as *const () as libc::sighandler_t) };
    }
}

/// Whether the process was asked to terminate.
pub fn termination_requested() -> bool {
    TERMINATION_REQUESTED.load(Ordering::Relaxed)
}

/// Signals end the process again, as they do in a fresh one.
pub fn reset_termination() {
    for signal in [libc::SIGTERM, libc::SIGHUP, libc::SIGINT] {
        // SAFETY: the default action replaces a handler; nothing else is touched.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// A copy of this process: its number here, nothing in the copy itself.
pub fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: supervisors have one thread each, so the copy is whole: no lock is held by a thread that it lacks.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        number => Ok(Pid::from_raw(number)),
    }
}

/// Leaves the given namespaces for new ones.
pub fn unshare(namespaces: UnshareFlags) -> rustix::io::Result<()> {
    debug_assert!(!namespaces.contains(UnshareFlags::FILES));
    // SAFETY: the table of open files stays shared, and that is all the call may endanger.
    unsafe { unshare_unsafe(namespaces) }
}

/// No open file but the three standard ones reaches a program that is started from now on.
pub fn close_files_on_exec() {
    // SAFETY: only a flag is set on descriptors, none is closed. A kernel without the call refuses it; then only files
    // that were opened without the flag, of which we have none, would be passed on.
    unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
}

/// Sends a signal to every other process that this one may signal: all in its process namespace, or all of its account.
pub fn signal_all(signal: libc::c_int) {
    // SAFETY: a signal touches no memory of ours.
    unsafe { libc::kill(-1, signal) };
}

/// Sets attributes (`MOUNT_ATTR_…`) of a mount, and with `recursive` of all mounts below it.
pub fn set_mount_attributes(path: &Path, attributes: u64, recursive: bool) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let attributes = libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: 0, userns_fd: 0 };
    let flags = if recursive { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: both pointers are valid for the call, and the size is that of the structure.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The processor time of a process with all its threads, ended ones included.
pub fn cpu_time(pid: Pid) -> Option<Duration> {
    // The kernel's number of the clock of a process: its inverted id and the kind 'scheduled time'.
    let clock = (!pid.as_raw_nonzero().get() << 3) | 2;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid for the call.
    let result = unsafe { libc::clock_gettime(clock, &raw mut time) };
    (result == 0).then(|| {
        Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
    })
}

/// The processor time of ended children that this process has waited for, with that of their own.
pub fn cpu_time_of_ended_children() -> Duration {
    // SAFETY: all-zero bytes are a valid value of this plain structure.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is valid for the call.
    if unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) } != 0 {
        return Duration::ZERO;
    }
    let time = |value: libc::timeval| {
        Duration::from_secs(u64::try_from(value.tv_sec).unwrap_or(0))
            + Duration::from_micros(u64::try_from(value.tv_usec).unwrap_or(0))
    };
    time(usage.ru_utime) + time(usage.ru_stime)
}
