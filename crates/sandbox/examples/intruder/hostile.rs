//! Attacks by system calls that need `unsafe` code.
#![allow(unsafe_code, reason = "an attacker calls the kernel directly")]

use super::{Attempt, hold, say, start};
use std::{
    ffi::CString,
    fs::File,
    io,
    mem::zeroed,
    os::{fd::AsRawFd, unix::ffi::OsStrExt},
    path::Path,
    ptr,
};

/// The memory in bytes that one page of page tables maps.
const TABLE: usize = 2 << 20;

pub fn attempt(words: &[&str]) -> Attempt {
    match words {
        ["chmod", path] => check(unsafe { libc::chmod(text(path).as_ptr(), 0) }.into()),
        ["fchmod", path] => check(unsafe { libc::fchmod(File::open(path)?.as_raw_fd(), 0) }.into()),
        ["chown", path] => {
            check(unsafe { libc::chown(text(path).as_ptr(), libc::getuid(), libc::getgid()) }.into())
        }
        ["utime", path] => check(unsafe { libc::utimes(text(path).as_ptr(), ptr::null()) }.into()),
        ["setxattr", path] => check(
            unsafe { libc::setxattr(text(path).as_ptr(), c"user.mark".as_ptr(), c"x".as_ptr().cast(), 1, 0) }
                .into(),
        ),
        ["setflags", path] => {
            let flags: libc::c_int = 0x80; // FS_NOATIME_FL
            check(
                unsafe {
                    libc::ioctl(File::open(path)?.as_raw_fd(), libc::FS_IOC_SETFLAGS, &raw const flags)
                }
                .into(),
            )
        }
        ["flock", path] => {
            let file = File::open(path)?;
            check(unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) }.into())
        }
        ["read-lock", path] => read_lock(path),
        ["watch", path] => {
            let watcher = check_number(unsafe { libc::inotify_init1(0) }.into())?;
            let flags = libc::IN_OPEN;
            check(unsafe { libc::inotify_add_watch(watcher.try_into()?, text(path).as_ptr(), flags) }.into())
        }
        ["prlimit"] => prlimit(),
        ["setpriority"] => check(unsafe { libc::setpriority(libc::PRIO_USER, 0, 19) }.into()),
        ["affinity"] => affinity(),
        ["x32"] => check(unsafe { libc::syscall(0x4000_0000 | libc::SYS_getpid) }),
        ["datagram", path] => datagram(path),
        ["connected-datagram", path] => connected_datagram(path),
        ["shared-memory", megabytes] => shared_memory(megabytes.parse()?, -1),
        ["zero-device", megabytes] => {
            let device = File::options().read(true).write(true).open("/dev/zero")?;
            shared_memory(megabytes.parse()?, device.as_raw_fd())
        }
        ["page-tables", megabytes] => page_tables(megabytes.parse()?),
        ["sockets", processes, mark] => sockets(processes.parse()?, mark),
        ["fill-sockets", _] => fill_sockets(),
        ["large-buffer"] => large_buffer(),
        _ => Err("unknown attack".into()),
    }
}

fn text(path: &str) -> CString {
    CString::new(Path::new(path).as_os_str().as_bytes()).unwrap_or_default()
}

fn check_number(result: i64) -> Result<i64, io::Error> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

fn check(result: i64) -> Attempt {
    check_number(result)?;
    Ok(())
}

pub fn leave_session() {
    let _ = unsafe { libc::setsid() };
}

/// Sends SIGCONT to a process in an endless loop, so that it does not stay stopped.
pub fn continue_forever(process: u32) -> ! {
    loop {
        unsafe { libc::kill(process as libc::pid_t, libc::SIGCONT) };
    }
}

/// Takes a shared lock on a file, which other programs that read the file can detect.
fn read_lock(path: &str) -> Attempt {
    let file = File::open(path)?;
    let mut lock: libc::flock = unsafe { zeroed() };
    lock.l_type = libc::F_RDLCK as libc::c_short;
    check(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLK, &raw const lock) }.into())
}

/// Reduces the limit of open files of the parent process.
fn prlimit() -> Attempt {
    let limit = libc::rlimit { rlim_cur: 1, rlim_max: 1 };
    let parent = unsafe { libc::getppid() };
    check(unsafe { libc::prlimit(parent, libc::RLIMIT_NOFILE, &raw const limit, ptr::null_mut()) }.into())
}

fn affinity() -> Attempt {
    let mut cores: libc::cpu_set_t = unsafe { zeroed() };
    (0..64).for_each(|core| unsafe { libc::CPU_SET(core, &mut cores) });
    check(unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const cores) }.into())
}

fn pair(kind: libc::c_int) -> io::Result<[libc::c_int; 2]> {
    let mut ends = [0; 2];
    check_number(unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) }.into())?;
    Ok(ends)
}

fn address(path: &str) -> libc::sockaddr_un {
    let mut address: libc::sockaddr_un = unsafe { zeroed() };
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    for (place, byte) in address.sun_path.iter_mut().zip(path.bytes()) {
        *place = byte as libc::c_char;
    }
    address
}

/// Sends to an address by one end of a pair of datagram sockets.
fn datagram(path: &str) -> Attempt {
    let address = address(path);
    let size = size_of::<libc::sockaddr_un>() as libc::socklen_t;
    let socket = pair(libc::SOCK_DGRAM)?[0];
    let sent =
        unsafe { libc::sendto(socket, c"hi".as_ptr().cast(), 2, 0, (&raw const address).cast(), size) };
    check(sent as i64)
}

fn connected_datagram(path: &str) -> Attempt {
    let address = address(path);
    let size = size_of::<libc::sockaddr_un>() as libc::socklen_t;
    let socket = pair(libc::SOCK_DGRAM)?[0];
    check(unsafe { libc::connect(socket, (&raw const address).cast(), size) }.into())?;
    check(unsafe { libc::send(socket, c"hi".as_ptr().cast(), 2, 0) } as i64)
}

/// Fills shared memory block by block and unmaps each block, while another mapping keeps it alive.
fn shared_memory(megabytes: usize, device: libc::c_int) -> Attempt {
    let anonymous = if device < 0 { libc::MAP_ANONYMOUS } else { 0 };
    for _ in 0..megabytes {
        let size = 1 << 20;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let place =
            unsafe { libc::mmap(ptr::null_mut(), size, protection, libc::MAP_SHARED | anonymous, device, 0) };
        if place == libc::MAP_FAILED {
            return Err(io::Error::last_os_error().into());
        }
        unsafe { ptr::write_bytes(place.cast::<u8>(), 1, size) };
        check(unsafe { libc::madvise(place, size, libc::MADV_DONTNEED) }.into())?;
    }
    say("holding");
    hold();
    Ok(())
}

/// Reads one byte in each 2 MiB, which allocates a page of page tables but no page of memory.
fn page_tables(megabytes: usize) -> Attempt {
    let pages = megabytes * 256;
    let size = pages * TABLE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let place = unsafe { libc::mmap(ptr::null_mut(), size, libc::PROT_READ, flags, -1, 0) };
    if place == libc::MAP_FAILED {
        return Err(io::Error::last_os_error().into());
    }
    unsafe { libc::madvise(place, size, libc::MADV_NOHUGEPAGE) };
    for page in 0..pages {
        unsafe { place.cast::<u8>().add(page * TABLE).read_volatile() };
    }
    say("holding");
    hold();
    Ok(())
}

/// Starts processes that fill as many socket buffers as they may have open files.
fn sockets(processes: usize, mark: &str) -> Attempt {
    for _ in 0..processes {
        start("fill-sockets", mark)?;
    }
    say("holding");
    hold();
    Ok(())
}

fn fill_sockets() -> Attempt {
    let bytes = [1_u8; 4096];
    while let Ok(ends) = pair(libc::SOCK_STREAM) {
        for end in ends {
            while unsafe { libc::send(end, bytes.as_ptr().cast(), bytes.len(), libc::MSG_DONTWAIT) } > 0 {}
        }
    }
    hold();
    Ok(())
}

fn large_buffer() -> Attempt {
    let socket = pair(libc::SOCK_STREAM)?[0];
    let size: libc::c_int = 1 << 26;
    let length = size_of::<libc::c_int>() as libc::socklen_t;
    check(
        unsafe {
            libc::setsockopt(socket, libc::SOL_SOCKET, libc::SO_SNDBUF, (&raw const size).cast(), length)
        }
        .into(),
    )
}
