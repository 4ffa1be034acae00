//! Random endgames of Amazons and plain negamax over the rules, to check the solver with. Uses no code of the solver.

use parlor_core::{Game, Side};
use parlor_engine::Random;
use parlor_games::amazons::{Amazons, Position, Square};
use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

/// A board of a random size with `empty` empty squares (fewer where the board is too small), one to four queens per side,
/// and arrows on all other squares.
pub fn endgame(random: &mut Random, empty: usize) -> (Amazons, Position) {
    let [columns, rows] = [4 + random.below(4) as u32, 4 + random.below(4) as u32];
    let game = Amazons::sized(columns, rows).expect("a size");
    let squares = (0..game.rows()).flat_map(|rank| (0..game.columns()).map(move |file| (file, rank)));
    let mut left: Vec<Square> = squares.filter_map(|(file, rank)| Square::at(file, rank)).collect();
    let counts = [0; 2].map(|_| 1 + random.below(4));
    let mut pos = Position { queens: [0; 2], arrows: 0, turn: Side::BOTH[random.below(2)] };
    // Open squares are mostly connected: each is next to an earlier one where that is possible.
    let mut heap = 0_u128;
    for placed in 0..(empty + counts[0] + counts[1]).min(left.len()) {
        let near: Vec<usize> = (0..left.len()).filter(|&i| touches(left[i], heap)).collect();
        let alone = placed == 0 || near.is_empty() || random.below(8) == 0;
        let at = if alone { random.below(left.len()) } else { near[random.below(near.len())] };
        heap |= left.swap_remove(at).bit();
    }
    pos.arrows = game.squares() & !heap;
    let mut heaped: Vec<u32> = (0..128).filter(|bit| heap >> bit & 1 == 1).collect();
    for (side, count) in counts.into_iter().enumerate() {
        for _ in 0..count {
            pos.queens[side] |= 1 << heaped.swap_remove(random.below(heaped.len()));
        }
    }
    (game, pos)
}

fn touches(square: Square, heap: u128) -> bool {
    let near = |a: usize, b: usize| a.abs_diff(b) <= 1;
    let all = (0..10).flat_map(|rank| (0..10).filter_map(move |file| Square::at(file, rank)));
    let mut beside = all.filter(|s| near(s.file(), square.file()) && near(s.rank(), square.rank()));
    beside.any(|s| heap & s.bit() != 0)
}

/// Positions and whether the side to move wins them, in a map with a fast hash.
pub type KnownWins = HashMap<Position, bool, BuildHasherDefault<Quick>>;

/// The hash of [`KnownWins`].
#[derive(Default)]
pub struct Quick(u64);

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }
    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    }
    fn write_u128(&mut self, word: u128) {
        self.write_u64(word as u64 ^ (word >> 64) as u64);
    }
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

/// Positions with fewer empty squares are searched again faster than they are looked up.
const REMEMBERED: u32 = 4;

/// Whether the side to move wins: some move leads to a position that the opponent does not win.
pub fn wins(game: &Amazons, pos: &Position, memory: &mut KnownWins) -> bool {
    if let Some(&known) = memory.get(pos) {
        return known;
    }
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let after = |mv| {
        let mut next = *pos;
        game.play(&mut next, mv);
        next
    };
    if game.empty(pos).count_ones() < REMEMBERED {
        return moves.into_iter().any(|mv| !wins(game, &after(mv), memory));
    }
    let mut next: Vec<Position> = moves.into_iter().map(after).collect();
    // Move ordering only affects the time: first the moves that leave the opponent the fewest moves.
    next.sort_by_cached_key(|next| game.turns(next, next.turn));
    let won = next.iter().any(|next| !wins(game, next, memory));
    memory.insert(*pos, won);
    won
}

/// Whether no path of squares without arrows connects queens of both sides.
pub fn separated(game: &Amazons, pos: &Position) -> bool {
    let open = game.squares() & !pos.arrows;
    let all: Vec<Square> =
        (0..10).flat_map(|rank| (0..10).filter_map(move |file| Square::at(file, rank))).collect();
    let mut reached = pos.queens[0];
    loop {
        let next = all.iter().filter(|s| open & s.bit() != 0 && touches(**s, reached));
        let next = next.fold(reached, |set, s| set | s.bit());
        if next == reached {
            return reached & pos.queens[1] == 0;
        }
        reached = next;
    }
}
