//! Finds the programs that tests need besides a Rust toolchain, and installs what is missing:
//! Debian packages where apt-get exists and may be used (as root, or by sudo without a password),
//! Node.js from PyPI and tools from crates.io into target/.
//!
//! `PARLOR_NO_INSTALL=1` forbids Debian packages. Downloads into target/ are not restricted.

use crate::{
    command::{add_to_path, cargo, find, line, output, program, run, succeeds},
    node, postgres,
    stages::{Skip, is_interrupted},
    workspace,
};
use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

const CREATE_CLUSTER: &str = "/etc/postgresql-common/createcluster.conf";
/// Shell commands that keep packages from starting their services while the shell runs: Debian's way is a
/// policy that refuses all of them. One that is there already stays.
const NO_SERVICES: &str = "policy=/usr/sbin/policy-rc.d; if [ ! -e $policy ]; then \
    printf '#!/bin/sh\\nexit 101\\n' > $policy; chmod 755 $policy; trap 'rm -f $policy' EXIT; fi;";
/// Seconds to wait for another program that installs packages.
const LOCK_TIMEOUT: &str = "DPkg::Lock::Timeout=120";

/// Something that a test stage needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Component {
    Python,
    Node,
    Chromium,
    Postgres,
    Javac,
    Gxx,
    Nginx,
    Haproxy,
    Systemd,
}

impl Component {
    pub fn name(self) -> &'static str {
        match self {
            Component::Python => "python3 with venv",
            Component::Node => "Node.js 20 or newer with npm",
            Component::Chromium => "Chromium",
            Component::Postgres => "PostgreSQL 13 or newer",
            Component::Javac => "javac",
            Component::Gxx => "g++ and make",
            Component::Nginx => "nginx",
            Component::Haproxy => "HAProxy",
            Component::Systemd => "systemd-analyze",
        }
    }

    /// What the name of a test contains that needs this component.
    pub fn test_marker(self) -> &'static str {
        match self {
            Component::Python => "needs_python",
            Component::Node => "needs_node",
            Component::Chromium => "needs_chromium",
            Component::Postgres => "needs_postgres",
            Component::Javac => "needs_javac",
            Component::Gxx => "needs_gxx",
            Component::Nginx => "needs_nginx",
            Component::Haproxy => "needs_haproxy",
            Component::Systemd => "needs_systemd",
        }
    }

    /// The skip of a part that needs only this component.
    pub fn skip(self, what: &str) -> Skip {
        Skip::new(what, remedy(&[self]))
    }

    pub fn is_usable(self) -> bool {
        match self {
            Component::Python => succeeds(program("python3").args(["-c", "import venv, ensurepip"])),
            Component::Node => node::is_usable(),
            Component::Chromium => chromium().is_some(),
            Component::Postgres => postgres::is_available(),
            Component::Javac => ["javac", "java"].iter().all(|name| succeeds(program(name).arg("-version"))),
            Component::Gxx => ["g++", "make"].iter().all(|name| succeeds(program(name).arg("--version"))),
            Component::Nginx => succeeds(program("nginx").arg("-v")),
            Component::Haproxy => succeeds(program("haproxy").arg("-v")),
            Component::Systemd => succeeds(program("systemd-analyze").arg("--version")),
        }
    }

    /// Its Debian packages. Debian's Node.js may be older than 20, and its npm replaces other
    /// versions of Node.js; so Node.js comes from PyPI.
    fn packages(self) -> &'static [&'static str] {
        match self {
            Component::Python => &["python3", "python3-venv"],
            Component::Node => &[],
            Component::Chromium => &["chromium", "chromium-sandbox", "fonts-dejavu-core"],
            Component::Postgres => &["postgresql"],
            Component::Javac => &["default-jdk-headless"],
            Component::Gxx => &["g++", "make"],
            Component::Nginx => &["nginx"],
            Component::Haproxy => &["haproxy"],
            Component::Systemd => &["systemd"],
        }
    }
}

/// The programs that only the recipes of docs/deploy need.
pub const RECIPES: [Component; 3] = [Component::Nginx, Component::Haproxy, Component::Systemd];

/// The command that makes these components available.
pub fn remedy(components: &[Component]) -> String {
    let mut sources: Vec<Component> = Vec::new();
    for &component in components {
        let source = if component == Component::Node { Component::Python } else { component };
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    let packages: Vec<&str> = sources.iter().flat_map(|source| source.packages()).copied().collect();
    let command = format!("apt-get install -y {}", packages.join(" "));
    if components.contains(&Component::Node) {
        return format!("{command} (Node.js is then downloaded from PyPI)");
    }
    command
}

/// The browser: the file that PARLOR_CHROMIUM names, or `chromium` on the search path.
fn chromium() -> Option<PathBuf> {
    match env::var_os("PARLOR_CHROMIUM") {
        Some(path) => Some(PathBuf::from(path)),
        None => find("chromium").or_else(|| Some("/usr/bin/chromium".into())),
    }
    .filter(|path| path.is_file())
}

/// Installs those of these components that are missing, and returns those that are missing still.
pub fn install(needed: &[Component]) -> Vec<Component> {
    let mut missing = needed.to_vec();
    missing.sort();
    missing.dedup();
    missing.retain(|component| !component.is_usable());
    if missing.is_empty() {
        return missing;
    }
    let names: Vec<&str> = missing.iter().map(|component| component.name()).collect();
    eprintln!("set-up: missing: {}", names.join(", "));
    let wanted = with_packages(&missing, || Component::Python.is_usable());
    if !wanted.is_empty() {
        match privilege() {
            Ok(privilege) => install_packages(&wanted, privilege),
            Err(reason) => eprintln!("set-up: no Debian packages are installed, because {reason}"),
        }
    }
    if missing.contains(&Component::Node)
        && !is_interrupted()
        && Component::Python.is_usable()
        && let Err(error) = node::download()
    {
        eprintln!("set-up: {error:#}");
    }
    missing.retain(|component| !component.is_usable());
    missing
}

/// Compiles a subcommand of cargo, such as `cargo-fuzz`, into target/tools, unless it is installed.
/// `what` names what needs it.
pub fn install_cargo_tool(name: &str, what: &str) -> anyhow::Result<()> {
    let tools = workspace::target().join("tools");
    add_to_path(tools.join("bin"));
    if find(name).is_some() {
        return Ok(());
    }
    eprintln!("set-up: cargo install {name} in {}", tools.display());
    if let Err(error) = run(cargo().args(["install", name, "--locked", "--root"]).arg(&tools)) {
        eprintln!("set-up: {error:#}");
        anyhow::bail!(Skip::new(what, format!("cargo install {name} --locked")));
    }
    Ok(())
}

/// The components whose Debian packages have to be installed. Node.js is downloaded by Python.
fn with_packages(missing: &[Component], has_python: impl Fn() -> bool) -> Vec<Component> {
    let mut wanted = missing.to_vec();
    if missing.contains(&Component::Node) && !missing.contains(&Component::Python) && !has_python() {
        wanted.insert(0, Component::Python);
    }
    wanted.retain(|component| !component.packages().is_empty());
    wanted
}

#[derive(Clone, Copy)]
enum Privilege {
    Root,
    Sudo,
}

/// The error is the reason why packages cannot be installed.
fn privilege() -> Result<Privilege, &'static str> {
    if env::var("PARLOR_NO_INSTALL").is_ok_and(|value| !value.is_empty() && value != "0") {
        return Err("PARLOR_NO_INSTALL is set");
    }
    if find("apt-get").is_none() {
        return Err("there is no apt-get");
    }
    if is_root() {
        return Ok(Privilege::Root);
    }
    if succeeds(program("sudo").args(["-n", "true"])) {
        return Ok(Privilege::Sudo);
    }
    Err("this user is not root, and sudo is missing or asks for a password")
}

pub fn is_root() -> bool {
    cfg!(unix) && output(program("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

/// One update, then one installation for each component: one that fails does not keep the others
/// from being installed.
fn install_packages(components: &[Component], privilege: Privilege) {
    run_as(privilege, "apt-get", &["update", "-qq"]);
    for &component in components {
        if component == Component::Postgres {
            keep_postgres_from_starting(privilege);
        }
        let mut words = vec!["install", "-y", "-qq", "--no-install-recommends", "-o", LOCK_TIMEOUT];
        words.extend(component.packages());
        if RECIPES.contains(&component) {
            let script = format!("{NO_SERVICES} apt-get \"$@\"");
            run_as(privilege, "sh", &[&["-c", &script, "sh"], &words[..]].concat());
        } else {
            run_as(privilege, "apt-get", &words);
        }
    }
}

/// Debian's package creates a database cluster and starts a server unless this setting forbids it.
fn keep_postgres_from_starting(privilege: Privilege) {
    let common = ["install", "-y", "-qq", "--no-install-recommends", "-o", LOCK_TIMEOUT, "postgresql-common"];
    run_as(privilege, "apt-get", &common);
    if Path::new(CREATE_CLUSTER).exists() {
        let setting = "s/^#?(create_main_cluster) .*$/\\1 = false/";
        run_as(privilege, "sed", &["-ri", setting, CREATE_CLUSTER]);
    }
}

/// Runs a command as root, unless the run is interrupted, and shows its output only if it fails.
fn run_as(privilege: Privilege, name: &str, words: &[&str]) {
    if is_interrupted() {
        return;
    }
    let mut command = command_as(privilege, name, words);
    eprintln!("set-up: {}", line(&command));
    match command.stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => {}
        Ok(output) => {
            eprint!("{}", String::from_utf8_lossy(&output.stdout));
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
            eprintln!("set-up: {name} failed ({})", output.status);
        }
        Err(error) => eprintln!("set-up: cannot start {name}: {error}"),
    }
}

/// sudo passes no variables on, so `env` sets them.
fn command_as(privilege: Privilege, name: &str, words: &[&str]) -> Command {
    let mut command = match privilege {
        Privilege::Root => program("env"),
        Privilege::Sudo => {
            let mut sudo = program("sudo");
            sudo.args(["-n", "env"]);
            sudo
        }
    };
    command.args(["DEBIAN_FRONTEND=noninteractive", name]).args(words);
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use Component::{Chromium, Gxx, Javac, Node, Postgres, Python};

    #[test]
    fn only_what_is_missing_is_installed() {
        assert_eq!(with_packages(&[Chromium, Gxx], || true), [Chromium, Gxx]);
        assert_eq!(with_packages(&[Postgres, Javac], || false), [Postgres, Javac]);
        assert!(with_packages(&[], || false).is_empty());
    }

    #[test]
    fn node_needs_no_package_but_python() {
        assert!(with_packages(&[Node], || true).is_empty());
        assert_eq!(with_packages(&[Node, Chromium], || false), [Python, Chromium]);
        assert_eq!(with_packages(&[Python, Node], || false), [Python]);
    }

    #[test]
    fn the_remedy_is_one_command_for_all_components() {
        assert_eq!(remedy(&[Postgres]), "apt-get install -y postgresql");
        assert_eq!(remedy(&[Javac, Gxx]), "apt-get install -y default-jdk-headless g++ make");
        assert_eq!(
            remedy(&[Python, Node]),
            "apt-get install -y python3 python3-venv (Node.js is then downloaded from PyPI)"
        );
        assert_eq!(
            remedy(&[Node, Chromium]),
            "apt-get install -y python3 python3-venv chromium chromium-sandbox fonts-dejavu-core \
             (Node.js is then downloaded from PyPI)"
        );
    }

    #[test]
    fn packages_are_installed_without_questions() {
        let sudo = command_as(Privilege::Sudo, "apt-get", &["update"]);
        assert_eq!(line(&sudo), "sudo -n env DEBIAN_FRONTEND=noninteractive apt-get update");
        let root = command_as(Privilege::Root, "apt-get", &["update"]);
        assert_eq!(line(&root), "env DEBIAN_FRONTEND=noninteractive apt-get update");
    }
}
