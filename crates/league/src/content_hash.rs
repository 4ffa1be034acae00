//! Content hash of an external program: programs with equal hashes have equal files, in any folder.
//! It covers the files that the command names, the program's own folders, and what else the program
//! may read.
//!
//! Of a compiled program only the executable counts, because build results lie beside it. Any other
//! file counts with its folder, which contains its modules. System files, hidden files and Python's
//! caches do not count.

use crate::players::{Players, named};
use parlor_protocol::Program;
use sha2::{Digest, Sha256};
use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Limit against mistakes, such as a command that names a home folder.
const MOST_FILES: usize = 100_000;
/// Magic numbers of executables: ELF, Windows PE, macOS Mach-O.
const COMPILED: [&[u8]; 4] = [b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"];
/// Folders of files that the operating system provides.
const SYSTEM: [&str; 6] = ["/usr", "/bin", "/sbin", "/lib", "/opt", "/nix"];

/// Hash of the files of a program.
#[derive(Clone, Debug)]
pub struct ContentHash {
    /// In hexadecimal.
    pub hash: String,
    roots: Vec<HashRoot>,
    seen: Vec<HashedFile>,
}

/// A file or folder that is hashed, with its name relative to the program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct HashRoot {
    name: String,
    path: PathBuf,
}

/// A hashed file: its name relative to the program, and the metadata that shows a change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct HashedFile {
    name: String,
    path: PathBuf,
    size: u64,
    changed: Option<SystemTime>,
}

impl ContentHash {
    pub fn of(players: &Players, program: &Program, more: &[PathBuf]) -> Result<ContentHash, String> {
        let roots = roots(players, program, more);
        let seen = hashed_files(&roots)?;
        let mut hasher = Sha256::new();
        for HashedFile { name, path, .. } in &seen {
            hasher.update((name.len() as u64).to_le_bytes());
            hasher.update(name);
            // The hash of each file is hashed, so that content moved between two files changes the result.
            let content = content(path).map_err(|error| format!("{}: {error}", path.display()))?;
            hasher.update(content);
        }
        Ok(ContentHash { hash: hex::encode(hasher.finalize()), roots, seen })
    }

    /// Whether the sizes and modification times of all files are unchanged.
    pub fn is_fresh(&self) -> bool {
        hashed_files(&self.roots).is_ok_and(|now| now == self.seen)
    }
}

/// The hash of a file's bytes.
fn content(path: &Path) -> io::Result<[u8; 32]> {
    let (mut file, mut hasher, mut buffer) = (File::open(path)?, Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.finalize().into()),
            length => hasher.update(&buffer[..length]),
        }
    }
}

/// A prefix of the hash, for display.
#[cfg(feature = "store")]
pub fn short(hash: &str) -> &str {
    hash.get(..6).unwrap_or(hash)
}

#[cfg(feature = "store")]
pub fn of_text(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}

fn roots(players: &Players, program: &Program, more: &[PathBuf]) -> Vec<HashRoot> {
    let files = named(program);
    let alone = !files.is_empty() && files.iter().all(|path| path.is_dir() || is_compiled(path));
    let own = if alone { Vec::new() } else { players.own_folders(program, false) };
    let more = more.iter().filter_map(|path| path.canonicalize().ok());
    let home = program.dir.canonicalize().unwrap_or_else(|_| program.dir.clone());
    let mut roots: Vec<HashRoot> = files
        .into_iter()
        .chain(own)
        .chain(more)
        .filter(|path| !SYSTEM.iter().any(|system| path.starts_with(system)))
        .map(|path| HashRoot { name: called(&path, &home), path })
        .collect();
    roots.sort();
    roots.dedup();
    roots
}

fn is_compiled(path: &Path) -> bool {
    let mut start = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read(&mut start));
    read.is_ok_and(|length| COMPILED.iter().any(|magic| start[..length].starts_with(magic)))
}

/// The name of a path: relative to the program's folder, or its last component.
fn called(path: &Path, home: &Path) -> String {
    let name = path.strip_prefix(home).ok().or_else(|| path.file_name().map(Path::new)).unwrap_or(path);
    name.to_string_lossy().replace('\\', "/")
}

/// All files to hash, sorted, without duplicates.
fn hashed_files(roots: &[HashRoot]) -> Result<Vec<HashedFile>, String> {
    let mut found = Vec::new();
    for HashRoot { name, path } in roots {
        walk(name, path, &mut found).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    found.sort();
    found.dedup();
    Ok(found)
}

fn walk(name: &str, path: &Path, found: &mut Vec<HashedFile>) -> io::Result<()> {
    // A dangling link is ignored.
    let Ok(meta) = fs::metadata(path) else { return Ok(()) };
    if meta.is_file() {
        let (size, changed) = (meta.len(), meta.modified().ok());
        found.push(HashedFile { name: name.to_string(), path: path.to_path_buf(), size, changed });
        if found.len() > MOST_FILES {
            return Err(io::Error::other(format!("the folder has more than {MOST_FILES} files")));
        }
    }
    if !meta.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let file = entry.file_name().to_string_lossy().into_owned();
        // Links to folders are not followed, because they may form a cycle.
        let is_folder_link = entry.file_type()?.is_symlink() && entry.path().is_dir();
        if !(is_folder_link || file.starts_with('.') || file == "__pycache__" || file.ends_with(".pyc")) {
            let name = if name.is_empty() { file } else { format!("{name}/{file}") };
            walk(&name, &entry.path(), found)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_catalog::Resources;
    use parlor_testkit::{Folder, temp_folder};

    fn folder() -> Folder {
        let dir = temp_folder();
        dir.write("team7/bot.py", "print(1)");
        dir.write("team7/data/book", "a b c");
        dir
    }

    fn hash_of(program: &Program, more: &[PathBuf]) -> ContentHash {
        let players = Players::new(&program.dir, false, None, None, Resources::seeded(0));
        ContentHash::of(&players, program, more).expect("a hash")
    }

    fn hash(dir: &Path, spec: &str) -> String {
        let program = Program::parse(spec, dir).expect("a program");
        hash_of(&program, &[]).hash
    }

    #[test]
    fn equal_files_in_different_folders_have_equal_hashes() {
        let (here, there) = (folder(), folder());
        let spec = "bot:python3 team7/bot.py";
        assert_eq!(hash(&here, spec), hash(&there, spec));
        fs::create_dir(there.join("team7/__pycache__")).expect("a folder");
        fs::write(there.join("team7/__pycache__/bot.pyc"), "x").expect("written");
        fs::write(there.join("team7/.swp"), "x").expect("written");
        assert_eq!(hash(&here, spec), hash(&there, spec), "what does not count");
        for file in ["bot.py", "data/book", "data/new"] {
            let before = hash(&there, spec);
            fs::write(there.join("team7").join(file), "print(2)").expect("written");
            assert_ne!(hash(&there, spec), before, "{file}");
        }
    }

    #[test]
    fn hashes_only_the_executable_of_a_compiled_program_and_the_files_it_may_read() {
        let dir = folder();
        fs::write(dir.join("team7/bot"), "\x7fELF...").expect("written");
        let program = Program::parse("bot:./team7/bot", &dir).expect("a program");
        let alone = hash_of(&program, &[]);
        fs::write(dir.join("team7/log"), "x").expect("written");
        assert!(alone.is_fresh());
        let more = hash_of(&program, &[dir.join("team7/data")]);
        assert_ne!(more.hash, alone.hash);
        fs::write(dir.join("team7/data/book"), "another").expect("written");
        assert!(!more.is_fresh() && alone.is_fresh());
    }
}
