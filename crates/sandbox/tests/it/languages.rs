//! Honest programs in several languages run in the sandbox, wherever their interpreters are installed and whichever account
//! owns the files.

use crate::harness::{Run, run, run_in, sandbox};
use parlor_sandbox::{ExitReason, Protection, Sandbox};
use parlor_testkit::{Folder, temp_folder};
use std::{
    fs,
    io::{self, Write},
    os::unix::fs::{PermissionsExt, chown, symlink},
    path::Path,
    process::Command,
};

/// Runs a command in a folder in which it can read only the files that it names.
fn hello(program: &str, arguments: &[&str], folder: &Folder, sandbox: &Sandbox) -> Run {
    let command: Vec<&str> = [program].into_iter().chain(arguments.iter().copied()).collect();
    run_in(sandbox, folder, &command, "bean\n", |_| {})
}

fn greets(run: &Run) {
    if matches!(&run.exit_reason, ExitReason::NotStarted(why) if why.contains("only root may read"))
        && !sandbox().probe().holds(Protection::Root)
    {
        let _ = writeln!(io::stderr(), "not tested: it {}", run.exit_reason);
        return;
    }
    assert_eq!((run.out.as_str(), &run.exit_reason), ("hello bean\n", &ExitReason::Exited(0)), "{run:?}");
}

const PYTHON: &str =
    "import random, json, math, tempfile\ntempfile.TemporaryFile().write(b'x')\nprint('hello', input())\n";

#[test]
#[ignore = "needs python3"]
fn needs_python_to_run() {
    let folder = temp_folder();
    folder.write("bot.py", PYTHON);
    for python in ["python3", "/usr/bin/python3"]
        .into_iter()
        .filter(|path| *path == "python3" || Path::new(path).exists())
    {
        greets(&hello(python, &["bot.py"], &folder, &sandbox()));
    }
}

#[test]
#[ignore = "needs python3"]
fn needs_python_with_modules_and_several_processes() {
    let folder = temp_folder();
    folder.write("bot/rules.py", "def greet(name): return 'hello ' + name");
    folder.write(
        "bot/main.py",
        "import multiprocessing, rules\n\
         if __name__ == '__main__':\n    \
             with multiprocessing.Pool(2) as pool: print(*pool.map(rules.greet, [input()]))\n",
    );
    let sandbox = Sandbox { read: vec!["bot".into()], ..sandbox() };
    let tried = hello("python3", &["bot/main.py"], &folder, &sandbox);
    if tried.under(Protection::Root) {
        greets(&tried);
    }
}

#[test]
#[ignore = "needs Node.js"]
fn needs_node_to_run() {
    let folder = temp_folder();
    folder.write(
        "bot.js",
        "const lines = require('readline').createInterface({ input: process.stdin });\n\
         lines.on('line', line => console.log('hello ' + line));\n",
    );
    greets(&hello("node", &["bot.js"], &folder, &sandbox()));
}

#[test]
#[ignore = "needs javac"]
fn needs_javac_to_run() {
    let folder = temp_folder();
    folder.write(
        "Bot.java",
        "class Bot { public static void main(String[] a) throws Exception {\n\
         System.out.println(\"hello \" + new java.io.BufferedReader(new java.io.InputStreamReader(System.in)).readLine()); } }",
    );
    compile(Command::new("javac").arg("Bot.java"), &folder);
    let sandbox = Sandbox { read: vec![folder.to_path_buf()], ..sandbox() };
    greets(&hello("java", &["-cp", ".", "Bot"], &folder, &sandbox));
}

fn compile(compiler: &mut Command, folder: &Folder) {
    let status = compiler.current_dir(folder).status().expect("a compiler");
    assert!(status.success(), "{compiler:?}");
}

#[test]
#[ignore = "needs g++"]
fn needs_gxx_to_compile_and_run() {
    let folder = temp_folder();
    folder.write(
        "bot.cpp",
        "#include <iostream>\n#include <string>\n#include <thread>\n\
         int main() { std::string s; std::thread([&] { std::cin >> s; }).join(); std::cout << \"hello \" << s << std::endl; }",
    );
    compile(Command::new("g++").args(["-pthread", "bot.cpp", "-o", "bot"]), &folder);
    greets(&hello("./bot", &[], &folder, &sandbox()));
}

#[test]
fn a_script_finds_its_interpreter() {
    let folder = temp_folder();
    let script = folder.write("bot", "#!/usr/bin/env sh\nread name\necho hello $name\n");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("a program");
    greets(&hello("./bot", &[], &folder, &sandbox()));
}

/// Whether the tests run as root, which can change the owner of files.
fn as_root(folder: &Folder) -> bool {
    let is_root = chown(folder, Some(0), Some(0)).is_ok();
    if !is_root {
        let _ = writeln!(io::stderr(), "not tested: only root has such files");
    }
    is_root
}

#[test]
fn a_bot_in_a_folder_that_only_root_may_enter_sees_its_own_files() {
    let folder = temp_folder();
    folder.write("closed/bots/bot.sh", "read name; ls . ..; echo hello $name");
    folder.write("closed/bots/other.sh", "secret");
    symlink("bots", folder.join("closed/link")).expect("a link to a folder");
    symlink("../link/bot.sh", folder.join("closed/bots/linked.sh")).expect("a link to a file");
    folder.write("closed/secret", "secret");
    let closed = folder.join("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).expect("closed");
    if !as_root(&folder) {
        return;
    }
    for (dir, bot) in [("bots", "bot.sh"), ("link", "bot.sh"), ("bots", "linked.sh")] {
        let tried = run_in(&sandbox(), &closed.join(dir), &["sh", bot], "bean\n", |_| {});
        if tried.under(Protection::Root) {
            assert!(tried.out.ends_with("hello bean\n") && !tried.out.contains("secret"), "{bot}: {tried:?}");
            assert!(!tried.out.contains("other"), "{tried:?}");
        }
    }
}

#[test]
fn a_file_readable_by_its_owner_only_is_read_as_the_owner_but_never_as_root() {
    let folder = temp_folder();
    let bot = folder.write("bot.sh", "read name; id -u; echo hello $name");
    fs::set_permissions(&bot, fs::Permissions::from_mode(0o600)).expect("closed");
    if !as_root(&folder) {
        return;
    }
    let tried = run_in(&sandbox(), &folder, &["sh", "bot.sh"], "bean\n", |_| {});
    assert!(matches!(&tried.exit_reason, ExitReason::NotStarted(why) if why.contains("chmod")), "{tried:?}");
    chown(&bot, Some(4242), Some(4242)).expect("given away");
    let tried = run_in(&sandbox(), &folder, &["sh", "bot.sh"], "bean\n", |_| {});
    assert!(!tried.under(Protection::Privileges) || tried.out == "4242\nhello bean\n", "{tried:?}");
}

#[test]
fn no_program_runs_as_root() {
    let who = run(&sandbox(), &["id", "-u"]);
    assert!(!who.under(Protection::Privileges) || who.out.trim() != "0", "{who:?}");
}

#[test]
fn of_an_interpreter_in_a_home_folder_only_its_libraries_are_granted() {
    let folder = temp_folder();
    let program = folder.join("home/lang/bin/lang");
    folder.write("home/lang/lib/library.sh", "greet() { echo hello $1; }");
    folder.write(
        "home/lang/bin/lang",
        &format!("#!/bin/sh\n. '{}'/home/lang/lib/library.sh\n. $1\n", folder.display()),
    );
    folder.write("home/letters", "secret");
    folder.write("bot.lang", &format!("read name\ncat '{}'/home/letters\ngreet $name\n", folder.display()));
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
    let path = format!("{}:/usr/bin:/bin", program.parent().expect("bin").display());
    let tried = run_in(&sandbox(), &folder, &["lang", "./bot.lang"], "bean\n", |command| {
        command.env("PATH", path).env("HOME", folder.join("home"));
    });
    if tried.under(Protection::Files) {
        assert_eq!(tried.out, "hello bean\n", "{tried:?}");
    }
}

/// A Python program that makes system calls by number and prints the results.
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
#[ignore = "needs python3"]
fn needs_python_dangerous_system_calls_are_refused() {
    let folder = temp_folder();
    folder.write("calls.py", CALLS);
    let tried = hello("python3", &["calls.py"], &folder, &sandbox());
    if tried.under(Protection::Calls) {
        let forbidden =
            ["socket", "unshare", "ptrace", "mount", "bpf", "keyctl"].map(|call| format!("{call} EPERM\n"));
        let unknown = ["io_uring_setup", "clone3", "memfd_create"].map(|call| format!("{call} ENOSYS\n"));
        for line in forbidden.iter().chain(&unknown) {
            assert!(tried.out.contains(line), "{line} is missing: {tried:?}");
        }
    }
}
