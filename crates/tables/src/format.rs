//! The bytes of a layer's file. Text and numbers become bytes and are compared, nothing more: what a file says of itself is
//! never used, only compared with what it must be.
//!
//! ```text
//!      0   8  magic "parlor-t"
//!      8   4  format version
//!     12   4  CRC-32 of all bytes before the entries but these four
//!     16   8  where the entries begin: a multiple of 4096
//!     24   8  number of entries
//!     32   4  entries in a block
//!     36   4  layer
//!     40   8  fingerprint of the rules
//!     48   8  fingerprint of the numbering in this layer
//!     56   4  length of the family's spec
//!     60      the spec, then a CRC-32 for each block (4 bytes each), then zeros up to
//!   4096n     the entries, one signed byte each, to the end of the file
//! ```
//!
//! Numbers are little-endian. The first checksum covers the others, so that it stands for the whole file.

use crc32fast::Hasher;
use parlor_play::{Game, Indexed, mix, perft};

const MAGIC: &[u8; 8] = b"parlor-t";
/// Any change of layout or meaning is a new version.
const VERSION: u32 = 1;
/// Entries begin at the border of a page, so that they can be mapped.
const PAGE: u64 = 4096;
/// Entries in a block.
pub(crate) const BLOCK: usize = 1 << 16;
/// Where the text begins.
const TEXT: usize = 60;

/// Why a file is not what it must be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unlike {
    Damaged(String),
    Foreign(String),
}

/// What a layer's file is about: all that stands before its checksums.
#[derive(Clone, Debug)]
pub(crate) struct Title {
    pub spec: String,
    pub rules: u64,
    pub numbering: u64,
    pub layer: u32,
    pub entries: u64,
}

impl Title {
    /// Of a family's layer. The rules' fingerprint is the same for all layers: see [`rules_fingerprint`].
    pub fn of<G: Indexed>(family: &G, rules: u64, layer: u32) -> Title {
        let numbering = numbering_fingerprint(family, layer);
        Title { spec: family.spec(), rules, numbering, layer, entries: entries(family, layer) }
    }

    fn blocks(&self) -> u64 {
        self.entries.div_ceil(BLOCK as u64)
    }

    /// Where the entries begin.
    pub fn begin(&self) -> u64 {
        (TEXT as u64 + self.spec.len() as u64 + 4 * self.blocks()).next_multiple_of(PAGE)
    }

    /// The bytes before the entries.
    pub fn front(&self, checksums: &[u32]) -> Vec<u8> {
        let mut front = Vec::with_capacity(self.begin() as usize);
        front.extend(MAGIC);
        front.extend(VERSION.to_le_bytes());
        front.extend([0; 4]);
        front.extend(self.begin().to_le_bytes());
        front.extend(self.entries.to_le_bytes());
        front.extend((BLOCK as u32).to_le_bytes());
        front.extend(self.layer.to_le_bytes());
        front.extend(self.rules.to_le_bytes());
        front.extend(self.numbering.to_le_bytes());
        front.extend((self.spec.len() as u32).to_le_bytes());
        front.extend(self.spec.as_bytes());
        front.extend(checksums.iter().flat_map(|sum| sum.to_le_bytes()));
        front.resize(self.begin() as usize, 0);
        let sum = front_checksum(&front);
        front[12..16].copy_from_slice(&sum.to_le_bytes());
        front
    }

    /// The blocks' checksums of a file with these bytes, if it is the file of this title. The entries are not looked at.
    pub fn read(&self, file: &[u8]) -> Result<Vec<u32>, Unlike> {
        if !file.starts_with(MAGIC) {
            return Err(Unlike::Foreign("it is no table of this program".to_string()));
        }
        if file.len() < TEXT {
            return Err(Unlike::Damaged("it ends too early".to_string()));
        }
        let version = word(file, 8);
        if version != VERSION {
            return Err(Unlike::Foreign(format!("its format version is {version}, not {VERSION}")));
        }
        let front = usize::try_from(long(file, 16)).ok().filter(|&begin| begin >= TEXT);
        let Some(front) = front.and_then(|begin| file.get(..begin)) else {
            return Err(Unlike::Damaged("it ends too early".to_string()));
        };
        if word(file, 12) != front_checksum(front) {
            return Err(Unlike::Damaged("its beginning does not match its checksum".to_string()));
        }
        self.compare(front)?;
        if file.len() as u64 != self.begin() + self.entries {
            let due = self.begin() + self.entries;
            return Err(Unlike::Damaged(format!("it has {} bytes instead of {due}", file.len())));
        }
        let sums = file[TEXT + self.spec.len()..].chunks_exact(4).take(self.blocks() as usize);
        Ok(sums.map(|sum| word(sum, 0)).collect())
    }

    /// Whether a whole beginning is that of this title.
    fn compare(&self, front: &[u8]) -> Result<(), Unlike> {
        let foreign = |what: String| Err(Unlike::Foreign(what));
        let spec = front[TEXT..].get(..word(front, 56) as usize).unwrap_or_default();
        if spec != self.spec.as_bytes() {
            return foreign(format!("it belongs to {}, not {}", String::from_utf8_lossy(spec), self.spec));
        }
        if word(front, 36) != self.layer {
            return foreign(format!("it is layer {}, not {}", word(front, 36), self.layer));
        }
        if long(front, 40) != self.rules {
            return foreign("it was made with other rules".to_string());
        }
        if long(front, 48) != self.numbering {
            return foreign("its positions are numbered in another way".to_string());
        }
        let shape = (long(front, 16), long(front, 24), word(front, 32));
        if shape != (self.begin(), self.entries, BLOCK as u32) {
            return foreign("it has another shape".to_string());
        }
        Ok(())
    }
}

/// How many entries a layer has.
pub(crate) fn entries<G: Indexed>(family: &G, layer: u32) -> u64 {
    family.len(layer).saturating_mul(family.planes() as u64)
}

/// The checksum that stands for a whole file, from its beginning.
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

/// What tells these rules from others of the same name: move sequences counted from the family's start, up to a depth with
/// some thousands of them.
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

/// What tells this numbering from another one of the same positions: some of them, evenly spread.
fn numbering_fingerprint<G: Indexed>(family: &G, layer: u32) -> u64 {
    const SAMPLES: u128 = 64;
    let last = u128::from(family.len(layer).saturating_sub(1));
    let numbers = (0..SAMPLES).map(|i| (last * i / (SAMPLES - 1)) as u64);
    let words = |pos: G::Position| [family.key(&pos), family.banked(&pos).0 as u64];
    mix(numbers.flat_map(|index| family.position(layer, index).map_or([u64::MAX; 2], words)))
}
