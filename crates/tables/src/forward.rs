//! Memoised negamax: the filler for every game in which no position can return. Each entry follows from its successors by the
//! rules, in any order of the numbers. It is written for clarity, serves every game, and does not detect cycles (it would not
//! terminate).

use crate::{Filler, Work, map::shared};
use parlor_core::Indexed;
use std::sync::atomic::{AtomicI8, Ordering::Relaxed};

/// Marks an entry that is not yet known. No margin is this low.
const NOT_YET: i8 = i8::MIN;

/// Fills a layer by recursion: successors in the layers below are looked up, those in the layer itself are computed first.
/// Threads that meet at an entry write the same value.
#[derive(Clone, Copy, Debug, Default)]
pub struct Forward;

impl<G: Indexed> Filler<G> for Forward {
    fn fill(&self, game: &G, layer: u32, below: &[&[i8]], out: &mut [i8], work: &Work<'_>) -> bool {
        out.fill(NOT_YET);
        let len = out.len() as u64;
        let layer = Layer { game, number: layer, below, out: shared(out) };
        work.share_out(len, |numbers, room| {
            for index in numbers {
                layer.entry_of(index, room);
            }
        });
        !work.stopped()
    }
}

/// Reusable lists of moves, one for each step of the recursion.
type Room<M> = Vec<Vec<M>>;

/// The layer being filled.
struct Layer<'a, G> {
    game: &'a G,
    number: u32,
    below: &'a [&'a [i8]],
    out: &'a [AtomicI8],
}

impl<G: Indexed> Layer<'_, G> {
    /// The entry of a number, computed if it is not yet known.
    fn entry_of(&self, index: u64, room: &mut Room<G::Move>) -> i8 {
        let entry = &self.out[index as usize];
        let mut value = entry.load(Relaxed);
        if value == NOT_YET {
            value = self.game.position(self.number, index).map_or(0, |pos| self.position_value(&pos, room));
            entry.store(value, Relaxed);
        }
        value
    }

    /// Value of a position in the layer.
    fn position_value(&self, pos: &G::Position, room: &mut Room<G::Move>) -> i8 {
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
        // A build refuses layers whose margins do not fit, and `verify` would find such an entry.
        best.clamp(-i16::from(i8::MAX), i16::from(i8::MAX)) as i8
    }

    /// The margin of a position after a move, including the banked part, seen by its own side to move.
    fn value(&self, pos: &G::Position, room: &mut Room<G::Move>) -> i16 {
        let game = self.game;
        if let Some(margin) = game.result(pos) {
            return margin.0;
        }
        let (layer, index) = (game.layer(pos), game.index(pos));
        let rest = match layer == self.number {
            true => self.entry_of(index, room),
            false => self.below[layer as usize][index as usize],
        };
        game.banked(pos).0 + i16::from(rest)
    }
}
