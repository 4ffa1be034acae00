//! Bounds that hold in spite of the history of the game, for tables with measures of progress.
//!
//! A bound k of the table holds for an empty history. A side that preserves it by the measures (see [`super::progress`]) stays
//! among positions with that bound until it leaves the layer with k, or cycles where a cycle pays k. So only those earlier
//! positions are harmful that have the bound themselves and pay less. They are propagated backwards:
//!
//! ```text
//!   occurred before, has the bound k, pays less than k                                    unsafe
//!   has the bound, the other side can move to an unsafe one                               unsafe
//!   has the bound, all moves that keep it by the measures lead to unsafe ones             unsafe
//! ```
//!
//! All other positions with the bound are safe: the side leaves them only with k.

use super::sided_layer::{SidedLayer, SidedPosition};
use std::{collections::HashSet, hash::BuildHasherDefault};

pub(super) type Numbers = HashSet<u64, BuildHasherDefault<super::progress_path::Scatter>>;

/// The limit of visited positions, at about three per microsecond.
const MOST: usize = 30_000;

/// The safe positions of one side and one bound.
pub(super) struct Safety<'a> {
    layer: SidedLayer<'a>,
    side: u8,
    k: i8,
    spoilt: Numbers,
}

impl<'a> Safety<'a> {
    /// Computes the safe positions; `None` if the limit is exceeded. All measures of the layer must be exact.
    pub fn of(layer: SidedLayer<'a>, side: u8, k: i8, before: &[SidedPosition]) -> Option<Safety<'a>> {
        let mut safety = Safety { layer, side, k, spoilt: Numbers::default() };
        let mut found = Vec::new();
        for spot in before.iter().filter(|spot| spot.paid(side) < k) {
            safety.mark_unsafe(*spot, &mut found);
        }
        while let Some(spot) = found.pop() {
            if safety.spoilt.len() > MOST {
                return None;
            }
            let mover = 1 - spot.mover;
            let mut earlier = Vec::new();
            spot.node.unmoves(layer.rules, |node| earlier.push(SidedPosition { node, mover }));
            for spot in earlier {
                if safety.has(&spot) && (mover != side || !safety.can_keep(&spot)) {
                    safety.mark_unsafe(spot, &mut found);
                }
            }
        }
        Some(safety)
    }

    fn mark_unsafe(&mut self, spot: SidedPosition, found: &mut Vec<SidedPosition>) {
        if self.has(&spot) {
            self.spoilt.insert(self.layer.number(&spot));
            found.push(spot);
        }
    }

    /// Whether the side secures k here.
    pub fn has(&self, spot: &SidedPosition) -> bool {
        self.layer.bound(spot, self.side).is_some_and(|bound| bound >= self.k)
            && !self.spoilt.contains(&self.layer.number(spot))
    }

    /// Whether the side to move, in a position with the bound, can leave with k or preserve its bound among safe positions.
    fn can_keep(&self, spot: &SidedPosition) -> bool {
        let Safety { layer, side, k, .. } = *self;
        let (bound, measure) = (layer.bound(spot, side), layer.measure(spot, side));
        let mut can = spot.node.movable() == 0;
        layer.moves(spot, |taken, next| {
            let there = layer.bound(&next, side);
            can |= if taken > 0 {
                there.is_some_and(|there| taken + there >= k)
            } else if there == bound {
                let rests = bound.is_some_and(|k| spot.paid(side) >= k && next.paid(side) >= k);
                let nearer = layer.measure(&next, side);
                self.has(&next) && (nearer < measure || nearer == measure && rests)
            } else {
                there > bound && self.has(&next)
            };
        });
        can
    }
}
