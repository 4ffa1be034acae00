//! Record files: read whole or refused with a reason, and written so that at every moment the file holds whole records.

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

/// The text of a file, or of standard input for `-`; otherwise why there is none.
pub fn read_text(file: &Path) -> Result<String, String> {
    if file == Path::new("-") {
        return parlor_league::read_text(io::stdin().lock());
    }
    File::open(file).map_err(|e| e.to_string()).and_then(parlor_league::read_text)
}

/// A file to which records are added: a new one, or one that holds records already. Anything else is left alone.
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

/// Keeps the games of one run: in a file, if one was asked for, behind the games that it holds already; and, where a game
/// was interrupted, in memory, to say how to go on with it.
pub struct Keeper {
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

impl Keeper {
    /// Makes sure that games can be kept there. `stop` is set when the person wants out.
    pub fn open(file: Option<&Path>, stop: Arc<AtomicBool>) -> Result<Keeper, CommandError> {
        let file = file.map(RecordFile::open).transpose()?;
        Ok(Keeper { file, stop, interrupted: None })
    }
}

impl Archive for Keeper {
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

    /// What the file holds now is what was kept before.
    fn read(&mut self) -> Result<(), String> {
        self.earlier = if self.path.exists() { read_text(&self.path)? } else { String::new() };
        Ok(())
    }

    /// Whether there is room beside the file, and whether the file itself may be changed.
    fn try_to_write(&self) -> io::Result<()> {
        if self.path.exists() {
            OpenOptions::new().append(true).open(&self.path)?;
        }
        let (_, beside) = self.beside()?;
        fs::remove_file(beside)
    }

    /// A new file in the same folder, named so that no other program has it.
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

    /// The earlier games and this one: written beside the file, then put in its place at once.
    fn write(&self, record: &Record) -> io::Result<()> {
        let (file, beside) = self.beside()?;
        let done = self.fill(file, record).and_then(|()| fs::rename(&beside, &self.path));
        if done.is_err() {
            // The first failure is the one to tell.
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

/// Where a name leads, links followed; the last part need not be there yet. None where the name cannot be a file's.
fn real_path(file: &Path) -> Option<PathBuf> {
    let mut path = file.to_path_buf();
    // As many links as the system itself would follow.
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

    fn keeper(file: &Path) -> Result<Keeper, CommandError> {
        Keeper::open(Some(file), Arc::default())
    }

    #[test]
    fn games_are_kept_one_after_another_and_nothing_is_left_beside_them() {
        let folder = temp_folder();
        let file = folder.join("games.parlor");
        for (run, games) in [["a", "b"], ["c", "d"]].into_iter().enumerate() {
            let mut keeper = keeper(&file).expect("it can be written");
            for game in games {
                keeper.begin().expect("begun");
                keeper.keep(&record("x")).expect("kept");
                keeper.keep(&record(game)).expect("kept");
            }
            let kept = Record::parse_many(&read_text(&file).expect("text")).expect("records");
            assert_eq!(kept.len(), 2 * (run + 1));
        }
        let kept = Record::parse_many(&read_text(&file).expect("text")).expect("records");
        assert_eq!(kept.iter().map(|r| r.game.as_str()).collect::<String>(), "abcd");
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1);
    }

    #[test]
    fn what_is_not_a_record_is_left_alone() {
        let folder = temp_folder();
        let letter = folder.join("letter.txt");
        fs::write(&letter, "Dear Anna").expect("written");
        for (file, part) in [
            (letter.as_path(), "contains something else than game records; choose another file"),
            (&*folder, "is not a regular file"),
            (Path::new("-"), "is not a file name"),
            (Path::new(""), "is not a file name"),
        ] {
            match keeper(file) {
                Err(CommandError::Input(why)) => assert!(why.contains(part), "{why}"),
                _ => panic!("{} is refused as bad input", file.display()),
            }
        }
        let nowhere = keeper(&folder.join("there/is/none")).err().expect("refused");
        assert!(
            matches!(&nowhere, CommandError::Failed(why) if why.starts_with("cannot save the record in "))
        );
        assert_eq!(fs::read_to_string(&letter).expect("there"), "Dear Anna");
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_permissions_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = temp_folder();
        let (real, link, ahead) = (folder.join("real"), folder.join("link"), folder.join("ahead"));
        fs::write(&real, "").expect("an empty file is welcome");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("set");
        symlink("real", &link).expect("a link");
        symlink("later", &ahead).expect("a link to what is not there yet");
        for file in [&link, &ahead] {
            let mut keeper = keeper(file).expect("it can be written");
            keeper.begin().and_then(|()| keeper.keep(&record("a"))).expect("kept");
            assert!(fs::symlink_metadata(file).expect("there").is_symlink());
        }
        assert_eq!(fs::metadata(&real).expect("there").permissions().mode() & 0o777, 0o640);
        assert!(read_text(&real).is_ok_and(|text| text.contains("[Game \"a\"]")));
        assert!(folder.join("later").is_file());
    }
}
