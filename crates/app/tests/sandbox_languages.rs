//! A sandbox in which nothing runs protects nobody: interpreters and compiled programs must start in it, wherever they are
//! installed and whoever owns their files. What is not installed is not tested, and that is said.
#![cfg(target_os = "linux")]

mod cage;

use cage::{Folder, Run, parlor, run, run_in};
use parlor_protocol::sandbox::{Cage, Fate, Protection, offered};
use std::{
    fs,
    io::{self, Write},
    os::unix::fs::{PermissionsExt, chown, symlink},
    process::{Command, Stdio},
};

/// Runs a command in a folder of which only the files that it names can be read.
fn hello(program: &str, arguments: &[&str], folder: &Folder, cage: &Cage) -> Option<Run> {
    let version = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !version.is_ok_and(|status| status.success()) {
        let _ = writeln!(io::stderr(), "not tested, not installed: {program}");
        return None;
    }
    let command: Vec<&str> = [program].into_iter().chain(arguments.iter().copied()).collect();
    Some(run_in(cage, &folder.0, &command, "bean\n", |_| {}))
}

fn greets(run: Option<Run>) {
    if let Some(run) = run {
        if matches!(&run.fate, Fate::NotStarted(why) if why.contains("its owner alone"))
            && !offered(parlor()).holds(Protection::Mounts)
        {
            let _ = writeln!(io::stderr(), "not tested: it {}", run.fate);
            return;
        }
        assert_eq!((run.out.as_str(), &run.fate), ("hello bean\n", &Fate::Exited(0)), "{run:?}");
    }
}

const PYTHON: &str =
    "import random, json, math, tempfile\ntempfile.TemporaryFile().write(b'x')\nprint('hello', input())\n";

#[test]
fn python_runs() {
    let folder = Folder::new();
    folder.file("bot.py", PYTHON);
    for python in ["python3", "/usr/bin/python3"] {
        greets(hello(python, &["bot.py"], &folder, &Cage::new(parlor())));
    }
}

#[test]
fn python_with_modules_and_several_processes_runs() {
    let folder = Folder::new();
    folder.file("bot/rules.py", "def greet(name): return 'hello ' + name");
    folder.file(
        "bot/main.py",
        "import multiprocessing, rules\n\
         if __name__ == '__main__':\n    \
             with multiprocessing.Pool(2) as pool: print(*pool.map(rules.greet, [input()]))\n",
    );
    let cage = Cage { read: vec!["bot".into()], ..Cage::new(parlor()) };
    let tried = hello("python3", &["bot/main.py"], &folder, &cage);
    greets(tried.filter(|run| run.under(Protection::Mounts)));
}

#[test]
fn node_runs() {
    let folder = Folder::new();
    folder.file(
        "bot.js",
        "const lines = require('readline').createInterface({ input: process.stdin });\n\
         lines.on('line', line => console.log('hello ' + line));\n",
    );
    greets(hello("node", &["bot.js"], &folder, &Cage::new(parlor())));
}

#[test]
fn java_runs() {
    let folder = Folder::new();
    folder.file(
        "Bot.java",
        "class Bot { public static void main(String[] a) throws Exception {\n\
         System.out.println(\"hello \" + new java.io.BufferedReader(new java.io.InputStreamReader(System.in)).readLine()); } }",
    );
    let compiled = Command::new("javac").current_dir(&folder.0).arg("Bot.java").status();
    if compiled.is_ok_and(|status| status.success()) {
        let cage = Cage { read: vec![folder.0.clone()], ..Cage::new(parlor()) };
        greets(hello("java", &["-cp", ".", "Bot"], &folder, &cage));
    } else {
        let started = hello("java", &["-version"], &folder, &Cage::new(parlor()));
        assert!(started.is_none_or(|run| run.fate == Fate::Exited(0)));
    }
}

#[test]
fn a_compiled_program_runs() {
    let folder = Folder::new();
    folder.file(
        "bot.cpp",
        "#include <iostream>\n#include <string>\n#include <thread>\n\
         int main() { std::string s; std::thread([&] { std::cin >> s; }).join(); std::cout << \"hello \" << s << std::endl; }",
    );
    let compiled =
        Command::new("g++").current_dir(&folder.0).args(["-pthread", "bot.cpp", "-o", "bot"]).status();
    if !compiled.is_ok_and(|status| status.success()) {
        let _ = writeln!(io::stderr(), "not tested, not installed: g++");
        return;
    }
    greets(Some(run_in(&Cage::new(parlor()), &folder.0, &["./bot"], "bean\n", |_| {})));
}

#[test]
fn a_script_finds_its_interpreter() {
    let folder = Folder::new();
    let script = folder.file("bot", "#!/usr/bin/env sh\nread name\necho hello $name\n");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("a program");
    greets(Some(run_in(&Cage::new(parlor()), &folder.0, &["./bot"], "bean\n", |_| {})));
}

/// Whether these tests can give files away.
fn as_root(folder: &Folder) -> bool {
    let is_root = chown(&folder.0, Some(0), Some(0)).is_ok();
    if !is_root {
        let _ = writeln!(io::stderr(), "not tested: only root has such files");
    }
    is_root
}

#[test]
fn a_bot_in_a_folder_of_root_alone_is_shown_what_is_its_own() {
    let folder = Folder::new();
    folder.file("closed/bots/bot.sh", "read name; ls . ..; echo hello $name");
    folder.file("closed/bots/other.sh", "secret");
    symlink("bots", folder.0.join("closed/link")).expect("a link to a folder");
    symlink("../link/bot.sh", folder.0.join("closed/bots/linked.sh")).expect("a link to a file");
    folder.file("closed/secret", "secret");
    let closed = folder.0.join("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).expect("closed");
    if !as_root(&folder) {
        return;
    }
    for (dir, bot) in [("bots", "bot.sh"), ("link", "bot.sh"), ("bots", "linked.sh")] {
        let tried = run_in(&Cage::new(parlor()), &closed.join(dir), &["sh", bot], "bean\n", |_| {});
        if tried.under(Protection::Mounts) {
            assert!(tried.out.ends_with("hello bean\n") && !tried.out.contains("secret"), "{bot}: {tried:?}");
            assert!(!tried.out.contains("other"), "{tried:?}");
        }
    }
}

#[test]
fn a_file_that_its_owner_alone_may_read_is_read_as_its_owner_unless_that_is_root() {
    let folder = Folder::new();
    let bot = folder.file("bot.sh", "read name; id -u; echo hello $name");
    fs::set_permissions(&bot, fs::Permissions::from_mode(0o600)).expect("closed");
    if !as_root(&folder) {
        return;
    }
    let tried = run_in(&Cage::new(parlor()), &folder.0, &["sh", "bot.sh"], "bean\n", |_| {});
    assert!(matches!(&tried.fate, Fate::NotStarted(why) if why.contains("chmod")), "{tried:?}");
    chown(&bot, Some(4242), Some(4242)).expect("given away");
    let tried = run_in(&Cage::new(parlor()), &folder.0, &["sh", "bot.sh"], "bean\n", |_| {});
    assert!(!tried.under(Protection::Privileges) || tried.out == "4242\nhello bean\n", "{tried:?}");
}

#[test]
fn nobody_is_root_inside() {
    let who = run(&Cage::new(parlor()), &["id", "-u"]);
    assert!(!who.under(Protection::Privileges) || who.out.trim() != "0", "{who:?}");
}

#[test]
fn an_interpreter_in_a_home_folder_brings_its_libraries_and_nothing_else() {
    let folder = Folder::new();
    let program = folder.0.join("home/lang/bin/lang");
    folder.file("home/lang/lib/library.sh", "greet() { echo hello $1; }");
    folder.file(
        "home/lang/bin/lang",
        &format!("#!/bin/sh\n. '{}'/home/lang/lib/library.sh\n. $1\n", folder.0.display()),
    );
    folder.file("home/letters", "secret");
    folder.file("bot.lang", &format!("read name\ncat '{}'/home/letters\ngreet $name\n", folder.0.display()));
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
    let path = format!("{}:/usr/bin:/bin", program.parent().expect("bin").display());
    let tried = run_in(&Cage::new(parlor()), &folder.0, &["lang", "./bot.lang"], "bean\n", |command| {
        command.env("PATH", path).env("HOME", folder.0.join("home"));
    });
    if tried.under(Protection::Files) {
        assert_eq!(tried.out, "hello bean\n", "{tried:?}");
    }
}

/// Calls the kernel directly, as no library would: number by number, with what it answers.
const CALLS: &str = "\
import ctypes, errno, platform
libc = ctypes.CDLL(None, use_errno=True)
numbers = {'socket': (41, 198), 'unshare': (272, 97), 'ptrace': (101, 117), 'mount': (165, 40), 'bpf': (321, 280),
           'io_uring_setup': (425, 425), 'clone3': (435, 435), 'memfd_create': (319, 279), 'keyctl': (250, 219)}
for name, (intel, arm) in numbers.items():
    number = intel if platform.machine() == 'x86_64' else arm
    assert libc.syscall(number, 0, 0, 0, 0, 0) == -1
    print(name, errno.errorcode[ctypes.get_errno()])
";

#[test]
fn dangerous_system_calls_are_refused() {
    let folder = Folder::new();
    folder.file("calls.py", CALLS);
    let Some(tried) = hello("/usr/bin/python3", &["calls.py"], &folder, &Cage::new(parlor())) else { return };
    if tried.under(Protection::Calls) {
        let forbidden =
            ["socket", "unshare", "ptrace", "mount", "bpf", "keyctl"].map(|call| format!("{call} EPERM\n"));
        let unknown = ["io_uring_setup", "clone3", "memfd_create"].map(|call| format!("{call} ENOSYS\n"));
        for line in forbidden.iter().chain(&unknown) {
            assert!(tried.out.contains(line), "{line} is missing: {tried:?}");
        }
    }
}
