//! Verifies the values of a layer in which play can cycle. It is not enough that each entry follows from its successors: the
//! values of two positions could justify each other in a circle. This code is independent of the fillers, uses other methods,
//! and serves any game that defines the payoff of endless play ([`parlor_core::Game::repetition_payoff`]).
//!
//! Exact values: endless play pays nothing beyond the banked part, so a side with a larger value must be able to end it. A
//! value is *founded* if a move out of the layer, or to a founded value, gives it; a loss is founded if all moves that cost no
//! more lead to founded values. All values but 0 must be founded.
//!
//! Bounds: a side with the bound k must be able to avoid cycles of positions that pay less. The progress measures of the table
//! are the certificate: such a side must have a move that leaves with k, or leads to a larger bound, to a smaller measure, or
//! to an equal one if endless play pays k in both positions; and no move of the other side may lead to a smaller bound, or to a
//! larger measure of the same one. Then every position that recurs pays k.

use crate::{BadTable, EndgameTable, Work, map::shared, verify::all_right};
use parlor_core::{Indexed, Margin, Notation, Oracle};
use std::sync::atomic::{AtomicBool, AtomicI8, AtomicU64, Ordering::Relaxed};

/// The successors of a position.
#[derive(Default)]
struct Ways {
    /// The best bounds by leaving the layer: lower and upper.
    leaving: Option<[i16; 2]>,
    /// Successors within the layer.
    staying: Vec<Stay>,
}

/// A successor within the layer.
struct Stay {
    index: u64,
    /// Whether the same side moves again.
    again: bool,
}

/// The side whose bound is checked: the one to move, or the other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    Mover,
    Other,
}

impl View {
    fn turned(self) -> View {
        if self == View::Mover { View::Other } else { View::Mover }
    }
}

/// A progress measure that the table does not have.
const UNKNOWN: u8 = u8::MAX;

/// The layer being checked.
struct Layer<'a, G> {
    table: &'a EndgameTable<G>,
    game: &'a G,
    number: u32,
    entries: &'a [i8],
    work: Work<'a>,
}

/// Checks a layer of a game in which play can be endless; any other game has nothing to check.
pub(crate) fn check<G: Indexed + Notation>(
    table: &EndgameTable<G>,
    number: u32,
    work: &Work<'_>,
) -> Result<(), BadTable> {
    let game = table.family();
    if game.repetition_payoff(&game.start()).is_none() {
        return Ok(());
    }
    // Progress is counted in entries, which were counted before.
    let done = AtomicU64::new(0);
    let layer =
        Layer { table, game, number, entries: table.entries(number)?, work: Work { done: &done, ..*work } };
    match game.planes() {
        1 => layer.are_founded(),
        _ => layer.are_certified(),
    }
}

impl<G: Indexed + Notation> Layer<'_, G> {
    fn len(&self) -> usize {
        self.entries.len() / self.game.planes()
    }

    fn ways(&self, index: u64, ways: &mut Ways) -> Option<G::Position> {
        let game = self.game;
        let pos = game.position(self.number, index)?;
        ways.leaving = None;
        ways.staying.clear();
        let mut moves = Vec::new();
        game.moves(&pos, &mut moves);
        for mv in moves {
            let mut next = pos.clone();
            game.play(&mut next, mv);
            if game.result(&next).is_none() && game.layer(&next) == self.number {
                ways.staying
                    .push(Stay { index: game.index(&next), again: game.turn(&next) == game.turn(&pos) });
                continue;
            }
            let found = self.table.probe(game, &next)?;
            let [lo, hi] = if game.turn(&next) == game.turn(&pos) {
                [found.lo.0, found.hi.0]
            } else {
                [-found.hi.0, -found.lo.0]
            };
            let [best, most] = ways.leaving.unwrap_or([lo, hi]);
            ways.leaving = Some([best.max(lo), most.max(hi)]);
        }
        Some(pos)
    }

    /// Iterates over all positions until no flag is added: `holds` says whether a flag may be set.
    fn spread(&self, flags: &[AtomicI8], holds: impl Fn(usize, &mut Ways) -> bool + Sync) {
        let added = AtomicBool::new(true);
        while added.swap(false, Relaxed) && !self.work.stopped() {
            self.work.share_out(flags.len() as u64, |numbers, ways: &mut Ways| {
                for at in numbers.map(|at| at as usize) {
                    if flags[at].load(Relaxed) == 0 && holds(at, ways) {
                        flags[at].store(1, Relaxed);
                        added.store(true, Relaxed);
                    }
                }
            });
        }
    }

    fn fault(&self, index: usize, held: i8) -> BadTable {
        let pos = self.game.position(self.number, index as u64);
        let position = pos.map_or(String::new(), |pos| self.game.write_position(&pos));
        BadTable::Endless { layer: self.number, index: index as u64, position, held }
    }

    fn are_founded(&self) -> Result<(), BadTable> {
        let mut founded = vec![0_i8; self.len()];
        let flags = shared(&mut founded);
        let is = |at: u64| flags[at as usize].load(Relaxed) != 0;
        let value = |at: u64| i16::from(self.entries[at as usize]);
        self.spread(flags, |at, ways| {
            let held = value(at as u64);
            if held == 0 {
                return false;
            }
            let Some(pos) = self.ways(at as u64, ways) else { return false };
            if self.game.result(&pos).is_some() {
                return true;
            }
            let same = |stay: &Stay| value(stay.index) == if stay.again { held } else { -held };
            let mut like = ways.staying.iter().filter(|stay| same(stay)).map(|stay| stay.index);
            match held > 0 {
                true => ways.leaving.is_some_and(|[best, _]| best == held) || like.any(is),
                false => like.all(is),
            }
        });
        let unfounded = |at: &usize| self.entries[*at] != 0 && !is(*at as u64);
        match (0..self.len()).find(unfounded).filter(|_| !self.work.stopped()) {
            Some(at) => Err(self.fault(at, self.entries[at])),
            None => Ok(()),
        }
    }

    /// Whether the progress measures certify every bound, one move ahead.
    fn are_certified(&self) -> Result<(), BadTable> {
        let len = self.len() as u64;
        all_right(&self.work, 2 * len, |node| {
            let (at, view) = if node < len { (node, View::Mover) } else { (node - len, View::Other) };
            match self.is_certified(at, view) {
                Some(false) => Err(self.fault(at as usize, self.bound(at, view) as i8)),
                _ => Ok(()),
            }
        })
    }

    /// The entry of a position in a plane.
    fn entry(&self, plane: usize, at: u64) -> i8 {
        self.entries[plane * self.len() + at as usize]
    }

    /// The bound of the side of this view.
    fn bound(&self, at: u64, view: View) -> i16 {
        match view {
            View::Mover => i16::from(self.entry(0, at)),
            View::Other => -i16::from(self.entry(1, at)),
        }
    }

    fn measure(&self, at: u64, view: View) -> u8 {
        self.entry(if view == View::Mover { 3 } else { 4 }, at) as u8
    }

    /// The payoff for the side of this view if endless play is stopped here.
    fn payoff(&self, at: u64, view: View) -> Option<i16> {
        let Margin(pays) = self.game.repetition_payoff(&self.game.position(self.number, at)?)?;
        Some(if view == View::Mover { pays } else { -pays })
    }

    /// Whether the mover has a move that keeps its bound, or no move of the other side violates it; `None` if there is nothing
    /// to certify.
    fn is_certified(&self, at: u64, view: View) -> Option<bool> {
        let mut ways = Ways::default();
        let pos = self.ways(at, &mut ways)?;
        if self.game.result(&pos).is_some() {
            return None;
        }
        let (k, measure) = (self.bound(at, view), self.measure(at, view));
        let seen = |stay: &Stay| if stay.again { view } else { view.turned() };
        let certified = match view {
            _ if measure == UNKNOWN => false,
            View::Mover => {
                let keeps = |stay: &Stay| {
                    let (bound, next) =
                        (self.bound(stay.index, seen(stay)), self.measure(stay.index, seen(stay)));
                    let paid = [self.payoff(at, view), self.payoff(stay.index, seen(stay))];
                    let rests = next == measure && paid.iter().all(|&pays| pays >= Some(k));
                    bound > k || bound == k && (next < measure || rests)
                };
                ways.leaving.is_some_and(|[best, _]| best >= k) || ways.staying.iter().any(keeps)
            }
            View::Other => {
                let bears = |stay: &Stay| {
                    let (bound, next) =
                        (self.bound(stay.index, seen(stay)), self.measure(stay.index, seen(stay)));
                    bound > k || bound == k && next <= measure
                };
                ways.leaving.is_none_or(|[_, most]| -most >= k) && ways.staying.iter().all(bears)
            }
        };
        Some(certified)
    }
}
