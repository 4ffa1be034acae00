//! What a foreign program can do in its cage, and what it cannot: an intruder tries. Where a system does not offer a
//! protection, the test says so instead of failing; what is said to be in force must hold.
#![cfg(target_os = "linux")]

use crate::cage::{intrude, intruder, mark, marked, parlor, run, run_in};
use parlor_protocol::sandbox::{Allowance, Cage, Fate, Protection, offered};
use parlor_testkit::{eventually, temp_folder};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    os::unix::{fs::PermissionsExt, net::UnixListener},
    path::Path,
    process::{Command, Stdio},
};

fn small(allowance: Allowance) -> Cage {
    Cage { allowance, ..Cage::new(parlor()) }
}

#[test]
fn a_well_behaved_program_reads_writes_and_ends_as_it_likes() {
    let program = intruder();
    let kept = run_in(&Cage::new(parlor()), Path::new("/"), &[&program, "echo"], "one\ntwo\n", |_| {});
    assert_eq!(kept.out, "ONE\nTWO\ndone\n", "{kept:?}");
    assert_eq!((kept.fate, kept.code), (Fate::Exited(7), Some(7)));
    let aborted = intrude(&["abort"]);
    assert_eq!((aborted.fate, aborted.code), (Fate::Signal(6), Some(128 + 6)));
}

#[test]
fn what_cannot_be_started_is_told_in_a_sentence() {
    let absent = run(&Cage::new(parlor()), &["no-such-program-anywhere"]);
    assert_eq!(absent.fate, Fate::NotStarted("no program no-such-program-anywhere is in PATH".to_string()));
    assert_eq!(absent.code, Some(127));
    let absent = run(&Cage::new(parlor()), &["./no-such-file"]);
    assert_eq!(absent.fate, Fate::NotStarted("there is no program ./no-such-file".to_string()));
    let folder = temp_folder();
    let plain = folder.write("plain", "text");
    let closed = run(&Cage::new(parlor()), &[plain.to_str().expect("a text")]);
    assert!(
        matches!(&closed.fate, Fate::NotStarted(why) if why.contains("may not be executed")),
        "{closed:?}"
    );
    let cage = Cage { read: vec![folder.join("nothing")], ..Cage::new(parlor()) };
    assert!(matches!(run(&cage, &["true"]).fate, Fate::NotStarted(why) if why.contains("nothing")));
}

#[test]
fn no_socket_can_be_opened() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its number").to_string();
    let folder = temp_folder();
    let path = folder.join("socket");
    let _local = UnixListener::bind(&path).expect("a local socket");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).expect("open to everybody");
    for deed in [&["tcp", &address][..], &["udp"], &["unix", path.to_str().expect("a text")]] {
        let tried = intrude(deed);
        assert!(!tried.under(Protection::Network) || tried.refused(), "{deed:?}: {tried:?}");
    }
}

#[test]
fn files_of_others_cannot_be_read() {
    let folder = temp_folder();
    let other = folder.write("other/bot.py", "secret");
    let home = folder.write("home/.ssh/key", "secret");
    let program = intruder();
    for path in [other.as_path(), &home, Path::new("/etc/shadow"), Path::new("/etc/hostname")] {
        let path = path.to_str().expect("a text");
        // An argument that names a file grants it: the deed is hidden from the cage in a script.
        let script = format!("'{program}' read '{path}'");
        let cage = Cage { read: vec![program.clone().into()], ..Cage::new(parlor()) };
        let tried = run_in(&cage, &folder, &["sh", "-c", &script], "", |command| {
            command.env("HOME", folder.join("home"));
        });
        assert!(!tried.under(Protection::Files) || tried.refused(), "{path}: {tried:?}");
    }
    for path in [&*folder, &folder.join("home"), Path::new("/home"), Path::new("/root")] {
        let tried = intrude(&["list", path.to_str().expect("a text")]);
        assert!(!tried.under(Protection::Files) || tried.refused(), "{path:?}: {tried:?}");
    }
}

#[test]
fn files_of_its_own_can_be_read() {
    let folder = temp_folder();
    let named = folder.write("named.txt", "mine");
    let granted = folder.write("data/granted.txt", "mine");
    assert!(intrude(&["read", named.to_str().expect("a text")]).done());
    let cage = Cage { read: vec!["data".into()], ..Cage::new(parlor()) };
    let tried = run_in(&cage, &folder, &[&intruder(), "read", granted.to_str().expect("a text")], "", |_| {});
    assert!(tried.done(), "{tried:?}");
}

#[test]
fn nothing_is_written_outside_its_own_folder() {
    let folder = temp_folder();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).expect("open to everybody");
    let file = folder.write("bot.py", "mine");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).expect("open to everybody");
    let program = intruder();
    let cage = Cage { read: vec![folder.to_path_buf(), program.clone().into()], ..Cage::new(parlor()) };
    for (deed, path) in [("write", &file), ("remove", &file), ("write", &folder.join("new"))] {
        let tried = run(&cage, &[&program, deed, path.to_str().expect("a text")]);
        assert!(!tried.under(Protection::Files) || tried.refused(), "{deed} {path:?}: {tried:?}");
    }
    let own = run(&cage, &["sh", "-c", &format!("cd && pwd && '{program}' write here && cat here")]);
    assert!(own.out.ends_with("I was here") && own.out.contains("scratch"), "{own:?}");
}

#[test]
fn a_file_and_its_folder_have_their_size() {
    let program = intruder();
    let mut cage = small(Allowance { file_size: 2 << 20, ..Allowance::default() });
    cage.read.push(program.clone().into());
    let one = run(&cage, &["sh", "-c", &format!("cd && '{program}' fill large 3")]);
    let stopped = one.refused() || matches!(one.fate, Fate::Exited(153) | Fate::Signal(25));
    assert!(!one.under(Protection::Limits) || stopped, "{one:?}");
    let many = run(&cage, &["sh", "-c", &format!("cd; for n in 1 2 3; do '{program}' fill $n 2; done")]);
    assert!(!many.under(Protection::Mounts) || many.out.contains("refused"), "{many:?}");
}

#[test]
fn one_that_forks_without_end_is_ended_with_all_its_copies() {
    let mark = mark();
    let cage = small(Allowance { processes: 16, ..Allowance::default() });
    let tried = run(&cage, &[&intruder(), "fork", &mark]);
    if tried.under(Protection::Watch) {
        assert!(matches!(tried.fate, Fate::Processes(17..=2000)), "{tried:?}");
    }
    assert_eq!(marked(&mark), 0, "{tried:?}");
}

#[test]
fn one_that_eats_memory_is_ended() {
    let cage = small(Allowance { memory: 64 << 20, ..Allowance::default() });
    let tried = run(&cage, &[&intruder(), "eat", "4000"]);
    if tried.under(Protection::Watch) {
        assert!(matches!(tried.fate, Fate::Memory(used) if used >> 20 < 1024), "{tried:?}");
        assert_eq!(tried.out, "");
    }
    let modest = run(&cage, &[&intruder(), "eat", "30"]);
    assert!(modest.done(), "{modest:?}");
}

#[test]
fn a_daemon_is_not_left_behind() {
    let mark = mark();
    let tried = intrude(&["daemon", &mark]);
    assert!(tried.done() && tried.fate == Fate::Exited(0), "{tried:?}");
    assert_eq!(marked(&mark), 0);
}

#[test]
fn one_that_ignores_the_wish_to_end_is_ended_all_the_same() {
    let (mark, program) = (mark(), intruder());
    let cage = Cage { read: vec![program.clone().into()], ..Cage::new(parlor()) };
    let script = format!("trap '' TERM HUP INT; '{program}' sleep {mark} & '{program}' daemon {mark}; wait");
    let command = ["sh", "-c", &script].map(String::from);
    let (mut command, enclosed) = cage.enclose(&command, Path::new("/")).expect("a cage");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("a keeper");
    // The shell, two keepers with the command in their arguments, the sleeper and the daemon's sleeper.
    eventually("both sleep", || marked(&mark) >= 5);
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("a keeper");
    child.wait().expect("an end");
    assert_eq!(marked(&mark), 0);
    assert_eq!(enclosed.fate(), Some(Fate::Stopped));
}

#[test]
fn nothing_outlives_a_keeper_that_is_killed() {
    let (mark, program) = (mark(), intruder());
    let command = [program.as_str(), "sleep", &mark].map(String::from);
    let (mut command, enclosed) = Cage::new(parlor()).enclose(&command, Path::new("/")).expect("a cage");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("a keeper");
    eventually("it is kept", || enclosed.in_force().is_some());
    child.kill().expect("a keeper");
    child.wait().expect("an end");
    eventually("all are gone", || marked(&mark) == 0);
}

#[test]
fn nothing_outlives_parlor() {
    let mark = mark();
    let folder = temp_folder();
    let mut host = Command::new(intruder())
        .args(["host", parlor().to_str().expect("a text"), &mark])
        .env("TMPDIR", &folder)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a host");
    let mut line = String::new();
    BufReader::new(host.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
    assert_eq!(line, "kept\n");
    host.kill().expect("the host");
    host.wait().expect("an end");
    eventually("all are gone", || marked(&mark) == 0);
    let traces = || fs::read_dir(&folder).expect("the folder").count();
    eventually("no traces are left", || traces() == 0);
}

#[test]
fn the_end_of_its_output_is_seen_at_once() {
    let cage = Cage::new(parlor());
    let command = ["sh", "-c", "exec >&-; exec 2>&-; sleep 60"].map(String::from);
    let (mut command, _enclosed) = cage.enclose(&command, Path::new("/")).expect("a cage");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("a keeper");
    let mut line = String::new();
    // Would wait for a minute if a keeper held the pipe.
    let started = std::time::Instant::now();
    BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("the end");
    assert!(started.elapsed().as_secs() < 30);
    child.kill().expect("a keeper");
    child.wait().expect("an end");
}

#[test]
fn its_environment_has_no_secrets() {
    let program = intruder();
    let seen = run_in(&Cage::new(parlor()), Path::new("/"), &[&program, "environment"], "", |command| {
        command.env("DATABASE_PASSWORD", "secret").env("LC_ALL", "C.UTF-8").env("PYTHONHASHSEED", "0");
    });
    assert!(!seen.out.contains("secret"), "{seen:?}");
    for line in ["PYTHONHASHSEED=0\n", "LC_ALL=C.UTF-8\n", "PATH=", "HOME=", "TMPDIR="] {
        assert!(seen.out.contains(line), "{line} is missing: {seen:?}");
    }
    let looked = run_in(&Cage::new(parlor()), Path::new("/"), &["cat", "/proc/1/environ"], "", |command| {
        command.env("DATABASE_PASSWORD", "secret");
    });
    assert!(!looked.out.contains("secret"), "{looked:?}");
}

#[test]
fn it_sees_no_process_but_its_own() {
    let seen = intrude(&["processes"]);
    if seen.under(Protection::Processes) && seen.under(Protection::Mounts) {
        assert!(seen.out.starts_with("2\n"), "the inner keeper and itself: {seen:?}");
    }
}

#[test]
fn what_is_offered_is_what_is_in_force() {
    let offered = offered(parlor());
    let _ = writeln!(std::io::stderr(), "{offered}");
    assert_eq!(offered, intrude(&["read", "/dev/null"]).in_force);
}

#[test]
fn the_errand_is_refused_to_people() {
    let typed = Command::new(parlor()).args(["keeper", "--colour", "red"]).output().expect("parlor");
    assert_eq!(typed.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&typed.stderr).contains("--colour is no option"), "{typed:?}");
    let help = Command::new(parlor()).arg("--help").output().expect("parlor");
    assert!(!String::from_utf8_lossy(&help.stdout).contains("keeper"));
}
