//! Wrappers of the system calls that no library offers in a safe form. This is one of the few files with `unsafe` code.
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

/// Installs handlers that record SIGTERM and similar signals instead of letting them end the process.
pub fn note_termination() {
    for signal in [libc::SIGTERM, libc::SIGHUP, libc::SIGINT] {
        // SAFETY: the handler only stores into an atomic, which is async-signal-safe.
        unsafe { libc::signal(signal, note as *const () as libc::sighandler_t) };
    }
}

/// Whether such a signal has arrived since [`note_termination`].
pub fn termination_requested() -> bool {
    TERMINATION_REQUESTED.load(Ordering::Relaxed)
}

/// Restores the default actions of these signals, which end the process.
pub fn reset_termination() {
    for signal in [libc::SIGTERM, libc::SIGHUP, libc::SIGINT] {
        // SAFETY: this only replaces a handler by the default action.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Forks this process. Returns the child's id in the parent and `None` in the child.
pub fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: a supervisor has one thread, so no lock in the child is held by a thread that does not exist there.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        number => Ok(Pid::from_raw(number)),
    }
}

/// Moves this process into new namespaces of the given kinds.
pub fn unshare(namespaces: UnshareFlags) -> rustix::io::Result<()> {
    debug_assert!(!namespaces.contains(UnshareFlags::FILES));
    // SAFETY: unsharing namespaces leaves the table of open files alone, the only unsafe effect of this call.
    unsafe { unshare_unsafe(namespaces) }
}

/// Sets close-on-exec for all open files except the three standard streams.
pub fn close_files_on_exec() {
    // SAFETY: the call sets a flag of descriptors and closes none. On a kernel without it, only files that were opened
    // without the flag are passed on, and we open none.
    unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
}

/// Sends a signal to every other process that this one may signal: all of its process namespace, or all of its account.
pub fn signal_all(signal: libc::c_int) {
    // SAFETY: the call does not access memory of this process.
    unsafe { libc::kill(-1, signal) };
}

/// Sets attributes (`MOUNT_ATTR_…`) of a mount; with `recursive` also of all mounts below it.
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

/// Processor time of a process with all its threads, including ended ones.
pub fn cpu_time(pid: Pid) -> Option<Duration> {
    // The id of a process's CPU clock (CPUCLOCK_SCHED): the inverted process id and the kind of the clock.
    let clock = (!pid.as_raw_nonzero().get() << 3) | 2;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid for the call.
    let result = unsafe { libc::clock_gettime(clock, &raw mut time) };
    (result == 0).then(|| {
        Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
    })
}

/// Processor time of the ended children that this process has waited for, including that of their children.
pub fn cpu_time_of_ended_children() -> Duration {
    // SAFETY: all-zero bytes are a valid value of this structure of integers.
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
