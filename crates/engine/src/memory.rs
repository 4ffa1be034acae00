//! Zeroed memory for large tables, in huge pages where the system offers them, and prefetching of cache lines. Both only
//! affect speed.
//!
//! This is one of the few files that may be `unsafe`.
#![allow(unsafe_code, reason = "a prefetch hint and madvise have no safe form")]

use std::{
    mem::ManuallyDrop,
    ops::{Deref, DerefMut},
    sync::atomic::AtomicU64,
};

/// The size of a huge page in bytes.
const HUGE: usize = 2 << 20;

/// A long slice of words that starts as zeros.
#[derive(Debug)]
pub struct ZeroedMemory<T> {
    words: Vec<T>,
    /// Words before the first one on the border of a huge page.
    skipped: usize,
    len: usize,
}

impl ZeroedMemory<AtomicU64> {
    /// `len` zeros, aligned to a huge page.
    pub fn zeroed(len: usize) -> Self {
        let spare = HUGE / size_of::<AtomicU64>();
        // Zeroed memory from the allocator consists of untouched pages: they cost nothing until they are used, and only
        // untouched pages become huge ones.
        let mut zeros = ManuallyDrop::new(vec![0_u64; len + spare]);
        let (start, count, room) = (zeros.as_mut_ptr(), zeros.len(), zeros.capacity());
        // SAFETY: the parts are those of a vector that is never used again, and an atomic word has the size and alignment
        // of a plain one (on every target with 64-bit atomics whose alignment is that of u64).
        const { assert!(align_of::<AtomicU64>() == align_of::<u64>()) };
        let words: Vec<AtomicU64> = unsafe { Vec::from_raw_parts(start.cast(), count, room) };
        let skipped = words.as_ptr().align_offset(HUGE).min(spare);
        let memory = ZeroedMemory { words, skipped, len };
        advise_huge(&memory);
        memory
    }
}

impl ZeroedMemory<i8> {
    /// `len` zeros, aligned to a huge page.
    pub fn zeroed_bytes(len: usize) -> Self {
        let words = vec![0_i8; len + HUGE];
        let skipped = words.as_ptr().align_offset(HUGE).min(HUGE);
        let memory = ZeroedMemory { words, skipped, len };
        advise_huge(&memory);
        memory
    }
}

impl<T> DerefMut for ZeroedMemory<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.words[self.skipped..self.skipped + self.len]
    }
}

impl<T> Deref for ZeroedMemory<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.words[self.skipped..self.skipped + self.len]
    }
}

#[cfg(target_os = "linux")]
fn advise_huge<T>(words: &[T]) {
    // Less than a huge page is quicker cleared as it is used.
    if size_of_val(words) < HUGE {
        return;
    }
    // SAFETY: the range is memory of our own that stays allocated; the advice changes neither its contents nor its rights,
    // and a refusal is harmless.
    unsafe {
        libc::madvise(words.as_ptr().cast_mut().cast(), size_of_val(words), libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn advise_huge<T>(_words: &[T]) {}

/// Prefetches the word at this index into the cache. Does nothing if the index is out of bounds.
#[inline(always)]
pub fn prefetch<T>(words: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(word) = words.get(index) {
        // SAFETY: prefetching changes nothing that a program can see, whatever the address; this one is even valid.
        unsafe {
            std::arch::x86_64::_mm_prefetch(std::ptr::from_ref(word).cast(), std::arch::x86_64::_MM_HINT_T0);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (words, index);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn memory_starts_as_zeros_and_keeps_what_is_written() {
        let memory = ZeroedMemory::zeroed(1000);
        assert_eq!(memory.len(), 1000);
        assert!(memory.iter().all(|word| word.load(Ordering::Relaxed) == 0));
        memory[999].store(7, Ordering::Relaxed);
        prefetch(&memory, 999);
        prefetch(&memory, 1000);
        assert_eq!(memory[999].load(Ordering::Relaxed), 7);
        let mut bytes = ZeroedMemory::zeroed_bytes(1000);
        bytes[999] = -7;
        assert_eq!((bytes.len(), bytes[0], bytes[999]), (1000, 0, -7));
    }
}
