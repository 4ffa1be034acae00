//! The filler for every game whose play never returns to a position: each entry from its successors by the rules, whatever
//! the order of the numbers. It is written for clearness; it refuses to know any game, and does not find cycles (they would
//! never end here).

use crate::{Filler, Work, map::shared};
use parlor_play::{Game, Indexed};
use std::{
    sync::atomic::{AtomicI8, AtomicU64, Ordering::Relaxed},
    thread,
};

/// Stands where an entry is not yet known. No margin is this low.
const NOT_YET: i8 = i8::MIN;
/// Numbers that a thread takes at a time.
const SHARE: u64 = 4096;
/// Room for a thread's recursion, one call for each move that stays in the layer: far more than any layer is deep.
const STACK: usize = 256 << 20;

/// Fills a layer by recursion: successors in the layers below are looked up, those in the layer itself are worked out first.
/// Threads that meet at an entry write the same value.
#[derive(Clone, Copy, Debug, Default)]
pub struct Forward;

impl<G: Indexed> Filler<G> for Forward {
    fn fill(&self, game: &G, layer: u32, below: &[&[i8]], out: &mut [i8], work: &Work<'_>) -> bool {
        out.fill(NOT_YET);
        let layer = Layer { game, number: layer, below, out: shared(out) };
        let next = AtomicU64::new(0);
        thread::scope(|scope| {
            let start =
                || thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || layer.take(&next, work));
            // Where the system gives no more threads, those that it gave do all the work.
            let started: Vec<_> = (0..work.threads.max(1)).map_while(|_| start().ok()).collect();
            if started.is_empty() {
                layer.take(&next, work);
            }
        });
        !work.stop.load(Relaxed)
    }
}

/// The layer in progress.
struct Layer<'a, G> {
    game: &'a G,
    number: u32,
    below: &'a [&'a [i8]],
    out: &'a [AtomicI8],
}

impl<G: Indexed> Layer<'_, G> {
    /// One thread's work: shares of the numbers until there are none.
    fn take(&self, next: &AtomicU64, work: &Work<'_>) {
        let len = self.out.len() as u64;
        let mut room = Vec::new();
        loop {
            let from = next.fetch_add(SHARE, Relaxed);
            if from >= len || work.stop.load(Relaxed) {
                return;
            }
            let to = len.min(from + SHARE);
            for index in from..to {
                self.settle(index, &mut room);
            }
            work.done.fetch_add(to - from, Relaxed);
        }
    }

    /// Makes sure that the entry of a number is known.
    fn settle(&self, index: u64, room: &mut Vec<Vec<G::Move>>) {
        let entry = &self.out[index as usize];
        if entry.load(Relaxed) == NOT_YET {
            let value = self.game.position(self.number, index).map_or(0, |pos| self.worth(&pos, room));
            entry.store(value, Relaxed);
        }
    }

    /// The value of a numbered position.
    fn worth(&self, pos: &G::Position, room: &mut Vec<Vec<G::Move>>) -> i8 {
        let game = self.game;
        let mut moves = room.pop().unwrap_or_default();
        moves.clear();
        game.moves(pos, &mut moves);
        let values = moves.iter().map(|&mv| {
            let mut next = pos.clone();
            game.play(&mut next, mv);
            let value = self.value(&next, room);
            if game.turn(&next) == game.turn(pos) { value } else { -value }
        });
        let best = values.max().or_else(|| game.result(pos).map(|margin| margin.0)).unwrap_or(0);
        room.push(moves);
        // What does not fit is kept out by whoever builds (see `build`), and found by `verify`.
        best.clamp(-i16::from(i8::MAX), i16::from(i8::MAX)) as i8
    }

    /// The margin of a position after a move, banked part included, as its own side to move sees it.
    fn value(&self, pos: &G::Position, room: &mut Vec<Vec<G::Move>>) -> i16 {
        let game = self.game;
        if let Some(margin) = game.result(pos) {
            return margin.0;
        }
        let (layer, index) = (game.layer(pos), game.index(pos));
        let rest = if layer == self.number {
            self.settle(index, room);
            self.out[index as usize].load(Relaxed)
        } else {
            self.below[layer as usize][index as usize]
        };
        game.banked(pos).0 + i16::from(rest)
    }
}
