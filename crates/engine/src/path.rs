//! The path of positions from the start of a match to the current node: it detects repetitions and supplies the history part of
//! transposition keys. It does nothing in games without cycles.
//!
//! The value of a position depends on its history, the positions since something was banked last, because they end the game
//! if they return. This is the graph-history interaction (GHI) problem (Kishimoto and Müller, "A general solution to the
//! graph history interaction problem", 2004). So the key of a position covers the set of those positions, unless the search
//! is too shallow for any of them to return: then the position alone is the key. A value is therefore used only with the
//! history for which it was found.

use parlor_core::{Game, Side};
use std::hash::{Hash, Hasher};

/// A quick hash that is the same on every machine and in every run.
#[derive(Clone, Copy, Default)]
struct Print(u64);

impl Print {
    #[inline]
    fn fold(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(26) ^ word).wrapping_mul(0xF135_7AEA_2E62_A9C5);
    }
}

impl Hasher for Print {
    #[inline]
    fn finish(&self) -> u64 {
        let mixed = (self.0 ^ self.0 >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        mixed ^ mixed >> 32
    }
    // Inlined where the length is known, the loop over an array's bytes becomes a few instructions.
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.fold(u64::from_le_bytes(word));
        }
    }
    #[inline]
    fn write_u8(&mut self, n: u8) {
        self.fold(n.into());
    }
    #[inline]
    fn write_u16(&mut self, n: u16) {
        self.fold(n.into());
    }
    #[inline]
    fn write_u32(&mut self, n: u32) {
        self.fold(n.into());
    }
    #[inline]
    fn write_u64(&mut self, n: u64) {
        self.fold(n);
    }
    #[inline]
    fn write_u128(&mut self, n: u128) {
        self.fold(n as u64);
        self.fold((n >> 64) as u64);
    }
    #[inline]
    fn write_usize(&mut self, n: usize) {
        self.fold(n as u64);
    }
    #[inline]
    fn write_isize(&mut self, n: isize) {
        self.fold(n as u64);
    }
}

/// A hash of the whole position, including the banked part and the side to move.
#[inline]
pub(crate) fn fingerprint(thing: &impl Hash) -> u64 {
    let mut print = Print::default();
    thing.hash(&mut print);
    print.finish()
}

struct Step<P> {
    print: u64,
    /// The sum of the fingerprints since the last banking move; it does not depend on their order.
    set: u64,
    /// The number of moves since the last banking move.
    stretch: u32,
    banked: i16,
    pos: P,
}

/// The positions from the start to the current one.
pub(crate) struct Path<G: Game> {
    steps: Vec<Step<G::Position>>,
    cyclic: bool,
    shortest: u32,
}

impl<G: Game> Path<G> {
    /// The path of a match, up to and including its position.
    pub fn of(game: &G, positions: &[G::Position]) -> Self {
        let cyclic = positions.last().is_some_and(|pos| game.repetition_payoff(pos).is_some());
        let mut path = Path { steps: Vec::new(), cyclic, shortest: game.shortest_cycle() };
        positions.iter().for_each(|pos| path.push(game, pos));
        path
    }

    /// Whether positions can repeat in this game.
    pub fn is_cyclic(&self) -> bool {
        self.cyclic
    }

    /// Whether no earlier position can return: the last move banked something, or the game has no cycles. The values of an
    /// oracle hold only for such positions.
    #[inline]
    pub fn is_fresh(&self) -> bool {
        self.steps.last().is_none_or(|now| now.stretch == 0)
    }

    #[inline]
    pub fn push(&mut self, game: &G, pos: &G::Position) {
        if !self.cyclic {
            return;
        }
        let banked = game.banked(pos).0;
        let banked = if game.turn(pos) == Side::First { banked } else { -banked };
        let print = fingerprint(pos);
        let (set, stretch) = match self.steps.last() {
            Some(last) if last.banked == banked => (last.set, last.stretch + 1),
            _ => (0, 0),
        };
        self.steps.push(Step { print, set: set.wrapping_add(print), stretch, banked, pos: pos.clone() });
    }

    #[inline]
    pub fn pop(&mut self) {
        if self.cyclic {
            self.steps.pop();
        }
    }

    /// Whether the last position occurred before.
    #[inline]
    pub fn repeats(&self) -> bool {
        let Some((now, before)) = self.steps.split_last().filter(|(now, _)| now.stretch + 1 > self.shortest)
        else {
            return false;
        };
        let since = before.len() - now.stretch as usize;
        before[since..].iter().any(|step| step.print == now.print && step.pos == now.pos)
    }

    /// The part of the key that depends on the history, for a search `depth` moves deep; 0 if the position alone is the key.
    #[inline]
    pub fn salt(&self, depth: u32) -> u64 {
        match self.steps.last() {
            Some(now) if !self.free_of_cycles(depth) => now.set.wrapping_mul(0xA24B_AED4_963E_E407) | 1,
            _ => 0,
        }
    }

    /// Whether no position reached on this path can return within `depth` moves.
    #[inline]
    pub fn free_of_cycles(&self, depth: u32) -> bool {
        self.steps.last().is_none_or(|now| now.stretch.saturating_add(depth) < self.shortest)
    }
}
