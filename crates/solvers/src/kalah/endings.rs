//! The endgame layers of a solver: those opened from files, and above them those that it fills itself.

use super::KalahFiller;
use parlor_core::Indexed;
use parlor_engine::ZeroedMemory;
use parlor_games::kalah::Kalah;
use parlor_tables::{EndgameTable, Filler, Work};
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64},
};

/// Endgame values of one family of games.
pub(super) struct Endings {
    game: Kalah,
    kept: Option<Arc<EndgameTable<Kalah>>>,
    made: Vec<ZeroedMemory<i8>>,
    filler: KalahFiller,
    /// Limit for the layers that it fills itself, in bytes.
    pub most_bytes: usize,
}

impl Endings {
    pub fn new(game: &Kalah, kept: Option<Arc<EndgameTable<Kalah>>>) -> Endings {
        Endings { game: game.family(), kept, made: Vec::new(), filler: KalahFiller::default(), most_bytes: 0 }
    }

    /// All filled layers, indexed by beans in play.
    pub fn layers(&self) -> Vec<&[i8]> {
        let kept = self.kept.iter().flat_map(|table| table.layers());
        kept.chain(self.made.iter().map(|layer| &layer[..])).collect()
    }

    /// The number of entries of the next layer, if the memory limit allows it.
    pub fn next_len(&self) -> Option<u64> {
        let len = self.game.len(self.layers().len() as u32);
        let taken: usize = self.made.iter().map(|layer| layer.len()).sum();
        (len < (self.most_bytes.saturating_sub(taken)) as u64).then_some(len)
    }

    /// Fills the next layer, unless it is stopped.
    pub fn fill_next(&mut self, threads: usize, stop: &AtomicBool) {
        let Some(len) = self.next_len() else { return };
        let mut layer = ZeroedMemory::zeroed_bytes(len as usize);
        let layers = self.layers();
        let done = AtomicU64::new(0);
        let work = Work { threads, stop, done: &done };
        if self.filler.fill(&self.game, layers.len() as u32, &layers, &mut layer, &work) {
            self.made.push(layer);
        }
    }
}
