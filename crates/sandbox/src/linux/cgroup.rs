//! Limits by cgroup v2: the kernel limits memory and processes of a sandbox, freezes it and measures its processor
//! time. This needs a cgroup that is delegated to Parlor, as systemd does for a service with `Delegate=memory
//! pids`.
//!
//! ```text
//! delegated cgroup     controllers memory and pids switched on for its children
//! ├── parlor           Parlor itself and its supervisors: a cgroup with such children has no processes of its own
//! └── bot-4711         one sandbox: memory.max, pids.max; its init process
//!     └── program      the program, which is frozen by cgroup.freeze
//! ```

use super::{Why, reason};
use crate::ResourceLimits;
use std::{
    fs::{self, File},
    io::{self, Read, Seek, Write},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

const PARLOR: &str = "parlor";
const SANDBOX: &str = "bot-";
/// Attempts to remove a group: killed processes stay in it for a moment.
const REMOVALS: usize = 200;

/// Prepares a cgroup for sandboxes: the given one, or the one that is delegated to this process.
pub fn delegated_cgroup(given: Option<&Path>) -> Result<PathBuf, String> {
    let group = match given {
        Some(group) => group.to_path_buf(),
        None => own_delegated_group()?,
    };
    if !group.join("cgroup.procs").is_file() {
        return Err(format!("{} is not a cgroup v2", group.display()));
    }
    remove_empty(&group);
    switch_controllers_on(&group);
    Ok(group)
}

/// The cgroup of this process, if systemd marks it as delegated.
fn own_delegated_group() -> Result<PathBuf, Why> {
    let why = || "no delegated cgroup v2 (systemd: Delegate=memory pids)".to_string();
    let groups = fs::read_to_string("/proc/self/cgroup").map_err(reason)?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").map_err(reason)?;
    let group = group_path(&groups, &mounts).ok_or_else(why)?;
    let mut mark = [0; 4];
    match rustix::fs::getxattr(&group, "user.delegate", &mut mark) {
        Ok(1) if mark[0] == b'1' => Ok(group),
        _ => Err(why()),
    }
}

/// The path of a process's cgroup v2, from the contents of its `cgroup` and `mountinfo` files.
fn group_path(groups: &str, mounts: &str) -> Option<PathBuf> {
    let group = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let mount = mounts.lines().find(|line| line.contains(" - cgroup2 "))?.split(' ').nth(4)?;
    Some(Path::new(mount).join(group))
}

/// Enables the controllers for the groups within this one. The kernel refuses that for a cgroup with processes, so its
/// processes are moved into a child group first. Each sandbox reports the controllers that could not be enabled.
fn switch_controllers_on(group: &Path) {
    let switch = || write(&group.join("cgroup.subtree_control"), "+memory +pids");
    if switch().map_err(|error| error.kind()) != Err(io::ErrorKind::ResourceBusy) {
        return;
    }
    let own = group.join(PARLOR);
    let _ = fs::create_dir(&own);
    let members = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
    for member in members.lines() {
        let _ = write(&own.join("cgroup.procs"), member);
    }
    let _ = switch();
}

/// Removes empty groups of earlier runs. The kernel refuses to remove a group with processes.
fn remove_empty(group: &Path) {
    let entries = fs::read_dir(group).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(SANDBOX)) {
        let _ = fs::remove_dir(entry.path().join("program"));
        let _ = fs::remove_dir(entry.path());
    }
}

/// Writes to an existing file of the kernel.
fn write(file: &Path, text: &str) -> io::Result<()> {
    File::options().write(true).open(file)?.write_all(text.as_bytes())
}

/// The cgroup of one sandbox. Dropping it kills all processes in it and removes it.
#[derive(Debug)]
pub(super) struct Group {
    folder: PathBuf,
}

impl Group {
    /// Creates a group and sets its limits. The inner result says whether the kernel accepted the limits.
    pub fn create(delegated: &Path, limits: &ResourceLimits) -> Result<(Group, Result<(), Why>), Why> {
        let folder = delegated.join(format!("{SANDBOX}{}", std::process::id()));
        let group = Group { folder };
        fs::create_dir(&group.folder).map_err(reason)?;
        fs::create_dir(group.folder.join("program")).map_err(reason)?;
        let bounded = group.bound(limits);
        Ok((group, bounded))
    }

    fn bound(&self, limits: &ResourceLimits) -> Result<(), Why> {
        let set = |name: &str, value: String| {
            write(&self.folder.join(name), &value).map_err(|error| format!("{name}: {}", reason(error)))
        };
        set("memory.max", limits.memory.to_string())?;
        set("pids.max", (limits.processes * super::init::THREADS).to_string())?;
        // A kernel without swap does not have this file and needs no limit.
        let _ = set("memory.swap.max", "0".to_string());
        // If memory runs out, the kernel kills all processes of the program, not just one.
        let _ = set("memory.oom.group", "1".to_string());
        Ok(())
    }

    /// Opens the group's files for the init process, which cannot reach them by path later.
    pub fn program(&self) -> Result<ProgramGroup, Why> {
        let program = self.folder.join("program");
        let open = |path: PathBuf| File::options().read(true).write(true).open(path).map_err(reason);
        let read = |path: PathBuf| File::open(path).map_err(reason);
        Ok(ProgramGroup {
            enter: open(program.join("cgroup.procs"))?,
            leave: open(self.folder.join("cgroup.procs"))?,
            freeze: open(program.join("cgroup.freeze"))?,
            events: read(program.join("cgroup.events"))?,
            cpu: read(program.join("cpu.stat"))?,
        })
    }

    /// Whether the kernel killed a process because the group's memory limit was reached.
    pub fn ran_out_of_memory(&self) -> bool {
        let events = fs::read_to_string(self.folder.join("memory.events")).unwrap_or_default();
        value(&events, "oom_kill").is_some_and(|count| count > 0)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = write(&self.folder.join("cgroup.kill"), "1");
        for _ in 0..REMOVALS {
            let _ = fs::remove_dir(self.folder.join("program"));
            match fs::remove_dir(&self.folder) {
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                    thread::sleep(Duration::from_millis(5));
                }
                _ => return,
            }
        }
    }
}

/// The open files of the program's group.
#[derive(Debug)]
pub(super) struct ProgramGroup {
    enter: File,
    leave: File,
    freeze: File,
    events: File,
    cpu: File,
}

impl ProgramGroup {
    /// Moves this process into the group, where its children then start.
    pub fn enter(&self) -> io::Result<()> {
        (&self.enter).write_all(b"0")
    }

    /// Moves this process out of the group, so that it is not frozen with the program.
    pub fn leave(&self) -> io::Result<()> {
        (&self.leave).write_all(b"0")
    }

    /// Freezes the group and waits until the kernel reports it as frozen. Returns whether the kernel accepted the
    /// request.
    pub fn freeze(&self) -> bool {
        self.switch("1", 1)
    }

    /// Thaws the group and waits until the kernel reports it as thawed.
    pub fn thaw(&self) -> bool {
        self.switch("0", 0)
    }

    fn switch(&self, text: &str, wanted: u64) -> bool {
        if (&self.freeze).write_all(text.as_bytes()).is_err() {
            return false;
        }
        for _ in 0..REMOVALS {
            if value(&content(&self.events), "frozen") == Some(wanted) {
                return true;
            }
            thread::sleep(Duration::from_micros(50));
        }
        // Processes that wait in the kernel freeze when they return from it, and compute nothing before.
        true
    }

    /// Processor time of all processes that are or were in the group.
    pub fn cpu_time(&self) -> Option<Duration> {
        value(&content(&self.cpu), "usage_usec").map(Duration::from_micros)
    }
}

/// Reads an open file of the kernel from its start.
fn content(mut file: &File) -> String {
    let mut text = String::new();
    let _ = file.rewind().and_then(|()| file.read_to_string(&mut text));
    text
}

/// The number after a key in a text of lines `key value`.
fn value(text: &str, key: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(name, _)| *name == key)?.1.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_testkit::{Folder, temp_folder};

    /// A folder with ordinary files that replaces a cgroup.
    fn fake() -> Folder {
        let folder = temp_folder();
        for name in ["cgroup.procs", "cgroup.subtree_control", "memory.max", "pids.max", "memory.swap.max"] {
            folder.write(name, "");
        }
        for name in ["cgroup.procs", "cgroup.freeze"] {
            folder.write(&format!("program/{name}"), "");
        }
        folder.write("program/cgroup.events", "populated 1\nfrozen 1\n");
        folder.write("program/cpu.stat", "usage_usec 1500\nuser_usec 1000\n");
        folder
    }

    fn text(folder: &Path, name: &str) -> String {
        fs::read_to_string(folder.join(name)).expect("a file")
    }

    #[test]
    fn the_group_of_a_process_is_found_below_its_mount() {
        let mounts = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
        let groups = "1:name=systemd:/\n0::/system.slice/parlor.service\n";
        let expected = Path::new("/sys/fs/cgroup/system.slice/parlor.service");
        assert_eq!(group_path(groups, mounts).as_deref(), Some(expected));
        assert_eq!(group_path("4:memory:/x\n", mounts), None, "only cgroup v1");
    }

    #[test]
    fn controllers_are_switched_on_for_the_groups_of_sandboxes() {
        let folder = fake();
        assert_eq!(delegated_cgroup(Some(&folder)), Ok(folder.to_path_buf()));
        assert_eq!(text(&folder, "cgroup.subtree_control"), "+memory +pids");
        let none = temp_folder();
        let refused = delegated_cgroup(Some(&none)).expect_err("no cgroup");
        assert!(refused.ends_with("is not a cgroup v2"), "{refused}");
    }

    #[test]
    fn limits_are_written_into_the_files_of_the_group() {
        let folder = fake();
        let group = Group { folder: folder.to_path_buf() };
        let limits = ResourceLimits { memory: 1 << 28, processes: 4, ..ResourceLimits::default() };
        assert_eq!(group.bound(&limits), Ok(()));
        assert_eq!(text(&folder, "memory.max"), "268435456");
        assert_eq!(text(&folder, "pids.max"), "32");
        assert_eq!(text(&folder, "memory.swap.max"), "0");
        fs::remove_file(folder.join("memory.max")).expect("a file");
        assert!(group.bound(&limits).is_err_and(|why| why.starts_with("memory.max: ")));
    }

    #[test]
    fn the_program_is_frozen_and_its_processor_time_read() {
        let folder = fake();
        let group = Group { folder: folder.to_path_buf() };
        let program = group.program().expect("its files");
        assert!(program.freeze());
        assert_eq!(text(&folder, "program/cgroup.freeze"), "1");
        assert_eq!(program.cpu_time(), Some(Duration::from_micros(1500)));
    }
}
