//! Positions of Kalah as the search sees them: two words of byte lanes, the mover's first, and how many beans they hold. What
//! is in the pots is banked and does not matter.

use crate::shared::Key;
use parlor_games::{
    kalah::Swift,
    rows::{Rows, beans},
};

/// A position, seen by the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub own: u64,
    pub other: u64,
    /// Beans in play.
    pub beans: i32,
}

/// What a move leads to.
#[derive(Clone, Copy, Debug)]
pub(super) struct After {
    pub node: Node,
    /// Beans for the mover's pot.
    pub gain: i32,
    /// Whether the same side moves again; `node` is then still seen by it.
    pub again: bool,
}

/// The rules of one variant with H holes a side. The size is part of the type, so that what is done for every hole is done
/// without a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules<const H: usize> {
    pub rows: &'static Rows,
    pub swift: &'static Swift,
    pub captures_into_empty: bool,
}

impl<const H: usize> Rules<H> {
    /// How many bits a hole has in a key.
    const BITS: usize = if 63 / (2 * H) < 8 { 63 / (2 * H) } else { 8 };

    /// Sows the lane, which has beans.
    #[inline(always)]
    pub fn play(&self, node: &Node, lane: usize) -> After {
        let sowing = self.swift.sowing(lane, (node.own >> (8 * lane)) as u8);
        let mut own = node.own.wrapping_add(sowing.own);
        let mut other = node.other.wrapping_add(sowing.other);
        let (mut gain, last) = (i32::from(sowing.pot), usize::from(sowing.last));
        if last < H && own >> (8 * last) & 0xFF == 1 {
            let opposite = 8 * (H - 1 - last);
            let taken = (other >> opposite & 0xFF) as i32;
            if taken > 0 || self.captures_into_empty {
                gain += 1 + taken;
                own &= !(0xFF << (8 * last));
                other &= !(0xFF << opposite);
            }
        }
        let (again, beans) = (last == H, node.beans - gain);
        let node = if again { Node { own, other, beans } } else { Node { own: other, other: own, beans } };
        After { node, gain, again }
    }

    /// A key that tells the position exactly; none if a hole holds more beans than it has bits for.
    ///
    /// ```text
    ///   six holes:   62..60  59        …         30 29        …         0
    ///                unused  [ other row, 6 x 5   ] [ own row, 6 x 5    ]
    /// ```
    #[inline(always)]
    pub fn key(&self, node: &Node) -> Option<Beans> {
        let too_many = 0x0101_0101_0101_0101 * (0xFF_u64 << Self::BITS & 0xFF);
        if (node.own | node.other) & too_many != 0 {
            return None;
        }
        let mut key = 0;
        for lane in 0..H {
            key |= (node.own >> (8 * lane) & 0xFF) << (Self::BITS * lane);
            key |= (node.other >> (8 * lane) & 0xFF) << (Self::BITS * (H + lane));
        }
        Some(Beans(key))
    }
}

impl Node {
    /// The value if the game is over: what lies in the holes belongs to whom it lies with.
    #[inline(always)]
    pub fn over(&self) -> Option<i32> {
        (self.own == 0 || self.other == 0).then(|| if self.own == 0 { -self.beans } else { self.beans })
    }

    /// A position with these lanes.
    pub fn new(own: u64, other: u64) -> Node {
        Node { own, other, beans: (beans(own) + beans(other)) as i32 }
    }
}

/// All holes of a position in 63 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Beans(u64);

impl Key for Beans {
    const VALUES: u32 = 18;
    const EXACT: bool = true;
    const BITS: u32 = 63;

    #[inline(always)]
    fn scatter(self, line_bits: u32) -> (usize, u64) {
        let mixed = self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) & (u64::MAX >> 1);
        // The upper bits depend on all of the key, the lower ones on a part of it; together they tell it.
        ((mixed >> (63 - line_bits)) as usize, mixed & (u64::MAX >> (line_bits + 1)))
    }
}
