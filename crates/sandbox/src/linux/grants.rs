//! The files that a program may read: the system's folders, the installation of its interpreter, and its own files.
//! The home folder, the working directory and the files next to the program are not included.

use super::Why;
use crate::options::SandboxOptions;
use std::{
    ffi::{OsStr, OsString},
    fs::{self, File},
    io::Read,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::{Path, PathBuf},
};

/// Folders and files that every program may read, if they exist.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
    "/proc",
    "/sys/devices/system/cpu",
    "/sys/devices/system/node",
    "/sys/kernel/mm/transparent_hugepage",
];

/// Files of `/etc` that every program may read, by name or by prefix.
const SETTINGS: &[&str] = &[
    "alternatives",
    "dotnet",
    "group",
    "hosts",
    "java",
    "jvm",
    "ld.so",
    "locale",
    "localtime",
    "lsb-release",
    "lua",
    "mono",
    "node",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "perl",
    "php",
    "python",
    "R",
    "ruby",
    "ssl",
    "timezone",
    "debian_version",
];

/// Folders of an installation that are next to its `bin`. The folder `bin` itself is not included, because it may
/// contain other bots.
const BESIDE: &[&str] = &[
    "lib",
    "lib32",
    "lib64",
    "libexec",
    "conf",
    "jre",
    "jmods",
    "modules",
    "release",
    "pyvenv.cfg",
    "versions",
    "plugins",
    "pyenv.d",
    "rbenv.d",
    "version",
    "installs",
    "toolchains",
];

/// Environment variables that a program receives, in addition to those that begin with `LC_`.
const VARIABLES: &[&str] = &[
    "PATH",
    "LANG",
    "LANGUAGE",
    "TZ",
    "JAVA_HOME",
    "JRE_HOME",
    "DOTNET_ROOT",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "PYTHONHASHSEED",
    "PYTHONPATH",
    "PYTHONUNBUFFERED",
    "PYTHONUTF8",
    "RUBYLIB",
    "VIRTUAL_ENV",
];

/// Limit of links and interpreters to follow.
const DEPTH: usize = 16;

/// The path of a program and the files that it may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Grants {
    /// The absolute path of the program, with symbolic links unresolved, because interpreters use the name they are
    /// called by.
    pub program: PathBuf,
    /// The program's own files, without which it does not run.
    pub own: Vec<PathBuf>,
    /// The system's folders and the installation of its interpreter.
    common: Vec<PathBuf>,
}

impl Grants {
    /// Finds the program of the command and everything that it may read.
    pub fn determine(options: &SandboxOptions, environment: &[(OsString, OsString)]) -> Result<Grants, Why> {
        let mut search = GrantSearch::new(options, environment);
        let name = &options.command[0];
        let program = search.lookup(name).ok_or_else(|| absent(name))?;
        let hidden: Vec<PathBuf> = options.hide.iter().filter_map(|path| real(path)).collect();
        let mut own = Vec::new();
        for path in &options.read {
            let path = real(path).ok_or_else(|| format!("{} does not exist", path.display()))?;
            grant_without(&path, &hidden, &mut own);
        }
        let named = options.command[1..].iter().map(|argument| options.dir.join(argument));
        own.extend(named.filter(|path| path.is_file()).filter_map(|path| real(&path)));
        let by_path = name.as_bytes().contains(&b'/');
        search.installation(&program, by_path, 0);
        if !search.is_common(&program) {
            own.extend(real(&program));
        }
        Ok(Grants { program, own, common: search.found })
    }

    /// All files and folders that the program may read.
    pub fn all(&self) -> impl Iterator<Item = &Path> {
        self.own.iter().chain(&self.common).map(PathBuf::as_path)
    }
}

/// Grants a file or folder. If a folder contains hidden paths, all its other entries are granted instead.
fn grant_without(path: &Path, hidden: &[PathBuf], granted: &mut Vec<PathBuf>) {
    if hidden.iter().any(|hidden| path.starts_with(hidden)) {
        return;
    }
    if !hidden.iter().any(|hidden| hidden.starts_with(path)) {
        return granted.push(path.to_path_buf());
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        grant_without(&entry.path(), hidden, granted);
    }
}

fn absent(name: &OsStr) -> Why {
    let name = name.display();
    let is_path = name.to_string().contains('/');
    if is_path { format!("program {name} not found") } else { format!("program {name} not found in PATH") }
}

fn real(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// The search from a program to the folders of its interpreter.
struct GrantSearch<'a> {
    path: &'a OsStr,
    dir: &'a Path,
    /// Folders that are never granted as a whole, such as the home folder.
    closed: Vec<PathBuf>,
    found: Vec<PathBuf>,
}

impl<'a> GrantSearch<'a> {
    fn new(options: &'a SandboxOptions, environment: &'a [(OsString, OsString)]) -> GrantSearch<'a> {
        let value = |name: &str| environment.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        let home = value("HOME").map(Path::new);
        let closed = [Some(Path::new("/")), home, Some(&options.dir)];
        let settings = fs::read_dir("/etc").into_iter().flatten().flatten();
        let settings = settings.filter(|entry| {
            SETTINGS.iter().any(|name| entry.file_name().as_bytes().starts_with(name.as_bytes()))
        });
        let mut search = GrantSearch {
            path: value("PATH").map_or(OsStr::new("/usr/local/bin:/usr/bin:/bin"), OsString::as_os_str),
            dir: &options.dir,
            closed: closed.into_iter().flatten().filter_map(real).collect(),
            found: SYSTEM.iter().map(PathBuf::from).chain(settings.map(|entry| entry.path())).collect(),
        };
        search.found.retain(|path| path.exists());
        if let Some(folder) = value("JAVA_HOME").and_then(|folder| real(Path::new(folder))) {
            search.folder(folder);
        }
        search
    }

    fn lookup(&self, name: &OsStr) -> Option<PathBuf> {
        if name.as_bytes().contains(&b'/') {
            return Some(self.dir.join(name)).filter(|path| path.is_file());
        }
        let folders =
            self.path.as_bytes().split(|byte| *byte == b':').map(|part| Path::new(OsStr::from_bytes(part)));
        folders
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(name))
            .find(|path| is_program(path))
    }

    fn is_common(&self, path: &Path) -> bool {
        real(path).is_some_and(|path| self.found.iter().any(|folder| path.starts_with(folder)))
    }

    /// Grants a folder, unless it contains one that must not be granted as a whole.
    fn folder(&mut self, folder: PathBuf) {
        let too_much = self.closed.iter().any(|closed| closed.starts_with(&folder));
        if !too_much && !self.found.iter().any(|known| folder.starts_with(known)) {
            self.found.push(folder);
        }
    }

    /// Grants the installation of a program: the program, the targets of its links, the libraries next to their
    /// folders, and the same for the interpreter that its first line names. A program given by path may be a bot in
    /// a folder called `bin`; libraries next to it are granted only if the folder looks like an installation.
    fn installation(&mut self, program: &Path, by_path: bool, depth: usize) {
        let mut at = program.to_path_buf();
        for _ in depth..DEPTH {
            let Some(folder) = at.parent().and_then(real) else { return };
            if let (true, Some(name)) = (depth > 0 || at != program, at.file_name()) {
                self.folder(folder.join(name));
            }
            self.around(&folder, by_path && at == program);
            match fs::read_link(&at) {
                Ok(target) => at = folder.join(target),
                Err(_) => break,
            }
        }
        if depth < DEPTH
            && let Some(interpreter) = first_line(&at).and_then(|line| self.interpreter(&line))
        {
            self.installation(&interpreter, false, depth + DEPTH / 4);
        }
    }

    /// Grants the libraries next to a folder of programs.
    fn around(&mut self, folder: &Path, by_path: bool) {
        let shims = ["shims", "libexec"].iter().any(|name| folder.ends_with(name));
        if !shims && !["bin", "sbin"].iter().any(|name| folder.ends_with(name)) {
            return;
        }
        let Some(parent) =
            folder.parent().filter(|parent| !self.closed.iter().any(|closed| closed == parent))
        else {
            return;
        };
        let has = |name: &str| parent.join(name).exists();
        if by_path && !["pyvenv.cfg", "lib", "lib64", "libexec"].into_iter().any(has) {
            return;
        }
        // Version managers (pyenv, rbenv) replace programs by scripts that call each other.
        let scripts: &[&str] = if shims { &["shims", "bin"] } else { &[] };
        for beside in BESIDE.iter().chain(scripts).filter_map(|name| real(&parent.join(name))) {
            self.folder(beside);
        }
    }

    /// The interpreter that a `#!` line names, directly or through `env`.
    fn interpreter(&self, line: &str) -> Option<PathBuf> {
        let mut words = line.strip_prefix("#!")?.split_whitespace();
        let first = words.next()?;
        if !first.ends_with("/env") {
            return Some(PathBuf::from(first));
        }
        let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
        self.lookup(OsStr::new(name))
    }
}

fn first_line(file: &Path) -> Option<String> {
    let mut start = Vec::new();
    File::open(file).ok()?.take(256).read_to_end(&mut start).ok()?;
    let line = start.split(|byte| *byte == b'\n').next()?;
    String::from_utf8(line.to_vec()).ok()
}

/// The environment of a program: only variables that cannot contain secrets, with the scratch folder as `HOME`.
pub(super) fn environment(all: &[(OsString, OsString)], scratch: &Path) -> Vec<(OsString, OsString)> {
    let passed =
        |name: &OsStr| VARIABLES.iter().any(|known| name == *known) || name.as_bytes().starts_with(b"LC_");
    let kept = all.iter().filter(|(name, _)| passed(name)).cloned();
    let own =
        ["HOME", "TMPDIR", "TMP", "TEMP"].map(|name| (OsString::from(name), scratch.as_os_str().to_owned()));
    kept.chain(own).collect()
}
