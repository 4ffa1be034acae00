//! Attacks on the contents, modes, owners, times and existence of files, as root and as an ordinary user, with and
//! without namespaces.

use crate::harness::{
    Running, Setting, USER, give_away, intrude_in, intruder, is_root, open_to_all, sandbox, settings,
};
use parlor_sandbox::{Protection, Sandbox};
use parlor_testkit::{Folder, temp_folder};
use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// Creates a file owned by the account that runs the sandbox.
fn victim(setting: Setting) -> (Folder, PathBuf) {
    let folder = temp_folder();
    open_to_all(&folder);
    let file = folder.write("victim", "secret");
    if setting.as_user && is_root() {
        give_away(&file);
    }
    (folder, file)
}

fn attributes(file: &Path) -> (u32, u32, i64, i64) {
    let file = fs::metadata(file).expect("the file");
    (file.mode(), file.uid(), file.mtime(), file.mtime_nsec())
}

#[test]
fn modes_owners_times_and_attributes_of_foreign_files_cannot_be_changed() {
    for setting in settings() {
        let (folder, file) = victim(setting);
        let before = attributes(&file);
        // This holds also for a file that the program may read.
        let granted = Sandbox { read: vec![folder.to_path_buf()], ..sandbox() };
        for sandbox in [sandbox(), granted] {
            for attack in ["chmod", "fchmod", "chown", "utime", "setxattr", "setflags"] {
                let tried = intrude_in(&sandbox, setting, &[attack, "-"], file.to_str().expect("UTF-8"));
                assert!(tried.refused(), "{setting}: {attack}: {tried:?}");
                assert_eq!(attributes(&file), before, "{setting}: {attack}");
            }
        }
    }
}

#[test]
fn modes_can_be_changed_in_the_scratch_folder_of_a_private_root() {
    for setting in settings() {
        let program = intruder();
        let script = format!("cd && echo x >file && '{program}' chmod file");
        let own = Sandbox { read: vec![program.into()], ..sandbox() };
        let tried = Running::start(setting, &own, Path::new("/"), &["sh", "-c", &script], "").finish();
        if tried.under(Protection::Root) {
            assert!(tried.done(), "{setting}: {tried:?}");
        }
    }
}

#[test]
fn a_private_root_contains_no_foreign_files() {
    for setting in settings() {
        let (_folder, file) = victim(setting);
        for path in
            [file.to_str().expect("UTF-8"), "/etc/shadow", "/root", "/home", "/var", "/run", "/sys/module"]
        {
            let tried = intrude_in(&sandbox(), setting, &["stat", "-"], path);
            assert!(!tried.under(Protection::Root) || tried.refused(), "{setting}: {path}: {tried:?}");
        }
    }
}

#[test]
fn programs_next_to_a_bot_in_a_folder_called_bin_cannot_be_read() {
    for setting in settings() {
        let folder = temp_folder();
        open_to_all(&folder);
        let sibling = folder.write("bin/sibling", "secret");
        fs::copy(intruder(), folder.join("bin/bot")).expect("a copy");
        open_to_all(&folder.join("bin/bot"));
        let path = format!("{}\n", sibling.display());
        let run = |command: &[&str], change: &dyn Fn(&mut std::process::Command)| {
            Running::start_with(setting, &sandbox(), &folder, command, &path, change).finish()
        };
        let by_path = run(&["bin/bot", "read", "-"], &|_| {});
        assert!(!by_path.under(Protection::Files) || by_path.refused(), "{setting}: {by_path:?}");
        let path = format!("{}:/usr/bin", folder.join("bin").display());
        let by_name = run(&["bot", "read", "-"], &|command| {
            command.env("PATH", &path);
        });
        assert!(!by_name.under(Protection::Files) || by_name.refused(), "{setting}: {by_name:?}");
    }
}

#[test]
fn hidden_files_in_a_granted_folder_cannot_be_read() {
    for setting in settings() {
        let folder = temp_folder();
        open_to_all(&folder);
        let database = folder.write("data/parlor.db", "secret");
        let own = folder.write("data/book.txt", "openings");
        let sandbox = Sandbox { read: vec![folder.to_path_buf()], hide: vec![database.clone()], ..sandbox() };
        let hidden = intrude_in(&sandbox, setting, &["read", "-"], database.to_str().expect("UTF-8"));
        assert!(!hidden.under(Protection::Files) || hidden.refused(), "{setting}: {hidden:?}");
        let shown = intrude_in(&sandbox, setting, &["read", "-"], own.to_str().expect("UTF-8"));
        assert!(shown.done(), "{setting}: {shown:?}");
    }
}

#[test]
fn the_root_and_the_granted_folders_cannot_be_written() {
    for setting in settings() {
        let (folder, _file) = victim(setting);
        let granted = Sandbox { read: vec![folder.to_path_buf()], ..sandbox() };
        for path in [folder.join("new").to_str().expect("UTF-8"), "/new", "/tmp/new", "/dev/new", "/usr/new"]
        {
            let tried = intrude_in(&granted, setting, &["write", "-"], path);
            assert!(!tried.under(Protection::Files) || tried.refused(), "{setting}: {path}: {tried:?}");
        }
        assert!(!folder.join("new").exists());
    }
}

#[test]
fn a_program_of_root_gets_a_private_account_and_one_of_a_user_keeps_the_users() {
    for setting in settings() {
        let who = Running::start(setting, &sandbox(), Path::new("/"), &["id", "-u"], "").finish();
        let id: u32 = who.out.trim().parse().expect("a number");
        if setting.as_user && is_root() {
            assert_eq!(id, USER, "{setting}");
        } else if who.under(Protection::Privileges) {
            assert_ne!(id, 0, "{setting}");
        }
    }
}
