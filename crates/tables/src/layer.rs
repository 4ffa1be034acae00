//! One layer as a file: written atomically (after a crash the file is complete or absent), and opened only if it has the
//! expected header. No entry is returned before the checksum of its block was verified.

use crate::{
    BadTable, Work,
    cache::Cache,
    format::{Block, Form, Title, Unlike, file_checksum},
    map::{Map, bytes_of, entries_of},
    pack::{pack, unpack},
};
use std::{
    fs::{self, File},
    io::{self, BufWriter, Read, Seek, Write},
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

/// The suffix of an unfinished file.
pub(crate) const UNFINISHED: &str = ".layer.new";

/// A layer's file, mapped into memory.
#[derive(Debug)]
pub(crate) struct LayerFile {
    path: PathBuf,
    map: Map,
    title: Title,
    form: Form,
    /// Offset of the first block.
    begin: usize,
    blocks: Vec<Block>,
    /// Offset of each block.
    begins: Vec<usize>,
    /// All entries of a packed layer, unpacked on first use.
    whole: OnceLock<Result<Vec<u8>, BadTable>>,
    /// For a plain layer: which blocks were found to match their checksums.
    right: Vec<AtomicBool>,
    sound: OnceLock<Result<(), BadTable>>,
}

impl LayerFile {
    /// The file's name in the folder of its table.
    pub fn path(folder: &Path, layer: u32) -> PathBuf {
        folder.join(format!("{layer:02}.layer"))
    }

    /// Opens the file with this header; `None` if there is no file. Everything but the blocks is verified.
    pub fn open(folder: &Path, title: &Title) -> Result<Option<LayerFile>, BadTable> {
        let path = LayerFile::path(folder, title.layer);
        let map = match File::open(&path).and_then(|file| Map::of(&file)) {
            Ok(map) => map,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(BadTable::unreadable(&path, &error)),
        };
        let (form, blocks) = match title.read(map.bytes()) {
            Ok(read) => read,
            Err(Unlike::Damaged(what)) => return Err(BadTable::Damaged(path, what)),
            Err(Unlike::Foreign(what)) => return Err(BadTable::Foreign(path, what)),
        };
        let (begin, title) = (title.begin(form) as usize, title.clone());
        let mut end = begin;
        let mut after = |block: &Block| {
            end += block.len as usize;
            end - block.len as usize
        };
        let begins = blocks.iter().map(&mut after).collect();
        let right = blocks.iter().map(|_| AtomicBool::new(false)).collect();
        let (whole, sound) = (OnceLock::new(), OnceLock::new());
        Ok(Some(LayerFile { path, map, title, form, begin, blocks, begins, whole, right, sound }))
    }

    /// The form that an existing file seems to have: for plans, before anything is verified.
    pub fn form_of(folder: &Path, layer: u32) -> Option<Form> {
        let mut bytes = [0; 12];
        File::open(LayerFile::path(folder, layer)).ok()?.read_exact(&mut bytes).ok()?;
        Form::of_version(u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]))
    }

    /// Writes the file under a temporary name, syncs it to disk, and renames it. Returns false if it was stopped. While blocks
    /// are packed, `done` receives the number of packed entries.
    pub fn write(
        folder: &Path,
        title: &Title,
        form: Form,
        entries: &[i8],
        work: &Work<'_>,
        done: &mut dyn FnMut(u64),
    ) -> Result<bool, BadTable> {
        let path = LayerFile::path(folder, title.layer);
        let beside = path.with_extension(&UNFINISHED[1..]);
        let bytes = bytes_of(entries);
        let written = match form {
            Form::Plain => {
                let blocks: Vec<Block> = bytes.chunks(form.block()).map(Block::of).collect();
                write_all(&beside, &title.front(form, &blocks), bytes).map(|()| true)
            }
            Form::Packed => write_packed(&beside, title, bytes, work, done),
        };
        let named = written.and_then(|whole| {
            match whole {
                true => fs::rename(&beside, &path).and_then(|()| sync_folder(folder))?,
                false => fs::remove_file(&beside)?,
            }
            Ok(whole)
        });
        named.map_err(|error| {
            // The first failure is the one to report.
            let _ = fs::remove_file(&beside);
            BadTable::unreadable(&path, &error)
        })
    }

    pub fn len(&self) -> u64 {
        self.title.entries
    }

    pub fn form(&self) -> Form {
        self.form
    }

    /// The entries, if they are in memory: those of a plain file whose blocks were all verified, or those of an unpacked layer.
    #[inline]
    pub fn entries_in_memory(&self) -> Option<&[i8]> {
        match self.form {
            Form::Plain => self.sound.get()?.is_ok().then(|| self.unverified_entries()),
            Form::Packed => self.whole.get()?.as_ref().ok().map(|bytes| entries_of(bytes)),
        }
    }

    /// The entries of a plain file, verified or not.
    #[inline]
    fn unverified_entries(&self) -> &[i8] {
        entries_of(&self.map.bytes()[self.begin..])
    }

    /// All entries. The blocks of a plain layer are verified; a packed layer is unpacked into memory, once.
    pub fn entries(&self) -> Result<&[i8], BadTable> {
        match self.entries_in_memory() {
            Some(entries) => Ok(entries),
            None if self.form == Form::Plain => {
                let check = || (0..self.blocks()).try_for_each(|block| self.verify_block(block));
                self.sound.get_or_init(check).clone().map(|()| self.unverified_entries())
            }
            None => match self.whole.get_or_init(|| self.unpack_all()) {
                Ok(bytes) => Ok(entries_of(bytes)),
                Err(bad) => Err(bad.clone()),
            },
        }
    }

    /// Caches entries that were just packed, so that they need not be unpacked.
    pub fn cache_entries(&self, entries: Vec<i8>) {
        if self.form == Form::Packed {
            // If it is already set, it has the same entries.
            let _ = self.whole.set(Ok(entries.into_iter().map(|entry| entry as u8).collect()));
        }
    }

    /// One entry, without unpacking more than its block; `None` above the last.
    #[inline]
    pub fn entry(&self, number: u64, cache: &Cache) -> Result<Option<i8>, BadTable> {
        match self.entries_in_memory() {
            Some(entries) => Ok(entries.get(number as usize).copied()),
            None if number >= self.len() => Ok(None),
            None if self.form == Form::Packed => self.packed_entry(number, cache),
            None => {
                self.verify_block(number / self.form.block() as u64)?;
                Ok(self.unverified_entries().get(number as usize).copied())
            }
        }
    }

    /// Verifies a block of a plain layer on first use.
    fn verify_block(&self, block: u64) -> Result<(), BadTable> {
        let right = &self.right[block as usize];
        if !right.load(Relaxed) {
            self.stored(block)?;
            right.store(true, Relaxed);
        }
        Ok(())
    }

    fn packed_entry(&self, number: u64, cache: &Cache) -> Result<Option<i8>, BadTable> {
        let len = self.form.block() as u64;
        let block = number / len;
        cache.entry((self.title.layer, block), (number % len) as usize, |room| {
            let numbers = self.title.numbers(self.form, block);
            room.resize((numbers.end - numbers.start) as usize, 0);
            self.unpack(block, room)
        })
    }

    /// Size of the file.
    pub fn bytes(&self) -> u64 {
        self.map.bytes().len() as u64
    }

    /// Checksum of the whole file.
    pub fn checksum(&self) -> u32 {
        file_checksum(self.map.bytes())
    }

    pub fn blocks(&self) -> u64 {
        self.blocks.len() as u64
    }

    /// Whether a block matches its checksum, and can be unpacked if it is packed.
    pub fn check(&self, block: u64) -> Result<(), BadTable> {
        match self.form {
            Form::Plain => self.stored(block).map(|_| ()),
            Form::Packed => {
                let numbers = self.title.numbers(self.form, block);
                self.unpack(block, &mut vec![0; (numbers.end - numbers.start) as usize])
            }
        }
    }

    /// The bytes of a block in the file, if they match their checksum.
    fn stored(&self, number: u64) -> Result<&[u8], BadTable> {
        let (block, begin) = (self.blocks[number as usize], self.begins[number as usize]);
        let stored = &self.map.bytes()[begin..begin + block.len as usize];
        if crc32fast::hash(stored) == block.checksum {
            return Ok(stored);
        }
        let what = format!("the checksum of block {number} does not match");
        Err(BadTable::Damaged(self.path.clone(), what))
    }

    fn unpack(&self, number: u64, out: &mut [u8]) -> Result<(), BadTable> {
        if unpack(self.stored(number)?, out) {
            return Ok(());
        }
        let what = format!("block {number} cannot be decompressed");
        Err(BadTable::Damaged(self.path.clone(), what))
    }

    fn unpack_all(&self) -> Result<Vec<u8>, BadTable> {
        let (mut bytes, len) = (Vec::new(), self.title.entries);
        bytes.try_reserve_exact(len as usize).map_err(|_| BadTable::NoMemory(self.title.layer, len))?;
        bytes.resize(len as usize, 0);
        for (number, out) in (0..).zip(bytes.chunks_mut(self.form.block())) {
            self.unpack(number, out)?;
        }
        Ok(bytes)
    }
}

/// Blocks are written as they are packed, so that they need no memory; the header is known at the end.
fn write_packed(
    path: &Path,
    title: &Title,
    entries: &[u8],
    work: &Work<'_>,
    done: &mut dyn FnMut(u64),
) -> io::Result<bool> {
    let (mut file, mut blocks) = (BufWriter::with_capacity(1 << 20, File::create(path)?), Vec::new());
    file.write_all(&vec![0; title.begin(Form::Packed) as usize])?;
    let mut take = |stored: &[u8]| {
        blocks.push(Block::of(stored));
        file.write_all(stored)
    };
    if !pack(entries, work, &mut take, done)? {
        return Ok(false);
    }
    file.rewind()?;
    file.write_all(&title.front(Form::Packed, &blocks))?;
    file.flush()?;
    file.get_ref().sync_all()?;
    Ok(true)
}

/// Overwrites a file that an earlier run left behind under this name.
pub(crate) fn write_all(path: &Path, front: &[u8], rest: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(front)?;
    file.write_all(rest)?;
    file.sync_all()
}

/// A new name is durable only after the folder is synced. If folders cannot be opened, the system is responsible.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
