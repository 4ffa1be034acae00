//! Tests that a frozen program does not compute, whatever processes it has started.

use crate::harness::{Running, Setting, intruder, mark, marked, sandbox, settings};
use parlor_sandbox::Sandbox;
use parlor_testkit::eventually;
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    time::Duration,
};

/// The states of the processes with a mark, without supervisor and init, which sleep.
fn states(mark: &str) -> Vec<char> {
    let stats = marked(mark).into_iter().filter_map(|path| {
        let line = fs::read_to_string(path.join("cmdline")).ok()?;
        let stat = fs::read_to_string(path.join("stat")).ok()?;
        (!line.contains("sandbox-supervisor")).then_some(stat)
    });
    stats.filter_map(|stat| stat.rsplit_once(") ")?.1.chars().next()).collect()
}

fn start(setting: Setting, attack: &[&str]) -> Running {
    let program = intruder();
    let command: Vec<&str> = [program.as_str()].into_iter().chain(attack.iter().copied()).collect();
    let mut running = Running::start(setting, &sandbox(), Path::new("/"), &command, "");
    running.wait_for_line("spinning");
    running
}

fn is_stopped(state: &char) -> bool {
    *state == 'T'
}

#[test]
fn freezing_stops_and_thawing_continues_all_processes() {
    for setting in settings() {
        let mark = mark();
        let running = start(setting, &["spin", "12", &mark]);
        for _ in 0..3 {
            running.sandboxed.freeze().expect("frozen");
            let frozen = states(&mark);
            assert!(frozen.len() >= 13 && frozen.iter().all(is_stopped), "{setting}: {frozen:?}");
            running.sandboxed.thaw().expect("thawed");
            eventually("they run", || !states(&mark).iter().any(is_stopped));
        }
        // A frozen program can be killed too.
        running.sandboxed.freeze().expect("frozen");
        let mut child = running.child;
        child.kill().expect("a supervisor");
        child.wait().expect("its end");
        eventually("all are gone", || marked(&mark).is_empty());
    }
}

#[test]
fn processes_that_continue_each_other_are_stopped() {
    for setting in settings() {
        let mark = mark();
        let running = start(setting, &["resist", &mark]);
        eventually("both run", || states(&mark).len() == 2);
        for _ in 0..20 {
            running.sandboxed.freeze().expect("frozen");
            let frozen = states(&mark);
            assert!(frozen.iter().all(is_stopped), "{setting}: {frozen:?}");
            running.sandboxed.thaw().expect("thawed");
        }
        let mut child = running.child;
        child.kill().expect("a supervisor");
        child.wait().expect("its end");
    }
}

#[test]
fn processor_time_grows_only_while_the_program_is_not_frozen() {
    for setting in settings() {
        let mark = mark();
        let running = start(setting, &["spin", "2", &mark]);
        let time = || running.sandboxed.cpu_time().expect("a time");
        eventually("it computes", || time() > Duration::from_millis(50));
        running.sandboxed.freeze().expect("frozen");
        let frozen = time();
        assert_eq!(time(), frozen, "{setting}");
        running.sandboxed.thaw().expect("thawed");
        eventually("it computes again", || time() > frozen);
        let mut child = running.child;
        child.kill().expect("a supervisor");
        child.wait().expect("its end");
        let ended = running.sandboxed.freeze().expect_err("nothing to freeze");
        assert_ne!(ended.to_string(), "", "{setting}");
    }
}

/// A cgroup v2 for this test, if root may create one; dropping it removes it.
struct TestGroup(PathBuf);

impl TestGroup {
    fn create() -> Option<TestGroup> {
        let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
        let mount = mounts.lines().find(|line| line.contains(" - cgroup2 "))?.split(' ').nth(4)?;
        let folder = Path::new(mount).join(format!("parlor-test-{}", std::process::id()));
        fs::create_dir(&folder).ok()?;
        Some(TestGroup(folder))
    }
}

impl Drop for TestGroup {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn the_freezer_of_a_cgroup_stops_all_processes() {
    let Some(group) = TestGroup::create() else {
        let _ = writeln!(io::stderr(), "not tested: no cgroup v2 can be made here");
        return;
    };
    for setting in settings().into_iter().filter(|setting| !setting.as_user) {
        let mark = mark();
        let cgroup = parlor_sandbox::delegated_cgroup(Some(&group.0)).expect("a cgroup");
        let sandbox = Sandbox { cgroup: Some(cgroup), ..sandbox() };
        let command = [&intruder(), "spin", "6", &mark].map(String::from);
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let mut running = Running::start(setting, &sandbox, Path::new("/"), &command, "");
        running.wait_for_line("spinning");
        running.sandboxed.freeze().expect("frozen");
        let frozen = running.sandboxed.cpu_time().expect("a time");
        assert!(frozen > Duration::ZERO, "{setting}");
        assert_eq!(running.sandboxed.cpu_time(), Some(frozen), "{setting}");
        assert!(!states(&mark).iter().any(is_stopped), "{setting}: stopped by signals, not by the freezer");
        running.sandboxed.thaw().expect("thawed");
        eventually("it computes again", || running.sandboxed.cpu_time() > Some(frozen));
        let mut child = running.child;
        rustix::process::kill_process(
            rustix::process::Pid::from_child(&child),
            rustix::process::Signal::TERM,
        )
        .expect("a supervisor");
        child.wait().expect("its end");
        eventually("all are gone", || marked(&mark).is_empty());
        let left = fs::read_dir(&group.0).expect("the group").flatten().filter(|entry| entry.path().is_dir());
        assert_eq!(left.count(), 0, "{setting}: its group is left");
    }
}
