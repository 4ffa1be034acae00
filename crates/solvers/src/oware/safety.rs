//! What a side has for certain in spite of what stood before, where the table has measures of progress.
//!
//! A bound k of the table holds as if nothing had stood before. Whoever keeps it by the measures (see [`super::progress`]) stays
//! among positions with such a bound until the layer is left with k, or goes round where a cycle pays k. Of what stood before
//! only those positions spoil it that have such a bound themselves and pay less. So these are followed backwards:
//!
//! ```text
//!   stood before, has the bound k, pays less than k                                       spoilt
//!   has the bound, the other side can move to a spoilt one                                spoilt
//!   has the bound, all moves that keep it by the measures lead to spoilt ones             spoilt
//! ```
//!
//! All others that have the bound are safe, and the side never has to leave them but with k.

use super::ground::{Ground, Spot};
use std::{collections::HashSet, hash::BuildHasherDefault};

pub(super) type Numbers = HashSet<u64, BuildHasherDefault<super::course::Scatter>>;

/// No more positions than these are followed: there are about three in a microsecond.
const MOST: usize = 30_000;

/// The safe positions of one side and one bound.
pub(super) struct Safety<'a> {
    ground: Ground<'a>,
    side: u8,
    k: i8,
    spoilt: Numbers,
}

impl<'a> Safety<'a> {
    /// None if it took too long to find out. All measures of the layer must be exact.
    pub fn of(ground: Ground<'a>, side: u8, k: i8, before: &[Spot]) -> Option<Safety<'a>> {
        let mut safety = Safety { ground, side, k, spoilt: Numbers::default() };
        let mut found = Vec::new();
        for spot in before.iter().filter(|spot| spot.paid(side) < k) {
            safety.spoil(*spot, &mut found);
        }
        while let Some(spot) = found.pop() {
            if safety.spoilt.len() > MOST {
                return None;
            }
            let mover = 1 - spot.mover;
            let mut earlier = Vec::new();
            spot.node.unmoves(ground.rules, |node| earlier.push(Spot { node, mover }));
            for spot in earlier {
                if safety.has(&spot) && (mover != side || !safety.can_keep(&spot)) {
                    safety.spoil(spot, &mut found);
                }
            }
        }
        Some(safety)
    }

    fn spoil(&mut self, spot: Spot, found: &mut Vec<Spot>) {
        if self.has(&spot) {
            self.spoilt.insert(self.ground.number(&spot));
            found.push(spot);
        }
    }

    /// Whether the side has k here for certain.
    pub fn has(&self, spot: &Spot) -> bool {
        self.ground.bound(spot, self.side).is_some_and(|bound| bound >= self.k)
            && !self.spoilt.contains(&self.ground.number(spot))
    }

    /// Whether the side, to move where it has the bound, can leave with k or keep its bound among what is not spoilt.
    fn can_keep(&self, spot: &Spot) -> bool {
        let Safety { ground, side, k, .. } = *self;
        let (bound, measure) = (ground.bound(spot, side), ground.measure(spot, side));
        let mut can = spot.node.movable() == 0;
        ground.moves(spot, |taken, next| {
            let there = ground.bound(&next, side);
            can |= if taken > 0 {
                there.is_some_and(|there| taken + there >= k)
            } else if there == bound {
                let rests = bound.is_some_and(|k| spot.paid(side) >= k && next.paid(side) >= k);
                let nearer = ground.measure(&next, side);
                self.has(&next) && (nearer < measure || nearer == measure && rests)
            } else {
                there > bound && self.has(&next)
            };
        });
        can
    }
}
