//! Starts a PostgreSQL server with its data in a temporary folder: for the stage `tests` of `cargo
//! xtask test`, for benchmarks, and as `cargo xtask postgres` for development. A server that
//! already runs on this machine is not touched.
//!
//! It asks for no password, and every user of this machine can connect: it holds test data only.

use crate::{
    command::{self, path, succeeds},
    provision::{self, Component},
};
use anyhow::{Context, Result, bail};
use std::{
    env, fs,
    fs::File,
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

/// The variable that names a server to the tests.
pub const URL: &str = "PARLOR_POSTGRES";
const START_TIMEOUT: Duration = Duration::from_secs(60);
const SETTINGS: [&str; 5] = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "shared_buffers=32MB",
    "max_connections=200",
    "log_min_messages=fatal",
];

/// Whether the server waits until its writes are on disk. Without that, creating a database takes half the time,
/// and data survive a crash of the server, but not of the machine.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fsync {
    On,
    Off,
}

/// A running server. Dropping it stops the server and deletes its data.
pub struct PostgresServer {
    folder: PathBuf,
    bin: PathBuf,
    user: Option<User>,
    child: Child,
    port: u16,
    fsync: Fsync,
}

/// The user that the server runs as when xtask runs as root: PostgreSQL refuses to run as root.
#[derive(Clone, Copy)]
struct User {
    id: u32,
    group: u32,
}

/// `cargo xtask postgres`: a server for development, until Ctrl-C.
pub fn run() -> Result<()> {
    let (interrupt, interrupted) = mpsc::channel();
    ctrlc::set_handler(move || {
        let _ = interrupt.send(());
    })?;
    let server = PostgresServer::start(Fsync::On)?;
    println!("{}\nCtrl-C stops the server and deletes its data.", server.url());
    let _ = interrupted.recv();
    Ok(())
}

/// Whether tests can have a server: one that the environment names, or the programs to start one.
pub fn is_available() -> bool {
    external().is_some() || installed().is_some()
}

/// The URL of the server that the environment names.
pub fn external() -> Option<String> {
    env::var(URL).ok().filter(|url| !url.is_empty())
}

impl PostgresServer {
    /// Starts a server on a free port.
    pub fn start(fsync: Fsync) -> Result<PostgresServer> {
        let bin = installed().ok_or_else(|| Component::Postgres.skip(Component::Postgres.name()))?;
        let user = other_user()?;
        let folder = env::temp_dir().join(format!("parlor-postgres-{}", std::process::id()));
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        change_owner(&folder, user)?;
        let mut initdb = server_program(&bin, "initdb", &folder, user);
        initdb.args(["-D", "data", "-A", "trust", "-U", "parlor", "-E", "UTF8", "--locale=C", "--no-sync"]);
        let launched = command::run(initdb.stdout(Stdio::null())).and_then(|()| {
            let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
            Ok((launch(&bin, &folder, user, port, fsync)?, port))
        });
        match launched {
            Ok((child, port)) => PostgresServer { folder, bin, user, child, port, fsync }.when_ready(),
            Err(error) => {
                let _ = fs::remove_dir_all(folder);
                Err(error)
            }
        }
    }

    /// The URL of the first database. Tests create more databases.
    pub fn url(&self) -> String {
        format!("postgres://parlor@127.0.0.1:{}/postgres", self.port)
    }

    /// Stops the server immediately, as a crash would. Acknowledged writes are on disk.
    pub fn stop(&mut self) -> Result<()> {
        let mut stop = server_program(&self.bin, "pg_ctl", &self.folder, self.user);
        if !succeeds(stop.args(["stop", "-D", "data", "-m", "immediate"])) {
            bail!("pg_ctl cannot stop PostgreSQL");
        }
        self.child.wait()?;
        Ok(())
    }

    /// Starts the stopped server again, with its data and on its port.
    pub fn restart(&mut self) -> Result<()> {
        self.child = launch(&self.bin, &self.folder, self.user, self.port, self.fsync)?;
        self.wait_until_ready()
    }

    fn when_ready(mut self) -> Result<PostgresServer> {
        self.wait_until_ready()?;
        Ok(self)
    }

    fn wait_until_ready(&mut self) -> Result<()> {
        let begun = Instant::now();
        loop {
            let state = fs::read_to_string(self.folder.join("data/postmaster.pid")).unwrap_or_default();
            if state.lines().nth(7).is_some_and(|line| line.trim() == "ready") {
                return Ok(());
            }
            let ended = self.child.try_wait()?;
            if ended.is_some() || begun.elapsed() > START_TIMEOUT {
                let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
                bail!("PostgreSQL did not start:\n{log}");
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        if self.stop().is_err() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn launch(bin: &Path, folder: &Path, user: Option<User>, port: u16, fsync: Fsync) -> Result<Child> {
    let log = File::create(folder.join("log"))?;
    let mut postgres = server_program(bin, "postgres", folder, user);
    postgres.args(["-D", "data", "-p", &port.to_string()]);
    postgres.args(["-c", if fsync == Fsync::On { "fsync=on" } else { "fsync=off" }]);
    for setting in SETTINGS {
        postgres.args(["-c", setting]);
    }
    detach(&mut postgres);
    let child = postgres.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).spawn();
    child.context("cannot start postgres")
}

fn server_program(bin: &Path, name: &str, folder: &Path, user: Option<User>) -> Command {
    let mut command = Command::new(bin.join(format!("{name}{}", env::consts::EXE_SUFFIX)));
    command.current_dir(folder).env("LC_ALL", "C");
    set_user(&mut command, user);
    command
}

/// The folder of the server's programs: from the search path, or the newest of Debian's versions.
fn installed() -> Option<PathBuf> {
    let has = |folder: &PathBuf| {
        ["initdb", "postgres", "pg_ctl"]
            .iter()
            .all(|name| folder.join(format!("{name}{}", env::consts::EXE_SUFFIX)).is_file())
    };
    env::split_paths(&path()).find(has).or_else(|| {
        let versions = fs::read_dir("/usr/lib/postgresql").ok()?.filter_map(Result::ok);
        let folders = versions.map(|version| version.path().join("bin")).filter(has);
        folders.max_by_key(|folder| version(folder))
    })
}

fn version(bin: &Path) -> u32 {
    let name = bin.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    name.and_then(|name| name.parse().ok()).unwrap_or(0)
}

/// The user to run as, if not the current one.
fn other_user() -> Result<Option<User>> {
    if !provision::is_root() {
        return Ok(None);
    }
    let users = fs::read_to_string("/etc/passwd").context("cannot read /etc/passwd")?;
    let user = ["postgres", "nobody"].iter().find_map(|name| user(&users, name));
    user.map(Some).context(
        "PostgreSQL does not run as root, and /etc/passwd has neither a user 'postgres' nor 'nobody'",
    )
}

/// Finds the user of this name in the text of /etc/passwd.
fn user(users: &str, name: &str) -> Option<User> {
    let mut fields =
        users.lines().map(|line| line.split(':')).find(|fields| fields.clone().next() == Some(name))?;
    let [id, group] = [fields.nth(2)?, fields.next()?];
    Some(User { id: id.parse().ok()?, group: group.parse().ok()? })
}

#[cfg(unix)]
fn change_owner(folder: &Path, user: Option<User>) -> Result<()> {
    if let Some(User { id, group }) = user {
        std::os::unix::fs::chown(folder, Some(id), Some(group))?;
    }
    Ok(())
}

#[cfg(unix)]
fn set_user(command: &mut Command, user: Option<User>) {
    use std::os::unix::process::CommandExt;
    if let Some(User { id, group }) = user {
        command.uid(id).gid(group);
    }
}

/// Keeps Ctrl-C away from the server: xtask gets the signal and stops it.
#[cfg(unix)]
fn detach(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn change_owner(_: &Path, _: Option<User>) -> Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn set_user(_: &mut Command, _: Option<User>) {}

#[cfg(not(unix))]
fn detach(_: &mut Command) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_user_by_the_whole_name() {
        let users = "root:x:0:0:root:/root:/bin/sh\nnobody2:x:7:8::/:/x\nnobody:x:65534:65533:n:/:/x\n";
        assert_eq!(user(users, "nobody").map(|user| [user.id, user.group]), Some([65534, 65533]));
        assert!(user(users, "postgres").is_none());
    }
}
