//! A PostgreSQL of our own, on this machine and in a temporary folder, for as long as somebody needs one: the stage `postgres` of
//! `cargo xtask test`, benchmarks, and `cargo xtask postgres` for whoever develops.
//!
//! Whoever is on this machine may come in: nothing is in it that is worth keeping.

use crate::{
    args::Args,
    workshop::{cargo, output, program, run as run_command, succeeds},
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

const NEEDS: &str = "the stage postgres needs PostgreSQL 13 or newer: apt-get install -y postgresql";
/// Where tests look for a server.
const PLACE: &str = "PARLOR_POSTGRES";
/// The test programs that run on both databases, by crate. Others have no use for a server.
const PROGRAMS: [(&str, &[&str]); 3] = [
    ("store", &["away", "games", "journal", "queue", "tournaments"]),
    ("server", &["bots", "distant", "fleet", "play", "refusals", "tournaments"]),
    ("app", &["servers", "worker"]),
];
/// How long it may take to start.
const PATIENCE: Duration = Duration::from_secs(60);
const SETTINGS: [&str; 6] = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "fsync=on",
    "shared_buffers=32MB",
    "max_connections=200",
    "log_min_messages=fatal",
];

/// A server that runs until this is dropped.
pub struct Server {
    folder: PathBuf,
    bin: PathBuf,
    user: Option<User>,
    child: Child,
    port: u16,
}

/// PostgreSQL does not run as root; then it runs as somebody who may do less.
#[derive(Clone, Copy)]
struct User {
    id: u32,
    group: u32,
}

/// `cargo xtask postgres`: one to develop with, until Ctrl-C.
pub fn run(args: Args) -> Result<()> {
    args.done()?;
    let (told, stop) = mpsc::channel();
    ctrlc::set_handler(move || {
        let _ = told.send(());
    })?;
    let server = Server::start()?;
    println!("{}\nCtrl-C ends it, and everything in it is gone.", server.url());
    let _ = stop.recv();
    Ok(())
}

/// The tests that run on both databases.
pub fn check() -> Result<()> {
    if env::var_os("PARLOR_SKIP_POSTGRES").is_some() {
        eprintln!("skipped, because PARLOR_SKIP_POSTGRES is set");
        return Ok(());
    }
    if let Ok(place) = env::var(PLACE) {
        return test(&place);
    }
    // A test that is interrupted fails, and then the server is stopped here; it shall not be left behind.
    let _ = ctrlc::set_handler(|| {});
    let server = Server::start()?;
    test(&server.url())
}

/// Runs the programs as the stage before built them: by themselves they would be built anew, with other features of the same
/// packages.
fn test(place: &str) -> Result<()> {
    let built =
        output(cargo().args(["test", "--workspace", "--no-run", "--quiet", "--message-format=json"]))?;
    let mut found = 0;
    for line in built.lines() {
        let Ok(message) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        let Some(executable) = message["executable"].as_str().filter(|_| is_wanted(&message)) else {
            continue;
        };
        let folder = Path::new(message["manifest_path"].as_str().context("a manifest")?).parent();
        let mut test = program(executable);
        run_command(test.current_dir(folder.context("a folder")?).env(PLACE, place))?;
        found += 1;
    }
    let wanted: usize = PROGRAMS.iter().map(|(_, names)| names.len()).sum();
    if found != wanted {
        bail!("{found} of {wanted} test programs were found");
    }
    Ok(())
}

fn is_wanted(message: &serde_json::Value) -> bool {
    let target = &message["target"];
    let is_test = target["kind"][0] == "test";
    let manifest = message["manifest_path"].as_str().unwrap_or_default().replace('\\', "/");
    is_test
        && PROGRAMS.iter().any(|(folder, names)| {
            manifest.ends_with(&format!("crates/{folder}/Cargo.toml"))
                && names.iter().any(|name| target["name"] == *name)
        })
}

impl Server {
    /// Starts one, on a port that is free.
    pub fn start() -> Result<Server> {
        let bin = installed().context(NEEDS)?;
        let user = other_user()?;
        let folder = env::temp_dir().join(format!("parlor-postgres-{}", std::process::id()));
        fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        give(&folder, user)?;
        let mut initdb = command(&bin, "initdb", &folder, user);
        initdb.args(["-D", "data", "-A", "trust", "-U", "parlor", "-E", "UTF8", "--locale=C", "--no-sync"]);
        let made = initdb.stdout(Stdio::null()).status();
        let made = made.map_err(anyhow::Error::from).and_then(|status| match status.success() {
            true => {
                let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
                Ok((launch(&bin, &folder, user, port)?, port))
            }
            false => bail!("initdb failed ({status})"),
        });
        match made {
            Ok((child, port)) => Server { folder, bin, user, child, port }.when_ready(),
            Err(error) => {
                let _ = fs::remove_dir_all(folder);
                Err(error)
            }
        }
    }

    /// The address of its first database; others may be made.
    pub fn url(&self) -> String {
        format!("postgres://parlor@127.0.0.1:{}/postgres", self.port)
    }

    /// Stops it at once, as a power failure would; what it said is written is on the disk.
    pub fn stop(&mut self) -> Result<()> {
        let mut stop = command(&self.bin, "pg_ctl", &self.folder, self.user);
        if !succeeds(stop.args(["stop", "-D", "data", "-m", "immediate"])) {
            bail!("PostgreSQL cannot be stopped");
        }
        self.child.wait()?;
        Ok(())
    }

    /// Starts it again where it was.
    pub fn start_again(&mut self) -> Result<()> {
        self.child = launch(&self.bin, &self.folder, self.user, self.port)?;
        self.wait_until_ready()
    }

    fn when_ready(mut self) -> Result<Server> {
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
            if ended.is_some() || begun.elapsed() > PATIENCE {
                let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
                bail!("PostgreSQL did not start:\n{log}");
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // At once: nobody needs what is in it.
        if self.stop().is_err() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn launch(bin: &Path, folder: &Path, user: Option<User>, port: u16) -> Result<Child> {
    let log = File::create(folder.join("log"))?;
    let mut postgres = command(bin, "postgres", folder, user);
    postgres.args(["-D", "data", "-p", &port.to_string()]);
    for setting in SETTINGS {
        postgres.args(["-c", setting]);
    }
    apart(&mut postgres);
    let child = postgres.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).spawn();
    child.context("postgres cannot be started")
}

fn command(bin: &Path, name: &str, folder: &Path, user: Option<User>) -> Command {
    let mut command = Command::new(bin.join(format!("{name}{}", env::consts::EXE_SUFFIX)));
    command.current_dir(folder).env("LC_ALL", "C");
    become_user(&mut command, user);
    command
}

/// The folder of its programs: where the path says, or where Debian puts them, the newest.
fn installed() -> Option<PathBuf> {
    let has = |folder: &PathBuf| {
        ["initdb", "postgres", "pg_ctl"]
            .iter()
            .all(|name| folder.join(format!("{name}{}", env::consts::EXE_SUFFIX)).is_file())
    };
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).find(has).or_else(|| {
        let versions = fs::read_dir("/usr/lib/postgresql").ok()?.filter_map(Result::ok);
        let folders = versions.map(|version| version.path().join("bin")).filter(has);
        folders.max_by_key(|folder| version(folder))
    })
}

fn version(bin: &Path) -> u32 {
    let name = bin.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    name.and_then(|name| name.parse().ok()).unwrap_or(0)
}

/// Whom it runs as, if not as whoever runs this.
fn other_user() -> Result<Option<User>> {
    if !cfg!(unix) || output(program("id").arg("-u"))?.trim() != "0" {
        return Ok(None);
    }
    let users = fs::read_to_string("/etc/passwd").context("/etc/passwd")?;
    let user = ["postgres", "nobody"].iter().find_map(|name| user(&users, name));
    user.map(Some).context("PostgreSQL does not run as root, and there is neither a user postgres nor nobody")
}

/// What the list of users says of one.
fn user(users: &str, name: &str) -> Option<User> {
    let mut fields =
        users.lines().map(|line| line.split(':')).find(|fields| fields.clone().next() == Some(name))?;
    let [id, group] = [fields.nth(2)?, fields.next()?];
    Some(User { id: id.parse().ok()?, group: group.parse().ok()? })
}

#[cfg(unix)]
fn give(folder: &Path, user: Option<User>) -> Result<()> {
    if let Some(User { id, group }) = user {
        std::os::unix::fs::chown(folder, Some(id), Some(group))?;
    }
    Ok(())
}

#[cfg(unix)]
fn become_user(command: &mut Command, user: Option<User>) {
    use std::os::unix::process::CommandExt;
    if let Some(User { id, group }) = user {
        command.uid(id).gid(group);
    }
}

/// Ctrl-C is for us: whoever is started here is stopped here.
#[cfg(unix)]
fn apart(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn give(_: &Path, _: Option<User>) -> Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn become_user(_: &mut Command, _: Option<User>) {}

#[cfg(not(unix))]
fn apart(_: &mut Command) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_found_by_its_whole_name() {
        let users = "root:x:0:0:root:/root:/bin/sh\nnobody2:x:7:8::/:/x\nnobody:x:65534:65533:n:/:/x\n";
        assert_eq!(user(users, "nobody").map(|user| [user.id, user.group]), Some([65534, 65533]));
        assert!(user(users, "postgres").is_none());
    }
}
