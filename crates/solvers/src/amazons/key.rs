//! Keys of Amazons boards in the transposition table. Up to 30 squares the key is exact: it contains the lead and the canonical
//! board under all symmetries.
//!
//! ```text
//!   63 … 60   59      …      30   29      …      0
//!     lead    other or blocked    own or blocked         bit 0 of a board is never a square, so it is left out
//! ```
//!
//! Larger boards have a 128-bit hash of all words as their key.

use super::{grid::Grid, state::State};
use crate::shared::{Key, Word};
use parlor_core::mix;
use parlor_games::amazons::Amazons;

/// Exact keys hold leads from -8 to 7.
const LEADS: std::ops::RangeInclusive<i32> = -8..=7;

/// A word with the kind of key that its boards have.
pub(super) trait Keyed: Word {
    type Key: Key;
    /// Whether the key is exact and not a hash.
    const EXACT: bool = <Self::Key as Key>::EXACT;
    /// The key of a state; `None` if the lead does not fit.
    fn key(keys: &Keys<Self>, state: &State<Self>) -> Option<Self::Key>;
}

/// A key without collisions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact(u64);

impl Key for Exact {
    const VALUES: u32 = 16;
    const EXACT: bool = true;
    const BITS: u32 = 64;

    #[inline(always)]
    fn scatter(self, line_bits: u32) -> (usize, u64) {
        self.0.scatter(line_bits)
    }
}

/// By byte index and byte value of a board: the squares after a symmetry.
type Turned<W> = Vec<[W; 256]>;

/// The symmetries of a board of some size.
pub(super) struct Keys<W> {
    all: W,
    /// Each has one table a byte. The identity is left out.
    symmetries: Vec<Turned<W>>,
}

impl<W: Word> Keys<W> {
    pub fn new(game: &Amazons, grid: &Grid<W>) -> Keys<W> {
        // Only boards with exact keys are normalised: mirror images of larger ones hardly ever occur.
        let exact = W::BITS == 32;
        let (columns, rows) = (game.columns(), game.rows());
        let turns = (1..8).filter(|turn| exact && (turn & 4 == 0 || columns == rows));
        let symmetries = turns.map(|turn| Self::symmetry(grid, turn)).collect();
        Keys { all: grid.all, symmetries }
    }

    /// Bits of `turn`: files mirrored, ranks mirrored, files and ranks exchanged.
    fn symmetry(grid: &Grid<W>, turn: u32) -> Turned<W> {
        let mut tables = vec![[W::ZERO; 256]; W::BITS as usize / 8];
        for (file, rank) in (0..grid.rows).flat_map(|rank| (0..grid.columns).map(move |file| (file, rank))) {
            let bit = grid.bit_at(file, rank);
            let (mut to_file, mut to_rank) = (file, rank);
            if turn & 1 != 0 {
                to_file = grid.columns - 1 - to_file;
            }
            if turn & 2 != 0 {
                to_rank = grid.rows - 1 - to_rank;
            }
            if turn & 4 != 0 {
                (to_file, to_rank) = (to_rank, to_file);
            }
            let to = W::bit(grid.bit_at(to_file, to_rank));
            let table = &mut tables[bit as usize / 8];
            (0..256).filter(|byte| byte >> (bit % 8) & 1 == 1).for_each(|byte: usize| table[byte] |= to);
        }
        tables
    }
}

#[inline(always)]
fn turned(tables: &Turned<u32>, board: u32) -> u32 {
    let bytes = board.to_le_bytes();
    tables.iter().zip(bytes).fold(0, |turned, (table, byte)| turned | table[usize::from(byte)])
}

impl Keyed for u32 {
    type Key = Exact;

    #[inline]
    fn key(keys: &Keys<u32>, state: &State<u32>) -> Option<Exact> {
        let State { board, lead } = *state;
        if !LEADS.contains(&lead) {
            return None;
        }
        let blocked = keys.all & !(board.own | board.other | board.empty);
        let planes = [board.own | blocked, board.other | blocked];
        let word = |[own, other]: [u32; 2]| u64::from(own >> 1) | u64::from(other >> 1) << 30;
        let least = keys
            .symmetries
            .iter()
            .fold(word(planes), |least, tables| least.min(word(planes.map(|plane| turned(tables, plane)))));
        Some(Exact(least | (lead as u64) << 60))
    }
}

/// Two hashes with different seeds side by side.
fn hashed(words: [u128; 3], lead: i32) -> u128 {
    let [a, b, c] = words.map(|word| [word as u64, (word >> 64) as u64]);
    let seeded =
        |seed: u64| mix([a[0] ^ seed, a[1], b[0], b[1], c[0], c[1] ^ seed.rotate_left(17), lead as u64]);
    u128::from(seeded(0)) << 64 | u128::from(seeded(0x5851_F42D_4C95_7F2D))
}

impl Keyed for u64 {
    type Key = u128;

    #[inline]
    fn key(_: &Keys<u64>, state: &State<u64>) -> Option<u128> {
        let State { board, lead } = *state;
        Some(hashed([board.own, board.other, board.empty].map(u128::from), lead))
    }
}

impl Keyed for u128 {
    type Key = u128;

    #[inline]
    fn key(_: &Keys<u128>, state: &State<u128>) -> Option<u128> {
        let State { board, lead } = *state;
        Some(hashed([board.own, board.other, board.empty], lead))
    }
}
