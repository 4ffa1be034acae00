//! Tables of endings as a solver has them: layers that were opened from files, and layers that it fills by itself above them.

use super::Fill;
use parlor_core::Indexed;
use parlor_engine::Memory;
use parlor_games::kalah::Kalah;
use parlor_tables::{Filler, Table, Work};
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64},
};

/// Endings of one family of games.
pub(super) struct Endings {
    game: Kalah,
    kept: Option<Arc<Table<Kalah>>>,
    made: Vec<Memory<i8>>,
    filler: Fill,
    /// Layers of its own take at most so many bytes.
    pub most_bytes: usize,
}

impl Endings {
    pub fn new(game: &Kalah, kept: Option<Arc<Table<Kalah>>>) -> Endings {
        Endings { game: game.family(), kept, made: Vec::new(), filler: Fill::default(), most_bytes: 0 }
    }

    /// All layers there are, by beans in play.
    pub fn layers(&self) -> Vec<&[i8]> {
        let kept = self.kept.iter().flat_map(|table| table.layers());
        kept.chain(self.made.iter().map(|layer| &layer[..])).collect()
    }

    /// How many entries the next layer would have, if there is room for it.
    pub fn next_len(&self) -> Option<u64> {
        let len = self.game.len(self.layers().len() as u32);
        let taken: usize = self.made.iter().map(|layer| layer.len()).sum();
        (len < (self.most_bytes.saturating_sub(taken)) as u64).then_some(len)
    }

    /// Fills the next layer, unless it was stopped.
    pub fn fill_next(&mut self, threads: usize, stop: &AtomicBool) {
        let Some(len) = self.next_len() else { return };
        let mut layer = Memory::zeroed_bytes(len as usize);
        let layers = self.layers();
        let done = AtomicU64::new(0);
        let work = Work { threads, stop, done: &done };
        if self.filler.fill(&self.game, layers.len() as u32, &layers, &mut layer, &work) {
            self.made.push(layer);
        }
    }
}
