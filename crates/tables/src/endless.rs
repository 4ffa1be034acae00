//! Verifies the values of a layer in which play can cycle. That each entry follows from its successors is not enough there:
//! two positions could promise each other something that neither ever gets. Written independently of the fillers, with
//! other methods than theirs, and for any game that defines the payoff of endless play
//! ([`parlor_core::Game::repetition_payoff`]).
//!
//! Exact values: endless play pays nothing beyond what is banked, so a side that has more must be able to end it. A value
//! is *founded* if a move out of the layer gives it, or a move to a founded one; a loss if all moves that cost no more lead
//! to founded ones. All values but 0 must be founded.
//!
//! Bounds: a side that is promised k must be able to avoid that positions keep returning which pay less. The progress
//! measures of the table are the certificate: such a side must have a move that leaves with k, or leads to a larger
//! promise, to a smaller measure, or to an equal one where endless play pays k here and there; and no move of the other
//! side may lead to a smaller promise, or to a larger measure of the same one. Then what returns pays k.

use crate::{BadTable, EndgameTable, Work, map::shared, verify::all_right};
use parlor_core::{Indexed, Margin, Notation, Oracle};
use std::sync::atomic::{AtomicBool, AtomicI8, AtomicU64, Ordering::Relaxed};

/// The successors of a position.
#[derive(Default)]
struct Ways {
    /// The best by leaving the layer: for sure, and at most.
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

/// The side whose promise is checked: the one to move, or the other.
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

/// A measure of progress that the table does not know.
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
    // Progress is counted in entries, and these were counted before.
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

    /// Goes over all positions until nothing is added: `holds` says whether a flag may be set.
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

    /// Whether every bound can be had for certain: the measures of progress show how, one move ahead.
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

    /// The entry of a position in one of the planes.
    fn entry(&self, plane: usize, at: u64) -> i8 {
        self.entries[plane * self.len() + at as usize]
    }

    /// What is promised to the side of this view.
    fn bound(&self, at: u64, view: View) -> i16 {
        match view {
            View::Mover => i16::from(self.entry(0, at)),
            View::Other => -i16::from(self.entry(1, at)),
        }
    }

    fn measure(&self, at: u64, view: View) -> u8 {
        self.entry(if view == View::Mover { 3 } else { 4 }, at) as u8
    }

    /// What endless play that is stopped here pays the side of this view.
    fn pays(&self, at: u64, view: View) -> Option<i16> {
        let Margin(pays) = self.game.repetition_payoff(&self.game.position(self.number, at)?)?;
        Some(if view == View::Mover { pays } else { -pays })
    }

    /// The mover must have a move that keeps its bound, the other side must be able to bear all of them; none where there is
    /// nothing to certify.
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
                    let paid = [self.pays(at, view), self.pays(stay.index, seen(stay))];
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
