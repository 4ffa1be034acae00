//! The interface of layer fillers, and the threads, stop flag and progress counter of their work. Fillers are independent of
//! the storage of layers.

use parlor_core::Indexed;
use std::{
    ops::Range,
    panic::resume_unwind,
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    thread,
};

/// Entries per work item.
const SHARE: u64 = 4096;
/// Stack of a thread for recursion: far more than any layer needs. Untouched stack uses no memory.
const STACK: usize = 256 << 20;

/// Resources of a filler.
#[derive(Clone, Copy, Debug)]
pub struct Work<'a> {
    pub threads: usize,
    /// Set to cancel the work.
    pub stop: &'a AtomicBool,
    /// Entries done so far, for progress reports. Never decreases.
    pub done: &'a AtomicU64,
}

impl Work<'_> {
    /// Whether the work is cancelled.
    pub fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Calls `each` for all numbers below `len`, in work items that the threads take in ascending order, each thread with its
    /// own scratch value. Finished items are counted as done. Returns between two items once the stop flag is set.
    pub fn share_out<Room: Default>(&self, len: u64, each: impl Fn(Range<u64>, &mut Room) + Sync) {
        self.share_out_by(SHARE, len, each);
    }

    /// Like [`Work::share_out`], with work items of another size.
    pub(crate) fn share_out_by<Room: Default>(
        &self,
        share: u64,
        len: u64,
        each: impl Fn(Range<u64>, &mut Room) + Sync,
    ) {
        let next = AtomicU64::new(0);
        let labour = || {
            let mut room = Room::default();
            loop {
                let from = next.fetch_add(share, Relaxed);
                if from >= len || self.stopped() {
                    return;
                }
                let to = len.min(from + share);
                each(from..to, &mut room);
                self.done.fetch_add(to - from, Relaxed);
            }
        };
        thread::scope(|scope| {
            let start = |_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, labour).ok();
            // If the system refuses more threads, the started ones do all the work.
            let started: Vec<_> = (0..self.threads.max(1)).map_while(start).collect();
            if started.is_empty() {
                labour();
            }
            // Joined explicitly: glibc can crash when a detached thread exits.
            for thread in started {
                if let Err(panic) = thread.join() {
                    resume_unwind(panic);
                }
            }
        });
    }
}

/// Computes whole layers. [`Forward`](crate::Forward) does so for every game without cycles inside a layer; a filler for one
/// game may be faster.
///
/// The entries of a layer follow from the rules alone, so every filler of a game gives the same bytes: the margin of
/// [`Indexed::position`] under best play, seen by the side to move, and 0 for an unused number.
pub trait Filler<G: Indexed>: Sync {
    /// Fills `out` (`len(layer)` entries for each plane) from the complete layers below (`below[i]` is layer i). Returns false
    /// if it was stopped; the contents of `out` are then undefined.
    fn fill(&self, game: &G, layer: u32, below: &[&[i8]], out: &mut [i8], work: &Work<'_>) -> bool;

    /// Number of bytes needed in addition to the entries while filling a layer.
    fn room(&self, game: &G, layer: u32) -> u64 {
        let _ = (game, layer);
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Barrier, Mutex};

    #[test]
    fn all_numbers_are_shared_out_once_among_threads_that_run_together() {
        let (stop, done, shares) = (AtomicBool::new(false), AtomicU64::new(0), Mutex::new(Vec::new()));
        let work = Work { threads: 2, stop: &stop, done: &done };
        // No thread continues after its first item before the other thread has one.
        let together = Barrier::new(2);
        let len = 5 * SHARE + 7;
        work.share_out(len, |numbers, met: &mut bool| {
            if !std::mem::replace(met, true) {
                together.wait();
            }
            shares.lock().expect("no panic").push(numbers);
        });
        let mut shares = shares.into_inner().expect("no panic");
        shares.sort_by_key(|numbers| numbers.start);
        assert_eq!((shares.len(), done.into_inner()), (6, len));
        assert!(shares.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert_eq!((shares[0].start, shares[5].end), (0, len));
    }

    #[test]
    fn nothing_is_begun_after_the_stop() {
        let (stop, done) = (AtomicBool::new(true), AtomicU64::new(0));
        let work = Work { threads: 2, stop: &stop, done: &done };
        work.share_out(10 * SHARE, |_, (): &mut ()| panic!("it was stopped"));
        assert_eq!(done.into_inner(), 0);
    }
}
