//! Memory-mapped layer files, and entries in progress as atomics that threads share.
//!
//! This is one of the few files that may be `unsafe`.
#![allow(
    unsafe_code,
    reason = "neither mapping a file nor sharing a slice of bytes between threads has a safe form"
)]

use memmap2::Mmap;
use std::{fs::File, io, sync::atomic::AtomicI8};

/// A file mapped into memory: its pages are read when they are first needed, and the system may drop them again.
#[derive(Debug)]
pub(crate) struct Map(Mmap);

impl Map {
    /// Maps a whole file.
    pub fn of(file: &File) -> io::Result<Map> {
        // SAFETY: the map is only read. Finished files are never written again: a new version is written beside the old one
        // and renamed. Another process that shortens or overwrites a mapped file breaks what every user of a mapped file
        // relies on, and no program can defend itself against it.
        unsafe { Mmap::map(file) }.map(Map)
    }

    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Reinterprets bytes as entries.
#[inline]
pub(crate) fn entries_of(bytes: &[u8]) -> &[i8] {
    // SAFETY: i8 and u8 have the same size and alignment, and every byte is both; length and lifetime stay the same.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len()) }
}

/// Reinterprets entries as bytes.
pub(crate) fn bytes_of(entries: &[i8]) -> &[u8] {
    // SAFETY: as above, the other way round.
    unsafe { std::slice::from_raw_parts(entries.as_ptr().cast(), entries.len()) }
}

/// Entries that several threads may write.
pub fn shared(entries: &mut [i8]) -> &[AtomicI8] {
    let (start, len) = (entries.as_mut_ptr(), entries.len());
    // SAFETY: an atomic byte has the size and alignment of a plain one, and the slice is borrowed exclusively for as long as
    // the result lives, so that all access in that time is atomic.
    unsafe { std::slice::from_raw_parts(start.cast(), len) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn bytes_and_entries_are_the_same_thing() {
        let mut entries = [-128, -1, 0, 127];
        assert_eq!(bytes_of(&entries), [128, 255, 0, 127]);
        assert_eq!(entries_of(bytes_of(&entries)), entries);
        shared(&mut entries)[2].store(5, Relaxed);
        assert_eq!(entries, [-128, -1, 5, 127]);
        assert!(entries_of(&[]).is_empty() && shared(&mut []).is_empty());
    }
}
