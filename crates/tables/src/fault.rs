//! Errors of endgame tables. Each message says where, what is wrong, and what to do. A table with an error is refused as a
//! whole.

use std::{
    io,
    path::{Path, PathBuf},
};

/// Why a table cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTable {
    /// The folder contains no table.
    #[error("no table in {0}; build one with parlor table build")]
    Missing(PathBuf),
    /// A file was damaged: what is wrong with it.
    #[error("{0} is damaged: {1}; delete it and rebuild the table")]
    Damaged(PathBuf, String),
    /// A file is intact, but of another version, family or rules: what it is.
    #[error("{0} belongs to another table: {1}; delete it or choose another folder")]
    Foreign(PathBuf, String),
    /// Reading or writing failed: the path and the reason.
    #[error("{0}: {1}")]
    Unreadable(PathBuf, String),
    /// Another process is building in this folder.
    #[error("another process is building a table in {0}; wait until it finishes")]
    Busy(PathBuf),
    /// A layer needs more memory than it may have.
    #[error("layer {layer} needs {} of memory{}, but the limit is {}; raise the limit{}", size(*needed), share(*unpacked), size(*allowed), largest(*below))]
    TooLarge {
        layer: u32,
        /// In bytes.
        needed: u64,
        /// The part for the packed layers below it, which a build has in memory.
        unpacked: u64,
        /// In bytes.
        allowed: u64,
        /// The highest layer for which there is enough memory, if any.
        below: Option<u32>,
    },
    /// The system refuses to allocate the memory for a layer, in bytes.
    #[error("layer {0} needs {needed} of memory, which the system does not have", needed = size(*.1))]
    NoMemory(u32, u64),
    /// The margins of a layer do not fit one byte.
    #[error("the values of layer {0} exceed the range -127 to 127 of a table; build fewer layers")]
    WideMargins(u32),
    /// An entry differs from the value that the rules give.
    #[error("entry {index} of layer {layer}, {position}: the table has {held}, {}; delete the table and rebuild it", derivation(*derived))]
    WrongEntry {
        layer: u32,
        /// Number of the entry.
        index: u64,
        /// The position with this number, in the game's notation.
        position: String,
        /// The value in the table.
        held: i8,
        /// The value derived from the successors; `None` if the numbering itself is wrong.
        derived: Option<i16>,
    },
    /// An entry follows from its successors, but play need never reach what it promises.
    #[error(
        "entry {index} of layer {layer}, {position}: the table has {held}, but play can repeat for ever without reaching it; delete the table and rebuild it"
    )]
    Endless {
        layer: u32,
        /// Number of the entry.
        index: u64,
        /// The position with this number, in the game's notation.
        position: String,
        /// The value in the table.
        held: i8,
    },
}

impl BadTable {
    /// Wraps an I/O error.
    pub(crate) fn unreadable(path: &Path, error: &io::Error) -> BadTable {
        BadTable::Unreadable(path.to_path_buf(), error.to_string())
    }
}

/// How much of a layer's memory is for the compressed layers below it.
fn share(unpacked: u64) -> String {
    match unpacked {
        0 => String::new(),
        bytes => format!(" ({} of it for the compressed layers below)", size(bytes)),
    }
}

/// The largest table for which there is room.
fn largest(below: Option<u32>) -> String {
    below.map_or_else(String::new, |below| format!(", or build up to layer {below}"))
}

/// What follows from the successors of an entry.
fn derivation(derived: Option<i16>) -> String {
    derived.map_or_else(
        || "but its moves lead outside the table".into(),
        |value| format!("the rules give {value}"),
    )
}

/// Formats bytes, rounded up, so that a limit of the printed size suffices.
fn size(bytes: u64) -> String {
    match bytes {
        0..0x4000_0000 => format!("{}M", bytes.div_ceil(1 << 20)),
        0x4000_0000..0x4_0000_0000_0000 => format!("{}G", bytes.div_ceil(1 << 30)),
        _ => "more than a million G".to_string(),
    }
}
