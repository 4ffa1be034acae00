//! The journal of a build: a line for each solved position, written immediately, so that a killed build loses only
//! the positions that it was solving. Every line has a checksum. Incomplete lines, such as the last one after a
//! kill or on a full disk, are skipped.

use super::layers::KnownValues;
use anyhow::{Context, Result, bail};
use parlor_core::mix;
use std::{
    fs::{self, File, OpenOptions},
    io::{ErrorKind, Write},
    path::Path,
    time::{Duration, Instant},
};

/// First line of the file: defines the columns.
const TITLE: &str = "parlor book journal 1: key value check of connect:7,6,4";
/// Interval at which the file is synchronised to disk.
const SYNC: Duration = Duration::from_secs(5);

pub struct BookJournal {
    file: File,
    synced: Instant,
}

impl BookJournal {
    /// Opens or creates a journal, and returns its entries.
    pub fn open(path: &Path) -> Result<(BookJournal, KnownValues)> {
        let at = || path.display().to_string();
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(at)?;
        }
        let text = match fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error).with_context(at),
        };
        let known = read(&text).with_context(at)?;
        let mut file = OpenOptions::new().append(true).create(true).open(path).with_context(at)?;
        if text.is_empty() {
            writeln!(file, "{TITLE}")?;
        } else if !text.ends_with('\n') {
            writeln!(file)?;
        }
        Ok((BookJournal { file, synced: Instant::now() }, known))
    }

    /// Adds a value. The operating system has it when this returns, and writes it to disk within a few seconds.
    pub fn add(&mut self, key: u64, value: i16) -> Result<()> {
        self.file.write_all(line(key, value).as_bytes())?;
        if self.synced.elapsed() >= SYNC {
            self.file.sync_data()?;
            self.synced = Instant::now();
        }
        Ok(())
    }

    /// Waits until everything is on disk.
    pub fn sync(&mut self) -> Result<()> {
        Ok(self.file.sync_data()?)
    }
}

fn line(key: u64, value: i16) -> String {
    format!("{key} {value} {:08x}\n", check(key, value))
}

fn check(key: u64, value: i16) -> u32 {
    mix([key, value as u64]) as u32
}

/// Parses all complete lines.
fn read(text: &str) -> Result<KnownValues> {
    let mut lines = text.lines();
    match lines.next() {
        None => return Ok(KnownValues::new()),
        Some(title) if title != TITLE => {
            bail!("this is no journal of a book: it does not begin with '{TITLE}'")
        }
        Some(_) => (),
    }
    Ok(lines.filter_map(entry).collect())
}

fn entry(line: &str) -> Option<(u64, i16)> {
    let fields: Vec<&str> = line.split(' ').collect();
    let &[key, value, checksum] = fields.as_slice() else { return None };
    let (key, value) = (key.parse().ok()?, value.parse().ok()?);
    let whole = checksum.len() == 8 && u32::from_str_radix(checksum, 16) == Ok(check(key, value));
    whole.then_some((key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> String {
        format!("{TITLE}\n{}{}", line(123_456_789_012, -2), line(42, 18))
    }

    #[test]
    fn complete_lines_are_read_back() {
        assert_eq!(read(&text()).expect("a journal"), KnownValues::from([(123_456_789_012, -2), (42, 18)]));
        assert_eq!(read("").expect("a new one"), KnownValues::new());
    }

    #[test]
    fn an_incomplete_last_line_is_skipped_wherever_it_ends() {
        let text = text();
        let first = text.find("42 18").expect("the last line");
        for len in first..text.len() - 1 {
            assert_eq!(
                read(&text[..len]).expect("a journal"),
                KnownValues::from([(123_456_789_012, -2)]),
                "{len}"
            );
        }
    }

    #[test]
    fn a_line_with_a_changed_number_is_skipped() {
        let wrong = text().replace("42 18", "42 17");
        assert_eq!(read(&wrong).expect("a journal").len(), 1);
    }

    #[test]
    fn a_file_of_another_kind_is_refused() {
        assert!(read("4 4 4\n").is_err());
    }

    #[test]
    fn a_killed_build_continues_after_its_incomplete_line() {
        let (folder, whole) = (parlor_testkit::temp_folder(), text());
        let path = folder.write("torn.journal", &whole[..whole.len() - 4]);
        let (mut journal, known) = BookJournal::open(&path).expect("a journal");
        assert_eq!(known.len(), 1);
        journal.add(43, 0).expect("room");
        journal.sync().expect("a disk");
        let (_, known) = BookJournal::open(&path).expect("a journal");
        assert_eq!(known, KnownValues::from([(123_456_789_012, -2), (43, 0)]));
    }
}
