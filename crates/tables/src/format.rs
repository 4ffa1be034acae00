//! The file format of a layer, plain or packed. The header of a file is never trusted, only compared with the expected one. The
//! only exception is the length of its packed blocks: it is accepted only if the checksum matches and the blocks fill the file
//! to its last byte.
//!
//! ```text
//!      0   8  magic "parlor-t"
//!      8   4  format version: 1 plain, 2 packed
//!     12   4  CRC-32 of all bytes before the blocks but these four
//!     16   8  where the blocks begin
//!     24   8  number of entries
//!     32   4  entries in a block: 65536 plain, 4096 packed
//!     36   4  layer
//!     40   8  fingerprint of the rules
//!     48   8  fingerprint of the numbering in this layer
//!     56   4  length of the family's spec
//!     60      the spec, then what there is to say about each block, then the blocks, to the end of the file
//!
//!   plain     | CRC-32 | CRC-32 | ... | zeros up to 4096n | entries, one signed byte each              |
//!   packed    | CRC-32, length | CRC-32, length | ...     | a Zstandard frame | a Zstandard frame | ...|
//! ```
//!
//! Numbers are little-endian. A block's checksum covers its bytes in the file. The first checksum covers the others, so it
//! identifies the whole file.

use crc32fast::Hasher;
use parlor_core::{Game, Indexed, mix, perft};
use std::ops::Range;

const MAGIC: &[u8; 8] = b"parlor-t";
/// Plain entries begin at a page boundary, so that they can be mapped.
const PAGE: u64 = 4096;
/// Offset of the text in bytes.
const TEXT: usize = 60;

/// The storage form of the entries of a layer. Any change of layout or meaning is a new version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A byte per entry, memory-mapped: the fastest to probe.
    Plain,
    /// Compressed blocks: about half the size, decoded on demand.
    Packed,
}

impl Form {
    fn version(self) -> u32 {
        match self {
            Form::Plain => 1,
            Form::Packed => 2,
        }
    }

    pub(crate) fn of_version(version: u32) -> Option<Form> {
        [Form::Plain, Form::Packed].into_iter().find(|form| form.version() == version)
    }

    /// Entries in a block. A packed block is decoded as a whole for one entry, so it is small: 64 KiB save one part in a
    /// hundred and fifty and take about fifteen times as long to unpack, 1 KiB lose one part in twenty.
    pub(crate) const fn block(self) -> usize {
        match self {
            Form::Plain => 1 << 16,
            Form::Packed => 1 << 12,
        }
    }

    /// Bytes per block in the list before the blocks.
    fn word_bytes(self) -> u64 {
        match self {
            Form::Plain => 4,
            Form::Packed => 8,
        }
    }
}

/// How a file differs from the expected one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unlike {
    Damaged(String),
    Foreign(String),
}

/// Location of a block in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub checksum: u32,
    /// Length in bytes.
    pub len: u32,
}

impl Block {
    pub fn of(stored: &[u8]) -> Block {
        Block { checksum: crc32fast::hash(stored), len: stored.len() as u32 }
    }
}

/// The header of a layer's file, without checksums.
#[derive(Clone, Debug)]
pub(crate) struct Title {
    pub spec: String,
    pub rules: u64,
    pub numbering: u64,
    pub layer: u32,
    pub entries: u64,
}

impl Title {
    /// The header for a layer of a family. The fingerprint of the rules is the same for all layers: see [`rules_fingerprint`].
    pub fn of<G: Indexed>(family: &G, rules: u64, layer: u32) -> Title {
        let numbering = numbering_fingerprint(family, layer);
        Title { spec: family.spec(), rules, numbering, layer, entries: entries(family, layer) }
    }

    fn blocks(&self, form: Form) -> u64 {
        self.entries.div_ceil(form.block() as u64)
    }

    /// Numbers of the entries in a block.
    pub fn numbers(&self, form: Form, block: u64) -> Range<u64> {
        let len = form.block() as u64;
        (block * len).min(self.entries)..((block + 1) * len).min(self.entries)
    }

    /// Offset of the first block in bytes.
    pub fn begin(&self, form: Form) -> u64 {
        let begin = TEXT as u64 + self.spec.len() as u64 + form.word_bytes() * self.blocks(form);
        if form == Form::Plain { begin.next_multiple_of(PAGE) } else { begin }
    }

    /// The file's content before the first block.
    pub fn front(&self, form: Form, blocks: &[Block]) -> Vec<u8> {
        let begin = self.begin(form);
        let mut front = Vec::with_capacity(begin as usize);
        front.extend(MAGIC);
        front.extend(form.version().to_le_bytes());
        front.extend([0; 4]);
        front.extend(begin.to_le_bytes());
        front.extend(self.entries.to_le_bytes());
        front.extend((form.block() as u32).to_le_bytes());
        front.extend(self.layer.to_le_bytes());
        front.extend(self.rules.to_le_bytes());
        front.extend(self.numbering.to_le_bytes());
        front.extend((self.spec.len() as u32).to_le_bytes());
        front.extend(self.spec.as_bytes());
        for block in blocks {
            front.extend(block.checksum.to_le_bytes());
            if form == Form::Packed {
                front.extend(block.len.to_le_bytes());
            }
        }
        front.resize(begin as usize, 0);
        let sum = front_checksum(&front);
        front[12..16].copy_from_slice(&sum.to_le_bytes());
        front
    }

    /// The form and the blocks of a file with these bytes, if its header is this one. The blocks themselves are not checked.
    pub fn read(&self, file: &[u8]) -> Result<(Form, Vec<Block>), Unlike> {
        if !file.starts_with(MAGIC) {
            return Err(Unlike::Foreign("it is not a Parlor table".to_string()));
        }
        if file.len() < TEXT {
            return Err(Unlike::Damaged("the file is truncated".to_string()));
        }
        let version = word(file, 8);
        let Some(form) = Form::of_version(version) else {
            return Err(Unlike::Foreign(format!("unknown format version {version}; expected 1 or 2")));
        };
        let front = usize::try_from(long(file, 16)).ok().filter(|&begin| begin >= TEXT);
        let Some(front) = front.and_then(|begin| file.get(..begin)) else {
            return Err(Unlike::Damaged("the file is truncated".to_string()));
        };
        if word(file, 12) != front_checksum(front) {
            return Err(Unlike::Damaged("the checksum of the header does not match".to_string()));
        }
        self.compare(form, front)?;
        let blocks = self.read_blocks(form, &front[TEXT + self.spec.len()..]);
        let due = self.begin(form) + blocks.iter().map(|block| u64::from(block.len)).sum::<u64>();
        if file.len() as u64 != due {
            return Err(Unlike::Damaged(format!("it has {} bytes instead of {due}", file.len())));
        }
        Ok((form, blocks))
    }

    fn read_blocks(&self, form: Form, words: &[u8]) -> Vec<Block> {
        let words = words.chunks_exact(form.word_bytes() as usize);
        let block = |(number, words): (u64, &[u8])| {
            let numbers = self.numbers(form, number);
            let len = match form {
                Form::Plain => (numbers.end - numbers.start) as u32,
                Form::Packed => word(words, 4),
            };
            Block { checksum: word(words, 0), len }
        };
        (0..self.blocks(form)).zip(words).map(block).collect()
    }

    /// Compares the beginning of a file with this header.
    fn compare(&self, form: Form, front: &[u8]) -> Result<(), Unlike> {
        let foreign = |what: String| Err(Unlike::Foreign(what));
        let spec = front[TEXT..].get(..word(front, 56) as usize).unwrap_or_default();
        if spec != self.spec.as_bytes() {
            return foreign(format!("it belongs to {}, not {}", String::from_utf8_lossy(spec), self.spec));
        }
        if word(front, 36) != self.layer {
            return foreign(format!("it is layer {}, not {}", word(front, 36), self.layer));
        }
        if long(front, 40) != self.rules {
            return foreign("it was made with another version of the rules".to_string());
        }
        if long(front, 48) != self.numbering {
            return foreign("its positions are indexed differently".to_string());
        }
        let shape = (long(front, 16), long(front, 24), word(front, 32));
        if shape != (self.begin(form), self.entries, form.block() as u32) {
            return foreign("it has a different layout".to_string());
        }
        Ok(())
    }
}

/// Number of entries of a layer.
pub(crate) fn entries<G: Indexed>(family: &G, layer: u32) -> u64 {
    family.len(layer).saturating_mul(family.planes() as u64)
}

/// The checksum of a whole file, from its header.
pub(crate) fn file_checksum(front: &[u8]) -> u32 {
    word(front, 12)
}

fn front_checksum(front: &[u8]) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(&front[..12]);
    hasher.update(&front[16..]);
    hasher.finalize()
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at)) | u64::from(word(bytes, at + 4)) << 32
}

/// A fingerprint that distinguishes rules of the same name: the number of move sequences from the family's start, up to a depth
/// with some thousands of them.
pub(crate) fn rules_fingerprint<G: Game>(family: &G) -> u64 {
    let start = family.start();
    let mut counts = Vec::new();
    for depth in 1..=12 {
        let count = perft(family, &start, depth);
        counts.push(count);
        if count == 0 || count > 4000 {
            break;
        }
    }
    mix(counts)
}

/// A fingerprint that distinguishes numberings of the same positions: the numbers of an evenly spread sample.
fn numbering_fingerprint<G: Indexed>(family: &G, layer: u32) -> u64 {
    const SAMPLES: u128 = 64;
    let last = u128::from(family.len(layer).saturating_sub(1));
    let numbers = (0..SAMPLES).map(|i| (last * i / (SAMPLES - 1)) as u64);
    let words = |pos: G::Position| [family.key(&pos), family.banked(&pos).0 as u64];
    mix(numbers.flat_map(|index| family.position(layer, index).map_or([u64::MAX; 2], words)))
}
