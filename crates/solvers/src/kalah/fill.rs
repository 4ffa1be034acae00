//! Fills a layer of a Kalah endgame table in long runs instead of position by position.
//!
//! A layer is blocks by the beans of the side not to move; in a block the other side's row counts more than the mover's:
//!
//! ```text
//!                 mover's row a ->                 For one row a and one of its moves, the positions that follow for all
//!   other's  b    . . . . . . .                    b are neighbours: the other side moves, a' is the row that counts more,
//!   row           . . . . . . .                    and b' runs with b. Only a move that ends in the pot keeps the mover,
//!                                                  and then it is the other way round: for one b all a' are neighbours.
//! ```
//!
//! Two rounds. In the first each position gets its best move among those that take beans out of play: they lead to lower
//! layers, so the order does not matter, and every thread has rows b of its own. In the second come the moves that stay in
//! the layer (`stay.rs`).

use super::{
    stay,
    steps::{End, Lookup, Step},
};
use parlor_games::{kalah::Kalah, rows::Rows};
use parlor_tables::{Filler, Work};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
    thread,
};

/// Rows of the other side that a thread takes at a time.
const ROWS: usize = 512;
/// Rows of the mover that are computed before they are transposed into place.
const TILE: usize = 64;
/// Worse than any value.
const NONE: i8 = i8::MIN + 1;

/// Fills layers of Kalah with up to eight holes per side. Its lookup tables are reused for the next layer.
///
/// # Examples
///
/// ```
/// use parlor_core::{Game, Oracle};
/// use parlor_games::kalah::Kalah;
/// use parlor_solvers::kalah::KalahFiller;
/// use parlor_tables::{EndgameTable, Work};
/// use std::sync::atomic::{AtomicBool, AtomicU64};
///
/// let game = Kalah::sized(3, 2)?;
/// let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
/// let work = Work { threads: 1, stop: &stop, done: &done };
/// let table = EndgameTable::in_memory(&game, 12, &KalahFiller::default(), &work).expect("not stopped");
/// assert!(table.probe(&game, &game.start()).is_some());
/// # Ok::<(), parlor_core::BadParams>(())
/// ```
#[derive(Clone, Default)]
pub struct KalahFiller {
    lookups: Arc<Mutex<BTreeMap<usize, Arc<Lookup>>>>,
}

impl Filler<Kalah> for KalahFiller {
    fn fill(&self, game: &Kalah, layer: u32, below: &[&[i8]], out: &mut [i8], work: &Work<'_>) -> bool {
        let Some(rows) = game.rows() else { return false };
        let mut lookups = self.lookups.lock().unwrap_or_else(PoisonError::into_inner);
        let lookup = lookups.entry(rows.holes()).or_insert_with(|| Arc::new(Lookup::new(rows))).clone();
        drop(lookups);
        let empty = game.captures_into_empty();
        let layer = Layer { lookup: &lookup, rows, beans: layer as usize, below, empty };
        layer.leave(out, work) && stay::fill(&lookup, layer.beans, empty, out, work)
    }
}

/// Positions in which the other side has `other` beans, from row `first` on.
struct Part<'a> {
    other: usize,
    first: usize,
    out: &'a mut [i8],
}

/// A layer being filled.
struct Layer<'a> {
    lookup: &'a Lookup,
    rows: &'static Rows,
    beans: usize,
    below: &'a [&'a [i8]],
    /// Whether a last bean goes to the pot with nothing opposite.
    empty: bool,
}

impl<'a> Layer<'a> {
    /// First round; returns false if stopped.
    fn leave(&self, out: &mut [i8], work: &Work<'_>) -> bool {
        let parts = Mutex::new(self.parts(out));
        let stopped = || work.stop.load(Ordering::Relaxed);
        thread::scope(|scope| {
            for _ in 0..work.threads.max(1) {
                scope.spawn(|| {
                    while let Some(mut part) = take(&parts).filter(|_| !stopped()) {
                        let count = part.out.len() as u64;
                        self.leave_part(&mut part);
                        work.done.fetch_add(count, Ordering::Relaxed);
                    }
                });
            }
        });
        !stopped()
    }

    /// Splits the layer into independent work items. Finished games are filled in at once: beans belong to the side on which
    /// they lie.
    fn parts<'o>(&self, mut out: &'o mut [i8]) -> Vec<Part<'o>> {
        let mut parts = Vec::new();
        for other in 0..=self.beans {
            let size = self.rows.block(self.beans, other + 1) - self.rows.block(self.beans, other);
            let (block, rest) = std::mem::take(&mut out).split_at_mut(size as usize);
            out = rest;
            let mine = self.beans - other;
            if other == 0 || mine == 0 {
                block.fill(mine as i8 - other as i8);
                continue;
            }
            let wide = ROWS * self.rows.count(mine) as usize;
            let pieces = block.chunks_mut(wide).enumerate();
            parts.extend(pieces.map(|(i, out)| Part { other, first: i * ROWS, out }));
        }
        parts
    }

    fn leave_part(&self, part: &mut Part<'_>) {
        let mine = self.beans - part.other;
        let (wide, steps) = (self.rows.count(mine) as usize, self.lookup.steps(mine));
        let height = part.out.len() / wide;
        let mut best = vec![NONE; TILE * height];
        for tile in (0..wide).step_by(TILE) {
            let columns = TILE.min(wide - tile);
            best.fill(NONE);
            for (column, best) in best.chunks_mut(height).take(columns).enumerate() {
                for step in steps.of(tile + column) {
                    self.run(step, part, best);
                }
            }
            let again: Vec<(usize, &Step)> = (0..columns)
                .flat_map(|column| steps.of(tile + column).iter().map(move |step| (column, step)))
                .filter(|(_, step)| step.end == End::Pot)
                .collect();
            for row in 0..height {
                let out = &mut part.out[row * wide + tile..][..columns];
                (0..).zip(&mut *out).for_each(|(column, out): (usize, _)| *out = best[column * height + row]);
                self.move_again(&again, part.other, part.first + row, out);
            }
        }
    }

    /// Applies one move of one row to a run of the other side's rows.
    fn run(&self, step: &Step, part: &Part<'_>, best: &mut [i8]) {
        let (pot, given) = (usize::from(step.pot), usize::from(step.given));
        let left = self.beans - part.other - pot - given;
        match step.end {
            End::Elsewhere if pot > 0 => {
                let values = self.row(self.beans - pot, left, step.to);
                let given = &self.lookup.given(part.other, given)[part.first..];
                for (best, &to) in best.iter_mut().zip(given) {
                    *best = (*best).max(pot as i8 - values[to as usize]);
                }
            }
            End::Empty { opposite } => self.run_capture(step, opposite.into(), left, part, best),
            End::Elsewhere | End::Pot => (),
        }
    }

    /// Like `run`, for a move that captures the beans opposite, whose number differs from row to row.
    fn run_capture(&self, step: &Step, opposite: usize, left: usize, part: &Part<'_>, best: &mut [i8]) {
        let (pot, given) = (usize::from(step.pot), usize::from(step.given));
        let most = part.other + given;
        let captured = |taken: usize| self.row(self.beans - pot - 1 - taken, left - 1, step.taken);
        // With nothing opposite the bean stays, or goes to the pot alone. If it stays and nothing else left play, the move
        // belongs to the second pass.
        let nothing = match (self.empty, pot) {
            (true, _) => Some((captured(0), pot + 1)),
            (false, 0) => None,
            (false, _) => Some((self.row(self.beans - pot, left, step.to), pot)),
        };
        let values: Vec<&[i8]> =
            (0..=most).map(|taken| if taken == 0 { &[][..] } else { captured(taken) }).collect();
        let without = &self.lookup.without(part.other, given, opposite)[part.first..];
        for (best, without) in best.iter_mut().zip(without) {
            let (taken, to) = (usize::from(without.beans), without.rank as usize);
            match (taken, nothing) {
                (0, None) => (),
                (0, Some((values, gain))) => *best = (*best).max(gain as i8 - values[to]),
                _ => *best = (*best).max((pot + 1 + taken) as i8 - values[taken][to]),
            }
        }
    }

    /// The values of a lower layer in which the side not to move has this row, by the number of the mover's.
    fn row(&self, beans: usize, other: usize, rank: u32) -> &'a [i8] {
        let wide = self.rows.count(beans - other) as usize;
        &self.below[beans][self.rows.block(beans, other) as usize + rank as usize * wide..][..wide]
    }

    /// Applies moves that end in the pot to a run of the mover's rows against one row of the other side.
    fn move_again(&self, again: &[(usize, &Step)], other: usize, row: usize, out: &mut [i8]) {
        let mut last = None;
        let mut values: &[i8] = &[];
        for (column, step) in again {
            let (pot, given) = (usize::from(step.pot), usize::from(step.given));
            if last != Some(given) {
                last = Some(given);
                let row = self.lookup.given(other, given)[row];
                values = self.row(self.beans - pot, other + given, row);
            }
            out[*column] = out[*column].max(pot as i8 + values[step.to as usize]);
        }
    }
}

/// Pops the next piece of work.
pub(super) fn take<T>(queue: &Mutex<Vec<T>>) -> Option<T> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).pop()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::{Game, Indexed};
    use parlor_tables::Forward;
    use std::sync::atomic::{AtomicBool, AtomicU64};

    fn layers(game: &Kalah, filler: &dyn Filler<Kalah>, up_to: u32, threads: usize) -> Vec<Vec<i8>> {
        let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
        let work = Work { threads, stop: &stop, done: &done };
        let mut layers: Vec<Vec<i8>> = Vec::new();
        for layer in 0..=up_to {
            let mut out = vec![0; game.len(layer) as usize];
            let below: Vec<&[i8]> = layers.iter().map(Vec::as_slice).collect();
            assert!(filler.fill(game, layer, &below, &mut out, &work));
            layers.push(out);
        }
        layers
    }

    #[test]
    fn runs_give_the_same_bytes_as_the_rules_position_by_position() {
        for (holes, up_to) in [(1, 20), (2, 14), (3, 11), (4, 8), (5, 7), (6, 6), (8, 4)] {
            for capture in [0, 1] {
                let game = Kalah::new(&[holes, 4, capture]).expect("a game");
                let by_rules = layers(&game, &Forward, up_to, 1);
                assert_eq!(layers(&game, &KalahFiller::default(), up_to, 2), by_rules, "{}", game.spec());
            }
        }
    }
}
