//! One layer as a file: written so that a sudden end leaves either the whole file or none, and opened only if it is what it
//! must be.

use crate::{
    BadTable,
    format::{BLOCK, Title, Unlike, file_checksum},
    map::{Map, bytes_of, entries_of},
};
use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// How the name of a file ends while it is being written.
pub(crate) const UNFINISHED: &str = ".layer.new";

/// A layer's file, mapped into memory.
#[derive(Debug)]
pub(crate) struct LayerFile {
    path: PathBuf,
    map: Map,
    /// Where the entries begin.
    begin: usize,
    /// One for each block of entries.
    checksums: Vec<u32>,
}

impl LayerFile {
    /// The file's name in the folder of its table.
    pub fn path(folder: &Path, layer: u32) -> PathBuf {
        folder.join(format!("{layer:02}.layer"))
    }

    /// Opens the file of this title; none where there is no file. All but the entries is checked.
    pub fn open(folder: &Path, title: &Title) -> Result<Option<LayerFile>, BadTable> {
        let path = LayerFile::path(folder, title.layer);
        let map = match File::open(&path).and_then(|file| Map::of(&file)) {
            Ok(map) => map,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(BadTable::unreadable(&path, &error)),
        };
        match title.read(map.bytes()) {
            Ok(checksums) => Ok(Some(LayerFile { path, map, begin: title.begin() as usize, checksums })),
            Err(Unlike::Damaged(what)) => Err(BadTable::Damaged(path, what)),
            Err(Unlike::Foreign(what)) => Err(BadTable::Foreign(path, what)),
        }
    }

    /// Writes the file under another name, makes sure that it is on the disk, and gives it its own name at once.
    pub fn write(folder: &Path, title: &Title, entries: &[i8]) -> Result<(), BadTable> {
        let path = LayerFile::path(folder, title.layer);
        let beside = path.with_extension(&UNFINISHED[1..]);
        let written = write_all(&beside, &title.front(&checksums(entries)), bytes_of(entries))
            .and_then(|()| fs::rename(&beside, &path))
            .and_then(|()| sync_folder(folder));
        written.map_err(|error| {
            // The first failure is the one to tell.
            let _ = fs::remove_file(&beside);
            BadTable::unreadable(&path, &error)
        })
    }

    /// The entries.
    #[inline]
    pub fn entries(&self) -> &[i8] {
        entries_of(&self.map.bytes()[self.begin..])
    }

    /// The size of the file.
    pub fn bytes(&self) -> u64 {
        self.map.bytes().len() as u64
    }

    /// The checksum that stands for the whole file.
    pub fn checksum(&self) -> u32 {
        file_checksum(self.map.bytes())
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> u64 {
        self.checksums.len() as u64
    }

    /// Whether a block of entries matches its checksum.
    pub fn check(&self, block: u64) -> Result<(), BadTable> {
        let entries = self.entries().chunks(BLOCK).nth(block as usize).unwrap_or_default();
        if self.checksums.get(block as usize) == Some(&crc32fast::hash(bytes_of(entries))) {
            return Ok(());
        }
        let what = format!("block {block} of its entries does not match its checksum");
        Err(BadTable::Damaged(self.path.clone(), what))
    }
}

fn checksums(entries: &[i8]) -> Vec<u32> {
    bytes_of(entries).chunks(BLOCK).map(crc32fast::hash).collect()
}

/// What an earlier run left behind under this name is overwritten.
pub(crate) fn write_all(path: &Path, front: &[u8], rest: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(front)?;
    file.write_all(rest)?;
    file.sync_all()
}

/// A new name lasts only when its folder is on the disk too. Where folders cannot be opened, the system sees to it.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
