//! What a program needs to read in options to run: the system's folders, the installation of its interpreter, wherever that
//! is, and its own files. Nothing else: not the home folder, not its working directory, not the programs beside it.

use super::Why;
use crate::options::SandboxOptions;
use std::{
    ffi::{OsStr, OsString},
    fs::{self, File},
    io::Read,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::{Path, PathBuf},
};

/// What every program may read, as far as it exists.
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

/// What of `/etc` it may read: names, or how they begin.
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

/// Parts of an installation that lie beside its folder of programs. The folder of programs itself is not one of them:
/// other bots may lie there.
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

/// Variables that a program may see; those that begin with `LC_` are added.
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

/// The number of links and interpreters that are followed.
const DEPTH: usize = 16;

/// What a program may read, and where it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Grants {
    /// The program, found but with its links as they are: an interpreter looks at the name it was called by.
    pub program: PathBuf,
    /// What belongs to the program: it does not run without.
    pub own: Vec<PathBuf>,
    /// The system's folders and the installation of its interpreter.
    common: Vec<PathBuf>,
}

impl Grants {
    /// Finds the program and all that it needs.
    pub fn find(options: &SandboxOptions, environment: &[(OsString, OsString)]) -> Result<Grants, Why> {
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

    /// Everything that may be read.
    pub fn all(&self) -> impl Iterator<Item = &Path> {
        self.own.iter().chain(&self.common).map(PathBuf::as_path)
    }
}

/// Grants a file or folder; of a folder in which something is hidden, only the rest.
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
    /// Folders that are never granted as a whole.
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

    /// Grants a folder, unless too much lies in it.
    fn folder(&mut self, folder: PathBuf) {
        let too_much = self.closed.iter().any(|closed| closed.starts_with(&folder));
        if !too_much && !self.found.iter().any(|known| folder.starts_with(known)) {
            self.found.push(folder);
        }
    }

    /// Grants the installation of a program: the program, everything it is a link to, what lies beside their folders, and
    /// the same for the interpreter that its first line names. A program that the command names by its path may be a
    /// bot in a folder called `bin`, so its folder has to look like an installation.
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

    /// Grants the libraries that lie beside a folder of programs.
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
        // Version managers (pyenv, rbenv) have scripts that call each other in place of programs.
        let scripts: &[&str] = if shims { &["shims", "bin"] } else { &[] };
        for beside in BESIDE.iter().chain(scripts).filter_map(|name| real(&parent.join(name))) {
            self.folder(beside);
        }
    }

    /// The program that `#!` asks for, directly or through `env`.
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

/// The environment of a program: no variable that could hold a secret, and its scratch folder as its home.
pub(super) fn environment(all: &[(OsString, OsString)], scratch: &Path) -> Vec<(OsString, OsString)> {
    let passed =
        |name: &OsStr| VARIABLES.iter().any(|known| name == *known) || name.as_bytes().starts_with(b"LC_");
    let kept = all.iter().filter(|(name, _)| passed(name)).cloned();
    let own =
        ["HOME", "TMPDIR", "TMP", "TEMP"].map(|name| (OsString::from(name), scratch.as_os_str().to_owned()));
    kept.chain(own).collect()
}
