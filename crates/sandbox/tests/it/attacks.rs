//! A hostile program attacks the sandbox. If the system does not offer a protection, the test prints that and passes;
//! every protection that is reported as in force must hold.

use crate::harness::{
    Running, intrude, intrude_in, intruder, mark, marked, open_to_all, run, run_in, sandbox, settings,
    supervisor,
};
use parlor_sandbox::{ExitReason, Protection, ResourceLimits, Sandbox};
use parlor_testkit::{eventually, temp_folder};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    os::unix::{
        fs::PermissionsExt,
        net::{UnixDatagram, UnixListener},
    },
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

fn limited(limits: ResourceLimits) -> Sandbox {
    Sandbox { limits, ..sandbox() }
}

#[test]
fn an_honest_program_reads_writes_and_exits() {
    let program = intruder();
    let honest = run_in(&sandbox(), Path::new("/"), &[&program, "echo"], "one\ntwo\n", |_| {});
    assert_eq!(honest.out, "ONE\nTWO\ndone\n", "{honest:?}");
    assert_eq!((honest.exit_reason, honest.code), (ExitReason::Exited(7), Some(7)));
    let aborted = intrude(&["abort"]);
    assert_eq!((aborted.exit_reason, aborted.code), (ExitReason::Signal(6), Some(128 + 6)));
}

#[test]
fn the_reason_why_a_program_was_not_started_is_a_sentence() {
    let absent = run(&sandbox(), &["no-such-program-anywhere"]);
    assert_eq!(
        absent.exit_reason,
        ExitReason::NotStarted("program no-such-program-anywhere not found in PATH".to_string())
    );
    assert_eq!(absent.code, Some(127));
    let absent = run(&sandbox(), &["./no-such-file"]);
    assert_eq!(absent.exit_reason, ExitReason::NotStarted("program ./no-such-file not found".to_string()));
    let folder = temp_folder();
    let plain = folder.write("plain", "text");
    let closed = run(&sandbox(), &[plain.to_str().expect("UTF-8")]);
    assert!(
        matches!(&closed.exit_reason, ExitReason::NotStarted(why) if why.contains("is not executable")),
        "{closed:?}"
    );
    let sandbox = Sandbox { read: vec![folder.join("nothing")], ..sandbox() };
    assert!(
        matches!(run(&sandbox, &["true"]).exit_reason, ExitReason::NotStarted(why) if why.contains("nothing"))
    );
}

#[test]
fn no_socket_can_be_opened_or_reached() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its number").to_string();
    let folder = temp_folder();
    let path = folder.join("socket");
    let _local = UnixListener::bind(&path).expect("a local socket");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).expect("permissions");
    for attack in [&["tcp", &address][..], &["udp"], &["unix", path.to_str().expect("UTF-8")]] {
        let tried = intrude(attack);
        assert!(!tried.under(Protection::Network) || tried.refused(), "{attack:?}: {tried:?}");
    }
}

#[test]
fn foreign_files_cannot_be_read() {
    let folder = temp_folder();
    let other = folder.write("other/bot.py", "secret");
    let home = folder.write("home/.ssh/key", "secret");
    let program = intruder();
    for path in [other.as_path(), &home, Path::new("/etc/shadow"), Path::new("/etc/hostname")] {
        let path = path.to_str().expect("UTF-8");
        // A file named in an argument is granted, so a script contains the path.
        let script = format!("'{program}' read '{path}'");
        let sandbox = Sandbox { read: vec![program.clone().into()], ..sandbox() };
        let tried = run_in(&sandbox, &folder, &["sh", "-c", &script], "", |command| {
            command.env("HOME", folder.join("home"));
        });
        assert!(!tried.under(Protection::Files) || tried.refused(), "{path}: {tried:?}");
    }
    for path in [&*folder, &folder.join("home"), Path::new("/home"), Path::new("/root")] {
        let tried = intrude(&["list", path.to_str().expect("UTF-8")]);
        assert!(!tried.under(Protection::Files) || tried.refused(), "{path:?}: {tried:?}");
    }
}

#[test]
fn own_files_can_be_read() {
    let folder = temp_folder();
    let named = folder.write("named.txt", "mine");
    let granted = folder.write("data/granted.txt", "mine");
    assert!(intrude(&["read", named.to_str().expect("UTF-8")]).done());
    let sandbox = Sandbox { read: vec!["data".into()], ..sandbox() };
    let tried =
        run_in(&sandbox, &folder, &[&intruder(), "read", granted.to_str().expect("UTF-8")], "", |_| {});
    assert!(tried.done(), "{tried:?}");
}

#[test]
fn nothing_is_written_outside_the_scratch_folder() {
    let folder = temp_folder();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).expect("permissions");
    let file = folder.write("bot.py", "mine");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).expect("permissions");
    let program = intruder();
    let sandbox = Sandbox { read: vec![folder.to_path_buf(), program.clone().into()], ..sandbox() };
    for (attack, path) in [("write", &file), ("remove", &file), ("write", &folder.join("new"))] {
        let tried = run(&sandbox, &[&program, attack, path.to_str().expect("UTF-8")]);
        assert!(!tried.under(Protection::Files) || tried.refused(), "{attack} {path:?}: {tried:?}");
    }
    let own = run(&sandbox, &["sh", "-c", &format!("cd && pwd && '{program}' write here && cat here")]);
    assert!(own.out.ends_with("I was here") && own.out.contains("scratch"), "{own:?}");
}

#[test]
fn files_and_the_scratch_folder_have_bounded_size() {
    let program = intruder();
    let mut sandbox = limited(ResourceLimits { file_size: 2 << 20, ..ResourceLimits::default() });
    sandbox.read.push(program.clone().into());
    let one = run(&sandbox, &["sh", "-c", &format!("cd && '{program}' fill large 3")]);
    let stopped =
        one.refused() || matches!(one.exit_reason, ExitReason::Exited(153) | ExitReason::Signal(25));
    assert!(!one.under(Protection::Limits) || stopped, "{one:?}");
    let many = run(&sandbox, &["sh", "-c", &format!("cd; for n in 1 2 3; do '{program}' fill $n 2; done")]);
    assert!(!many.under(Protection::Root) || many.out.contains("refused"), "{many:?}");
}

#[test]
fn a_fork_bomb_is_ended_with_all_its_copies() {
    let mark = mark();
    let sandbox = limited(ResourceLimits { processes: 16, ..ResourceLimits::default() });
    let tried = run(&sandbox, &[&intruder(), "fork", &mark]);
    if tried.under(Protection::Watch) {
        assert!(matches!(tried.exit_reason, ExitReason::Processes(17..=2000)), "{tried:?}");
    }
    assert_eq!(marked(&mark).len(), 0, "{tried:?}");
}

#[test]
fn a_program_beyond_its_memory_limit_is_ended() {
    let sandbox = limited(ResourceLimits { memory: 64 << 20, ..ResourceLimits::default() });
    let tried = run(&sandbox, &[&intruder(), "eat", "4000"]);
    if tried.under(Protection::Watch) {
        assert!(matches!(tried.exit_reason, ExitReason::Memory(used) if used >> 20 < 1024), "{tried:?}");
        assert_eq!(tried.out, "");
    }
    let modest = run(&sandbox, &[&intruder(), "eat", "30"]);
    assert!(modest.done(), "{modest:?}");
}

#[test]
fn a_daemon_is_killed_with_the_program() {
    let mark = mark();
    let tried = intrude(&["daemon", &mark]);
    assert!(tried.done() && tried.exit_reason == ExitReason::Exited(0), "{tried:?}");
    assert_eq!(marked(&mark).len(), 0);
}

#[test]
fn a_program_that_ignores_sigterm_is_ended() {
    let (mark, program) = (mark(), intruder());
    let sandbox = Sandbox { read: vec![program.clone().into()], ..sandbox() };
    let script = format!("trap '' TERM HUP INT; '{program}' sleep {mark} & '{program}' daemon {mark}; wait");
    let command = ["sh", "-c", &script].map(String::from);
    let (mut command, sandboxed) = sandbox.command(&command, Path::new("/")).expect("a sandbox");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("a supervisor");
    // The shell, supervisor and init have the command in their arguments; the others are the two sleepers.
    eventually("both sleep", || marked(&mark).len() >= 5);
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::TERM).expect("a supervisor");
    child.wait().expect("its end");
    assert_eq!(marked(&mark).len(), 0);
    assert_eq!(sandboxed.exit_reason(), Some(ExitReason::Stopped));
}

#[test]
fn no_process_outlives_a_killed_supervisor() {
    let (mark, program) = (mark(), intruder());
    let command = [program.as_str(), "sleep", &mark].map(String::from);
    let (mut command, sandboxed) = sandbox().command(&command, Path::new("/")).expect("a sandbox");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("a supervisor");
    eventually("the sandbox is ready", || sandboxed.protections().is_some());
    child.kill().expect("a supervisor");
    child.wait().expect("its end");
    eventually("all are gone", || marked(&mark).is_empty());
}

#[test]
fn no_process_or_folder_outlives_parlor() {
    let mark = mark();
    let folder = temp_folder();
    let mut host = Command::new(intruder())
        .args(["host", supervisor().to_str().expect("UTF-8"), &mark])
        .env("TMPDIR", &folder)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a host");
    let mut line = String::new();
    BufReader::new(host.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
    assert_eq!(line, "running\n");
    host.kill().expect("the host");
    host.wait().expect("its end");
    eventually("all are gone", || marked(&mark).is_empty());
    let traces = || fs::read_dir(&folder).expect("the folder").count();
    eventually("no traces are left", || traces() == 0);
}

#[test]
fn a_closed_standard_output_is_noticed_while_the_program_runs() {
    let sandbox = sandbox();
    let command = ["sh", "-c", "exec >&-; exec 2>&-; sleep 60"].map(String::from);
    let (mut command, _sandboxed) = sandbox.command(&command, Path::new("/")).expect("a sandbox");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("a supervisor");
    let mut line = String::new();
    // This would take a minute if the supervisor kept the pipe open.
    let started = std::time::Instant::now();
    BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("the end");
    assert!(started.elapsed().as_secs() < 30);
    child.kill().expect("a supervisor");
    child.wait().expect("its end");
}

#[test]
fn the_environment_has_no_secrets() {
    let program = intruder();
    let seen = run_in(&sandbox(), Path::new("/"), &[&program, "environment"], "", |command| {
        command.env("DATABASE_PASSWORD", "secret").env("LC_ALL", "C.UTF-8").env("PYTHONHASHSEED", "0");
    });
    assert!(!seen.out.contains("secret"), "{seen:?}");
    for line in ["PYTHONHASHSEED=0\n", "LC_ALL=C.UTF-8\n", "PATH=", "HOME=", "TMPDIR="] {
        assert!(seen.out.contains(line), "{line} is missing: {seen:?}");
    }
    let looked = run_in(&sandbox(), Path::new("/"), &["cat", "/proc/1/environ"], "", |command| {
        command.env("DATABASE_PASSWORD", "secret");
    });
    assert!(!looked.out.contains("secret"), "{looked:?}");
}

#[test]
fn a_program_sees_only_its_own_processes() {
    let seen = intrude(&["processes"]);
    if seen.under(Protection::Processes) && seen.under(Protection::Root) {
        assert!(seen.out.starts_with("2\n"), "init and itself: {seen:?}");
    }
}

#[test]
fn the_probe_reports_what_is_in_force() {
    let probed = sandbox().probe();
    let _ = writeln!(std::io::stderr(), "{probed}");
    assert_eq!(probed, intrude(&["read", "/dev/null"]).protections);
}

#[test]
fn a_datagram_reaches_no_socket_outside() {
    for setting in settings() {
        let folder = temp_folder();
        open_to_all(&folder);
        let path = folder.join("socket");
        let socket = UnixDatagram::bind(&path).expect("a socket");
        open_to_all(&path);
        socket.set_nonblocking(true).expect("a socket");
        for attack in ["datagram", "connected-datagram"] {
            let tried = intrude_in(&sandbox(), setting, &[attack, "-"], path.to_str().expect("UTF-8"));
            if tried.under(Protection::Calls) {
                assert!(tried.refused(), "{setting}: {attack}: {tried:?}");
                assert!(socket.recv(&mut [0; 8]).is_err(), "{setting}: {attack} arrived");
            }
        }
    }
}

#[test]
fn calls_against_other_processes_are_refused() {
    for setting in settings() {
        for attack in ["prlimit", "setpriority", "affinity", "x32", "large-buffer"] {
            let tried = intrude_in(&sandbox(), setting, &[attack], "");
            assert!(!tried.under(Protection::Calls) || tried.refused(), "{setting}: {attack}: {tried:?}");
        }
    }
}

#[test]
fn locks_and_watches_on_shared_files_are_refused() {
    for setting in settings() {
        for attack in ["flock", "read-lock", "watch"] {
            let tried = intrude_in(&sandbox(), setting, &[attack, "-"], "/usr/bin/env");
            assert!(!tried.under(Protection::Calls) || tried.refused(), "{setting}: {attack}: {tried:?}");
        }
    }
}

#[test]
fn processor_time_is_limited_for_all_processes_together() {
    for setting in settings() {
        let mark = mark();
        let limits = ResourceLimits { cpu: Duration::from_millis(400), ..ResourceLimits::default() };
        let command = [&intruder(), "spin", "6", &mark].map(String::from);
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let mut spinning = Running::start(setting, &limited(limits), Path::new("/"), &command, "");
        let code = spinning.child.wait().expect("its end").code();
        let reason = spinning.sandboxed.exit_reason();
        assert!(matches!(reason, Some(ExitReason::Cpu(_))), "{setting}: {reason:?} {code:?}");
        eventually("all are gone", || marked(&mark).is_empty());
    }
}

#[test]
fn a_strict_umask_does_not_close_the_private_root() {
    let mark = mark();
    let script = "umask 077; exec \"$0\" host \"$1\" \"$2\"";
    let mut host = Command::new("sh")
        .args(["-c", script, &intruder(), supervisor().to_str().expect("UTF-8"), &mark])
        .stdout(Stdio::piped())
        .spawn()
        .expect("a host");
    let mut line = String::new();
    BufReader::new(host.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
    assert_eq!(line, "running\n");
    host.kill().expect("the host");
    host.wait().expect("its end");
    eventually("all are gone", || marked(&mark).is_empty());
}

#[test]
fn the_next_run_removes_a_folder_left_after_sigkill() {
    let folder = temp_folder();
    let host = |mark: &str| {
        let mut host = Command::new(intruder())
            .args(["host", supervisor().to_str().expect("UTF-8"), mark])
            .env("TMPDIR", &folder)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a host");
        let mut line = String::new();
        BufReader::new(host.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        assert_eq!(line, "running\n");
        host
    };
    let sandboxes = || fs::read_dir(&folder).expect("the folder").count();
    let (first, second) = (mark(), mark());
    let mut killed = host(&first);
    // All supervisors are stopped before they are killed, so that none of them can clean up.
    for signal in [Signal::STOP, Signal::KILL] {
        for path in marked(&first) {
            let number = path.file_name().and_then(|name| name.to_str()?.parse().ok());
            let _ = kill_process(number.and_then(Pid::from_raw).expect("a process"), signal);
        }
    }
    killed.wait().expect("its end");
    eventually("all are gone", || marked(&first).is_empty());
    assert_eq!(sandboxes(), 1, "nothing was left to clean up");
    let mut next = host(&second);
    assert_eq!(sandboxes(), 1, "only the running one");
    next.kill().expect("the host");
    next.wait().expect("its end");
    eventually("no folder is left", || sandboxes() == 0);
}
