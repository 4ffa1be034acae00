//! Zstandard compression of blocks. The same entries give the same bytes for any number of threads; the checksum of a packed
//! block is verified elsewhere.

use crate::{Work, format::Form};
use std::{
    cell::RefCell,
    io,
    sync::{OnceLock, atomic::AtomicU64},
};
use zstd::bulk::{Decompressor, compress};

/// Compression level. Higher levels take three times as long and save one part in five hundred.
const LEVEL: i32 = 12;
/// Blocks packed per batch: a few megabytes.
const BATCH: usize = 1024;
/// Blocks per work item.
const SHARE: u64 = 16;

/// Packs all blocks and passes them on in order, with the number of entries done so far after each batch. Returns false if it
/// was stopped.
pub(crate) fn pack(
    entries: &[u8],
    work: &Work<'_>,
    take: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    done: &mut dyn FnMut(u64),
) -> io::Result<bool> {
    // Progress counts filled entries, and these are already filled.
    let work = Work { done: &AtomicU64::new(0), ..*work };
    let mut packed = 0;
    for batch in entries.chunks(BATCH * Form::Packed.block()) {
        let blocks: Vec<&[u8]> = batch.chunks(Form::Packed.block()).collect();
        let slots: Vec<OnceLock<io::Result<Vec<u8>>>> = blocks.iter().map(|_| OnceLock::new()).collect();
        work.share_out_by(SHARE, blocks.len() as u64, |numbers, (): &mut ()| {
            for at in numbers.map(|at| at as usize) {
                // A new compressor for each block: its earlier input may influence its later output.
                let _ = slots[at].set(compress(blocks[at], LEVEL));
            }
        });
        for slot in slots {
            let Some(stored) = slot.into_inner() else { return Ok(false) };
            take(&stored?)?;
        }
        packed += batch.len() as u64;
        done(packed);
    }
    Ok(true)
}

/// Unpacks a block. Returns false if it is not a packed block of exactly this length; the contents of `out` are then undefined.
pub(crate) fn unpack(stored: &[u8], out: &mut [u8]) -> bool {
    thread_local! {
        /// Reused, because creating one takes longer than unpacking a block.
        static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
    }
    UNPACKER.with_borrow_mut(|unpacker| {
        if unpacker.is_none() {
            *unpacker = Decompressor::new().ok();
        }
        let len = out.len();
        unpacker.as_mut().is_some_and(|unpacker| unpacker.decompress_to_buffer(stored, out).ok() == Some(len))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    fn packed(entries: &[u8], threads: usize) -> Vec<Vec<u8>> {
        let (stop, done, mut blocks) = (AtomicBool::new(false), AtomicU64::new(0), Vec::new());
        let work = Work { threads, stop: &stop, done: &done };
        let mut take = |stored: &[u8]| {
            blocks.push(stored.to_vec());
            Ok(())
        };
        assert!(pack(entries, &work, &mut take, &mut |_| ()).expect("packed"));
        blocks
    }

    /// Entries that are neither constant nor random.
    fn entries(len: usize) -> Vec<u8> {
        (0..len as u64).map(|i| (parlor_core::mix([i / 7]) % 11) as u8).collect()
    }

    #[test]
    fn blocks_come_back_and_are_the_same_for_any_number_of_threads() {
        let block = Form::Packed.block();
        for len in [0, 1, block - 1, block, block + 1, (BATCH + 3) * block + 5] {
            let entries = entries(len);
            let blocks = packed(&entries, 1);
            assert_eq!(blocks, packed(&entries, 3));
            assert_eq!(blocks.len(), len.div_ceil(block));
            for (stored, right) in blocks.iter().zip(entries.chunks(block)) {
                let mut out = vec![0; right.len()];
                assert!(unpack(stored, &mut out));
                assert_eq!(out, right);
            }
        }
    }

    #[test]
    fn a_block_of_another_length_or_of_noise_is_refused() {
        let stored = &packed(&entries(1000), 1)[0];
        assert!(!unpack(stored, &mut [0; 999]) && !unpack(stored, &mut [0; 1001]));
        assert!(!unpack(&stored[..stored.len() - 1], &mut [0; 1000]));
        assert!(!unpack(&entries(500), &mut [0; 1000]) && !unpack(&[], &mut [0; 1000]));
        assert!(unpack(stored, &mut [0; 1000]), "a refused block leaves nothing behind");
    }

    #[test]
    fn a_stopped_pack_hands_over_nothing_more() {
        let (stop, done) = (AtomicBool::new(true), AtomicU64::new(0));
        let work = Work { threads: 2, stop: &stop, done: &done };
        let whole = pack(&entries(9000), &work, &mut |_| panic!("it was stopped"), &mut |_| ());
        assert!(!whole.expect("no fault"));
    }
}
