//! What can be wrong with a table, each with its sentence: where, what, and what to do. A table that is not right is never
//! believed in part.

use std::{error::Error, fmt, io, path::Path, path::PathBuf};

/// Why there is no table, or why one is not believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadTable {
    /// There is none in this folder.
    Missing(PathBuf),
    /// A file was damaged: what is wrong with it.
    Damaged(PathBuf, String),
    /// A file is whole, but of another version, family or rules: what it is.
    Foreign(PathBuf, String),
    /// Reading or writing failed: why.
    Unreadable(PathBuf, String),
    /// Somebody else is building in this folder.
    Busy(PathBuf),
    /// A layer needs more memory than it may have.
    TooLarge {
        /// Which layer.
        layer: u32,
        /// The bytes it needs.
        needed: u64,
        /// How many of them are for packed layers below it, which a build has in memory.
        unpacked: u64,
        /// The bytes it may have.
        allowed: u64,
        /// The layer up to which there is room, if there is any.
        below: Option<u32>,
    },
    /// The system does not give the memory for a layer, in bytes.
    NoMemory(u32, u64),
    /// The margins of a layer do not fit one byte.
    WideMargins(u32),
    /// An entry is not what the rules give.
    WrongEntry {
        /// Its layer.
        layer: u32,
        /// Its number.
        index: u64,
        /// The position it stands for, in the game's notation.
        position: String,
        /// What the table holds.
        held: i8,
        /// What follows from the successors; none where the numbering itself is wrong.
        derived: Option<i16>,
    },
    /// An entry follows from its successors, but play need never come to what it promises.
    Endless {
        /// Its layer.
        layer: u32,
        /// Its number.
        index: u64,
        /// The position it stands for, in the game's notation.
        position: String,
        /// What the table promises.
        held: i8,
    },
}

impl BadTable {
    /// What the system said about a file.
    pub(crate) fn unreadable(path: &Path, error: &io::Error) -> BadTable {
        BadTable::Unreadable(path.to_path_buf(), error.to_string())
    }
}

impl fmt::Display for BadTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadTable::Missing(folder) => {
                write!(f, "there is no table in {}; build one first", folder.display())
            }
            BadTable::Damaged(file, what) => {
                write!(f, "{} is damaged: {what}; remove it and build the table again", file.display())
            }
            BadTable::Foreign(file, what) => {
                let file = file.display();
                write!(f, "{file} is not of this table: {what}; remove it or choose another folder")
            }
            BadTable::Unreadable(file, why) => write!(f, "{}: {why}", file.display()),
            BadTable::Busy(folder) => {
                write!(f, "somebody else is building a table in {}; wait for the end", folder.display())
            }
            BadTable::TooLarge { layer, needed, unpacked, allowed, below } => {
                let (needed, allowed) = (size(*needed), size(*allowed));
                write!(f, "layer {layer} needs {needed} of memory ")?;
                if *unpacked > 0 {
                    write!(f, "({} of it for the compressed layers below) ", size(*unpacked))?;
                }
                write!(f, "and may have {allowed}; allow more")?;
                below.map_or(Ok(()), |below| write!(f, ", or build up to layer {below}"))
            }
            BadTable::NoMemory(layer, needed) => {
                write!(f, "layer {layer} needs {} of memory and the system does not give it", size(*needed))
            }
            BadTable::WideMargins(layer) => {
                write!(
                    f,
                    "the margins of layer {layer} do not fit a table, which holds -127 to 127; build fewer layers"
                )
            }
            BadTable::Endless { layer, index, position, held } => {
                write!(
                    f,
                    "entry {index} of layer {layer}, {position}: the table promises {held}, but play can go round for ever \
                     without it; remove the table and build it again"
                )
            }
            BadTable::WrongEntry { layer, index, position, held, derived } => {
                write!(f, "entry {index} of layer {layer}, {position}: the table holds {held}, ")?;
                match derived {
                    Some(value) => write!(f, "the rules give {value}; remove the table and build it again"),
                    None => {
                        write!(f, "but its moves lead outside the table; remove the table and build it again")
                    }
                }
            }
        }
    }
}

impl Error for BadTable {}

/// Bytes as people read them, rounded up: what is allowed then suffices.
fn size(bytes: u64) -> String {
    match bytes {
        0..0x4000_0000 => format!("{}M", bytes.div_ceil(1 << 20)),
        0x4000_0000..0x4_0000_0000_0000 => format!("{}G", bytes.div_ceil(1 << 30)),
        _ => "more than a million G".to_string(),
    }
}
