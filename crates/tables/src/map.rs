//! Memory seen in another way: a finished file as a slice, and entries in progress as words that threads share.
//!
//! This is one of the few files that may be `unsafe`.
#![allow(
    unsafe_code,
    reason = "neither mapping a file nor sharing a slice of bytes between threads has a safe form"
)]

use memmap2::{Mmap, MmapOptions};
use std::{fs::File, io, sync::atomic::AtomicI8};

/// A part of a file, mapped into memory: its pages are read when they are first needed, and the system may drop them again.
#[derive(Debug)]
pub(crate) struct Map(Mmap);

impl Map {
    /// So many bytes of a file from an offset. They must be there: the caller has compared the length of the file.
    pub fn of(file: &File, offset: u64, len: usize) -> io::Result<Map> {
        // SAFETY: the map is only read. Finished files are never written again: a new version is written beside the old one
        // and renamed. Somebody else who shortens or overwrites a file under our hands breaks what every user of a mapped
        // file relies on, and no program can defend itself against it.
        unsafe { MmapOptions::new().offset(offset).len(len).map(file) }.map(Map)
    }

    /// The bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The bytes as entries.
    #[inline]
    pub fn entries(&self) -> &[i8] {
        let bytes = self.bytes();
        // SAFETY: i8 and u8 have the same size and alignment, and every byte is both; length and lifetime stay the same.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len()) }
    }
}

/// Entries as bytes, to be written to a file.
pub(crate) fn bytes_of(entries: &[i8]) -> &[u8] {
    // SAFETY: as above, the other way round.
    unsafe { std::slice::from_raw_parts(entries.as_ptr().cast(), entries.len()) }
}

/// Entries that threads may fill together.
pub fn shared(entries: &mut [i8]) -> &[AtomicI8] {
    let (start, len) = (entries.as_mut_ptr(), entries.len());
    // SAFETY: an atomic byte has the size and alignment of a plain one, and the slice is borrowed exclusively for as long as
    // the result lives, so that all access in that time is atomic.
    unsafe { std::slice::from_raw_parts(start.cast(), len) }
}
