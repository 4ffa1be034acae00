//! Checkpoints of long proofs: the proved bounds and the expensive results of the solver, in one file that is replaced
//! atomically. A checkpoint belongs to one position of one game and is refused for any other.
//!
//! ```text
//!      0   8  magic "parlor-c"
//!      8   4  format version
//!     12   4  CRC-32 of all that follows
//!     16   8  fingerprint of the rules
//!     24   2  lo
//!     26   2  hi
//!     28   4  length of the text
//!     32   8  nodes searched so far
//!     40   8  milliseconds taken so far
//!     48      the text: what is being solved; then the solver's words, eight bytes each, to the end of the file
//! ```
//!
//! Numbers are little-endian.

use crate::{
    format::rules_fingerprint,
    layer::{sync_folder, write_all},
};
use parlor_core::{Bounds, Game, Margin};
use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

const MAGIC: &[u8; 8] = b"parlor-c";
/// Any change of layout or meaning is a new version.
const VERSION: u32 = 1;
/// Offset of the text in bytes.
const TEXT: usize = 48;
/// The polling interval while another program holds the lock of the folder.
const TICK: Duration = Duration::from_millis(50);
const PATIENCE: u32 = 60;

/// Saved state of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Proved bounds of the position, seen by the side to move.
    pub bounds: Bounds,
    /// Number of visited positions in all runs.
    pub nodes: u64,
    /// Total time of all runs.
    pub time: Duration,
    /// The solver's state; see [`parlor_core::Solve::remembered`].
    pub words: Vec<u64>,
}

/// The folder of a proof, locked for this process.
///
/// # Examples
///
/// ```
/// use parlor_core::{Bounds, Margin};
/// use parlor_games::kalah::Kalah;
/// use parlor_tables::{Checkpoint, Checkpoints};
/// use std::time::Duration;
///
/// # let folder = parlor_testkit::temp_folder();
/// # let dir: &std::path::Path = &folder;
/// let game = Kalah::sized(6, 4)?;
/// let checkpoints = Checkpoints::in_folder(dir, &game, "the start position")?;
/// assert_eq!(checkpoints.last()?, None);
///
/// let bounds = Bounds { lo: Margin(0), hi: Margin(48) };
/// let checkpoint = Checkpoint { bounds, nodes: 1000, time: Duration::from_secs(1), words: vec![1, 2] };
/// checkpoints.keep(&checkpoint)?;
/// assert_eq!(checkpoints.last()?, Some(checkpoint));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Checkpoints {
    file: PathBuf,
    /// A description of the position that identifies the proof.
    text: String,
    rules: u64,
    _lock: File,
}

impl Checkpoints {
    /// Opens the folder of the proof of the position that `text` describes, and creates it if need be.
    pub fn in_folder<G: Game>(dir: &Path, game: &G, text: &str) -> Result<Checkpoints, BadCheckpoint> {
        let unreadable = |error: io::Error| BadCheckpoint::Unreadable(dir.to_path_buf(), error.to_string());
        fs::create_dir_all(dir).map_err(unreadable)?;
        let lock = File::create(dir.join("lock")).map_err(unreadable)?;
        // A program that was killed needs some time to release its memory, and holds the lock until then.
        let mut patience = PATIENCE;
        while let Err(TryLockError::WouldBlock) = lock.try_lock() {
            patience = patience.checked_sub(1).ok_or_else(|| BadCheckpoint::Busy(dir.to_path_buf()))?;
            thread::sleep(TICK);
        }
        let text = format!("{}\n{text}", game.spec());
        Ok(Checkpoints { file: dir.join("proof"), text, rules: rules_fingerprint(game), _lock: lock })
    }

    /// Reads the last checkpoint, if there is one.
    pub fn last(&self) -> Result<Option<Checkpoint>, BadCheckpoint> {
        match fs::read(&self.file) {
            Ok(bytes) => self.read(&bytes).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(BadCheckpoint::Unreadable(self.file.clone(), error.to_string())),
        }
    }

    /// Replaces the checkpoint. At any moment the old or the new one is complete on disk.
    pub fn keep(&self, checkpoint: &Checkpoint) -> Result<(), BadCheckpoint> {
        let beside = self.file.with_extension("new");
        let folder = self.file.parent().unwrap_or(Path::new("."));
        let written = write_all(&beside, &self.bytes(checkpoint), &[])
            .and_then(|()| fs::rename(&beside, &self.file))
            .and_then(|()| sync_folder(folder));
        written.map_err(|error| {
            // The first failure is the one to report.
            let _ = fs::remove_file(&beside);
            BadCheckpoint::Unreadable(self.file.clone(), error.to_string())
        })
    }

    fn bytes(&self, checkpoint: &Checkpoint) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(TEXT + self.text.len() + 8 * checkpoint.words.len());
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(self.rules.to_le_bytes());
        bytes.extend(checkpoint.bounds.lo.0.to_le_bytes());
        bytes.extend(checkpoint.bounds.hi.0.to_le_bytes());
        bytes.extend((self.text.len() as u32).to_le_bytes());
        bytes.extend(checkpoint.nodes.to_le_bytes());
        bytes.extend((checkpoint.time.as_millis() as u64).to_le_bytes());
        bytes.extend(self.text.as_bytes());
        bytes.extend(checkpoint.words.iter().flat_map(|word| word.to_le_bytes()));
        let sum = crc32fast::hash(&bytes[16..]);
        bytes[12..16].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    fn read(&self, bytes: &[u8]) -> Result<Checkpoint, BadCheckpoint> {
        let foreign = |what: &str| BadCheckpoint::Foreign(self.file.clone(), what.to_string());
        let damaged = |what: &str| BadCheckpoint::Damaged(self.file.clone(), what.to_string());
        if !bytes.starts_with(MAGIC) {
            return Err(foreign("it is not a Parlor checkpoint"));
        }
        let Some((front, rest)) = bytes.split_at_checked(TEXT) else {
            return Err(damaged("the file is truncated"));
        };
        let version = number(&front[8..12]);
        if version != u64::from(VERSION) {
            return Err(foreign(&format!("unknown format version {version}; expected {VERSION}")));
        }
        if number(&front[12..16]) != u64::from(crc32fast::hash(&bytes[16..])) {
            return Err(damaged("the checksum does not match"));
        }
        let Some((text, words)) = rest.split_at_checked(number(&front[28..32]) as usize) else {
            return Err(damaged("the file is truncated"));
        };
        if text != self.text.as_bytes() {
            let about = String::from_utf8_lossy(text).replace('\n', ", ");
            return Err(foreign(&format!("it is a proof of {about}")));
        }
        if number(&front[16..24]) != self.rules {
            return Err(foreign("it was made with another version of the rules"));
        }
        let margin = |at: usize| Margin(number(&front[at..at + 2]) as u16 as i16);
        let (words, _) = words.as_chunks::<8>();
        Ok(Checkpoint {
            bounds: Bounds { lo: margin(24), hi: margin(26) },
            nodes: number(&front[32..40]),
            time: Duration::from_millis(number(&front[40..48])),
            words: words.iter().map(|&word| u64::from_le_bytes(word)).collect(),
        })
    }
}

/// Decodes a little-endian number of at most eight bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Why a checkpoint cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadCheckpoint {
    /// The file was damaged: what is wrong with it.
    #[error("{0} is damaged: {1}; delete it to start over")]
    Damaged(PathBuf, String),
    /// The file is intact, but belongs to something else: what it is.
    #[error("{0} belongs to another proof: {1}; choose another folder")]
    Foreign(PathBuf, String),
    /// Reading or writing failed: the path and the reason.
    #[error("{0}: {1}")]
    Unreadable(PathBuf, String),
    /// Another process works on a proof in this folder.
    #[error("another process is using the folder {0}; wait until it finishes")]
    Busy(PathBuf),
}
