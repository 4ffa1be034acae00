//! Whether the values of a layer hold where play can go round in circles. That each entry follows from its successors is not
//! enough there: two positions could promise each other something that neither ever gets. Written apart from the fillers,
//! with other methods than theirs, and for any game that says what endless play pays ([`parlor_play::Game::settle`]).
//!
//! Exact values: endless play is worth nothing beyond what is banked, so whoever has more must get it in the end. A value is
//! *founded* if a move out of the layer gives it, or a move to a founded one; a loss if all moves that cost no more lead to
//! founded ones. All values but 0 must be.
//!
//! Bounds: for every k, whoever is promised k must be able to avoid that positions keep returning whose rows pay less. We let
//! the other side try: from which positions can it come back for ever to such a place? There must be none.

use crate::{BadTable, Table, Work, map::shared};
use parlor_play::{Indexed, Margin, Notation, Oracle};
use std::sync::atomic::{AtomicBool, AtomicI8, AtomicU64, Ordering::Relaxed};

/// Where the moves of a position lead.
#[derive(Default)]
struct Ways {
    /// The best by leaving the layer: for sure, and at most.
    leaving: Option<[i16; 2]>,
    /// The numbers of the positions after moves that stay.
    staying: Vec<u64>,
}

/// A layer under examination.
struct Layer<'a, G> {
    table: &'a Table<G>,
    game: &'a G,
    number: u32,
    entries: &'a [i8],
    work: Work<'a>,
}

/// Checks a layer of a game in which play can be endless; any other game has nothing to check.
pub(crate) fn check<G: Indexed + Notation>(
    table: &Table<G>,
    number: u32,
    work: &Work<'_>,
) -> Result<(), BadTable> {
    let game = table.family();
    if game.settle(&game.start()).is_none() {
        return Ok(());
    }
    // Whoever watches the work counts entries, and these were counted.
    let done = AtomicU64::new(0);
    let layer =
        Layer { table, game, number, entries: table.entries(number)?, work: Work { done: &done, ..*work } };
    match game.planes() {
        1 => layer.are_founded(),
        _ => {
            let most = layer.entries.iter().copied().max().unwrap_or(0);
            (-most..=most).try_for_each(|k| layer.is_kept(i16::from(k)))
        }
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
                ways.staying.push(game.index(&next));
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
            let mut like = ways.staying.iter().filter(|&&next| value(next) == -held);
            match held > 0 {
                true => ways.leaving.is_some_and(|[best, _]| best == held) || like.any(|&next| is(next)),
                false => like.all(|&next| is(next)),
            }
        });
        let unfounded = |at: &usize| self.entries[*at] != 0 && !is(*at as u64);
        match (0..self.len()).find(unfounded).filter(|_| !self.work.stopped()) {
            Some(at) => Err(self.fault(at, self.entries[at])),
            None => Ok(()),
        }
    }

    /// Whether what is promised by k, to the mover (A) or to the other side (B), can be kept whatever goes round. Flags are
    /// two a position, A before B.
    fn is_kept(&self, k: i16) -> Result<(), BadTable> {
        let len = self.len();
        let lo = |at: usize| i16::from(self.entries[at]);
        let hi = |at: usize| i16::from(self.entries[len + at]);
        let promised =
            |node: usize| if node.is_multiple_of(2) { lo(node / 2) >= k } else { hi(node / 2) <= -k };
        let pays = |node: usize| {
            let pos = self.game.position(self.number, (node / 2) as u64)?;
            let Margin(pays) = self.game.settle(&pos).filter(|_| self.game.result(&pos).is_none())?;
            Some(if node.is_multiple_of(2) { pays } else { -pays })
        };
        // Places where the promise would be broken if they kept returning.
        let mut wanted: Vec<i8> = (0..2 * len)
            .map(|node| i8::from(promised(node) && pays(node).is_some_and(|pays| pays < k)))
            .collect();
        loop {
            let mut reached = wanted.clone();
            let flags = shared(&mut reached);
            // Whether the other side can come from here to a place it has its eye on.
            let comes = |node: usize, ways: &mut Ways| {
                if self.ways((node / 2) as u64, ways).is_none() {
                    return false;
                }
                let next = |index: u64| 2 * index as usize + 1 - node % 2;
                let reached = |index: &u64| flags[next(*index)].load(Relaxed) != 0;
                match node % 2 {
                    0 => {
                        let leaves = ways.leaving.is_some_and(|[best, _]| best >= k);
                        !leaves && ways.staying.iter().filter(|&&index| promised(next(index))).all(reached)
                    }
                    _ => ways.staying.iter().any(reached),
                }
            };
            self.spread(flags, |node, ways| promised(node) && comes(node, ways));
            let mut fewer = wanted.clone();
            let again = shared(&mut fewer);
            let dropped = AtomicBool::new(false);
            self.work.share_out(2 * len as u64, |nodes, ways: &mut Ways| {
                for node in nodes.map(|node| node as usize) {
                    if again[node].load(Relaxed) != 0 && !comes(node, ways) {
                        again[node].store(0, Relaxed);
                        dropped.store(true, Relaxed);
                    }
                }
            });
            if self.work.stopped() {
                return Ok(());
            }
            if !dropped.into_inner() {
                let left = fewer.iter().position(|&wanted| wanted != 0);
                return left.map_or(Ok(()), |node| Err(self.fault(node / 2, k as i8)));
            }
            wanted = fewer;
        }
    }
}
