//! Reads and writes record files. Files are replaced atomically, so that they contain complete records at every moment.

use crate::error::CommandError;
use parlor_console::Archive;
use parlor_core::{Cause, Record};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Reads a text file, or standard input for `-`. The error is a sentence.
pub fn read_text(file: &Path) -> Result<String, String> {
    if file == Path::new("-") {
        return parlor_league::read_text(io::stdin().lock());
    }
    File::open(file).map_err(|e| e.to_string()).and_then(parlor_league::read_text)
}

/// Opens a file for appending records: a new one, or one that already has records. Other files are refused.
pub fn append(file: &Path) -> Result<File, CommandError> {
    let refused =
        |why: String| CommandError::Failed(format!("cannot save the records in {}: {why}", file.display()));
    if file.exists() {
        let text = read_text(file).map_err(refused)?;
        if !text.trim().is_empty() {
            Record::parse_many(&text).map_err(|bad| {
                refused(format!("the file contains something else than game records: {}", bad.0))
            })?;
        }
    }
    OpenOptions::new().append(true).create(true).open(file).map_err(|e| refused(e.to_string()))
}

/// Archive of the games of one run. It appends them to a file, if one is given, and keeps an interrupted game in memory for
/// the command that resumes it.
pub struct GameArchive {
    file: Option<RecordFile>,
    stop: Arc<AtomicBool>,
    pub interrupted: Option<Record>,
}

struct RecordFile {
    /// Canonical path, with links resolved.
    path: PathBuf,
    /// The path as the user gave it.
    called: PathBuf,
    /// The file's content before the current game.
    earlier: String,
}

impl GameArchive {
    /// Checks that the file can be written. `stop` is set when the user interrupts the program.
    pub fn open(file: Option<&Path>, stop: Arc<AtomicBool>) -> Result<GameArchive, CommandError> {
        let file = file.map(RecordFile::open).transpose()?;
        Ok(GameArchive { file, stop, interrupted: None })
    }
}

impl Archive for GameArchive {
    fn begin(&mut self) -> io::Result<()> {
        match &mut self.file {
            Some(file) => file.read().map_err(|why| file.failure(&why)),
            None => Ok(()),
        }
    }

    fn keep(&mut self, record: &Record) -> io::Result<()> {
        let left = record.ending.is_some_and(|ending| ending.cause == Cause::Abandoned);
        if left && self.stop.load(Ordering::Relaxed) {
            self.interrupted = Some(record.clone());
        }
        match &self.file {
            Some(file) => file.write(record).map_err(|e| file.failure(&e.to_string())),
            None => Ok(()),
        }
    }
}

impl RecordFile {
    fn open(file: &Path) -> Result<RecordFile, CommandError> {
        let bad = |what: &str| CommandError::Input(format!("--save: {} {what}", file.display()));
        if file == Path::new("-") {
            return Err(bad("is not a file name; write ./- for a file of that name"));
        }
        let path = real_path(file).ok_or_else(|| bad("is not a file name"))?;
        let mut this = RecordFile { path, called: file.to_path_buf(), earlier: String::new() };
        if let Ok(there) = fs::metadata(&this.path) {
            if !there.is_file() {
                return Err(bad("is not a regular file; choose another file"));
            }
            this.read().map_err(|why| bad(&format!("cannot be read: {why}")))?;
            if !this.earlier.trim().is_empty() && Record::parse_many(&this.earlier).is_err() {
                return Err(bad("contains something else than game records; choose another file"));
            }
        }
        this.try_to_write().map_err(|e| CommandError::Failed(this.failure(&e.to_string()).to_string()))?;
        Ok(this)
    }

    fn failure(&self, why: &str) -> io::Error {
        io::Error::other(format!("cannot save the record in {}: {why}", self.called.display()))
    }

    /// Reads the current content, which the next write keeps.
    fn read(&mut self) -> Result<(), String> {
        self.earlier = if self.path.exists() { read_text(&self.path)? } else { String::new() };
        Ok(())
    }

    /// Checks that a temporary file can be created beside the file, and that the file is writable.
    fn try_to_write(&self) -> io::Result<()> {
        if self.path.exists() {
            OpenOptions::new().append(true).open(&self.path)?;
        }
        let (_, beside) = self.beside()?;
        fs::remove_file(beside)
    }

    /// Creates a temporary file with a unique name in the same folder.
    fn beside(&self) -> io::Result<(File, PathBuf)> {
        let name = self.path.file_name().unwrap_or_default();
        for attempt in 0..100 {
            let mut own = name.to_os_string();
            own.push(format!(".{}-{attempt}.new", std::process::id()));
            let beside = self.path.with_file_name(own);
            match OpenOptions::new().write(true).create_new(true).open(&beside) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                other => return other.map(|file| (file, beside)),
            }
        }
        Err(io::Error::other("too many temporary files of this name in the folder"))
    }

    /// Writes the earlier games and this one to a temporary file, which then replaces the file atomically.
    fn write(&self, record: &Record) -> io::Result<()> {
        let (file, beside) = self.beside()?;
        let done = self.fill(file, record).and_then(|()| fs::rename(&beside, &self.path));
        if done.is_err() {
            // The first error is reported.
            let _ = fs::remove_file(&beside);
        }
        done
    }

    fn fill(&self, mut file: File, record: &Record) -> io::Result<()> {
        if let Ok(there) = fs::metadata(&self.path) {
            file.set_permissions(there.permissions())?;
        }
        let earlier = self.earlier.trim_end();
        if !earlier.is_empty() {
            write!(file, "{earlier}\n\n")?;
        }
        write!(file, "{record}")?;
        file.sync_all()
    }
}

/// Resolves the links of a path, whose last component need not exist. `None` for an invalid file name.
fn real_path(file: &Path) -> Option<PathBuf> {
    let mut path = file.to_path_buf();
    // The limit of the system for the number of links.
    for _ in 0..40 {
        if let Ok(real) = path.canonicalize() {
            return Some(real);
        }
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return path.file_name().is_some().then_some(path),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_testkit::temp_folder;

    fn record(game: &str) -> Record {
        Record { game: game.to_string(), ..Record::default() }
    }

    fn archive(file: &Path) -> Result<GameArchive, CommandError> {
        GameArchive::open(Some(file), Arc::default())
    }

    #[test]
    fn appends_games_and_leaves_no_temporary_files() {
        let folder = temp_folder();
        let file = folder.join("games.parlor");
        for (run, games) in [["a", "b"], ["c", "d"]].into_iter().enumerate() {
            let mut archive = archive(&file).expect("it can be written");
            for game in games {
                archive.begin().expect("begun");
                archive.keep(&record("x")).expect("kept");
                archive.keep(&record(game)).expect("kept");
            }
            let kept = Record::parse_many(&read_text(&file).expect("text")).expect("records");
            assert_eq!(kept.len(), 2 * (run + 1));
        }
        let kept = Record::parse_many(&read_text(&file).expect("text")).expect("records");
        assert_eq!(kept.iter().map(|r| r.game.as_str()).collect::<String>(), "abcd");
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1);
    }

    #[test]
    fn refuses_files_that_are_no_records() {
        let folder = temp_folder();
        let letter = folder.join("letter.txt");
        fs::write(&letter, "Dear Anna").expect("written");
        for (file, part) in [
            (letter.as_path(), "contains something else than game records; choose another file"),
            (&*folder, "is not a regular file"),
            (Path::new("-"), "is not a file name"),
            (Path::new(""), "is not a file name"),
        ] {
            match archive(file) {
                Err(CommandError::Input(why)) => assert!(why.contains(part), "{why}"),
                _ => panic!("{} is refused as bad input", file.display()),
            }
        }
        let nowhere = archive(&folder.join("there/is/none")).err().expect("refused");
        assert!(
            matches!(&nowhere, CommandError::Failed(why) if why.starts_with("cannot save the record in "))
        );
        assert_eq!(fs::read_to_string(&letter).expect("there"), "Dear Anna");
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn follows_links_and_keeps_permissions() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = temp_folder();
        let (real, link, ahead) = (folder.join("real"), folder.join("link"), folder.join("ahead"));
        fs::write(&real, "").expect("an empty file is welcome");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("set");
        symlink("real", &link).expect("a link");
        symlink("later", &ahead).expect("a link to what is not there yet");
        for file in [&link, &ahead] {
            let mut archive = archive(file).expect("it can be written");
            archive.begin().and_then(|()| archive.keep(&record("a"))).expect("kept");
            assert!(fs::symlink_metadata(file).expect("there").is_symlink());
        }
        assert_eq!(fs::metadata(&real).expect("there").permissions().mode() & 0o777, 0o640);
        assert!(read_text(&real).is_ok_and(|text| text.contains("[Game \"a\"]")));
        assert!(folder.join("later").is_file());
    }
}
