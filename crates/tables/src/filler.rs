//! Who computes whole layers, and what such work is given. How a layer is kept is no concern of a filler.

use parlor_play::Indexed;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// What a filler works with.
#[derive(Clone, Copy, Debug)]
pub struct Work<'a> {
    /// How many threads it may use.
    pub threads: usize,
    /// Set when it is to give up.
    pub stop: &'a AtomicBool,
    /// Entries done so far, for whoever watches. Only ever added to.
    pub done: &'a AtomicU64,
}

/// Computes whole layers. [`Forward`](crate::Forward) does so for every game without cycles inside a layer; an expert may be
/// faster.
///
/// What a layer's entries are follows from the rules alone, so every filler of a game gives the same bytes: the margin of
/// [`Indexed::position`] under best play, seen by the side to move, and 0 where a number stands for no position.
pub trait Filler<G: Indexed>: Sync {
    /// Fills `out` (`len(layer)` entries) from the complete layers below (`below[i]` is layer i). False if it was stopped;
    /// what stands in `out` then means nothing.
    fn fill(&self, game: &G, layer: u32, below: &[&[i8]], out: &mut [i8], work: &Work<'_>) -> bool;
}
